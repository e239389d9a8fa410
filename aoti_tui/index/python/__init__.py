"""Reading Python with ``ast``, never run: kernels' expressions, and torch.compile's wrappers."""
