"""A list of any length by the line API: only the rows on the screen are ever made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from aoti_tui.tui.parts import part_style

SCROLLING = 3
"""Rows that always scroll, below those that do not."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row: ``draw`` gives its text for a width in cells, ``key`` says what it is."""

    draw: Callable[[int], Text]
    key: object = None
    selectable: bool = True
    heading: bool = False
    strong: bool = False
    """Drawn to stand out: a failure, a changed value."""


class Rows(ScrollView, can_focus=True):
    """Rows with a cursor."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "rows--cursor",
        "rows--heading",
        "rows--strong",
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home,ctrl+home", "edge(-1)", "First row", show=False),
        Binding("end,ctrl+end,G", "edge(1)", "Last row", show=False),
        Binding("enter", "choose", "Go to what the row stands for", show=False),
    ]
    HELP = "↑↓ move, Enter goes to the row."

    class Highlighted(Message):
        def __init__(self, rows: Rows, row: Row) -> None:
            super().__init__()
            self.rows = rows
            self.row = row

        @property
        def control(self) -> Rows:
            return self.rows

    class Chosen(Highlighted):
        """Enter, or a double click."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows: Sequence[Row] = ()
        self.cursor = -1
        self._fixed = 0
        self._drawn: dict[int, Text] = {}
        self._drawn_width = 0

    def set_rows(self, rows: Sequence[Row], *, keep: object = None, fixed: int = 0) -> None:
        """Show other rows; the cursor goes to the row of key ``keep``, else stays near.

        The first ``fixed`` rows do not scroll, as far as there is room for some that do.
        """
        self.rows = rows
        self._fixed = fixed
        self._drawn.clear()
        self.virtual_size = Size(max(1, self.size.width), len(rows))
        at = None
        if keep is not None:
            # Nearly always the same object; comparing every key field by field costs more.
            at = next((n for n, row in enumerate(rows) if row.key is keep), None)
            if at is None:
                at = next((n for n, row in enumerate(rows) if row.key == keep), None)
        if at is None:
            at = self._selectable(max(0, min(self.cursor, len(rows) - 1)), 1)
        self.cursor = at if at is not None else -1
        self._reveal()
        self.refresh()

    def on_resize(self) -> None:
        self.virtual_size = Size(max(1, self.size.width), len(self.rows))
        self._reveal()

    @property
    def fixed(self) -> int:
        """How many of the first rows stay where they are."""
        return min(self._fixed, max(1, self.size.height - SCROLLING))

    def _row_at(self, y: int) -> int:
        """The row that is shown in a line of the widget."""
        return y if y < self.fixed else y + int(self.scroll_offset.y)

    def _refresh_row(self, at: int) -> None:
        # A fixed row is drawn where the scroll would have put another one.
        self.refresh_line(at + (int(self.scroll_offset.y) if at < self.fixed else 0))

    @property
    def current(self) -> Row | None:
        return self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None

    def select(self, key: object) -> bool:
        """Put the cursor on the row of ``key``, without saying so."""
        for number, row in enumerate(self.rows):
            if row.key == key:
                self._put(number, tell=False)
                return True
        return False

    def _selectable(self, start: int, step: int) -> int | None:
        at = start
        while 0 <= at < len(self.rows):
            if self.rows[at].selectable:
                return at
            at += step
        return None

    def _put(self, at: int, *, tell: bool = True) -> None:
        old = self.cursor
        self.cursor = at
        self._refresh_row(old)
        self._refresh_row(at)
        self._reveal()
        row = self.current
        if tell and row is not None:
            self.post_message(self.Highlighted(self, row))

    def _reveal(self) -> None:
        height = self.size.height
        if self.cursor < self.fixed or height <= 0:
            return
        top = int(self.scroll_offset.y)
        # A heading right above the first row of its group is worth seeing.
        first = self.cursor
        while (
            first > self.fixed and not self.rows[first - 1].selectable and self.cursor - first < 2
        ):
            first -= 1
        if first < top + self.fixed:
            self.scroll_to(y=first - self.fixed, animate=False, immediate=True, force=True)
        elif self.cursor >= top + height:
            self.scroll_to(y=self.cursor - height + 1, animate=False, immediate=True, force=True)

    def action_move(self, step: int) -> None:
        at = self._selectable(self.cursor + step, step)
        if at is not None:
            self._put(at)

    def action_page(self, step: int) -> None:
        height = max(1, self.size.height - max(1, self.fixed))
        target = max(0, min(self.cursor + step * height, len(self.rows) - 1))
        at = self._selectable(target, step)
        if at is None:
            at = self._selectable(target, -step)
        if at is not None:
            self._put(at)

    def action_edge(self, side: int) -> None:
        at = self._selectable(0, 1) if side < 0 else self._selectable(len(self.rows) - 1, -1)
        if at is not None:
            self._put(at)
        if side < 0:
            self.scroll_to(y=0, animate=False, immediate=True, force=True)

    def action_choose(self) -> None:
        row = self.current
        if row is not None and row.selectable:
            self.post_message(self.Chosen(self, row))

    def on_click(self, event: events.Click) -> None:
        at = self._row_at(event.y)
        if 0 <= at < len(self.rows) and self.rows[at].selectable:
            self._put(at)
            if event.chain == 2:
                self.action_choose()

    def on_focus(self) -> None:
        self._refresh_row(self.cursor)

    def on_blur(self) -> None:
        self._refresh_row(self.cursor)

    def _text(self, at: int, width: int) -> Text:
        if width != self._drawn_width or len(self._drawn) > 2000:
            self._drawn.clear()
            self._drawn_width = width
        text = self._drawn.get(at)
        if text is None:
            text = self._drawn[at] = self.rows[at].draw(width)
        return text

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        at = self._row_at(y)
        base = self.rich_style
        if at >= len(self.rows):
            return Strip.blank(width, base)
        row = self.rows[at]
        if row.heading:
            base = base + part_style(self, "rows--heading")
        elif row.strong:
            base = base + part_style(self, "rows--strong")
        mark = " "
        if at == self.cursor and row.selectable:
            mark = "›"
            if self.has_focus:
                base = base + part_style(self, "rows--cursor")
            else:
                base = base + Style(bold=True)
        text = self._text(at, max(1, width - 1))
        strip = Strip(
            [*Strip(Text(mark, end="").render(self.app.console)), *text.render(self.app.console)]
        )
        return strip.extend_cell_length(width).crop(0, width).apply_style(base)
