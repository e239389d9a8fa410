"""Putting the stand-ins into torch and Triton, once a process, before the script begins."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import torch

from . import drawing, files, interface, modes_of_torch, triton_driver
from .backward import Backward
from .mode import OnCuda
from .registered import Registered
from .storages import Storages

Flag = Callable[[str], None]


class StandIns:
    """What was put in: which tensors are on cuda, and how our own code gets past the answers."""

    def __init__(self, storages: Storages, mode: OnCuda) -> None:
        self.storages = storages
        self.mode = mode

    def on_cuda(self, tensor: Any) -> bool:
        return self.storages.holds(tensor)

    def engine_calls(self) -> AbstractContextManager[Any]:
        """A context in which torch sees plain tensors of the CPU: for our own calls."""
        context: AbstractContextManager[Any] = torch._C.DisableTorchFunction()
        return context

    def script_calls(self) -> AbstractContextManager[Any]:
        """A context in which the answers hold: for the script's code on this thread."""
        return _entered(self.mode)


@contextmanager
def _entered(mode: OnCuda) -> Iterator[None]:
    if any(one is mode for one in torch.overrides._get_current_function_mode_stack()):
        yield
        return
    with mode:
        yield


def install(flag: Flag, config: int | None = None) -> StandIns:
    """Stand in for one GPU. `flag` is told once of each thing that differs from a GPU; `config`
    is the configuration that autotuned kernels take.

    The script has to run under `script_calls`; threads that it starts do so by themselves.
    """
    told: set[str] = set()

    def flag_once(text: str) -> None:
        if text not in told:
            told.add(text)
            flag(text)

    storages = Storages()
    torch.Generator = drawing.stand_in_generator()
    generator = torch.Generator("cuda")
    interface.install(generator)
    mode = OnCuda(storages, generator, flag_once)
    found = StandIns(storages, mode)
    Backward(storages, found.script_calls).install()
    Registered(storages, found.script_calls, flag_once).install()
    files.install(storages)
    modes_of_torch.install_autocast()
    modes_of_torch.install_profiler()
    modes_of_torch.install_compile(flag_once)
    triton_driver.install(flag_once, config)
    _install_threads(found)
    return found


def _install_threads(found: StandIns) -> None:
    """Function modes are a thread's own."""
    run = threading.Thread.run

    def run_under_answers(self: threading.Thread) -> None:
        with found.script_calls():
            run(self)

    threading.Thread.run = run_under_answers  # type: ignore[method-assign]
