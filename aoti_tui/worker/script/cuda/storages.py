"""Which tensors count as being on cuda: those whose storage was made there."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from typing import Any

import torch


class Storages:
    """Storages are Python objects of their own that live as long as their memory, so that every
    view of a tensor, and the tensor that a gradient hands back, is found again."""

    def __init__(self) -> None:
        self._marked: weakref.WeakSet[Any] = weakref.WeakSet()

    def put(self, tensor: Any) -> Any:
        """The tensor, from now on on cuda."""
        storage = storage_of(tensor)
        if storage is not None:
            self._marked.add(storage)
        return tensor

    def put_storage(self, storage: Any) -> None:
        self._marked.add(storage)

    def holds_storage(self, storage: Any) -> bool:
        return storage in self._marked

    def holds(self, tensor: Any) -> bool:
        storage = storage_of(tensor)
        return storage is not None and storage in self._marked


def storage_of(tensor: Any) -> Any | None:
    """The untyped storage of a tensor; None for one without memory (sparse, nested, meta)."""
    try:
        return tensor.untyped_storage()
    except (RuntimeError, NotImplementedError):
        return None


def tensors_in(values: Iterable[Any]) -> Iterator[Any]:
    """The tensors among arguments or results, inside of lists, tuples and dicts too."""
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors_in(value)
        elif isinstance(value, dict):
            yield from tensors_in(value.values())
