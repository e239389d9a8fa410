"""What the script prints, as a terminal would show it, following the end until it is left."""

from __future__ import annotations

import re
from typing import ClassVar

from rich.segment import Segment
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from aoti_tui.failure.prose.words import plural
from aoti_tui.session.text import visible
from aoti_tui.tui.panes.pane import Pane

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
"""What colours a text, or moves the cursor of a terminal that is not there."""


class OutputView(ScrollView, can_focus=True):
    """Lines by the line API: only those on the screen are ever made."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", "Up", show=False),
        Binding("down,j", "scroll_down", "Down", show=False),
        Binding("end,ctrl+end", "scroll_end", "To the end", show=False),
        Binding("home,ctrl+home", "scroll_home", "To the beginning", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(id="out-lines")
        self.lines: tuple[str, ...] = ()

    def load(self, lines: tuple[str, ...]) -> None:
        at_end = self.scroll_offset.y >= self.max_scroll_y
        self.lines = lines
        width = max((len(line) for line in lines[-200:]), default=0)
        self.virtual_size = Size(width, len(lines))
        if at_end:
            self.scroll_to(
                y=max(0, len(lines) - self.size.height), animate=False, immediate=True, force=True
            )
        self.refresh()

    def on_resize(self) -> None:
        self.load(self.lines)

    def render_line(self, y: int) -> Strip:
        line = int(self.scroll_offset.y) + y
        width = self.scrollable_content_region.width
        left = int(self.scroll_offset.x)
        if line >= len(self.lines):
            return Strip.blank(width, self.rich_style)
        text = visible(_ESCAPES.sub("", self.lines[line]))
        strip = Strip([Segment(text)]).crop(left, left + width)
        return strip.extend_cell_length(width).apply_style(self.rich_style)


class OutputPane(Pane):
    """The script's stdout and stderr."""

    HELP = (
        "What the script prints, stdout and stderr in the order in which they came. Its end is "
        "followed until you move up; End goes back to it. Its stdin is empty, or --stdin FILE."
    )

    def __init__(self) -> None:
        super().__init__(id="out", title="Output")

    def compose(self) -> ComposeResult:
        yield OutputView()

    def load(self, lines: tuple[str, ...], dropped: int, told: str) -> None:
        """Show all lines; ``told`` is how the script stands."""
        view = self.query_one(OutputView)
        if lines is not view.lines:
            view.load(lines)
        more = f" ({plural(dropped, 'line')} before them are gone)" if dropped else ""
        self.set_title(f"Output{more}", told)

    def focus_content(self) -> None:
        self.query_one(OutputView).focus()
