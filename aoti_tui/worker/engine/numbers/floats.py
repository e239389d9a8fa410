"""bfloat16 and the 8-bit floats as float32 arrays that hold only representable values.

Triton's interpreter keeps these types as bit patterns and calculates on the bits. Here a
block of them is a float32 array; each result is rounded to the nearest representable value,
ties to even, as the GPU's conversions do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class SmallFloat:
    """A float format of at most 16 bits.

    `finite_only`: no infinities, one NaN pattern (the `fn` types of ml_dtypes and torch).
    `saturate`: a conversion clips to the largest value (PTX `cvt.rn.satfinite`).
    `unsigned_zero`: what would be -0 is the one NaN instead (the `fnuz` types of AMD).
    `by_halves`: triton's own conversion rounds ties away from zero and takes NaN for the largest
    value (triton/language/extra/cuda/utils.py, convert_float16_to_fp8e4b15).
    """

    name: str
    bits: int
    exponent: int
    mantissa: int
    bias: int
    finite_only: bool
    saturate: bool
    unsigned_zero: bool = False
    by_halves: bool = False

    @property
    def largest(self) -> float:
        top = (1 << self.exponent) - 1
        if self.unsigned_zero:
            return float((2.0 - 2.0**-self.mantissa) * 2.0 ** (top - self.bias))
        if self.finite_only:
            fraction = 2.0 - 2.0 ** (1 - self.mantissa)
            return float(fraction * 2.0 ** (top - self.bias))
        fraction = 2.0 - 2.0**-self.mantissa
        return float(fraction * 2.0 ** (top - 1 - self.bias))


BFLOAT16 = SmallFloat("bfloat16", 16, 8, 7, 127, finite_only=False, saturate=False)
FLOAT8_E4M3FN = SmallFloat("float8_e4m3fn", 8, 4, 3, 7, finite_only=True, saturate=True)
FLOAT8_E5M2 = SmallFloat("float8_e5m2", 8, 5, 2, 15, finite_only=False, saturate=True)
FLOAT8_E4M3FNUZ = SmallFloat("float8_e4m3fnuz", 8, 4, 3, 8, True, saturate=True, unsigned_zero=True)
FLOAT8_E5M2FNUZ = SmallFloat(
    "float8_e5m2fnuz", 8, 5, 2, 16, True, saturate=True, unsigned_zero=True
)
FLOAT8_E4M3B15 = SmallFloat(
    "float8_e4m3b15", 8, 4, 3, 15, finite_only=True, saturate=True, by_halves=True
)


def round_bfloat16(values: Array) -> Array:
    """float32 values rounded to bfloat16, still as float32."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    odd = (bits >> np.uint32(16)) & np.uint32(1)
    rounded = (bits + (np.uint32(0x7FFF) + odd)) & np.uint32(0xFFFF0000)
    result: Array = rounded.view(np.float32)
    nan = np.isnan(values)
    if nan.any():
        result[nan] = np.nan
    return result


def cut_to(values: Array, kind: SmallFloat) -> Array:
    """Floats rounded towards zero to `kind`, as float32; NaN and infinities stay."""
    wide = np.asarray(values, dtype=np.float64)
    _, exponent = np.frexp(wide)
    quantum = np.ldexp(1.0, np.maximum(exponent - 1, 1 - kind.bias) - kind.mantissa)
    with np.errstate(invalid="ignore"):
        cut = np.clip(np.trunc(wide / quantum) * quantum, -kind.largest, kind.largest)
    infinite = np.isinf(wide) & (not kind.finite_only)
    return np.where(infinite | np.isnan(wide), wide, cut).astype(np.float32)


