"""The wrapper's kernels as the replay sees them: understood here, compiled in the worker."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aoti_tui.flow.dataflow import DataFlow
from aoti_tui.index.model import Kernel
from aoti_tui.kernel.model import KernelProgram
from aoti_tui.replay.client import Reply, WorkerClient
from aoti_tui.replay.errors import ReplayError


class KernelBook:
    """Kernels by name, each compiled once a worker."""

    def __init__(self, flow: DataFlow, client: WorkerClient, space: str) -> None:
        self.flow = flow
        self._space = space
        self._client = client
        self._compiled: dict[str, tuple[int, Reply]] = {}

    def key(self, name: str) -> str:
        """The kernel's name in the worker."""
        return f"{self._space}{name}"

    def kernel(self, name: str) -> Kernel:
        kernel = self.flow.index.kernels.get(name)
        if kernel is None:
            raise ReplayError(
                "unknown",
                f"No kernel is called {name}",
                "the wrapper launches it but does not define it",
                "Give the file with the kernels' source (torch 2.7 and older keep it apart)",
            )
        return kernel

    def program(self, name: str) -> KernelProgram:
        """The kernel's source, understood. Raises ReplayError for a kernel that is not there."""
        return self.flow.program(self.kernel(name).name)

    def compiled(self, name: str, doing: Callable[[str], None]) -> Reply:
        """The worker's answer to ``kernel`` for this one; it can then be scanned and recorded.

        Raises ReplayError: without source, refused, unsupported.
        """
        known = self._compiled.get(name)
        if known is not None and known[0] == self._client.generation and self._client.alive:
            return known[1]
        kernel = self.kernel(name)
        if not kernel.has_source:
            raise ReplayError(
                "unknown",
                f"The source of {name} is not known",
                "this wrapper does not carry its kernels' source (torch 2.7 and older keep it "
                "in the inductor cache and in the compile-time autotune block)",
                "Open the folder that holds output_code.py or the autotune block beside it",
            )
        doing(f"compiling {name}")
        reply = self._client.request(
            "kernel",
            doing=f"compiling {name}",
            key=self.key(name),
            file=name,
            source=kernel.source,
            function=kernel.function,
            signature={p.name: p.type for p in kernel.parameters if p.type},
            constants=_plain(kernel),
        )
        self._compiled[name] = (self._client.generation, reply)
        return reply


def _plain(kernel: Kernel) -> dict[str, Any]:
    """Values fixed at compile time, as JSON can carry them.

    A value that the body assigns to a parameter (``r0_numel = 640``) fixes no argument.
    """
    types = {p.name: p.type for p in kernel.parameters}
    return {
        name: value
        for name, value in kernel.constants.items()
        if types.get(name, "constexpr") in ("constexpr", "")
        and (value is None or isinstance(value, bool | int | float | str))
    }
