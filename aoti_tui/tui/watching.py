"""Watches: expressions of temporaries that keep their rows above them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from aoti_tui.replay.recorded.conditions import ConditionError, parse_condition
from aoti_tui.session import words
from aoti_tui.session.values.watches import SIGN, evaluator, watched
from aoti_tui.tui.dialogs.ask import Ask

if TYPE_CHECKING:
    from aoti_tui.tui.main_screen import MainScreen


class Watching:
    """Adding, changing and removing watches."""

    def __init__(self, screen: MainScreen) -> None:
        self.screen = screen
        self.replaying = screen.replaying

    def handlers(self) -> dict[str, Callable[[], None]]:
        return {"watch": self.ask}

    def ask(self, old: str = "") -> None:
        """Ask for an expression, or for another one instead of ``old``."""

        def typed(text: str | None) -> None:
            text = text.strip() if text is not None else old
            if text == old:
                return
            if not text:
                self.remove(old)
                return
            problem = self.replaying.stops.replace_watch(old, text)
            if self.replaying.selected == SIGN + old:
                self.replaying.selected = SIGN + text
            self.replaying.show()
            self.screen.say(problem or self._told(text), bad=bool(problem))

        end = "Empty: removes it." if old else "Enter on its row changes it, delete removes it."
        self.screen.app.push_screen(
            Ask(
                "Watch which expression?",
                "Of temporaries, size parameters and block sizes: tmp10 - ks0, max(tmp6), "
                f"count(tmp4 < 0). Its row stays above the temporaries. {end}",
                value=old,
                check=lambda text: self._problem(text.strip(), old),
            ),
            typed,
        )

    def add(self, text: str) -> str:
        """Add a watch; a sentence when it cannot be."""
        problem = self._problem(text, "") if text else "display shows an expression: display tmp4."
        problem = problem or self.replaying.stops.replace_watch("", text)
        if not problem:
            self.replaying.show()
            self.screen.say(self._told(text))
        return problem

    def _problem(self, text: str, old: str) -> str:
        """Why an expression cannot be watched, or ``""``."""
        if not text or text == old:
            return ""
        if text in self.replaying.stops.watches:
            return "This is watched already."
        recording = self.replaying.recording if self.replaying.recorded else None
        try:
            parse_condition(text)
            return evaluator(recording).unknown(text) if recording is not None else ""
        except ConditionError as error:
            return str(error)

    def _told(self, text: str) -> str:
        """``Watching tmp0 + ks0 = -1 in lane [0, 0].``"""
        recording, lane = self.replaying.recording, self.replaying.lane
        if recording is None or not self.replaying.recorded:
            return f"Watching {text} once the kernel has run (c)."
        rows = watched(recording, self.replaying.position, lane, (text,))
        if not rows or (rows[0].raw is None and rows[0].block is None):
            why = f": {rows[0].value}" if rows else ""
            return f"Watching {text}{why}."
        where = f" in lane {words.lane(lane)}" if rows[0].block is not None else ""
        masked = ", which is masked out" if rows[0].masked else ""
        return f"Watching {text} = {rows[0].value}{where}{masked}."

    def remove(self, text: str) -> None:
        """Forget a watch."""
        problem = self.replaying.stops.replace_watch(text, "")
        if self.replaying.selected == SIGN + text:
            recording, at = self.replaying.recording, self.replaying.position
            self.replaying.selected = recording.steps[at].name if recording is not None else ""
        self.replaying.show()
        self.screen.say(problem or f"No longer watching {text}; e adds a watch.", bad=bool(problem))
