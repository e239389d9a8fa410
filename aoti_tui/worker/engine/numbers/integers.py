"""Integers as bits: unsigned views, and the upper half of a product."""

from __future__ import annotations

import numpy as np

from .floats import Array

UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def as_unsigned(data: Array) -> Array:
    """The bits of signed integers as unsigned ones; anything else as it is."""
    return data.view(UNSIGNED[data.dtype.itemsize]) if data.dtype.kind == "i" else data


def high_half(left: Array, right: Array) -> Array:
    """The upper half of the unsigned product."""
    a, b = as_unsigned(left), as_unsigned(right)
    if a.dtype.itemsize < 8:
        bits = a.dtype.itemsize * 8
        wide = (a.astype(np.uint64) * b.astype(np.uint64)) >> np.uint64(bits)
        return wide.astype(a.dtype).view(left.dtype)
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    a0, a1, b0, b1 = a & low, a >> half, b & low, b >> half
    middle = a1 * b0 + ((a0 * b0) >> half)
    other = a0 * b1 + (middle & low)
    high: Array = a1 * b1 + (middle >> half) + (other >> half)
    return high.view(left.dtype)
