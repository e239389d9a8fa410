"""The answer on top of the screen: always readable, in as many lines as it needs."""

from __future__ import annotations

from rich.text import Text
from textual.message import Message
from textual.widgets import Static

from aoti_tui.tui.text import plain


class Headline(Static):
    """Which kernel failed, on which assert, because of which input. Wraps, never clips:
    where the screen is too low for all of it, ``A`` shows the whole answer."""

    class Clicked(Message):
        """The user wants all of it."""

    def __init__(self) -> None:
        super().__init__("", id="headline", markup=False)
        self.lines: tuple[str, ...] = ()
        self._mark = ""
        self._width = 0

    def on_click(self) -> None:
        self.post_message(self.Clicked())

    def tell(self, lines: tuple[str, ...], *, failed: bool) -> None:
        self.lines = lines
        self._mark = "✗ " if failed else "• "
        self.set_class(failed, "-failed")
        self._width = 0

    def fit(self, width: int) -> None:
        """Wrap the lines for a screen of that width, each under its own indent."""
        if width == self._width:
            return
        self._width = width
        text = Text(end="")
        for number, line in enumerate(self._wrapped(width)):
            text.append("\n" if number else "")
            text.append_text(line)
        self.update(text)

    def rows(self, width: int) -> int:
        """Rows that the whole answer takes on a screen of that width."""
        return len(self._wrapped(width))

    def _wrapped(self, width: int) -> list[Text]:
        rows: list[Text] = []
        for number, line in enumerate(self.lines):
            text = plain(line, "" if number else "bold")
            for part in text.wrap(self.app.console, max(10, width - 4)):
                mark = self._mark if not rows else "  "
                rows.append(Text(mark, end="").append_text(part))
        return rows
