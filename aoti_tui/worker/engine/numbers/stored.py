"""Elements as they lie in memory, and as the values blocks are calculated in."""

from __future__ import annotations

from .dtypes import Number
from .exact import Exact
from .floats import Array, from_bits, to_bits


def decode(bits: Array, number: Number) -> Array:
    """Elements as stored to the values blocks are calculated in."""
    if number.small is not None:
        return from_bits(bits, number.small)
    return bits != 0 if number.kind == "bool" else bits


def encode(values: Array, number: Number) -> Array:
    """Values to elements as stored."""
    if Exact.on and number.kind == "float":
        values = number.rounded(values)
    if number.small is not None:
        return to_bits(values, number.small)
    return values.astype(number.stored, copy=False)
