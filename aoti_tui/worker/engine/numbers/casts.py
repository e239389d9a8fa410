"""Conversions as the GPU makes them: rounding to even, saturating float-to-integer."""

from __future__ import annotations

from typing import Callable

import numpy as np

from .dtypes import Number
from .exact import Exact
from .floats import Array, cut_to, round_to

Flag = Callable[[str], None]
"""Told in words what the GPU would not do in a defined way."""

OUT_OF_RANGE = "float to integer out of range: the GPU's result is undefined"
NOT_A_NUMBER = (
    "NaN to integer: undefined, taken as an NVIDIA GPU gives it (the lowest 64-bit integer, or 0 "
    "between types of 32 bits and fewer)"
)


def convert(data: Array, source: Number, wanted: Number, flag: Flag) -> Array:
    """Values of one type as values of another."""
    if wanted.kind == "float":
        if Exact.on:
            return data.astype(np.float64, copy=False)
        if wanted.small is not None:
            return round_to(data.astype(np.float32, copy=False), wanted.small)
        return data.astype(wanted.values, copy=False)
    if source.kind == "float" and wanted.kind != "bool":
        return _to_integer(data, source, wanted, flag)
    return data.astype(wanted.values, copy=False)


def cut(data: Array, wanted: Number) -> Array:
    """Floats as floats of a shorter type, rounded towards zero."""
    if Exact.on:
        return data
    if wanted.small is not None:
        return cut_to(data, wanted.small)
    nearest = data.astype(wanted.values)
    kind = wanted.values.type
    too_far = (np.abs(nearest.astype(np.float64)) > np.abs(data)) & np.isfinite(data)
    return np.where(too_far, np.nextafter(nearest, kind(0)), nearest)


def _to_integer(data: Array, source: Number, wanted: Number, flag: Flag) -> Array:
    """Towards zero; out of range saturates, as PTX ``cvt.rzi`` does (all measured on an H200).

    8-bit targets have no conversion of their own: LLVM converts to 16 bits and cuts. NaN gives
    the lone sign bit where either side has 64 bits, 0 elsewhere.
    """
    own = np.iinfo(wanted.values)
    through = np.dtype(wanted.values)
    if wanted.size == 1:
        through = np.dtype(np.int16 if own.min < 0 else np.uint16)
    limits = np.iinfo(through)
    whole = np.trunc(data.astype(np.float64))
    with np.errstate(invalid="ignore"):
        strange = ~((whole >= own.min) & (whole <= own.max))
        if own.max > 2**53:
            # The largest 64-bit integer is no float64; the next float above it is out of range.
            strange |= whole >= float(own.max)
    if not strange.any():
        return whole.astype(wanted.values)
    nan = np.isnan(whole)
    if nan.any():
        flag(NOT_A_NUMBER)
    if (strange & ~nan).any():
        flag(OUT_OF_RANGE)
    with np.errstate(invalid="ignore"):
        below, above = whole <= limits.min, whole >= float(limits.max)
    integers = np.where(below | above | nan, 0.0, whole).astype(through)
    integers[below] = limits.min
    integers[above] = limits.max
    if source.size == 8 or wanted.size == 8:
        sign_bit = np.array(1 << (8 * through.itemsize - 1), f"u{through.itemsize}")
        integers[nan] = sign_bit.view(through)
    return integers.astype(wanted.values)
