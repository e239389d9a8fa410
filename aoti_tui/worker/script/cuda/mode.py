"""The function mode under which a script runs: every call of torch is seen before torch sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.utils._device
from torch.overrides import TorchFunctionMode

from . import drawing
from .answers import ANSWERS
from .devices import CPU, is_cuda
from .mixing import refuse_mixed
from .moves import MOVES
from .storages import Storages, storage_of, tensors_in

Flag = Callable[[str], None]

ADOPTS = {torch.as_tensor, torch.asarray}
"""Makers that share memory with what they are given, unless that is on another device."""


class OnCuda(TorchFunctionMode):  # type: ignore[misc]
    """Turns `cuda` into the CPU on the way in, and remembers on the way out what is on cuda.

    torch takes the mode off while it handles a call, so what a handled function does inside is
    plain torch.
    """

    def __init__(self, storages: Storages, generator: Any, flag: Flag) -> None:
        super().__init__()
        self.storages = storages
        self.generator = generator
        self.flag = flag
        self._makers = torch.utils._device._device_constructors()

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        if answer := ANSWERS.get(func):
            return answer(self.storages, func, args, kwargs)
        if move := MOVES.get(func):
            return move(self.storages, func, args, kwargs)
        if kwargs.get("pin_memory"):
            kwargs["pin_memory"] = False
        return self._computed(func, args, kwargs)

    def _computed(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        given = list(tensors_in((args, kwargs)))
        on_cuda = [one for one in given if self.storages.holds(one)]
        asked = kwargs.get("device")
        if asked is None and func in self._makers:
            # `with torch.device("cuda")` and set_default_device: their mode comes after this one.
            asked = torch.utils._device.CURRENT_DEVICE
        if asked is None:
            there = bool(on_cuda)
        else:
            there = is_cuda(asked)
            if there:
                kwargs["device"] = CPU
        if on_cuda and len(on_cuda) < len(given):
            refuse_mixed(func, given, self.storages)
        if there and func in drawing.DRAW:
            self.flag(drawing.FLAG)
            if func in drawing.WITH_GENERATOR and kwargs.get("generator") is None:
                kwargs["generator"] = self.generator
        result = func(*args, **kwargs)
        if func in ADOPTS and there and not on_cuda:
            result = result.clone()
        if there:
            self._keep(result, given)
        return result

    def _keep(self, result: Any, given: list[Any]) -> None:
        """What was made is on cuda; what it was made from stays where it was."""
        before = {id(storage_of(one)) for one in given}
        for tensor in tensors_in((result,)):
            storage = storage_of(tensor)
            if storage is not None and id(storage) not in before:
                self.storages.put_storage(storage)
