"""Find out why a compiled PyTorch kernel failed."""

__version__ = "0.1.0"
