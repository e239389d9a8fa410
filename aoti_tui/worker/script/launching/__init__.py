"""Launches of triton.jit functions, taken from triton and run by the engine."""
