"""The navigator: everything with a name, in groups with counts, behind an incremental filter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input, Static

from aoti_tui.tui.entries import Entry, fitting, ranked
from aoti_tui.tui.panes.pane import Pane
from aoti_tui.tui.panes.rows import Row, Rows
from aoti_tui.tui.text import fit, plain, shorten_middle, visible


class FilterInput(Input):
    """The filter line: down goes to the list, escape clears."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "leave", "To the list", show=False),
        Binding("escape", "clear", "Clear the filter", show=False),
    ]

    def action_leave(self) -> None:
        self.screen.query_one("#nav-rows", Rows).focus()

    def action_clear(self) -> None:
        self.value = ""
        self.action_leave()


class Navigator(Pane):
    """Lists entries; choosing one posts :class:`Chosen`."""

    HELP = (
        "Everything of the wrapper that has a name. Type in the filter line (ctrl+f) to narrow it: "
        "words in any order, or letters in order (tprs finds triton_poi_fused_relu_sub). "
        "✗ failed or guilty, · visited. Enter goes there."
    )

    class Chosen(Message):
        def __init__(self, entry: Entry) -> None:
            super().__init__()
            self.entry = entry

    def __init__(self) -> None:
        super().__init__(id="nav", title="Navigator")
        self._entries: Sequence[Entry] = ()
        self._fitted: tuple[str, Sequence[Entry]] = ("", ())
        self._visited: set[object] = set()
        self._values: dict[str, str] = {}

    def compose(self) -> ComposeResult:
        yield FilterInput(placeholder="filter (ctrl+f)", id="nav-filter", compact=True)
        yield Rows(id="nav-rows")
        yield Static("", id="nav-detail", markup=False)

    def load(self, entries: Sequence[Entry]) -> None:
        self._entries = entries
        self._fitted = ("", ())
        self._fill()

    def set_values(self, values: dict[str, str]) -> None:
        """Values of symbols and inputs to show behind their names."""
        self._values = values
        self._fill()

    def visited(self, key: object) -> None:
        if key not in self._visited:
            self._visited.add(key)
            self.query_one(Rows).set_rows(self.query_one(Rows).rows, keep=key)

    def focus_filter(self) -> None:
        self.query_one(FilterInput).focus()

    def focus_content(self) -> None:
        self.query_one(Rows).focus()

    def _fill(self) -> None:
        rows = self.query_one(Rows)
        shown = self._fitting(self.query_one(FilterInput).value)
        counts = Counter(entry.group for entry in shown)
        made: list[Row] = []
        group = ""
        for entry in shown:
            if entry.group != group:
                group = entry.group
                made.append(Row(_heading(group, counts[group]), selectable=False, heading=True))
            made.append(Row(self._draw(entry), entry, strong=entry.failed))
        current = rows.current
        rows.set_rows(made, keep=current.key if current else None)
        total = len(self._entries)
        self.set_title("Navigator", f"{len(shown)} of {total}" if len(shown) != total else "")

    def _fitting(self, query: str) -> Sequence[Entry]:
        """Entries that fit the query. What did not fit a shorter one is not looked at again."""
        if not query.strip():
            self._fitted = ("", ())
            return self._entries
        last, before = self._fitted
        fits = fitting(before if last and query.startswith(last) else self._entries, query)
        self._fitted = (query, [entry for _, entry in fits])
        return ranked(fits)

    def _draw(self, entry: Entry) -> Callable[[int], Text]:
        def draw(width: int) -> Text:
            mark = "✗" if entry.failed else "·" if entry.key in self._visited else " "
            value = self._values.get(entry.label, "")
            detail = visible(f"{value} {entry.detail}".strip() if value else entry.detail)
            room = width - 2
            label = shorten_middle(visible(entry.label), room)
            text = Text(f"{mark} {label}", end="")
            left = room - cell_len(label) - 1
            if left > 3 and detail:
                text.append(" " + fit(detail, left), "dim")
            return text

        return draw

    @on(Input.Changed, "#nav-filter")
    def _filter(self) -> None:
        self._fill()

    @on(Input.Submitted, "#nav-filter")
    def _first(self) -> None:
        rows = self.query_one(Rows)
        rows.focus()
        if rows.current is not None:
            rows.action_choose()

    @on(Rows.Highlighted, "#nav-rows")
    def _detail(self, event: Rows.Highlighted) -> None:
        event.stop()
        if isinstance(event, Rows.Chosen) and isinstance(event.row.key, Entry):
            self.post_message(self.Chosen(event.row.key))
        if isinstance(event.row.key, Entry):
            entry = event.row.key
            where = f"  :{entry.line}" if entry.line else ""
            value = self._values.get(entry.label, "")
            shown = " ".join(part for part in (entry.label, value, entry.detail) if part)
            self.query_one("#nav-detail", Static).update(plain(shown + where))


def _heading(group: str, count: int) -> Callable[[int], Text]:
    return lambda width: Text(f"{group} {count}", end="")
