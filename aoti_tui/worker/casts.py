"""Conversions as the GPU makes them: rounding to even, saturating float-to-integer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .dtypes import BY_TRITON, Number
from .floats import Array, round_to
from .handle import Handle

if TYPE_CHECKING:
    from .findings import Findings

OUT_OF_RANGE = "float to integer out of range: the GPU's result is undefined"
NOT_A_NUMBER = "NaN to integer: the GPU's result is undefined"


def cast(value: Handle, target: Any, findings: Findings) -> Handle:
    """`value` as the scalar Triton type `target`."""
    source, wanted = BY_TRITON[value.dtype.name], BY_TRITON[target.name]
    data = convert(value.data, source, wanted, findings)
    return Handle(data, target, value.shape)


def convert(data: Array, source: Number, wanted: Number, findings: Findings) -> Array:
    """Values of one type as values of another."""
    if wanted.kind == "float":
        if wanted.small is not None:
            return round_to(data.astype(np.float32, copy=False), wanted.small)
        return data.astype(wanted.values)
    if source.kind == "float" and wanted.kind != "bool":
        return _to_integer(data, wanted, findings)
    return data.astype(wanted.values)


def _to_integer(data: Array, wanted: Number, findings: Findings) -> Array:
    """Towards zero; out of range saturates and NaN gives 0, as PTX `cvt.rzi` does.

    8-bit targets have no conversion of their own: LLVM converts to 16 bits and cuts.
    """
    narrow = wanted.size == 1
    limits = np.iinfo(np.int16 if narrow else wanted.values)
    own = np.iinfo(wanted.values)
    whole = np.trunc(data.astype(np.float64))
    with np.errstate(invalid="ignore"):
        strange = ~((whole >= own.min) & (whole <= own.max))
        if own.max > 2**53:
            # The largest 64-bit integer is no float64; the next float above it is out of range.
            strange |= whole >= float(own.max)
    if strange.any():
        nan = np.isnan(whole)
        if nan.any():
            findings.flag(NOT_A_NUMBER)
            whole = np.where(nan, 0.0, whole)
        if (strange & ~nan).any():
            findings.flag(OUT_OF_RANGE)
        below, above = whole <= limits.min, whole >= float(limits.max)
        safe = np.where(below | above, 0.0, whole)
        middle: Any = np.uint64 if wanted.name == "uint64" else np.int64
        integers = safe.astype(middle)
        integers = np.where(below, middle(limits.min), integers)
        integers = np.where(above, middle(limits.max), integers)
        return integers.astype(wanted.values)
    if wanted.name == "uint64":
        return whole.astype(np.uint64)
    return whole.astype(np.int64).astype(wanted.values)
