"""Inductor's `triton_helpers`, of every torch from 2.5 on, in one tolerant set.

Kernels are written against the helpers of the torch that generated them (file
torch/_inductor/runtime/triton_helpers.py); names and parameters changed between releases, so
the worker brings its own and takes whatever arguments a release passes. Helpers it does not
know come from the installed torch.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine.language.language import Language
from ..engine.values.handle import Handle, plain
from ..source.namespace import Namespace
from .lookback import Lookback
from .sorting import sort_with_index
from .visible import HELPERS

FALLBACK = "torch._inductor.runtime.triton_helpers"


@dataclass(frozen=True)
class _Boundaries:
    """A row of sorted values to search in, through an index that sorts it where it is given."""

    pointer: Any
    size: Any
    numel: Any
    stride: Any = 1
    row: Any = 0
    sorter: Any = None
    sorter_stride: Any = None
    sorter_row: Any = None


class Helpers(Lookback, Namespace):
    """The namespace kernels know as `triton_helpers`."""

    _language: Language

    def __init__(self, lang: Language, tl: Any, libdevice: Any, tl_math: Any) -> None:
        super().__init__(
            "triton_helpers",
            {"tl": tl, "libdevice": libdevice, "math": tl_math, "_language": lang},
        )
        lang.reductions.know(self.maximum, np.maximum)
        lang.reductions.know(self.minimum, np.minimum)
        lang.reductions.know(self._multiply, np.multiply)
        lang.reductions.know(self._either, np.bitwise_or)

    def __getattribute__(self, name: str) -> Any:
        value = object.__getattribute__(self, name)
        if not name.startswith("__") and hasattr(value, "__func__"):
            # One object per method, so that a combine function is recognised by its identity.
            vars(self)[name] = value
        return value

    def __getattr__(self, name: str) -> Any:
        if name not in HELPERS:
            raise AttributeError(name)
        module: Any = importlib.import_module(FALLBACK)
        module.libdevice = self.libdevice
        return getattr(module, name)

    # small things

    def set_driver_to_gpu(self, *_: Any) -> None:
        """There is no driver to set."""

    def promote_to_tensor(self, value: Any) -> Any:
        tl = self._language.tl
        return self._language.values.settle(value) + tl.zeros((1,), tl.int1)

    def is_floating(self, value: Any) -> bool:
        return bool(self._language.values.settle(value).dtype.is_floating())

    def if_mask(self, mask: Any, value: Any, **_: Any) -> Any:
        return None if plain(mask) is None else value

    def constexpr_next_power_of_2(self, n: Any, **_: Any) -> int:
        return 1 << max(int(plain(n)) - 1, 0).bit_length()

    def device_assert_then(self, cond: Any, msg: Any, result: Any) -> Any:
        self._language.tl.device_assert(cond, msg)
        return result

    def div_floor_integer(self, a: Any, b: Any) -> Any:
        tl = self._language.tl
        quotient = a // b
        fixed = tl.where(a % b != 0, quotient - 1, quotient)
        return tl.where((a < 0) != (b < 0), fixed, quotient)

    def remainder_integer(self, a: Any, b: Any) -> Any:
        rest = a % b
        wrong = (rest != 0) & ((a < 0) != (b < 0))
        return self._language.tl.where(wrong, rest + b, rest)

    def pow_integer(self, base: Any, exponent: Any) -> Any:
        base, exponent = self._language.tl.broadcast(
            self._language.values.settle(base), self._language.values.settle(exponent)
        )
        left = base.handle.full()
        rest = exponent.handle.full().astype(np.uint64)
        result = np.ones_like(left)
        square = left.copy()
        while rest.any():
            result = np.where(rest & np.uint64(1), result * square, result)
            rest = rest >> np.uint64(1)
            square = square * square
        return self._language.values.tensor(Handle(result, base.handle.dtype, base.handle.shape))

    def fp8e4m3fn_to_float32(self, value: Any) -> Any:
        tl = self._language.tl
        return value.to(tl.uint8).to(tl.float8e4nv, bitcast=True).to(tl.float32)

    # minimum and maximum: a NaN on either side is the result

    def _both(self, a: Any, b: Any) -> tuple[Any, Any]:
        settle = self._language.values.settle
        return settle(a), settle(b)

    def minimum(self, a: Any, b: Any) -> Any:
        return self._extreme(a, b, least=True)

    def maximum(self, a: Any, b: Any) -> Any:
        return self._extreme(a, b, least=False)

    def _extreme(self, a: Any, b: Any, least: bool) -> Any:
        tl = self._language.tl
        chosen = (a < b) if least else (a > b)
        if self.is_floating(a):
            chosen = chosen | (a != a)
        return tl.where(chosen, a, b)

    def min2(self, a: Any, dim: Any) -> Any:
        return self._language.tl.reduce(a, dim, self.minimum)

    def max2(self, a: Any, dim: Any) -> Any:
        return self._language.tl.reduce(a, dim, self.maximum)

    fmin2 = min2
    fmax2 = max2

    def minimum_with_index(self, a: Any, a_index: Any, b: Any, b_index: Any) -> Any:
        return self._extreme_with_index(a, a_index, b, b_index, least=True)

    def maximum_with_index(self, a: Any, a_index: Any, b: Any, b_index: Any) -> Any:
        return self._extreme_with_index(a, a_index, b, b_index, least=False)

    def _extreme_with_index(self, a: Any, i: Any, b: Any, j: Any, least: bool) -> Any:
        tl = self._language.tl
        chosen = (a < b) if least else (a > b)
        equal = a == b
        if self.is_floating(a):
            a_nan, b_nan = a != a, b != b
            chosen = chosen | (a_nan & (b_nan == 0))
            equal = equal | (a_nan & b_nan)
        chosen = chosen | (equal & (i < j))
        return tl.where(chosen, a, b), tl.where(chosen, i, j)

    def min_with_index(self, value: Any, index: Any, dim: Any) -> Any:
        return self._language.tl.reduce((value, index), dim, self.minimum_with_index)

    def max_with_index(self, value: Any, index: Any, dim: Any) -> Any:
        return self._language.tl.reduce((value, index), dim, self.maximum_with_index)

    min_with_first_index = min_with_index
    max_with_first_index = max_with_index

    # sums, products, any

    def _multiply(self, a: Any, b: Any) -> Any:
        return a * b

    def _either(self, a: Any, b: Any) -> Any:
        return a | b

    def prod(self, value: Any, axis: Any) -> Any:
        return self._language.tl.reduce(value, axis, self._multiply)

    def any(self, value: Any, dim: Any) -> Any:
        return self._language.tl.reduce(value, dim, self._either)

    def select_one(self, x: Any, mask: Any, dim: Any, keep_dims: Any = False) -> Any:
        tl = self._language.tl
        unsigned = tl.core.get_int_dtype(x.dtype.primitive_bitwidth, signed=False)
        bits = tl.sum(x.to(unsigned, bitcast=True) * mask, dim, keep_dims=keep_dims)
        return bits.to(unsigned).to(x.dtype, bitcast=True)

    # Welford's mean and variance

    def welford_reduce(
        self, value: Any, mean: Any, m2: Any, weight: Any, first_iteration: Any
    ) -> Any:
        tl = self._language.tl
        if first_iteration:
            return value, tl.zeros_like(m2), tl.full(weight.shape, 1, weight.dtype)
        delta = value - mean
        new_weight = weight + 1
        new_mean = mean + delta / new_weight
        return new_mean, m2 + delta * (value - new_mean), new_weight

    def welford_combine(
        self, mean_1: Any, m2_1: Any, weight_1: Any, mean_2: Any, m2_2: Any, weight_2: Any
    ) -> Any:
        tl = self._language.tl
        delta = tl.where(mean_1 == mean_2, 0.0, mean_2 - mean_1)
        weight = weight_1 + weight_2
        share = tl.where(weight == 0.0, 0.0, weight_2 / weight)
        m2 = m2_1 + m2_2 + delta * delta * weight_1 * share
        return mean_1 + delta * share, m2, weight

    def welford(self, mean: Any, m2: Any, weight: Any, dim: Any) -> Any:
        return self._language.tl.reduce((mean, m2, weight), dim, self.welford_combine)

    # online softmax; torch 2.9 added use_fast_math

    def exp(self, x: Any, use_fast_math: Any = False) -> Any:
        return self._language.tl.exp(x)

    def online_softmax_reduce(
        self, lhs_max: Any, lhs_sum: Any, dim: Any, use_fast_math: Any = False
    ) -> Any:
        tl = self._language.tl
        out_max = self.max2(lhs_max, dim)
        kept = tl.expand_dims(out_max, plain(dim))
        delta = tl.where(kept == float("-inf"), 0, lhs_max - kept)
        return out_max, tl.sum(lhs_sum * tl.exp(delta), dim)

    def online_softmax_combine(
        self, lhs_max: Any, lhs_sum: Any, rhs_max: Any, use_fast_math: Any = False
    ) -> Any:
        return self.online_softmax_combine_with_sum(lhs_max, lhs_sum, rhs_max, 1.0)

    def online_softmax_combine_with_sum(
        self, lhs_max: Any, lhs_sum: Any, rhs_max: Any, rhs_sum: Any, use_fast_math: Any = False
    ) -> Any:
        tl = self._language.tl
        out_max = self.maximum(lhs_max, rhs_max)
        empty = out_max == float("-inf")
        left = tl.where(empty, 1.0, tl.exp(lhs_max - out_max))
        right = tl.where(empty, 1.0, tl.exp(rhs_max - out_max))
        return out_max, lhs_sum * left + right * rhs_sum

    # sorting and searching

    def sort_with_index(
        self,
        x: Any,
        idxs: Any,
        rnumel: Any,
        dim: Any = None,
        stable: Any = False,
        descending: Any = False,
    ) -> Any:
        x, idxs = self._language.tl.broadcast(x, idxs)
        count = rnumel
        if hasattr(rnumel, "handle"):
            count = rnumel.handle.lanes
        values, indices = sort_with_index(
            x.handle.full(),
            idxs.handle.full(),
            plain(count),
            stable=bool(plain(stable)),
            descending=bool(plain(descending)),
        )
        shape = x.handle.shape
        return (
            self._language.values.tensor(Handle(values, x.handle.dtype, shape)),
            self._language.values.tensor(Handle(indices, idxs.handle.dtype, shape)),
        )

    def bucketize_binary_search(self, values: Any, boundaries_ptr: Any, *rest: Any) -> Any:
        tl = self._language.tl
        if isinstance(plain(rest[0]), tl.dtype):
            # torch 2.5: (indexing_dtype, right, OFFSETS_SIZE, BLOCK_SHAPE)
            indexing, right, size = (plain(part) for part in rest[:3])
            return self._search(values, _Boundaries(boundaries_ptr, size, size), indexing, right)
        size, numel, stride, row, indexing, right = (
            plain(part) if not isinstance(part, tl.tensor) else part for part in rest[:6]
        )
        boundaries = _Boundaries(boundaries_ptr, size, numel, stride, row, *rest[6:9])
        return self._search(values, boundaries, indexing, right)

    def _search(self, values: Any, among: _Boundaries, indexing: Any, right: Any) -> Any:
        tl = self._language.tl
        low = tl.zeros(values.shape, dtype=indexing)
        high = tl.zeros(values.shape, dtype=indexing) + among.size
        remaining = int(_scalar(among.size)) + 1
        while remaining > 1:
            middle = (high + low) // 2
            mask = ((middle * among.stride + among.row) < among.numel) & (middle < among.size)
            at = middle
            if plain(among.sorter) is not None and plain(among.sorter_stride) is not None:
                place = among.sorter_row + among.sorter_stride * middle
                at = tl.load(among.sorter + place, mask=mask, other=0)
            bound = tl.load(among.pointer + among.row + among.stride * at, mask=mask, other=0)
            above = (values >= bound) if right else (values > bound)
            if self.is_floating(values):
                above = above | (values != values)
            low = tl.where(above & mask, middle + 1, low)
            high = tl.where(above, high, middle)
            remaining = (remaining + 1) // 2
        return low

    # random numbers

    def randint64(self, seed: Any, offset: Any, low: Any, high: Any) -> Any:
        tl = self._language.tl
        r0, r1, _, _ = tl.randint4x(seed, offset)
        low, high = self._both(low, high)
        result = r0.to(tl.uint64) | (r1.to(tl.uint64) << 32)
        size = high - low
        result = result % size.to(tl.uint64)
        return result.to(tl.int64) + low

    def rand4x(self, seed: Any, offsets: Any, BLOCK: Any) -> Any:
        """Four numbers per Philox call: lane k of a block takes number k % 4 of call k // 4."""
        return self._four_at_a_time("rand", seed, offsets, BLOCK)

    def randn4x(self, seed: Any, offsets: Any, BLOCK: Any) -> Any:
        return self._four_at_a_time("randn", seed, offsets, BLOCK)

    def _four_at_a_time(self, name: str, seed: Any, offsets: Any, block: Any) -> Any:
        tl = self._language.tl
        size = int(plain(block))
        offsets = offsets.to(tl.uint32)
        seed = tl.min(self._language.values.settle(seed) + offsets * 0, axis=0)
        if size % 4:
            return getattr(tl, name)(seed, offsets)
        calls = tl.min(offsets, axis=0) // 4 + tl.arange(0, size // 4)
        r0, r1, r2, r3 = getattr(tl, f"{name}4x")(seed, calls)
        return tl.reshape(tl.join(tl.join(r0, r2), tl.join(r1, r3)), [size])

    # splitting a number into mantissa and exponent

    def frexp(self, x: Any) -> Any:
        tl = self._language.tl
        data = x.handle.lanes
        mantissa, exponent = np.frexp(data)
        strange = ~np.isfinite(data)
        mantissa = np.where(strange, data, mantissa).astype(data.dtype)
        exponent = np.where(strange, 0, exponent).astype(np.int32)
        shape = x.handle.shape
        return (
            self._language.values.tensor(Handle(mantissa, x.handle.dtype, shape)),
            self._language.values.tensor(Handle(exponent, tl.int32, shape)),
        )

    # programs that wait for each other

    def x_grid_barrier(self, sem: Any) -> None:
        self._language.builder.run.wait_for_all()


def _scalar(value: Any) -> Any:
    return int(value) if hasattr(value, "handle") else value
