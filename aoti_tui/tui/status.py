"""One short text that is always on the screen: where the values come from, and the worker."""

from __future__ import annotations

from aoti_tui.artifacts.given import Given
from aoti_tui.session import words
from aoti_tui.session.state import State


def status_text(state: State, given: Given) -> str:
    """``data: inputs + replayed · worker ready``. Invented data is named first, in capitals."""
    return f"data: {_data(state, given)} · worker {_worker(state)}"


def _data(state: State, given: Given) -> str:
    if state.outcome is not None:
        return words.data(state.outcome)
    files = (("inputs", given.inputs), ("captured", given.tensors), ("core dump", given.core))
    known = [name for name, path in files if path]
    return " + ".join(known) or "MADE-UP"


def _worker(state: State) -> str:
    """``ready`` is a process that stands; ``off`` one that was not asked for yet, or ended."""
    incident = state.incident
    if state.running:
        return "running"
    session = incident.workshop.session if incident is not None else None
    return "ready" if session is not None and session.client.alive else "off"
