"""The operations of Triton's IR builder, calculated at once instead of emitted."""
