"""Kernels, compiled and run: one program, many at once, or a whole grid."""
