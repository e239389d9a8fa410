"""What a script says for a device, read as torch reads it."""

from __future__ import annotations

from typing import Any

import torch

CUDA = torch.device("cuda", 0)
CPU = torch.device("cpu")


def is_cuda(device: Any) -> bool:
    """Whether `device` (a name, a number, a torch.device) is the one GPU there is.

    Raises RuntimeError, as CUDA does, for a second GPU.
    """
    if isinstance(device, bool) or device is None:
        return False
    if isinstance(device, int):
        index: int | None = device
    elif isinstance(device, (str, torch.device)):
        try:
            named = torch.device(device)
        except RuntimeError:
            return False
        if named.type != "cuda":
            return False
        index = named.index
    else:
        return False
    if index:
        raise RuntimeError(
            f"CUDA error: invalid device ordinal: cuda:{index}, and aoti-tui stands in for one GPU"
        )
    return True


def names_device(value: Any) -> bool:
    """Whether an argument that may be a device, a type or a tensor is a device."""
    return isinstance(value, (str, torch.device)) or (
        isinstance(value, int) and not isinstance(value, bool)
    )
