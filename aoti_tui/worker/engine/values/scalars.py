"""Triton's tensors over our handles, and Python's numbers as the compiler takes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..numbers.dtypes import BY_TRITON, Number
from .handle import Handle, plain

_LONG_NAMES = {"fp64": "float64", "fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}


class Values:
    """Makes tensors; `tl` is triton.language."""

    def __init__(self, tl: Any) -> None:
        self.tl = tl

    def tensor(self, handle: Handle) -> Any:
        """A Triton tensor over a handle."""
        shape = handle.shape
        kind = self.tl.block_type(handle.dtype, list(shape)) if shape else handle.dtype
        return self.tl.tensor(handle, kind)

    def dtype(self, number: Number) -> Any:
        """The Triton dtype of a number type."""
        short = number.triton
        return getattr(self.tl, _LONG_NAMES.get(short, short.replace("fp8", "float8")))

    def scalar(self, value: Any, dtype: Any = None) -> Any:
        """A Python number as a scalar tensor, of the type the compiler would give it."""
        if dtype is None:
            dtype = self._type_of(value)
        number = BY_TRITON[dtype.name]
        if isinstance(value, int) and number.kind in ("int", "uint"):
            bits = number.size * 8
            wrapped = value & ((1 << bits) - 1)
            data = np.array([wrapped], dtype=f"u{number.size}").view(number.values)
        else:
            data = number.settled(np.array([value]))
        return self.tl.tensor(Handle(data, dtype, ()), dtype)

    def _type_of(self, value: Any) -> Any:
        tl = self.tl
        if isinstance(value, bool):
            return tl.int1
        if isinstance(value, int):
            if -(2**31) <= value < 2**31:
                return tl.int32
            if 2**31 <= value < 2**32:
                return tl.uint32
            return tl.int64 if -(2**63) <= value < 2**63 else tl.uint64
        small = value == 0 or value != value or abs(value) == float("inf")
        fits = small or 2.0**-126 <= abs(value) <= (2 - 2**-23) * 2.0**127
        return tl.float32 if fits else tl.float64

    def settle(self, value: Any) -> Any:
        """What an assignment stores: numbers become tensors, as in the compiler."""
        if isinstance(value, self.tl.tensor):
            return value
        value = plain(value) if isinstance(value, self.tl.constexpr) else value
        if isinstance(value, (bool, int, float)):
            return self.scalar(value)
        if isinstance(value, tuple):
            parts = [self.settle(part) for part in value]
            # A named tuple's type takes its parts one by one.
            return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
        return value
