"""Where a program first gets a NaN or an infinity, in lanes that hold data."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from aoti_tui.kernel.model import KernelProgram
from aoti_tui.replay.model import Block, Recording, Step
from aoti_tui.replay.recorded.recording import last_step
from aoti_tui.session.values.masks import masking

# Reductions begin with an infinity that the source itself writes; nothing went wrong there.
_WRITTEN = re.compile(r"""float\(["'][+-]?(?:inf|nan)["']\)|\b(?:inf|nan)\b""")


@dataclass(frozen=True, slots=True)
class NonFinite:
    """A step whose name gets a NaN or an infinity that it did not hold before."""

    step: Step
    lanes: tuple[int, ...]
    """Flat numbers of the lanes that hold data and have one."""
    masked: int
    """Lanes that have one, but are masked out."""
    nan: bool
    """One of ``lanes`` (or, without any, of the masked ones) is a NaN."""


def non_finite(recording: Recording, program: KernelProgram) -> tuple[NonFinite, ...]:
    """Every such step in execution order. One that writes the infinity down itself is none."""
    found = []
    for step in recording.steps:
        if step.kind != "assign" or not _may_be(step) or _written(program, step):
            continue
        here = _at(recording, step)
        before = last_step(recording, step.name, step.position, step)
        had = before is not None and _may_be(before) and not _written(program, before)
        earlier = _at(recording, before) if had and before is not None else None
        if (here.lanes and not (earlier and earlier.lanes)) or (here.masked and not earlier):
            found.append(here)
    return tuple(found)


def _may_be(step: Step) -> bool:
    value, summary = step.value, step.summary
    if isinstance(value, float):
        return not math.isfinite(value)
    if not isinstance(value, Block) or value.values.format not in ("f", "d"):
        return False
    if summary is None:
        return True
    ends = (summary.min, summary.max)
    return bool(summary.nan) or any(end is None or not math.isfinite(end) for end in ends)


def _at(recording: Recording, step: Step) -> NonFinite:
    if not isinstance(step.value, Block):
        assert isinstance(step.value, float)
        return NonFinite(step, (0,), 0, math.isnan(step.value))
    values = step.value.values
    bad = [flat for flat, value in enumerate(values) if not math.isfinite(value)]
    # The masks of its round, also those that are worked out after it.
    out = masking(recording).out(step, len(recording.steps), step.value.shape)
    lanes = tuple(flat for flat in bad if not (out and out[flat]))
    nan = any(math.isnan(values[flat]) for flat in lanes or bad)
    return NonFinite(step, lanes, len(bad) - len(lanes), nan)


def _written(program: KernelProgram, step: Step) -> bool:
    assigned = (a for a in program.assignments if a.line <= step.kernel_line <= a.end_line)
    return any(_WRITTEN.search(assignment.text) for assignment in assigned)
