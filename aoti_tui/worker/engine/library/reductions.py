"""tl.reduce and tl.associative_scan in log2(n) steps instead of a Python call per element."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from ..numbers.floats import Array
from ..operations.arithmetic import rounded
from ..operations.builder import Builder
from ..values.handle import Handle, as_tuple, plain
from ..values.scalars import Values

Combine = Callable[[list[Array], list[Array]], list[Array]]
Joiner = Callable[[Array, Array], Any]


class Reductions:
    """`known` maps the combine functions of triton's standard library to numpy functions."""

    def __init__(self, values: Values, builder: Builder) -> None:
        self.values = values
        self.builder = builder
        self.known: dict[int, Joiner] = {}
        self.keep: list[Any] = []
        self.sums: set[int] = set()
        standard = values.tl.standard
        for name, joiner in (
            ("_sum_combine", np.add),
            ("_prod_combine", np.multiply),
            ("_elementwise_max", np.fmax),
            ("_elementwise_min", np.fmin),
            ("_xor_combine", np.bitwise_xor),
            ("_or_combine", np.bitwise_or),
        ):
            function = getattr(standard, name, None)
            if function is not None:
                self.know(function, joiner)

    def know(self, function: Any, joiner: Joiner) -> None:
        """Calculate `function(a, b)` as `joiner(a, b)`; the object must outlive its id."""
        self.known[id(function)] = joiner
        if joiner is np.add:
            self.sums.add(id(function))
        self.keep.append(function)

    def _tensor(self, data: Array, dtype: Any) -> Any:
        """A Triton tensor over (programs, *block) data."""
        return self.values.tensor(Handle(data, dtype, tuple(data.shape[1:])))

    def _combine(self, function: Any, dtypes: list[Any]) -> Combine:
        joiner = self.known.get(id(function))
        if joiner is not None and len(dtypes) == 1:
            ready: Joiner = joiner
            return lambda left, right: [rounded(ready(left[0], right[0]), dtypes[0])]
        call = getattr(function, "fn", function) if not callable(function) else function

        def combine(left: list[Array], right: list[Array]) -> list[Array]:
            operands = [self._tensor(a, d) for a, d in zip(left, dtypes)]
            operands += [self._tensor(a, d) for a, d in zip(right, dtypes)]
            shape = left[0].shape
            recorder = self.builder.run.recorder
            if recorder is not None:
                # The steps of a combine function are those of a tree, not the program's own.
                recorder.quiet += 1
            try:
                results = as_tuple(call(*operands))
            finally:
                if recorder is not None:
                    recorder.quiet -= 1
            return [
                np.broadcast_to(rounded(result.handle.lanes, dtype), shape)
                for result, dtype in zip(results, dtypes)
            ]

        return combine

    def reduce(
        self,
        input: Any,
        axis: Any,
        combine_fn: Any,
        keep_dims: Any = False,
        **_: Any,
    ) -> Any:
        """tl.reduce: neighbours are combined, so the order of elements is kept."""
        tensors = as_tuple(input)
        arrays, shape, dtypes = _operands(tensors)
        place = _number(axis)
        if place is None:
            arrays = [a.reshape(a.shape[0], -1) for a in arrays]
            kept = [1] * len(shape)
        else:
            place %= len(shape)
            arrays = [np.moveaxis(a, place + 1, -1) for a in arrays]
            kept = [1 if i == place else n for i, n in enumerate(shape)]
        combine = self._combine(combine_fn, dtypes)
        if id(combine_fn) in self.sums and dtypes[0].is_int():
            arrays = [np.add.reduce(arrays[0], axis=-1, dtype=arrays[0].dtype)[..., None]]
        while arrays[0].shape[-1] > 1:
            length = arrays[0].shape[-1]
            even = length - length % 2
            joined = combine([a[..., 0:even:2] for a in arrays], [a[..., 1:even:2] for a in arrays])
            if length % 2:
                joined = [np.concatenate([j, a[..., -1:]], axis=-1) for j, a in zip(joined, arrays)]
            arrays = joined
        results = []
        for array, dtype in zip(arrays, dtypes):
            data = array[..., 0]
            if _number(keep_dims):
                data = data.reshape(data.shape[0], *kept)
            results.append(self._tensor(data, dtype))
        return results[0] if tensors is not input and len(results) == 1 else tuple(results)

    def scan(self, input: Any, axis: Any, combine_fn: Any, reverse: Any = False, **_: Any) -> Any:
        """tl.associative_scan, inclusive."""
        tensors = as_tuple(input)
        arrays, shape, dtypes = _operands(tensors)
        place = _number(axis) % len(shape) + 1
        arrays = [np.moveaxis(a, place, -1) for a in arrays]
        if _number(reverse):
            arrays = [a[..., ::-1] for a in arrays]
        combine = self._combine(combine_fn, dtypes)
        lanes = np.arange(arrays[0].shape[-1])
        step = 1
        while step < len(lanes):
            # Whole blocks, since Triton's tensors come in powers of two only.
            joined = combine([np.roll(a, step, axis=-1) for a in arrays], arrays)
            arrays = [np.where(lanes >= step, j, a) for a, j in zip(arrays, joined)]
            step *= 2
        if _number(reverse):
            arrays = [a[..., ::-1] for a in arrays]
        results = [
            self._tensor(np.moveaxis(a, -1, place), dtype) for a, dtype in zip(arrays, dtypes)
        ]
        return results[0] if tensors is not input and len(results) == 1 else tuple(results)


def _number(value: Any) -> Any:
    """A constexpr's or scalar tensor's value; None and Python numbers as they are."""
    value = plain(value)
    handle = getattr(value, "handle", None)
    return int(handle.lanes.reshape(-1)[0]) if isinstance(handle, Handle) else value


def _operands(tensors: tuple[Any, ...]) -> tuple[list[Array], tuple[int, ...], list[Any]]:
    arrays: list[Array] = [tensor.handle.full() for tensor in tensors]
    programs = max(a.shape[0] for a in arrays)
    arrays = [np.broadcast_to(a, (programs, *a.shape[1:])) for a in arrays]
    return arrays, tensors[0].handle.shape, [tensor.handle.dtype for tensor in tensors]
