"""What must be there before something can be done, for keys and typed commands alike."""

from __future__ import annotations

from aoti_tui.answer.script import ScriptIncident
from aoti_tui.session.state import State


def unmet(state: State, needs: str, only: str = "") -> str:
    """Why nothing can be done yet, or ``""``. ``needs``: ``incident``, ``failure``, ``recording``
    or nothing; ``only``: ``wrapper`` or ``script``, where it makes no sense for the other."""
    if needs and state.incident is None:
        return "the wrapper is still being read."
    of_script = isinstance(state.incident, ScriptIncident)
    if only not in ("", "script" if of_script else "wrapper"):
        return f"that is for a {only}, which is not what is open."
    if of_script and needs == "failure":
        return ""
    if needs == "failure" and state.failure is None:
        return "no failure is open; p pastes a log, o reads one from a file."
    if needs == "recording" and state.recording is None:
        return "nothing has been run yet; c runs the kernel."
    return ""
