"""What kernels calculate with: blocks, pointers and the tensors they point into."""
