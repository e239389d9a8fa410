"""What a finished replay gave: the recording, and what goes with it."""

from __future__ import annotations

from dataclasses import dataclass

from aoti_tui.kernel.model import KernelProgram
from aoti_tui.replay.model import Recording, ReplayResult, SymbolValue, WorkerInfo


@dataclass(frozen=True, slots=True)
class Outcome:
    """The scan of a launch, the recording of one of its programs, and what they were made with."""

    info: WorkerInfo
    result: ReplayResult
    recording: Recording
    program: KernelProgram
    symbols: tuple[SymbolValue, ...]
