"""One Triton kernel as Python ast: temporaries, asserts, def-use and slices."""
