"""The function mode through which the script's own calls of torch are seen."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from .checks.unwritten import MAKERS, Unwritten
from .expected.comparing import FAILING, Comparing
from .expected.measured import Measured
from .expected.origins import FOLLOWED, Origins


class Watching(TorchFunctionMode):  # type: ignore[misc]
    """Marks memory that nobody wrote yet, follows copies, and sees comparisons fail."""

    def __init__(self, unwritten: Unwritten, origins: Origins, comparing: Comparing) -> None:
        super().__init__()
        self.unwritten = unwritten
        self.origins = origins
        self.comparing = comparing
        self.measured = Measured(comparing)

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        if func in MAKERS and isinstance(result, torch.Tensor):
            self.unwritten.mark(result)
        elif func in FOLLOWED:
            self.origins.called(func, args, result)
            self.measured.called(func, args, result)
        elif func in FAILING and result is False:
            self.comparing.failed(func, args, kwargs or {})
        else:
            self.measured.called(func, args, result)
        return result


def seen(
    mode: Watching, outer: Callable[[], AbstractContextManager[Any]]
) -> Callable[[], AbstractContextManager[Any]]:
    """A context for the script's code: within `outer`, and seen; threads are by themselves."""

    @contextmanager
    def calls() -> Iterator[None]:
        with outer(), mode:
            yield

    graph = torch.autograd.graph
    backward = graph._engine_run_backward

    def backward_seen(*args: Any, **kwargs: Any) -> Any:
        # torch takes modes off while it handles the call that leads here.
        with mode:
            return backward(*args, **kwargs)

    graph._engine_run_backward = backward_seen
    torch.autograd._engine_run_backward = backward_seen
    run = threading.Thread.run

    def run_seen(self: threading.Thread) -> None:
        with mode:
            run(self)

    threading.Thread.run = run_seen  # type: ignore[method-assign]
    return calls
