"""The answer on top of the screen: always readable, in as many lines as it needs."""

from __future__ import annotations

from rich.text import Text
from textual.widgets import Static

from aoti_tui.tui.text import plain


class Headline(Static):
    """Which kernel failed, on which assert, because of which input. Wraps, never clips:
    where the screen is too low for all of it, ``A`` shows the whole answer."""

    def __init__(self) -> None:
        super().__init__("", id="headline", markup=False)
        self.lines: tuple[str, ...] = ()

    def tell(self, lines: tuple[str, ...], *, failed: bool) -> None:
        self.lines = lines
        text = Text(end="")
        for position, line in enumerate(lines):
            if position:
                text.append("\n")
            mark = ("✗ " if failed else "• ") if position == 0 else "  "
            text.append(mark)
            text.append_text(plain(line, "bold" if position == 0 else ""))
        self.set_class(failed, "-failed")
        self.update(text)

    def rows(self, width: int) -> int:
        """Rows that the whole answer takes at ``width`` columns."""
        text = "\n".join(("  " + line) for line in self.lines)
        return len(Text(text).wrap(self.app.console, max(10, width - 2)))
