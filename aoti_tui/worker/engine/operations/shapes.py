"""The builder's operations on shapes: broadcasting, joining, splitting, gathering."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..numbers.floats import Array
from ..values.handle import Handle
from ..values.terms import each
from .state import State


class Shapes(State):
    """Blocks rearranged; axis 0 of a handle's data stays that of programs."""

    def create_splat(self, first: Any, second: Any) -> Handle:
        value, shape = (first, second) if isinstance(first, Handle) else (second, first.shape)
        return _splat(value, tuple(shape))

    def create_unsplat(self, value: Handle) -> Handle:
        return Handle(value.lanes.reshape(value.lanes.shape[0], -1)[:, 0], value.dtype, ())

    def create_broadcast(self, value: Handle, shape: Any) -> Handle:
        return each(value, lambda lanes: lanes, tuple(shape))

    def create_expand_dims(self, value: Handle, axis: int) -> Handle:
        shape = (*value.shape[:axis], 1, *value.shape[axis:])
        return each(value, lambda lanes: np.expand_dims(lanes, axis + 1), shape)

    def create_reshape(self, value: Handle, shape: Any, *_: Any) -> Handle:
        shape = tuple(shape)
        full = value.full()
        return Handle(full.reshape(full.shape[0], *shape), value.dtype, shape, value.argument)

    create_view = create_reshape

    def create_trans(self, value: Handle, order: Any) -> Handle:
        axes = [0] + [axis + 1 for axis in order]
        shape = tuple(value.shape[axis] for axis in order)
        return each(value, lambda lanes: np.transpose(lanes, axes), shape)

    def create_cat(self, left: Handle, right: Handle) -> Handle:
        self.run.findings.flag("tl.cat keeps the order here, the GPU may give another one")
        parts = _same_programs(left.full(), right.full())
        data = np.concatenate(parts, axis=1)
        return Handle(data, left.dtype, data.shape[1:])

    def create_join(self, left: Handle, right: Handle) -> Handle:
        data = np.stack(_same_programs(left.full(), right.full()), axis=-1)
        return Handle(data, left.dtype, data.shape[1:])

    def create_split(self, value: Handle) -> tuple[Handle, Handle]:
        full = value.full()
        shape = value.shape[:-1]
        return (
            Handle(full[..., 0], value.dtype, shape),
            Handle(full[..., 1], value.dtype, shape),
        )

    def create_gather(self, source: Handle, index: Handle, axis: int) -> Handle:
        parts = _same_programs(source.full(), index.full())
        size = source.shape[axis]
        if ((parts[1] < 0) | (parts[1] >= size)).any():
            self.run.findings.flag(f"tl.gather outside its {size} elements is undefined on the GPU")
        safe = np.clip(parts[1], 0, size - 1).astype(np.int64)
        data = np.take_along_axis(parts[0], safe, axis=axis + 1)
        return Handle(data, source.dtype, index.shape)

    def create_make_range(self, *operands: Any) -> Handle:
        start, stop = operands[-2:]
        data = np.arange(start, stop, dtype=np.int32)[None, :]
        return Handle(data, self.int32, (stop - start,))


def _splat(value: Handle, shape: tuple[int, ...]) -> Handle:
    ones = (1,) * len(shape)
    first = value.lanes.reshape(value.lanes.shape[0], -1)[:, :1]
    return Handle(first.reshape(first.shape[0], *ones), value.dtype, shape, value.argument)


def _same_programs(left: Array, right: Array) -> list[Array]:
    count = max(left.shape[0], right.shape[0])
    return [np.broadcast_to(a, (count, *a.shape[1:])) for a in (left, right)]
