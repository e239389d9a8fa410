"""Copies of a session's tensors: cut or repeated to another shape, and as a file's bytes."""

from __future__ import annotations

import io
from typing import Any

from ..protocol.problems import bad_request
from .session_tensors import Placement, SessionTensors, short_name


def fit(tensors: SessionTensors, name: str, base: str, shape: list[int], stride: Any) -> None:
    """A new tensor of `shape` whose elements repeat those of `base` in every dimension."""
    import torch

    source = tensors.get(base)
    if len(shape) != source.dim():
        raise bad_request(f"{base} has {source.dim()} dimensions; {shape} has {len(shape)}")
    if 0 in source.shape and 0 not in shape:
        raise bad_request(f"{base} has no elements to repeat")
    tensors.allocate(Placement(name, shape, stride, short_name(source.dtype)))
    if 0 in shape:
        return
    found = source
    for dim, (size, have) in enumerate(zip(shape, source.shape)):
        if size != have:
            found = found.index_select(dim, torch.arange(size) % have)
    tensors.named[name].copy_(found)


def saved(tensors: SessionTensors, names: dict[str, str]) -> bytes:
    """What `torch.save` writes of a dict; each tensor takes its own storage, strides and offset.

    The bytes, and no file: the worker may write none.
    """
    import torch

    kept: dict[str, Any] = {}
    shared: dict[int, Any] = {}
    for key, name in names.items():
        tensor = tensors.get(name)
        storage = tensor.untyped_storage()
        place = storage.data_ptr() if storage.nbytes() else -len(kept) - 1
        if place not in shared:
            shared[place] = storage.clone()
        copy = torch.empty(0, dtype=tensor.dtype)
        copy.set_(shared[place], tensor.storage_offset(), tensor.shape, tensor.stride())
        kept[key] = copy
    written = io.BytesIO()
    torch.save(kept, written)
    return written.getvalue()
