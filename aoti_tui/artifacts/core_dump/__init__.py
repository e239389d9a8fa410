"""GPU core dumps: what the CUDA driver wrote of the failing launch, read and never trusted."""
