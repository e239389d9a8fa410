"""The line of messages above the keys: one message at a time, the others kept."""

from __future__ import annotations

from rich.text import Text
from textual.widgets import Static

from aoti_tui.tui.text import plain

ROOMY = 24
"""Rows of the screen from which on the line keeps its place: panes that move by a row with every
step that has something to say are hard to follow."""
LOW = 12
"""Rows below which it takes one alone."""
MESSAGES = 100


class MessageLine(Static):
    """Shows the last message, cut with a hint where it is long."""

    def __init__(self) -> None:
        super().__init__("", id="say", markup=False, classes="-empty")
        self.said: list[str] = []
        """All messages so far, oldest first."""
        self._text = ""

    def say(self, text: str, *, bad: bool = False) -> None:
        """Replace the message; ``""`` takes it away."""
        self._text = ("✗ " if bad else "") + text
        if text:
            self.said.append(self._text)
            del self.said[:-MESSAGES]
        self.set_class(bad, "-bad")
        self.set_class(not text, "-empty")

    def lay(self, width: int, screen_height: int) -> int:
        """Wrap the message for a screen; gives the rows it takes."""
        self.display = bool(self._text) or screen_height >= ROOMY
        if not self.display:
            return 0
        most = 1 if screen_height < LOW else 2 if screen_height < 28 else 3
        lines = plain(self._text).wrap(self.app.console, max(10, width - 2))
        if len(lines) > most:
            lines = plain(self._text).wrap(self.app.console, max(10, width - 14))
            shown = Text("\n", end="").join(list(lines[:most]))
            shown.append(" … (M: all)", "bold")
        else:
            shown = Text("\n", end="").join(list(lines))
        self.update(shown)
        rows = max(1, min(most, len(lines)))
        self.styles.height = rows
        return rows
