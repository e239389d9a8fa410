"""tl.make_block_ptr for a triton that no longer has it (3.9 took block pointers out).

Kernels generated before still use them, so where the language lacks them they are put back on
top of the builder's block pointers.
"""

from __future__ import annotations

from typing import Any

from ..operations.block_pointers import BlockPointer
from ..operations.builder import Builder
from ..values.handle import Handle, plain
from ..values.scalars import Values


class Window:
    """What make_block_ptr gives: a block pointer that loads, stores and advances."""

    def __init__(self, values: Values, builder: Builder, pointer: BlockPointer) -> None:
        self.values = values
        self.builder = builder
        self.pointer = pointer

    def advance(self, offsets: Any) -> Window:
        steps = _handles(self.values, offsets)
        return Window(self.values, self.builder, self.builder.create_advance(self.pointer, steps))

    def load(self, boundary_check: Any = (), padding_option: Any = "", **_: Any) -> Any:
        handle = self.builder.create_tensor_pointer_load(
            self.pointer, _axes(boundary_check), plain(padding_option)
        )
        return self.values.tensor(handle)

    def store(self, value: Any, boundary_check: Any = (), **_: Any) -> None:
        element = self.pointer.base.dtype.scalar.element_ty
        block = list(self.pointer.block)
        whole = self.values.tl.broadcast_to(self.values.settle(value).to(element), block)
        self.builder.create_tensor_pointer_store(self.pointer, whole.handle, _axes(boundary_check))


def put_back(values: Values, builder: Builder) -> None:
    """Add make_block_ptr and advance to the language, and teach load and store of them."""
    tl = values.tl
    load, store = tl.load, tl.store

    def make_block_ptr(
        base: Any, shape: Any, strides: Any, offsets: Any, block_shape: Any, order: Any
    ) -> Window:
        pointer = BlockPointer(
            base.handle,
            _handles(values, shape),
            _handles(values, strides),
            _handles(values, offsets),
            tuple(int(plain(size)) for size in block_shape),
        )
        return Window(values, builder, pointer)

    def advance(base: Window, offsets: Any) -> Window:
        return base.advance(offsets)

    def either_load(pointer: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(pointer, Window):
            return pointer.load(*args, **kwargs)
        return load(pointer, *args, **kwargs)

    def either_store(pointer: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(pointer, Window):
            return pointer.store(*args, **kwargs)
        return store(pointer, *args, **kwargs)

    for name, member in (
        ("make_block_ptr", make_block_ptr),
        ("advance", advance),
        ("load", either_load),
        ("store", either_store),
    ):
        setattr(tl, name, member)


def _handles(values: Values, numbers: Any) -> list[Handle]:
    return [values.settle(plain(number)).handle for number in numbers]


def _axes(boundary_check: Any) -> list[int]:
    found = plain(boundary_check)
    return [int(plain(axis)) for axis in found] if found is not None else []
