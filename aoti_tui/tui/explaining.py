"""Texts to read over the screen: the whole answer, all messages, help."""

from __future__ import annotations

from collections.abc import Callable

from aoti_tui.failure.prose.text import fix_lines, whole_answer
from aoti_tui.tui.dialogs.reading import Reading
from aoti_tui.tui.help import help_text, own_keys
from aoti_tui.tui.host import Host
from aoti_tui.tui.panes.headline import Headline
from aoti_tui.tui.panes.message_line import MessageLine
from aoti_tui.tui.panes.run import RunPane

NO_FIX = "No fix is known for it: A shows all that is."


class Explaining:
    def __init__(self, screen: Host) -> None:
        self.screen = screen

    def handlers(self) -> dict[str, Callable[[], None]]:
        return {
            "answer": self.answer,
            "fixes": self.fixes,
            "messages": self.messages,
            "help": self.help,
        }

    def messages(self) -> None:
        """All messages, and what the run pane may have cut."""
        words = self.screen.query_one(RunPane).words
        messages = self.screen.query_one(MessageLine).said[::-1]
        if words:
            messages.insert(1, f"In the run pane:\n{words}")
        self._read("Messages, the last one first", "\n\n".join(messages))

    def answer(self) -> None:
        """All that is known of the failure, or of the trial that is made."""
        state = self.screen.state
        failure, trial = state.shown, state.trial
        notes = state.incident.notes if state.incident else ()
        lines = dict.fromkeys((*self.screen.query_one(Headline).lines, *notes))
        if failure is not None:
            first = trial.heading.lines[:2] if trial is not None else ()
            lines = dict.fromkeys((*first, *whole_answer(failure, notes)))
        self._read("The answer", "\n".join(lines))

    def fixes(self) -> None:
        """What to change, the most direct first; what a call must meet stands alone, to copy."""
        failure = self.screen.state.failure
        if failure is not None:
            self._read("Fixes", "\n\n".join(fix_lines(failure)) or NO_FIX)

    def help(self) -> None:
        """What the focused pane is for, and every key."""
        screen = self.screen
        own = own_keys(screen.focused, screen.active_bindings)
        text, shown = help_text(screen.focused, own, screen.config.keymap)
        screen.app.push_screen(Reading("Help", text, shown))

    def _read(self, title: str, text: str) -> None:
        self.screen.app.push_screen(Reading(title, text))
