"""The lane grid: one temporary over all lanes of its block, windowed both ways.

A lane is told apart by a sign as well as by colour: ``✗`` fails an assert, ``·`` is masked out,
``✱`` changed with the last step, ``›`` is selected. A bar after the value says where it stands
between the block's least and greatest. As a map, the bars stand alone, so that a whole block fits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from aoti_tui.artifacts.strides import lane_of, place_of
from aoti_tui.replay.model import Block
from aoti_tui.session.text import number
from aoti_tui.session.values import formats
from aoti_tui.session.values.formats import formatted
from aoti_tui.session.values.lanes import Lane, LaneView, Scale
from aoti_tui.tui.parts import part_style

WIDEST = 12
SAMPLE = 512
FEW = 64
"""Lanes looked at of each of many blocks."""
MAP_CELL = 2


def grid_shape(shape: tuple[int, ...], columns: int) -> tuple[int, int, bool]:
    """Rows, columns and whether it is 1-D (then lanes wrap at ``columns``).

    Dimensions of size 1 are dropped; more than two dimensions fold into the rows.
    """
    real = [size for size in shape if size != 1] or [1]
    total = 1
    for size in real:
        total *= size
    if len(real) == 1:
        per_row = max(1, min(columns, real[0]))
        return -(-real[0] // per_row), per_row, True
    return total // real[-1], real[-1], False


def lanes_of_row(shape: tuple[int, ...], room: int, cell: int) -> int:
    """Lanes of a row: all of them, else 8, 16, 32 … so that a lane is easy to count to; of a
    block of two dimensions as many columns as ``room`` has place for."""
    real = [size for size in shape if size != 1] or [1]
    fits = max(1, room // cell)
    if fits >= real[-1]:
        return real[-1]
    return 1 << fits.bit_length() - 1 if len(real) == 1 else fits


def needed_rows(blocks: Iterable[Block], width: int) -> int:
    """Rows that a grid of any of the blocks needs, its header too, at a width of the screen."""
    widest: dict[tuple[int, ...], int] = {}
    for block in blocks:
        step = max(1, len(block.values) // FEW)
        cell = max((len(number(value)) for value in block.values[::step]), default=1)
        widest[block.shape] = max(widest.get(block.shape, 3), min(cell, WIDEST))
    needed = 1
    for shape, cell in widest.items():
        room = width - len(str(math.prod(shape))) - 3
        needed = max(needed, grid_shape(shape, lanes_of_row(shape, room, cell + 2))[0])
    return needed + 1


class LaneGrid(ScrollView, can_focus=True):
    """Values over lanes. Arrows select a lane and post :class:`Selected`."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "lanes--head",
        "lanes--failing",
        "lanes--masked",
        "lanes--changed",
        "lanes--selected",
        "lanes--scale",
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1, 0)", "Up", show=False),
        Binding("down,j", "move(1, 0)", "Down", show=False),
        Binding("left,h", "move(0, -1)", "Left", show=False),
        Binding("right,l", "move(0, 1)", "Right", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home", "edge(0)", "First lane", show=False),
        Binding("end", "edge(-1)", "Last lane", show=False),
        Binding("m", "map", "Map", show=False),
    ]
    HELP = (
        "One temporary over the lanes of its block: rows and columns are the block's dimensions; "
        "a 1-D block wraps. ✗ fails an assert, · masked out, ✱ changed, › selected; the bars ▁…█ "
        "go from the least value to the greatest. m shows the bars alone, as a map of the whole "
        "block. Arrows select the lane whose values all panes show; ] and [ go to failing lanes."
    )

    class Selected(Message):
        def __init__(self, lane: Lane) -> None:
            super().__init__()
            self.lane = lane

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.view: LaneView | None = None
        self.as_map = False
        self.format = "decimal"
        self._scale: Scale | None = None
        self._bars = False
        self._cell = 6
        self._head = 6
        self._rows, self._columns, self._flat = 0, 0, True

    def load(self, view: LaneView | None) -> None:
        shown = (self.view.block, self.view.summary) if self.view is not None else (None, None)
        self.view = view
        # Other lanes may be masked out of the same block: then it has another scale.
        if view is not None and (view.block is not shown[0] or view.summary != shown[1]):
            self._scale = view.scale
        self._measure()
        self.refresh()

    def on_resize(self) -> None:
        self._measure()

    def action_map(self) -> None:
        """Values, or only where they stand between the least and the greatest."""
        self.as_map = not self.as_map
        self._measure()
        self.refresh()

    def set_format(self, how: str) -> None:
        """Show numbers as decimals, in hexadecimal or as bits."""
        self.format = how
        self._measure()
        self.refresh()

    def _number(self, value: object) -> str:
        assert self.view is not None
        return formatted(value, self.view.block.dtype, self.format)

    def _measure(self) -> None:
        if self.view is None:
            self.virtual_size = Size(0, 0)
            return
        view = self.view
        count = len(view.block.values)
        self._head = max(len(self._label(count - 1)), 2) + 2
        room = self.size.width - self._head - 1
        self._bars = self._scale is not None
        if self.as_map:
            self._cell = MAP_CELL
        else:
            step = max(1, count // SAMPLE)
            texts = map(self._number, view.block.values[::step])
            most = WIDEST if self.format == "decimal" else formats.WIDEST
            self._cell = min(max(3, *map(len, texts)), most) + 2
            if self._bars and self._fits(room, self._cell) > self._fits(room, self._cell + 1):
                self._bars = False
            self._cell += self._bars
        self._rows, self._columns, self._flat = grid_shape(
            view.block.shape, self._fits(room, self._cell)
        )
        width = self._head + self._columns * self._cell
        self.virtual_size = Size(width, self._rows + 1)
        self._reveal()

    def _fits(self, room: int, cell: int) -> int:
        assert self.view is not None
        return lanes_of_row(self.view.block.shape, room, cell)

    def _label(self, flat: int) -> str:
        """The name of the row that starts at ``flat``: a lane, or its place in all but the last
        dimension."""
        assert self.view is not None
        real = [size for size in self.view.block.shape if size != 1]
        at = self.view.first + max(0, flat)
        if len(real) < 2:
            return str(at)
        row = at // max(1, real[-1])
        inner = real[1:-1]
        # The outermost dimension of a part counts on from where the part begins.
        outer = row // math.prod(inner)
        return ",".join(str(place) for place in (outer, *lane_of(inner, row)))

    def _flat_of(self, row: int, column: int) -> int | None:
        at = row * self._columns + column
        size = len(self.view.block.values) if self.view is not None else 0
        return at if 0 <= at < size else None

    def lane_at(self, flat: int) -> Lane:
        """Position in the block of a flattened lane number."""
        assert self.view is not None
        return lane_of(self.view.block.shape, flat)

    def _selected_flat(self) -> int:
        """Place of the selected lane; 0 where this block has no such lane."""
        return (place_of(self.view.block.shape, self.view.lane) or 0) if self.view else 0

    def _reveal(self) -> None:
        if self.view is None or not self.size.height or not self._columns:
            return
        row, column = divmod(self._selected_flat(), self._columns)
        top, left = int(self.scroll_offset.y), int(self.scroll_offset.x)
        rows = max(1, self.size.height - 1)
        if row < top:
            self.scroll_to(y=row, animate=False, immediate=True, force=True)
        elif row >= top + rows:
            self.scroll_to(y=row - rows + 1, animate=False, immediate=True, force=True)
        x = column * self._cell
        room = self.size.width - self._head
        if x < left:
            self.scroll_to(x=x, animate=False, immediate=True, force=True)
        elif x + self._cell > left + room:
            self.scroll_to(x=x + self._cell - room, animate=False, immediate=True, force=True)

    def _select(self, flat: int) -> None:
        if self.view is not None and 0 <= flat < len(self.view.block.values):
            self.post_message(self.Selected(self.lane_at(flat)))

    def action_move(self, rows: int, columns: int) -> None:
        self._select(self._selected_flat() + rows * self._columns + columns)

    def action_page(self, step: int) -> None:
        self.action_move(step * max(1, self.size.height - 2), 0)

    def action_edge(self, side: int) -> None:
        if self.view is not None:
            self._select(0 if side == 0 else len(self.view.block.values) - 1)

    def on_click(self, event: events.Click) -> None:
        if event.y < 1 or event.x < self._head or self.view is None:
            return
        row = int(self.scroll_offset.y) + event.y - 1
        column = (event.x - self._head + int(self.scroll_offset.x)) // self._cell
        if column < self._columns:
            flat = self._flat_of(row, column)
            if flat is not None:
                self._select(flat)

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        base = self.rich_style
        if self.view is None:
            return Strip.blank(width, base)
        left = int(self.scroll_offset.x)
        first = left // self._cell
        count = (width - self._head) // self._cell + 2
        columns = range(first, min(first + count, self._columns))
        if y == 0:
            head = self._header(columns)
        else:
            head = self._row(int(self.scroll_offset.y) + y - 1, columns)
        label, *cells = head
        offset = left - first * self._cell
        body = Strip(cells).crop(offset, offset + width - self._head)
        strip = Strip([label, *body])
        return strip.extend_cell_length(width).crop(0, width).apply_style(base)

    def _part(self, part: str) -> Style:
        return part_style(self, f"lanes--{part}")

    def _header(self, columns: range) -> list[Segment]:
        style = self._part("head")
        sign = "+" if self._flat else "↓→"
        made = [Segment(f"{sign:>{self._head - 1}} ", style)]
        if not self.as_map:
            return [*made, *(Segment(f"{at:>{self._cell - 1}} ", style) for at in columns)]
        # Every eighth column fits a number; the cells between belong to it.
        for at in columns:
            lead = at - at % 8
            text = f"{lead:<{8 * self._cell}}"
            made.append(Segment(text[(at - lead) * self._cell :][: self._cell], style))
        return made

    def _row(self, row: int, columns: range) -> list[Segment]:
        assert self.view is not None
        if row >= self._rows:
            return [Segment(" " * self._head)]
        label = self._label(row * self._columns)
        made = [Segment(f"{label:>{self._head - 1}} ", self._part("head"))]
        selected = self._selected_flat()
        for column in columns:
            flat = self._flat_of(row, column)
            if flat is None:
                break
            cell = self._map_cell if self.as_map else self._lane_cell
            made += cell(flat, flat == selected)
        return made

    def _sign(self, flat: int) -> tuple[str, Style]:
        assert self.view is not None
        view = self.view
        for sign, marks, part in (
            ("✗", view.failing, "failing"),
            ("·", view.masked, "masked"),
            ("✱", view.changed, "changed"),
        ):
            if marks and marks[flat]:
                return sign, self._part(part)
        return " ", Style.null()

    def _map_cell(self, flat: int, selected: bool) -> list[Segment]:
        assert self.view is not None
        sign, style = self._sign(flat)
        bar = Segment(self._bar(flat) or "▄", style)
        if selected:
            sign, style = "›" if sign == " " else sign, style + self._part("selected")
        return [Segment(sign, style), bar]

    def _bar(self, flat: int) -> str:
        """Where a lane's value stands on the scale; a lane without data stands nowhere."""
        assert self.view is not None
        if self.view.masked and self.view.masked[flat]:
            return " "
        if self._scale is None:
            return ""
        return self._scale.glyph(self.view.block.values[flat])

    def _lane_cell(self, flat: int, selected: bool) -> list[Segment]:
        assert self.view is not None
        sign, style = self._sign(flat)
        raw = self.view.block.values[flat]
        value = self._number(raw)
        bar = self._bar(flat) if self._bars else ""
        room = self._cell - 2 - len(bar)
        if len(value) > room:
            value = value[: room - 1] + "…"
        if selected:
            sign = "›" if sign == " " else sign
            style = style + self._part("selected")
            return [Segment(f"{sign + value:>{room + 1}}{bar}‹", style)]
        # A sign without a gap: it belongs to the value on its right.
        made = [Segment(f"{(sign + value).strip():>{room + 1}}", style)]
        return [*made, Segment(bar, self._part("scale")), Segment(" ")]


class LaneLegend(Widget):
    """One line under a grid: signs with their counts, the scale, and what else is known."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._parts: tuple[str, ...] = ()
        self._made_for: object = None

    def load(self, view: LaneView | None) -> None:
        self.display = view is not None
        # Only the selected lane differs while one moves over a block.
        made_for = (id(view.block), id(view.failing), id(view.changed)) if view else None
        if view is not None and made_for != self._made_for:
            self._made_for, self._parts = made_for, view.legend()
            self.refresh()

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        text = ""
        for part in self._parts:
            more = f"{text}  {part}" if text else f" {part}"
            if cell_len(more) > width:
                break
            text = more
        return Strip([Segment(text)]).extend_cell_length(width).apply_style(self.rich_style)
