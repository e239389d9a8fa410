"""The process that runs kernels in Triton's interpreter. It imports nothing of the package."""
