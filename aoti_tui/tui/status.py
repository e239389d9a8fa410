"""One short text that is always on the screen: where the values come from, and the worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aoti_tui.session import words

if TYPE_CHECKING:
    from aoti_tui.tui.main_screen import MainScreen


def status_text(screen: MainScreen) -> str:
    """``data: inputs + replayed · worker ready``. Invented data is named first, in capitals."""
    return f"data: {_data(screen)} · worker {_worker(screen)}"


def _data(screen: MainScreen) -> str:
    replaying = screen.replaying
    if replaying.recorded and replaying.outcome is not None:
        return words.data(replaying.outcome)
    given = screen.browsing.incident.given if screen.browsing.incident is not None else None
    inputs = given.inputs if given is not None else screen.request.inputs
    tensors = given.tensors if given is not None else screen.request.tensors
    known = [name for name, path in (("inputs", inputs), ("captured", tensors)) if path is not None]
    return " + ".join(known) or "MADE-UP"


def _worker(screen: MainScreen) -> str:
    """``ready`` is a process that stands; ``off`` one that was not asked for yet, or ended."""
    incident = screen.browsing.incident
    if screen.replaying.running:
        return "running"
    session = incident.workshop.session if incident is not None else None
    return "ready" if session is not None and session.client.alive else "off"
