"""The table of temporaries: watches first, then the names of the running function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

from aoti_tui.session.text import visible
from aoti_tui.session.values.filter import fitting
from aoti_tui.session.values.formats import formatted
from aoti_tui.session.values.temporaries import Temporary, summary_text
from aoti_tui.tui.panes.rows import Row, Rows
from aoti_tui.tui.text import fit

NARROW = 44
"""Cells under which there is no room for shapes."""
BRIEF = 4
"""Digits of a summary's floats where more do not fit."""
NARROWEST_NAME = 12
ERROR = 8
"""Cells of a relative error."""


@dataclass(frozen=True, slots=True)
class Cells:
    """What a row says in each column; ``brief`` is the summary with fewer digits."""

    name: str
    dtype: str
    shape: str
    value: str
    summary: str
    brief: str


@dataclass(frozen=True, slots=True)
class Widths:
    """Cells of each column; 0 leaves it out."""

    name: int
    dtype: int
    shape: int
    value: int
    summary: int
    brief: bool


def widths(cells: Sequence[Cells], width: int) -> Widths:
    """Columns as wide as what they hold. Where that is too much, the summaries have fewer digits,
    then there are no shapes, then names are cut."""
    longest = {
        column: max((cell_len(getattr(row, column)) for row in cells), default=0)
        for column in ("name", "dtype", "shape", "value", "summary", "brief")
    }
    name = min(longest["name"], max(NARROWEST_NAME, width * 2 // 5))
    dtype, value = min(longest["dtype"], 14), min(longest["value"], 24)
    shape = min(longest["shape"], 20)
    with_shape = width - (name + dtype + shape + value + 4)
    without = with_shape + shape + 1
    if width >= NARROW:
        if longest["summary"] <= with_shape:
            return Widths(name, dtype, shape, value, with_shape, False)
        if longest["brief"] <= with_shape:
            return Widths(name, dtype, shape, value, with_shape, True)
    if longest["summary"] <= without:
        return Widths(name, dtype, 0, value, without, False)
    short = max(min(name, NARROWEST_NAME), name - max(0, longest["brief"] - without))
    return Widths(short, dtype, 0, value, max(0, without + name - short), True)


class TemporaryRows(Rows):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "sort", "Sort", show=False),
        Binding("x", "pin", "Pin", show=False),
        Binding("delete,backspace", "remove", "Remove a watch", show=False),
    ]
    HELP = (
        "The temporaries assigned so far: value in the selected lane, then minimum, maximum, NaN "
        "and distinct values over the lanes that hold data. ✱ changed with this step, · masked "
        "out. Watches (≔, e adds one) stay on top: Enter changes one, delete removes it. r sorts "
        "by line, newest or name; x pins a name to the top; ctrl+f filters; # shows hexadecimal "
        "and bits; L locks the lanes to the selected name. Enter goes to the step that made it."
    )
    ORDERS = ("line", "newest", "name")

    class Said(Message):
        """Words of what was done."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Removed(Message):
        """A watch is not wanted any more."""

        def __init__(self, expression: str) -> None:
            super().__init__()
            self.expression = expression

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.order = "line"
        self.pinned: set[str] = set()
        self.filter = ""
        self.format = "decimal"
        self.found = 0
        """How many temporaries fit the filter."""
        self._temporaries: tuple[Temporary, ...] = ()
        self._cells: list[Cells] = []
        self._widths: tuple[int, Widths] | None = None
        self._errors = False

    @property
    def count(self) -> int:
        """How many temporaries there are, watches left out."""
        return sum(not one.watch for one in self._temporaries)

    def load(self, temporaries: tuple[Temporary, ...], selected: str) -> None:
        self._temporaries = temporaries
        watches = [one for one in temporaries if one.watch]
        ordered = list(fitting([one for one in temporaries if not one.watch], self.filter))
        if self.order == "newest":
            ordered.sort(key=lambda t: -t.position)
        elif self.order == "name":
            ordered.sort(key=lambda t: t.name)
        ordered.sort(key=lambda t: t.name not in self.pinned)
        self.found = len(ordered)
        number = "this lane" + ("" if self.format == "decimal" else f" ({self.format})")
        self._errors = any(one.error is not None for one in temporaries)
        lanes = f"{'error':<{ERROR}}all lanes" if self._errors else "all lanes"
        heading = Cells("  name", "dtype", "shape", number, lanes, lanes)
        shown = [*watches, *ordered]
        self._cells = [heading, *(self._cells_of(one) for one in shown)]
        self._widths = None
        rows = [Row(self._drawer(0), selectable=False, heading=True)]
        rows += [
            Row(self._drawer(at, _problem(one)), one.name, strong=one.changed)
            for at, one in enumerate(shown, 1)
        ]
        if not ordered and self.filter.strip():
            rows.append(Row(_nothing, selectable=False))
        self.set_rows(rows, keep=selected, fixed=1 + len(watches))

    def _cells_of(self, one: Temporary) -> Cells:
        sign = "✱" if one.changed else "⊤" if one.name in self.pinned else " "
        if _problem(one):
            return Cells(f"{sign} {visible(one.name)}", "", "", "", "", "")
        value = one.value if one.raw is None else formatted(one.raw, one.dtype, self.format)
        return Cells(
            f"{sign} {visible(one.name)}",
            visible(one.dtype),
            one.shape,
            visible(value) + (" ·" if one.masked else ""),
            self._error(one) + one.summary,
            self._error(one) + summary_text(one.statistics, BRIEF),
        )

    def _error(self, one: Temporary) -> str:
        """The relative error beside float64, as wide as its heading."""
        if not self._errors:
            return ""
        told = "" if one.error is None else f"{one.error:.0e}" if one.error else "0"
        return f"{told:<{ERROR}}"

    def _drawer(self, at: int, problem: str = "") -> Callable[[int], Text]:
        return lambda width: self._draw(self._cells[at], problem, width)

    def _draw(self, cells: Cells, problem: str, width: int) -> Text:
        if self._widths is None or self._widths[0] != width:
            self._widths = (width, widths(self._cells, width))
        columns = self._widths[1]
        if problem:
            # Why there is no value needs all the room there is.
            room = width - columns.name - 1
            text = f"{fit(cells.name, columns.name)} {fit(visible(problem), room)}"
            return Text(text, end="")
        shown = (
            (cells.name, columns.name),
            (cells.dtype, columns.dtype),
            (cells.shape, columns.shape),
            (cells.value, columns.value),
            (cells.brief if columns.brief else cells.summary, columns.summary),
        )
        return Text(" ".join(fit(cell, room) for cell, room in shown if room > 0), end="")

    def _again(self) -> None:
        self.load(self._temporaries, self._key())

    def set_filter(self, text: str) -> None:
        """Show the temporaries that fit a text only; all of them for ``""``."""
        if text != self.filter:
            self.filter = text
            self._again()

    def set_format(self, how: str) -> None:
        """Show numbers as decimals, in hexadecimal or as bits."""
        self.format = how
        self._again()

    def action_sort(self) -> None:
        at = self.ORDERS.index(self.order)
        self.order = self.ORDERS[(at + 1) % len(self.ORDERS)]
        self._again()
        told = {"newest": "the newest first", "name": "by name", "line": "by line"}
        self.post_message(self.Said(f"Sorted {told[self.order]}."))

    def action_pin(self) -> None:
        name, watch = self._key(), self._watch()
        if watch or not name:
            self.post_message(self.Said("x pins a temporary to the top; a watch is there already."))
            return
        self.pinned ^= {name}
        self._again()
        pinned = name in self.pinned
        told = f"{name} stays on top; x again lets go." if pinned else f"{name} is pinned no more."
        self.post_message(self.Said(told))

    def action_remove(self) -> None:
        watch = self._watch()
        if watch:
            self.post_message(self.Removed(watch))
        else:
            self.post_message(self.Said("Only a watch can be removed, and this is a temporary."))

    def _watch(self) -> str:
        """The expression of the watch under the cursor, ``""`` on a temporary."""
        name = self._key()
        return next((one.watch for one in self._temporaries if one.name == name), "")

    def _key(self) -> str:
        return str(self.current.key) if self.current is not None else ""


def _problem(one: Temporary) -> str:
    """Why a watch has no value, ``""`` when it has one."""
    return one.value if one.watch and one.raw is None and one.block is None else ""


def _nothing(width: int) -> Text:
    return Text(fit("  No temporary fits the filter; escape clears it.", width), end="")


class TableFilter(Input):
    """The filter line of the table: down and Enter go to the table, escape clears."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,enter", "leave", "To the table", show=False),
        Binding("escape", "clear", "Clear the filter", show=False),
    ]

    class Left(Message):
        """The table is wanted again; ``clear``: with all of its rows."""

        def __init__(self, clear: bool) -> None:
            super().__init__()
            self.clear = clear

    def action_leave(self) -> None:
        self.post_message(self.Left(False))

    def action_clear(self) -> None:
        self.post_message(self.Left(True))
