"""Watches: expressions of temporaries that keep their rows above them."""

from __future__ import annotations

from aoti_tui.replay.recorded.breakpoints import Breakpoint, unknown_names
from aoti_tui.replay.recorded.conditions import ConditionError, parse_condition
from aoti_tui.session import words
from aoti_tui.session.session import Session
from aoti_tui.session.values.watches import SIGN, evaluator, watched


class Watches:
    """Adding, changing and removing watches."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def put(self, text: str, old: str = "") -> None:
        """Watch an expression, in the place of an ``old`` one; none removes that."""
        text = text.strip()
        if text == old:
            return
        if not text:
            self.remove(old)
            return
        problem = self.session.stops.replace_watch(old, text)
        if self.session.state.selected == SIGN + old:
            self.session.change(selected=SIGN + text)
        self.session.stops_changed()
        self.session.say(problem or self._told(text), bad=bool(problem))

    def add(self, text: str) -> str:
        """Add a watch; a sentence when it cannot be."""
        problem = self.problem(text, "") if text else "display shows an expression: display tmp4."
        problem = problem or self.session.stops.replace_watch("", text)
        if not problem:
            self.session.stops_changed()
            self.session.say(self._told(text))
        return problem

    def problem(self, text: str, old: str) -> str:
        """Why an expression cannot be watched, or ``""``."""
        if not text or text == old:
            return ""
        if text in self.session.stops.watches:
            return "This is watched already."
        return self.unknown(text)

    def unknown(self, text: str) -> str:
        """Why a text is no expression of this kernel, or ``""``."""
        state = self.session.state
        try:
            parse_condition(text)
        except ConditionError as error:
            return str(error)
        if state.recording is not None:
            return evaluator(state.recording).unknown(text)
        if state.incident is None or state.kernel is None:
            return ""
        program = state.incident.kernel_program(state.kernel.name)
        problem = unknown_names(program, Breakpoint(condition=text))
        return f"{problem}." if problem else ""

    def _told(self, text: str) -> str:
        """``Watching tmp0 + ks0 = -1 in lane [0, 0].``"""
        state = self.session.state
        recording, lane = state.recording, state.lane
        if recording is None:
            return f"Watching {text} once the kernel has run (c)."
        rows = watched(recording, state.position, lane, (text,))
        if not rows or (rows[0].raw is None and rows[0].block is None):
            why = f": {rows[0].value}" if rows else ""
            return f"Watching {text}{why}."
        where = f" in lane {words.lane(lane)}" if rows[0].block is not None else ""
        masked = ", which is masked out" if rows[0].masked else ""
        return f"Watching {text} = {rows[0].value}{where}{masked}."

    def remove(self, text: str) -> None:
        """Forget a watch."""
        problem = self.session.stops.replace_watch(text, "")
        state = self.session.state
        if state.selected == SIGN + text:
            steps = state.recording.steps if state.recording is not None else ()
            self.session.change(selected=steps[state.position].name if steps else "")
        self.session.stops_changed()
        self.session.say(
            problem or f"No longer watching {text}; e adds a watch.", bad=bool(problem)
        )
