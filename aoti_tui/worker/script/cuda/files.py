"""Saved tensors: "on cuda" is written into the file as CUDA writes it, and read back."""

from __future__ import annotations

from typing import Any

import torch

from .devices import is_cuda
from .storages import Storages

_BEFORE_ALL = 0


def install(storages: Storages) -> None:
    """Answer torch.save and torch.load, with map_location too, for storages on cuda."""

    def tag(storage: Any) -> str | None:
        plain = getattr(storage, "_untyped_storage", storage)
        return "cuda:0" if storages.holds_storage(plain) else None

    def restore(storage: Any, location: str) -> Any:
        if not location.startswith("cuda"):
            return None
        is_cuda(location)
        storages.put_storage(getattr(storage, "_untyped_storage", storage))
        return storage

    torch.serialization.register_package(_BEFORE_ALL, tag, restore)