def round_to(values: Array, kind: SmallFloat) -> Array:
    """Floats rounded to `kind`, nearest, ties to even, as float32; NaN stays NaN."""
    if kind is BFLOAT16:
        return round_bfloat16(values)
    wide = np.asarray(values, dtype=np.float64)
    _, exponent = np.frexp(wide)
    lowest = 1 - kind.bias
    # frexp's mantissa is in [0.5, 1), so its exponent is one above the format's.
    quantum = np.ldexp(1.0, np.maximum(exponent - 1, lowest) - kind.mantissa)
    steps = wide / quantum
    if kind.by_halves:
        steps = np.copysign(np.floor(np.abs(steps) + 0.5), steps)
    rounded = np.rint(steps) * quantum
    largest = kind.largest
    if kind.saturate:
        rounded = np.clip(rounded, -largest, largest)
    else:
        rounded = np.where(np.abs(rounded) > largest, np.copysign(np.inf, rounded), rounded)
    result: Array = np.where(np.isfinite(wide) | kind.saturate, rounded, wide).astype(np.float32)
    result[np.isnan(wide)] = kind.largest if kind.by_halves else np.nan
    return result


def to_bits(values: Array, kind: SmallFloat) -> Array:
    """The bit patterns of values that are representable in `kind`."""
    single = np.ascontiguousarray(values, dtype=np.float32)
    if kind is BFLOAT16:
        return (single.view(np.uint32) >> np.uint32(16)).astype(np.uint16)
    magnitude = np.abs(single)
    _, exponent = np.frexp(magnitude)
    biased = exponent - 1 + kind.bias
    # frexp gives zero the exponent 0, which is that of ordinary numbers here.
    subnormal = (biased <= 0) | (magnitude == 0)
    field = np.where(subnormal, 0, biased)
    scale = np.where(subnormal, 1, biased) - kind.bias - kind.mantissa
    steps = np.ldexp(magnitude.astype(np.float64), -scale)
    fraction = np.where(subnormal, steps, steps - (1 << kind.mantissa))
    with np.errstate(invalid="ignore"):
        bits = (field << kind.mantissa) + np.nan_to_num(fraction).astype(np.int64)
    top = (1 << kind.exponent) - 1
    not_a_number = (top << kind.mantissa) | ((1 << kind.mantissa) - 1)
    bits = np.where(np.isinf(single), top << kind.mantissa, bits)
    bits = np.where(np.isnan(single), not_a_number, bits)
    sign = np.signbit(single).astype(np.int64) << (kind.bits - 1)
    if kind.unsigned_zero:
        lone = 1 << (kind.bits - 1)
        bits = np.where(np.isnan(single), lone, np.where(bits == 0, 0, bits | sign))
        return bits.astype(np.uint8)
    patterns: Array = (bits | sign).astype(np.uint8)
    return patterns


_TABLES: dict[str, Array] = {}


def _table(kind: SmallFloat) -> Array:
    """The value of each of the 256 patterns."""
    table = _TABLES.get(kind.name)
    if table is None:
        bits = np.arange(256)
        field = (bits >> kind.mantissa) & ((1 << kind.exponent) - 1)
        fraction = bits & ((1 << kind.mantissa) - 1)
        significand = np.where(field == 0, fraction, fraction + (1 << kind.mantissa))
        value = np.ldexp(
            significand.astype(np.float64), np.maximum(field, 1) - kind.bias - kind.mantissa
        )
        top = (1 << kind.exponent) - 1
        if kind.unsigned_zero:
            value[1 << (kind.bits - 1)] = np.nan
        elif kind.finite_only:
            value[(field == top) & (fraction == (1 << kind.mantissa) - 1)] = np.nan
        else:
            value[(field == top) & (fraction == 0)] = np.inf
            value[(field == top) & (fraction != 0)] = np.nan
        table = np.where(bits >> (kind.bits - 1) == 1, -value, value).astype(np.float32)
        _TABLES[kind.name] = table
    return table


def from_bits(bits: Array, kind: SmallFloat) -> Array:
    """The values of bit patterns (uint16 for bfloat16, uint8 otherwise) as float32."""
    if kind is BFLOAT16:
        return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)
    result: Array = _table(kind)[bits]
    return result
