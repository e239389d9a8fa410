"""What a tensor says about where it is."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import torch

from .devices import CUDA
from .storages import Storages

Handler = Callable[[Storages, Any, tuple[Any, ...], dict[str, Any]], Any]
ANSWERS: dict[Any, Handler] = {}
_BEFORE_DEVICE = re.compile(r", (?:dtype|layout|grad_fn|requires_grad|names|tangent)=")


def _getter(name: str) -> Any:
    return getattr(torch.Tensor, name).__get__


def _answers(func: Any, there: Callable[[Any], Any]) -> None:
    def answer(storages: Storages, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if storages.holds(args[0]):
            return there(args[0])
        return func(*args, **kwargs)

    ANSWERS[func] = answer


def _no_numpy(_: Any) -> Any:
    raise TypeError(
        "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to "
        "host memory first."
    )


def _shown(storages: Storages, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    text: str = func(*args, **kwargs)
    if not storages.holds(args[0]):
        return text
    head, tail = text[:-1], text[-1:]
    found = _BEFORE_DEVICE.search(head)
    at = found.start() if found else len(head)
    return f"{head[:at]}, device='cuda:0'{head[at:]}{tail}"


def _hooked(storages: Storages, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A gradient hook gets its gradient from the engine, which no function mode sees."""
    tensor, hook = args
    if not storages.holds(tensor):
        return func(*args, **kwargs)
    return func(tensor, lambda gradient: hook(storages.put(gradient)))


_answers(_getter("is_cuda"), lambda _: True)
_answers(_getter("is_cpu"), lambda _: False)
_answers(_getter("device"), lambda _: CUDA)
_answers(torch.Tensor.get_device, lambda _: 0)
_answers(torch.Tensor.numpy, _no_numpy)
_answers(torch.Tensor.__array__, _no_numpy)
_answers(torch.Tensor.record_stream, lambda _: None)
_answers(torch.Tensor.is_pinned, lambda _: False)
ANSWERS[torch.Tensor.__repr__] = _shown
ANSWERS[torch.Tensor.register_hook] = _hooked
