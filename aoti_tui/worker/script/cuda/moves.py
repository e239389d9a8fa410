"""Calls that take a tensor from one device to another: they copy, as they do with a GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .devices import CPU, is_cuda, names_device
from .storages import Storages

Handler = Callable[[Storages, Any, tuple[Any, ...], dict[str, Any]], Any]
MOVES: dict[Any, Handler] = {}


def _moves(func: Any) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        MOVES[func] = handler
        return handler

    return register


def moved(storages: Storages, tensor: Any, there: bool, copy: bool, **how: Any) -> Any:
    """The tensor on cuda, or on the CPU: itself where it is there and of the type already."""
    leaves = storages.holds(tensor) != there
    result = torch.Tensor.to(tensor, CPU, copy=copy or leaves, **how)
    return storages.put(result) if there else result


@_moves(torch.Tensor.to)
def _to(storages: Storages, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    tensor, rest = args[0], list(args[1:])
    there = storages.holds(tensor)
    how: dict[str, Any] = {}
    if rest and isinstance(rest[0], torch.Tensor):
        other = rest.pop(0)
        there, how["dtype"] = storages.holds(other), other.dtype
    elif rest and (names_device(rest[0]) or rest[0] is None):
        device = rest.pop(0)
        if device is not None:
            there = is_cuda(device)
            if not there and torch.device(device).type != "cpu":
                return func(*args, **kwargs)
    if "other" in kwargs:
        other = kwargs["other"]
        there, how["dtype"] = storages.holds(other), other.dtype
    if kwargs.get("device") is not None:
        there = is_cuda(kwargs["device"])
        if not there and torch.device(kwargs["device"]).type != "cpu":
            return func(*args, **kwargs)
    if rest and isinstance(rest[0], torch.dtype):
        how["dtype"] = rest.pop(0)
    if kwargs.get("dtype") is not None:
        how["dtype"] = kwargs["dtype"]
    if kwargs.get("memory_format") is not None:
        how["memory_format"] = kwargs["memory_format"]
    # What is left by position are non_blocking and copy.
    copy = bool(kwargs.get("copy", rest[1] if len(rest) > 1 else False))
    return moved(storages, tensor, there, copy, **how)


@_moves(torch.Tensor.cuda)
def _cuda(storages: Storages, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    device = kwargs.get("device", args[1] if len(args) > 1 else None)
    is_cuda(device)
    return moved(storages, args[0], True, copy=False)


@_moves(torch.Tensor.cpu)
def _cpu(storages: Storages, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return moved(storages, args[0], False, copy=False)


@_moves(torch.Tensor.pin_memory)
def _pinned(storages: Storages, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return torch.Tensor.to(args[0], CPU, copy=True)


@_moves(torch.Tensor.type)
def _type(storages: Storages, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    tensor = args[0]
    wanted = kwargs.get("dtype", args[1] if len(args) > 1 else None)
    there = storages.holds(tensor)
    if wanted is None:
        name: str = func(tensor)
        return name.replace("torch.", "torch.cuda.", 1) if there else name
    if isinstance(wanted, torch.dtype):
        return moved(storages, tensor, there, copy=False, dtype=wanted)
    name = wanted if isinstance(wanted, str) else f"{wanted.__module__}.{wanted.__name__}"
    on_cuda = name.startswith("torch.cuda.")
    plain = func(tensor, name.replace("torch.cuda.", "torch.", 1))
    return moved(storages, plain, on_cuda, copy=there != on_cuda)


@_moves(torch.Tensor.type_as)
def _type_as(storages: Storages, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    tensor = args[0]
    other: Any = kwargs["other"] if "other" in kwargs else args[1]
    return moved(storages, tensor, storages.holds(other), copy=False, dtype=other.dtype)
