"""Numbers as decimals, in hexadecimal, or as the bits that their type keeps them in."""

from __future__ import annotations

import math
import struct

from aoti_tui.session.text import number

FORMATS = ("decimal", "hex", "bits")
TOLD = {
    "decimal": "Numbers in decimal; # goes on to hexadecimal.",
    "hex": "Numbers in hexadecimal, floats as ±0x1.f·2^p; # shows the bits of floats next.",
    "bits": "Floats as the bits of their type, in hexadecimal; # goes back to decimal.",
}
WIDEST = 18
"""Cells of 64 bits in hexadecimal."""
_PACKED = {"float64": ("<d", "<Q", 16), "float32": ("<f", "<I", 8), "float16": ("<e", "<H", 4)}
# Exponent bits, mantissa bits, bias, and whether there are no infinities (one NaN pattern only).
_SMALL = {
    "float8_e4m3fn": (4, 3, 7, True),
    "float8_e5m2": (5, 2, 15, False),
    "float8_e4m3b15": (4, 3, 15, True),
}


def formatted(value: object, dtype: str, how: str) -> str:
    """A value of a type in one of :data:`FORMATS`; bools and text are the same in all.

    >>> formatted(1.5, "float32", "bits")
    '0x3fc00000'
    >>> formatted(-1, "int32", "hex")
    '0xffffffff'
    """
    if how == "decimal" or isinstance(value, bool) or not isinstance(value, int | float):
        return number(value)
    if isinstance(value, float):
        return _bits(value, dtype) if how == "bits" else _hexadecimal(value)
    if value >= 0:
        return hex(value)
    digits = "".join(one for one in dtype if one.isdigit())
    width = int(digits) if dtype.startswith("int") and digits else 64
    return hex(value & (1 << width) - 1) if value >= -(1 << width - 1) else hex(value)


def _hexadecimal(value: float) -> str:
    """As C's ``%a`` has it, without zeros that say nothing: ``0x1.8p+0``."""
    if not math.isfinite(value):
        return number(value)
    mantissa, _, exponent = value.hex().partition("p")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}p{exponent}"


def _bits(value: float, dtype: str) -> str:
    """The bits that a float's type keeps it in."""
    if dtype == "bfloat16":
        return f"0x{_packed(value, 'float32') >> 16:04x}"
    if dtype in _SMALL:
        return f"0x{_small(value, *_SMALL[dtype]):02x}"
    kind = dtype if dtype in _PACKED else "float64"
    return f"0x{_packed(value, kind):0{_PACKED[kind][2]}x}"


def _packed(value: float, kind: str) -> int:
    write, read, _ = _PACKED[kind]
    bits: int = struct.unpack(read, struct.pack(write, value))[0]
    return bits


def _small(value: float, exponents: int, mantissas: int, bias: int, finite: bool) -> int:
    """The pattern of a value that a float of 8 bits can hold."""
    sign = int(math.copysign(1, value) < 0) << exponents + mantissas
    top = (1 << exponents) - 1
    if math.isnan(value) or (math.isinf(value) and finite):
        return sign | top << mantissas | (1 << mantissas) - 1
    if math.isinf(value):
        return sign | top << mantissas
    magnitude = abs(value)
    exponent = math.frexp(magnitude)[1] - 1 + bias if magnitude else 0
    if exponent <= 0:
        return sign | round(math.ldexp(magnitude, mantissas + bias - 1))
    fraction = round(math.ldexp(magnitude, mantissas + bias - exponent)) - (1 << mantissas)
    return sign | (exponent << mantissas) + fraction
