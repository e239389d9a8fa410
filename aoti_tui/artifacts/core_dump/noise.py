"""Floats replaced by noise that has their mean and spread: data that can be given away."""

from __future__ import annotations

import math
import random
import struct
from array import array

_CODES = {"float64": "d", "float32": "f", "float16": "e"}
FLOATS = (*_CODES, "bfloat16")
"""Types that can be replaced."""


def noise_like(data: bytes, dtype: str, seed: int) -> bytes:
    """As many floats of ``dtype``, normal, with the mean and spread of the finite ones; zeros,
    infinities and NaN stay where they are, since they can be the cause of a failure."""
    values = _decoded(data, dtype)
    finite = [v for v in values if math.isfinite(v) and v != 0]
    if not finite:
        return data
    mean = math.fsum(finite) / len(finite)
    spread = math.sqrt(math.fsum((v - mean) ** 2 for v in finite) / len(finite))
    chance = random.Random(seed)
    made = [v if v == 0 or not math.isfinite(v) else chance.gauss(mean, spread) for v in values]
    return _encoded(made, dtype)


def _decoded(data: bytes, dtype: str) -> list[float]:
    if dtype == "bfloat16":
        whole = array("H", data)
        return list(struct.unpack(f"<{len(whole)}f", b"".join(_widened(n) for n in whole)))
    code = _CODES[dtype]
    count = len(data) // struct.calcsize(code)
    return list(struct.unpack(f"<{count}{code}", data))


def _widened(half: int) -> bytes:
    return b"\0\0" + half.to_bytes(2, "little")


def _encoded(values: list[float], dtype: str) -> bytes:
    if dtype == "bfloat16":
        wide = struct.pack(f"<{len(values)}f", *values)
        return b"".join(wide[at + 2 : at + 4] for at in range(0, len(wide), 4))
    if dtype == "float16":
        values = [v if not math.isfinite(v) else max(-65504.0, min(65504.0, v)) for v in values]
    return struct.pack(f"<{len(values)}{_CODES[dtype]}", *values)
