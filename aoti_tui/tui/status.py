"""One short text that is always on the screen: where the values come from, and the worker."""

from __future__ import annotations

from aoti_tui.answer.script import ScriptIncident
from aoti_tui.answer.script_words import phase_words
from aoti_tui.artifacts.given import Given
from aoti_tui.failure.prose.words import plural
from aoti_tui.session import words
from aoti_tui.session.state import State


def status_text(state: State, given: Given) -> str:
    """``data: inputs + replayed · worker ready``, ``script running · 12 launches``. Invented data
    is named first, in capitals."""
    incident = state.incident
    if isinstance(incident, ScriptIncident):
        run = incident.run
        told = f"script {phase_words(run)} · {plural(len(run.launches), 'launch', 'launches')}"
        return (
            f"{words.data(state.outcome)} · {told}"
            if state.trial is not None and state.outcome
            else told
        )
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
