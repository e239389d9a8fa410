"""The answer to a command: what was asked, where it stands, values and the text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from aoti_tui.replay.model import Block
from aoti_tui.replay.recorded.recording import lane_value
from aoti_tui.session.language.reading import plain
from aoti_tui.session.session import Session
from aoti_tui.session.values.temporaries import lanes_of_interest, relevant_assert

LANES = 64
"""Failing lanes that are listed."""


@dataclass(frozen=True, slots=True)
class Answer:
    """``ok`` is False where the command could not be done, and ``text`` says why."""

    asked: str
    ok: bool
    text: str
    where: dict[str, Any] = field(default_factory=dict)
    values: tuple[dict[str, Any], ...] = ()
    ended: bool = False
    """The command was to leave."""

    def json(self) -> dict[str, Any]:
        return {
            "asked": self.asked,
            "ok": self.ok,
            "where": self.where,
            "values": list(self.values),
            "text": self.text,
        }


def where(session: Session) -> dict[str, Any]:
    """Where the session stands; what is not known yet is null. ``line`` is one of the wrapper or
    of ``file``, ``kernel_line`` the kernel's own."""
    state, recording = session.state, session.state.recording
    step = recording.steps[state.position] if recording and state.position >= 0 else None
    place, document = state.place, session.document
    here = session.kernel_line_here()
    bad = relevant_assert(recording, state.position) if recording is not None else None
    failing = [list(lane) for lane in lanes_of_interest(bad)]
    return {
        "kernel": state.kernel.name if state.kernel is not None else None,
        "launch": state.launch.line if state.launch is not None else None,
        "program": list(recording.program) if recording is not None else None,
        "grid": list(recording.grid) if recording is not None else None,
        "step": state.position + 1 if step is not None else None,
        "steps": len(recording.steps) if recording is not None else None,
        "line": place.line,
        "kernel_line": step.kernel_line if step is not None else here[1] if here else None,
        "file": place.path or document.path or None,
        "source": document.text(place.line) if len(document) else None,
        "lanes": {
            "selected": list(state.lane),
            "failing": failing[:LANES],
            "failing_count": len(failing),
        },
        "failure": state.failure_number + 1 if state.failure_number is not None else None,
    }


def step_now(session: Session) -> dict[str, Any]:
    """The step where the session stands, for a program that asks."""
    state, recording = session.state, session.state.recording
    if recording is None or state.position < 0:
        return {}
    step = recording.steps[state.position]
    block = step.value if isinstance(step.value, Block) else None
    return {
        "kind": step.kind,
        "name": step.name or None,
        "value": plain(lane_value(step, state.lane)),
        "lane": list(state.lane),
        "dtype": block.dtype if block is not None else None,
        "shape": list(block.shape) if block is not None else None,
        "failing_lanes": [list(lane) for lane in lanes_of_interest(step)][:LANES],
    }
