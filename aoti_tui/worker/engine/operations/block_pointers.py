"""Block pointers (tl.make_block_ptr) and tensor descriptors, as blocks of checked pointers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..memory.atomics import BY_OPERATION, atomic
from ..memory.loads_stores import load, store
from ..numbers.dtypes import BY_TRITON
from ..numbers.floats import Array
from ..values.handle import Handle
from .state import State


@dataclass
class BlockPointer:
    """A window of `block` elements at `offsets` of a tensor of `shape` and `strides`."""

    base: Handle
    shape: list[Handle]
    strides: list[Handle]
    offsets: list[Handle]
    block: tuple[int, ...]
    padding: Any = None

    def pointers(self, offsets: list[Handle], checked: list[int]) -> tuple[Handle, Handle]:
        """The pointers of the window, and which of them lie within the `checked` axes."""
        rank = len(self.block)
        elements = _column(self.base.lanes, rank)
        wanted: Array = np.ones((1,) * (rank + 1), dtype=bool)
        for axis in range(rank):
            line = np.arange(self.block[axis], dtype=np.int64)
            line = line.reshape([-1 if a == axis + 1 else 1 for a in range(rank + 1)])
            at = _column(offsets[axis].lanes, rank) + line
            elements = elements + at * _column(self.strides[axis].lanes, rank)
            if axis in checked:
                wanted = wanted & (at >= 0) & (at < _column(self.shape[axis].lanes, rank))
        pointer = Handle(elements, self.base.dtype.scalar, self.block, self.base.argument)
        return pointer, Handle(wanted, None, self.block)

    def rows(self, rows: Handle, column: Handle) -> tuple[Handle, Handle]:
        """Pointers to the block's columns from `column` on in each of `rows`, and which are in."""
        line = np.arange(self.block[1], dtype=np.int64)[None, None, :]
        down = rows.full().astype(np.int64)[:, :, None]
        across = _column(column.lanes, 2) + line
        elements = _column(self.base.lanes, 2) + down * _column(self.strides[0].lanes, 2)
        elements = elements + across * _column(self.strides[1].lanes, 2)
        wanted = (down >= 0) & (down < _column(self.shape[0].lanes, 2))
        wanted = wanted & (across >= 0) & (across < _column(self.shape[1].lanes, 2))
        shape = (rows.shape[0], self.block[1])
        pointer = Handle(elements, self.base.dtype.scalar, shape, self.base.argument)
        return pointer, Handle(wanted, None, shape)


def _column(data: Array, rank: int) -> Array:
    return data.astype(np.int64).reshape(data.shape[0], *(1,) * rank)


class BlockPointers(State):
    """The builder's operations on both."""

    def create_make_block_ptr(
        self, base: Handle, shape: Any, strides: Any, offsets: Any, block: Any, order: Any
    ) -> BlockPointer:
        return BlockPointer(base, list(shape), list(strides), list(offsets), tuple(block))

    def create_advance(self, pointer: BlockPointer, steps: list[Handle]) -> BlockPointer:
        offsets = [
            Handle(at.lanes.astype(np.int64) + step.lanes, at.dtype, ())
            for at, step in zip(pointer.offsets, steps)
        ]
        return BlockPointer(pointer.base, pointer.shape, pointer.strides, offsets, pointer.block)

    def create_tensor_pointer_load(
        self, pointer: BlockPointer, checked: Any, padding: Any, *_: Any
    ) -> Handle:
        pointers, wanted = pointer.pointers(pointer.offsets, list(checked))
        return load(self.run, pointers, wanted, self._padding(pointer.base, padding))

    def create_tensor_pointer_store(
        self, pointer: BlockPointer, value: Handle, checked: Any, *_: Any
    ) -> None:
        pointers, wanted = pointer.pointers(pointer.offsets, list(checked))
        store(self.run, pointers, value, wanted)

    def create_make_tensor_descriptor(
        self, base: Handle, shape: Any, strides: Any, block: Any, signed: Any, padding: Any = None
    ) -> BlockPointer:
        return BlockPointer(base, list(shape), list(strides), [], tuple(block), padding)

    def create_descriptor_load(
        self, descriptor: BlockPointer, offsets: list[Handle], *_: Any
    ) -> Handle:
        axes = list(range(len(descriptor.block)))
        pointers, wanted = descriptor.pointers(offsets, axes)
        other = self._padding(descriptor.base, descriptor.padding)
        return load(self.run, pointers, wanted, other)

    def create_descriptor_store(
        self, descriptor: BlockPointer, value: Handle, offsets: list[Handle], *_: Any
    ) -> None:
        pointers, wanted = descriptor.pointers(offsets, list(range(len(descriptor.block))))
        store(self.run, pointers, value, wanted)

    def create_descriptor_gather(
        self, descriptor: BlockPointer, rows: Handle, column: Handle, kind: Any
    ) -> Handle:
        pointers, wanted = descriptor.rows(rows, column)
        return load(self.run, pointers, wanted, self._padding(descriptor.base, descriptor.padding))

    def create_descriptor_scatter(
        self, descriptor: BlockPointer, value: Handle, rows: Handle, column: Handle
    ) -> None:
        pointers, wanted = descriptor.rows(rows, column)
        store(self.run, pointers, value, wanted)

    def create_descriptor_reduce(
        self, kind: Any, descriptor: BlockPointer, value: Handle, offsets: list[Handle]
    ) -> None:
        """`kind`: triton's DESCRIPTOR_REDUCE_KIND. Nothing is given back, so order cannot show."""
        pointers, wanted = descriptor.pointers(offsets, list(range(len(descriptor.block))))
        combine = BY_OPERATION[kind.name.upper()]
        number = BY_TRITON[descriptor.base.dtype.scalar.element_ty.name]
        whole = Handle(value.lanes.astype(number.values), value.dtype, value.shape)
        atomic(self.run, pointers, [whole], wanted, combine)

    def _padding(self, base: Handle, padding: Any) -> Handle | None:
        if "NAN" not in str(getattr(padding, "name", padding)).upper():
            return None
        element = base.dtype.scalar.element_ty
        nan = np.full(1, np.nan, dtype=BY_TRITON[element.name].values)
        return Handle(nan, element, ())
