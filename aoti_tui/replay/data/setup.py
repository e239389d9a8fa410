"""What every replay of one wrapper stands on, worked out once for a session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from aoti_tui.flow.dataflow import DataFlow
from aoti_tui.index.model import WrapperIndex
from aoti_tui.replay.client import WorkerClient
from aoti_tui.replay.data.sources import Sources
from aoti_tui.replay.kernels import KernelBook


@dataclass(frozen=True, slots=True)
class Setup:
    """The wrapper, the worker, and the user's data and settings (which can change between runs).

    ``space`` starts the names of all that the session puts into the worker; ``doing`` is told
    what runs, in a user's words.
    """

    flow: DataFlow
    client: WorkerClient
    space: str
    kernels: KernelBook
    sources: Sources
    settings: Mapping[str, int | float]
    doing: Callable[[str], None]

    @property
    def index(self) -> WrapperIndex:
        return self.flow.index
