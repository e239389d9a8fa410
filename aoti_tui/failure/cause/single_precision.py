"""Sizes that a kernel works out in 32-bit floats, where the wrapper uses 64 bits."""

from __future__ import annotations

import re

_FLOAT = re.compile(r"\d\.\d|tl\.float32")


def in_single_precision(bound: str) -> bool:
    """Whether a kernel works a bound out in 32-bit floats: a float of a kernel's source is one,
    unless 64 bits are asked for."""
    return "tl.float64" not in bound and _FLOAT.search(bound) is not None
