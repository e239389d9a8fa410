"""Running a launch so that one of its programs is recorded."""

from __future__ import annotations

import numpy as np

from ..findings.findings import Findings
from ..findings.recorder import Recorder
from .execution import Progress
from .launch import Launch


def record_program(launch: Launch, recorder: Recorder, progress: Progress) -> Findings:
    """Record the recorder's program; what was found in it.

    Programs that it depends on run first, or with it where they meet at a grid barrier.
    """
    x, y, z = recorder.program
    facts = launch.kernel.facts
    progress(0, 1)
    if facts.cooperative or facts.waits:
        execution = launch.execution()
        execution.run.recorder = recorder
        together = execution.cooperating if facts.cooperative else execution.taking_turns
        together(launch.programs(), progress, (x, y, z))
        # Others ran too; only what the recorded program found belongs to the recording.
        return execution.run.findings.only((x, y, z))
    if facts.ordered:
        position = (x * launch.grid[1] + y) * launch.grid[2] + z
        launch.execution().one_by_one(launch.programs()[:position], progress)
    execution = launch.execution()
    execution.run.recorder = recorder
    execution.call(np.array([[x, y, z]], dtype=np.int32))
    return execution.run.findings
