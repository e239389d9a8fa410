"""A launch's arguments without the script's tensors: what each pointed at, and how."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, Callable

import torch

from ...engine.numbers.dtypes import Number
from ..binding.arguments import base_of, is_descriptor, is_tensor
from .memory import State


@dataclass(frozen=True)
class HeldTensor:
    """`state` holds the bytes; `wrapped` is the type a TensorWrapper takes the elements for."""

    state: State
    dtype: Any
    offset: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    poison: Number | None
    wrapped: Any = None


def held(values: Any, hold: Callable[[Any], HeldTensor]) -> Any:
    """Arguments with a HeldTensor in the place of each tensor."""
    if is_descriptor(values):
        made = copy.copy(values)
        made.base = held(values.base, hold)
        return made
    if is_tensor(values):
        return hold(values)
    if isinstance(values, dict):
        return {name: held(value, hold) for name, value in values.items()}
    if isinstance(values, (tuple, list)):
        parts = [held(value, hold) for value in values]
        return type(values)(*parts) if hasattr(values, "_fields") else type(values)(parts)
    return values


def holder(
    state_of: Callable[[Any], State], poisoned: dict[int, Number]
) -> Callable[[Any], HeldTensor]:
    """Makes a HeldTensor of a tensor; `state_of` gives the state of a torch storage."""

    def hold(tensor: Any) -> HeldTensor:
        base = base_of(tensor)
        untyped = base.untyped_storage()
        return HeldTensor(
            state_of(untyped),
            base.dtype,
            int(base.storage_offset()),
            tuple(base.shape),
            tuple(base.stride()),
            poisoned.get(untyped.data_ptr()),
            None if base is tensor else tensor.dtype,
        )

    return hold


class Revived:
    """Held arguments as tensors again, on memory that is not the script's."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.poisoned: dict[int, Number] = {}
        self._storages: dict[int, Any] = {}
        self.values: dict[str, Any] = self._revived(values)

    def _revived(self, value: Any) -> Any:
        if isinstance(value, HeldTensor):
            return self._tensor(value)
        if is_descriptor(value):
            made = copy.copy(value)
            made.base = self._revived(value.base)
            return made
        if isinstance(value, dict):
            return {name: self._revived(part) for name, part in value.items()}
        if isinstance(value, (tuple, list)):
            parts = [self._revived(part) for part in value]
            return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
        return value

    def _tensor(self, one: HeldTensor) -> Any:
        untyped = self._storages.get(id(one.state))
        if untyped is None:
            data = one.state.bytes()
            if not data.flags.writeable:
                data = data.copy()
            untyped = torch.from_numpy(data).untyped_storage()
            self._storages[id(one.state)] = untyped
        if one.poison is not None:
            self.poisoned[untyped.data_ptr()] = one.poison
        made = torch.empty(0, dtype=one.dtype).set_(untyped, one.offset, one.shape, one.stride)
        if one.wrapped is None:
            return made
        from triton.runtime.jit import TensorWrapper

        return TensorWrapper(made, one.wrapped)
