"""What only Inductor's kernels need: `triton_helpers` and the modules they import."""
