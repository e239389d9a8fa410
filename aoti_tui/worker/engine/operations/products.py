"""Matrix products of the builder: tl.dot and tl.dot_scaled."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..numbers.dtypes import BY_NAME, BY_TRITON
from ..numbers.exact import Exact
from ..numbers.floats import Array, round_bfloat16
from ..values.handle import Handle
from .arithmetic import rounded
from .state import State

TF32 = "tl.dot of float32 is calculated exactly here; the GPU cuts its operands to tf32"
SCALED = "tl.dot_scaled is calculated as on a GPU without microscaling: operands in {}"
# The eight magnitudes of e2m1, four bits of which the highest is the sign.
E2M1 = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0], dtype=np.float32)
# Products of this many 8-bit integers are exact in float32, beyond it in float64.
MOST_IN_SINGLE = 1024


class Products(State):
    """Sums are made in float32 (or wider), in an order of numpy's own."""

    def create_dot(
        self, left: Handle, right: Handle, total: Handle, precision: Any = None, *_: Any
    ) -> Handle:
        number = BY_TRITON[total.dtype.name]
        self.run.widest = max(self.run.widest, math.prod(total.shape))
        if BY_TRITON[left.dtype.name].name == "float32" and "TF32" in _name(precision):
            self.run.findings.flag(TF32)
        wide: Any = np.float64 if number.name == "float64" else np.float32
        if Exact.on:
            wide = np.float64
        if number.kind != "float" and left.shape[-1] > MOST_IN_SINGLE:
            wide = np.float64
        product = _matmul(left.full(), right.full(), wide)
        if number.kind != "float":
            # The sum may wrap, which integers do and floats do not.
            product = product.astype(np.int64).astype(number.values)
        return Handle(rounded(product + total.lanes, total.dtype), total.dtype, total.shape)

    def create_dot_scaled(
        self,
        left: Handle,
        left_scale: Handle | None,
        left_format: Any,
        right: Handle,
        right_scale: Handle | None,
        right_format: Any,
        fast: bool,
        left_packs_k: bool,
        right_packs_k: bool,
        total: Handle,
    ) -> Handle:
        """As triton lowers it where the hardware has no such product (DecomposeScaledBlocked.cpp):
        elements and scales in bf16, or fp16 where both operands are."""
        both_half = _name(left_format) == _name(right_format) == "FP16"
        kind = BY_NAME["float16" if both_half else "bfloat16"]
        self.run.findings.flag(SCALED.format(kind.name))
        a = _unpacked(left.full(), _name(left_format), -1 if left_packs_k else -2)
        b = _unpacked(right.full(), _name(right_format), -2 if right_packs_k else -1)
        a = _scaled(kind.settled(a), left_scale, kind, bool(fast))
        b = _scaled(kind.settled(b).swapaxes(-1, -2), right_scale, kind, bool(fast))
        product = _matmul(a, b.swapaxes(-1, -2), np.float32)
        return Handle(rounded(product + total.lanes, total.dtype), total.dtype, total.shape)


def _name(enumerated: Any) -> str:
    return str(getattr(enumerated, "name", enumerated)).upper()


def _matmul(left: Array, right: Array, wide: Any) -> Array:
    product: Array = np.matmul(left.astype(wide, copy=False), right.astype(wide, copy=False))
    return product


def _unpacked(values: Array, format_name: str, axis: int) -> Array:
    """Elements as float32; two of e2m1 lie in a byte, the first in its lower bits."""
    if format_name != "E2M1":
        return values.astype(np.float32, copy=False)
    place = values.ndim + axis + 1
    pairs = np.stack([values & 0xF, values >> 4], axis=place)
    shape = list(values.shape)
    shape[axis] *= 2
    bits = pairs.reshape(shape)
    magnitude = E2M1[bits & 7]
    return np.asarray(np.where(bits & 8, -magnitude, magnitude))


def _scaled(values: Array, scale: Handle | None, kind: Any, fast: bool) -> Array:
    """(…, rows, K) times the scales (…, rows, K // group) of groups along K."""
    if scale is None:
        return values
    data = scale.full()
    group = values.shape[-1] // data.shape[-1]
    if data.dtype != np.uint8:
        factors = round_bfloat16(data.astype(np.float32))
        invalid = np.isnan(factors)
    else:
        factors = (data.astype(np.uint32) << 23).view(np.float32)
        invalid = data == 0xFF
    factors = np.repeat(kind.settled(factors), group, axis=-1)
    product: Array = kind.settled(values * factors)
    if fast:
        return product
    return np.asarray(np.where(np.repeat(invalid, group, axis=-1), np.float32(np.nan), product))
