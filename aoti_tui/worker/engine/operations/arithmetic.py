"""The builder's numbers: what each arithmetic operation of Triton's IR does to numpy arrays.

Names are those of Triton's ir.builder (python/src/ir.cc), which `triton.language.semantic`
calls; there operands already have one type and one block shape.
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from ..memory.addresses import absolute
from ..numbers.casts import convert, cut
from ..numbers.dtypes import BY_TRITON
from ..numbers.floats import Array
from ..numbers.integers import as_unsigned, high_half
from ..numbers.special import erf
from ..values.handle import Handle
from ..values.terms import scaled, summed
from .state import State

Operation = Callable[..., Any]

SIGNED = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}


def rounded(data: Array, dtype: Any) -> Array:
    """A result in the Triton type it must have; small floats rounded after each operation."""
    return BY_TRITON[dtype.name].settled(data)


def _binary(operation: Operation) -> Operation:
    def method(self: Any, left: Handle, right: Handle) -> Handle:
        data = operation(left.lanes, right.lanes)
        return Handle(rounded(data, left.dtype), left.dtype, left.shape)

    return method


def _integers(operation: Operation, by_terms: Callable[..., Handle | None]) -> Operation:
    """Of integers, which need not be added up yet where they are offsets."""
    plainly = _binary(operation)

    def method(self: Any, left: Handle, right: Handle) -> Any:
        found = by_terms(left, right)
        return plainly(self, left, right) if found is None else found

    return method


def _product(left: Handle, right: Handle) -> Handle | None:
    if left.terms and not right.terms and right.lanes.size == 1:
        return scaled(left, int(right.lanes.item()))
    if right.terms and not left.terms and left.lanes.size == 1:
        return scaled(right, int(left.lanes.item()))
    return None


def _ordered_by_terms(operation: Operation, strict: bool, less: bool) -> Operation:
    """Of integers: decided for all lanes where their extremes do."""
    plainly = _compare(operation)

    def method(self: Any, left: Handle, right: Handle) -> Any:
        if left.terms or right.terms:
            low, high = (left, right) if less else (right, left)
            first, last = low.extremes[1] - high.extremes[0], low.extremes[0] - high.extremes[1]
            if first < 0 or (first == 0 and not strict):
                return _same_everywhere(True, self.int1, left.shape)
            if last > 0 or (last == 0 and strict):
                return _same_everywhere(False, self.int1, left.shape)
        return plainly(self, left, right)

    return method


def _same_everywhere(value: bool, dtype: Any, shape: tuple[int, ...]) -> Handle:
    return Handle(np.full((1,) * (len(shape) + 1), value), dtype, shape)


def _compare(operation: Operation) -> Operation:
    def method(self: Any, left: Handle, right: Handle) -> Handle:
        return Handle(operation(left.lanes, right.lanes), self.int1, left.shape)

    return method


def _unary(operation: Operation) -> Operation:
    def method(self: Any, value: Handle) -> Handle:
        return Handle(rounded(operation(value.lanes), value.dtype), value.dtype, value.shape)

    return method


def _as_signed(data: Array) -> Array:
    return data.view(SIGNED[data.dtype.itemsize]) if data.dtype.kind == "u" else data


def _add(left: Array, right: Array) -> Any:
    return left ^ right if left.dtype == np.bool_ else left + right


def _subtract(left: Array, right: Array) -> Any:
    return left ^ right if left.dtype == np.bool_ else left - right


def _shift_left(left: Array, right: Array) -> Any:
    return np.left_shift(left, right.astype(left.dtype))


def _shift_right_logical(left: Array, right: Array) -> Any:
    bits = as_unsigned(left)
    return np.right_shift(bits, right.astype(bits.dtype)).view(left.dtype)


def _shift_right_arithmetic(left: Array, right: Array) -> Any:
    bits = _as_signed(left)
    return np.right_shift(bits, right.astype(bits.dtype)).view(left.dtype)


def _ordered(operation: Operation) -> Operation:
    """Ordered not-equal: false where either is NaN (numpy's is true)."""
    return lambda a, b: operation(a, b) & (a == a) & (b == b)


def _unordered(operation: Operation) -> Operation:
    return lambda a, b: operation(a, b) | (a != a) | (b != b)


class Arithmetic(State):
    """Element by element: binary, unary, ternary operations, comparisons, casts."""

    create_fadd = _binary(np.add)
    create_fsub = _binary(np.subtract)
    create_fmul = _binary(np.multiply)
    create_fdiv = _binary(np.divide)
    create_precise_divf = create_approx_divf = create_fdiv
    create_frem = _binary(np.fmod)
    create_add = _integers(_add, summed)
    create_sub = _integers(_subtract, lambda left, right: summed(left, right, -1))
    create_mul = _integers(np.multiply, _product)
    create_shl = _binary(_shift_left)
    create_lshr = _binary(_shift_right_logical)
    create_ashr = _binary(_shift_right_arithmetic)
    create_and = _binary(np.bitwise_and)
    create_or = _binary(np.bitwise_or)
    create_xor = _binary(np.bitwise_xor)
    create_umulhi = _binary(high_half)
    create_minsi = create_minui = create_minimumf = _binary(np.minimum)
    create_maxsi = create_maxui = create_maximumf = _binary(np.maximum)
    create_minnumf = _binary(np.fmin)
    create_maxnumf = _binary(np.fmax)

    create_icmpEQ = create_fcmpOEQ = _compare(np.equal)
    create_icmpNE = create_fcmpUNE = _compare(np.not_equal)
    create_icmpULT = create_fcmpOLT = _compare(np.less)
    create_icmpULE = create_fcmpOLE = _compare(np.less_equal)
    create_icmpUGT = create_fcmpOGT = _compare(np.greater)
    create_icmpUGE = create_fcmpOGE = _compare(np.greater_equal)
    create_icmpSLT = _ordered_by_terms(np.less, strict=True, less=True)
    create_icmpSLE = _ordered_by_terms(np.less_equal, strict=False, less=True)
    create_icmpSGT = _ordered_by_terms(np.greater, strict=True, less=False)
    create_icmpSGE = _ordered_by_terms(np.greater_equal, strict=False, less=False)
    create_fcmpONE = _compare(_ordered(np.not_equal))
    create_fcmpUEQ = _compare(_unordered(np.equal))
    create_fcmpULT = _compare(_unordered(np.less))
    create_fcmpULE = _compare(_unordered(np.less_equal))
    create_fcmpUGT = _compare(_unordered(np.greater))
    create_fcmpUGE = _compare(_unordered(np.greater_equal))

    create_fneg = _unary(np.negative)
    create_fabs = create_iabs = _unary(np.abs)
    create_cos = _unary(np.cos)
    create_sin = _unary(np.sin)
    create_exp = _unary(np.exp)
    create_exp2 = _unary(np.exp2)
    create_log = _unary(np.log)
    create_log2 = _unary(np.log2)
    create_floor = _unary(np.floor)
    create_ceil = _unary(np.ceil)
    create_sqrt = create_precise_sqrt = _unary(np.sqrt)
    create_erf = _unary(erf)

    def create_rsqrt(self, value: Handle) -> Handle:
        data = rounded(1.0 / np.sqrt(value.lanes.astype(np.float64)), value.dtype)
        return Handle(data, value.dtype, value.shape)

    def _divide(self, left: Handle, right: Handle, remainder: bool) -> Handle:
        zero = right.lanes == 0
        if zero.any():
            self.run.findings.flag("integer division by zero: the GPU's result is undefined")
        rest = np.fmod(left.lanes, right.lanes)
        data = rest if remainder else (left.lanes - rest) // right.lanes
        return Handle(rounded(data, left.dtype), left.dtype, left.shape)

    def create_sdiv(self, left: Handle, right: Handle) -> Handle:
        return self._divide(left, right, remainder=False)

    def create_srem(self, left: Handle, right: Handle) -> Handle:
        if left.terms and left.extremes[0] >= 0 and left.extremes[1] < right.extremes[0]:
            # Kernels keep their offsets inside by a remainder that mostly changes nothing.
            return left
        return self._divide(left, right, remainder=True)

    create_udiv = create_sdiv
    create_urem = create_srem

    def create_fma(self, x: Handle, y: Handle, z: Handle) -> Handle:
        # float64 holds the product of two float32 exactly: one rounding, as in hardware.
        wide = x.lanes.astype(np.float64) * y.lanes.astype(np.float64) + z.lanes
        return Handle(rounded(wide, z.dtype), z.dtype, z.shape)

    def create_clampf(self, value: Handle, low: Handle, high: Handle, nans: Any = None) -> Handle:
        data = np.fmin(np.fmax(value.lanes, low.lanes), high.lanes)
        if _propagates(nans):
            data = np.where(np.isnan(value.lanes), value.lanes, data)
        return Handle(data, value.dtype, value.shape)

    def create_select(self, condition: Handle, left: Handle, right: Handle) -> Handle:
        if left.argument is not right.argument:
            data = np.where(condition.lanes, absolute(left), absolute(right))
            return Handle(data, left.dtype, _wider(condition, left, right))
        data = np.where(condition.lanes, left.lanes, right.lanes)
        return Handle(data, left.dtype, _wider(condition, left, right), left.argument)

    def _cast(self, value: Handle, target: Any, *_: Any) -> Handle:
        wanted = target.scalar
        source, number = BY_TRITON[value.dtype.name], BY_TRITON[wanted.name]
        if value.terms and number.kind == "int" and number.size >= source.size:
            wider = tuple(term.astype(number.values) for term in value.terms)
            return Handle(None, wanted, value.shape, None, wider, value.extremes)
        data = convert(value.lanes, source, number, self.run.findings.flag)
        return Handle(data, wanted, value.shape)

    create_si_to_fp = create_ui_to_fp = create_fp_to_si = create_fp_to_ui = _cast
    create_fp_ext = create_fp_trunc = create_int_cast = _cast

    def create_fp_to_fp(self, value: Handle, target: Any, rounding: Any = None) -> Handle:
        if getattr(rounding, "name", "") != "RTZ":
            return self._cast(value, target)
        kind = target.scalar
        return Handle(cut(value.lanes, BY_TRITON[kind.name]), kind, value.shape)

    def create_histogram(self, data: Handle, bins: int, mask: Any = None) -> Handle:
        values = data.full()
        wanted = np.ones(values.shape, bool)
        if mask is not None:
            wanted = np.broadcast_to(mask.lanes, values.shape)
        rows = [
            np.bincount(row[keep & (row >= 0) & (row < bins)].astype(np.int64), minlength=bins)
            for row, keep in zip(values, wanted)
        ]
        return Handle(np.stack(rows).astype(np.int32), self.int32, (bins,))


def _wider(*handles: Handle) -> tuple[int, ...]:
    return max((h.shape for h in handles), key=len)


def _propagates(nans: Any) -> bool:
    return nans is not None and getattr(nans, "name", "").upper() == "ALL"
