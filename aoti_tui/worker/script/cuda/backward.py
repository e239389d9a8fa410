"""The answers inside of autograd: backward functions and hooks run far below the call."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import torch
import torch.autograd.graph

from .storages import Storages, tensors_in


class Backward:
    """`enter` gives a context under which a script's own code is seen.

    Gradients are made by the engine, which no function mode sees. They are on cuda where the
    tensor is that the backward pass started from.
    """

    def __init__(self, storages: Storages, enter: Callable[[], Any]) -> None:
        self.storages = storages
        self.enter = enter
        self._here = threading.local()

    def install(self) -> None:
        graph = torch.autograd.graph
        run = graph._engine_run_backward

        def run_backward(outputs: Any, *args: Any, **kwargs: Any) -> Any:
            before = getattr(self._here, "on_cuda", False)
            self._here.on_cuda = any(self.storages.holds(one) for one in tensors_in((outputs,)))
            try:
                with self.enter():
                    result = run(outputs, *args, **kwargs)
                if self._here.on_cuda:
                    self._put(result)
                return result
            finally:
                self._here.on_cuda = before

        graph._engine_run_backward = run_backward
        torch.autograd._engine_run_backward = run_backward
        node = torch.autograd.function.BackwardCFunction
        for name in ("apply", "apply_boxed"):
            if hasattr(node, name):
                setattr(node, name, self._seen(getattr(node, name)))

    def _seen(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def backward(node: Any, *gradients: Any) -> Any:
            if getattr(self._here, "on_cuda", False):
                self._put(gradients)
            return function(node, *gradients)

        return backward

    def _put(self, values: Any) -> None:
        for tensor in tensors_in((values,)):
            self.storages.put(tensor)
