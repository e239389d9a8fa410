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

from aoti_tui.session.listed.entries import Entry
from aoti_tui.session.listed.matching import best, fitting, ranked
from aoti_tui.session.text import visible
from aoti_tui.tui.panes.pane import Pane
from aoti_tui.tui.panes.rows import Row, Rows
from aoti_tui.tui.text import fit_words, plain, shorten_middle


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
    """Lists entries; choosing one posts :class:`Chosen`, delete :class:`Removed`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("delete", "remove", "Clear the breakpoint", show=False),
    ]
    HELP = (
        "Everything of the wrapper that has a name. Type in the filter line (ctrl+f) to narrow it: "
        "words in any order, or letters in order (tprs finds triton_poi_fused_relu_sub). "
        "✗ failed or guilty, · visited. On a breakpoint, b or delete clears it, B disables or "
        "enables it, K changes its condition."
    )

    class Chosen(Message):
        def __init__(self, entry: Entry) -> None:
            super().__init__()
            self.entry = entry

    class Removed(Message):
        """Delete was pressed on an entry."""

        def __init__(self, entry: Entry) -> None:
            super().__init__()
            self.entry = entry

    def __init__(self) -> None:
        super().__init__(id="nav", title="Navigator")
        self._entries: Sequence[Entry] = ()
        self._rows: dict[int, Row] = {}
        """The row of each entry, by its id: made once, whatever the filter shows of them."""
        self._fits_of: dict[str, Sequence[tuple[int, Entry]]] = {}
        """What fitted the queries so far, so that taking back a letter finds it again."""
        self._visited: set[object] = set()
        self._values: dict[str, str] = {}
        self._detail_shown = False

    def compose(self) -> ComposeResult:
        yield FilterInput(placeholder="filter (ctrl+f)", id="nav-filter", compact=True)
        yield Rows(id="nav-rows")
        yield Static("", id="nav-detail", markup=False)

    def load(self, entries: Sequence[Entry]) -> None:
        self._entries = entries
        self._fits_of.clear()
        self._rows = {id(one): Row(self._draw(one), one, strong=one.failed) for one in entries}
        self._fill()

    def set_values(self, values: dict[str, str]) -> None:
        """Values of symbols and inputs to show behind their names."""
        self._values = values
        self._fill()

    @property
    def entries(self) -> Sequence[Entry]:
        """All that is listed without a filter."""
        return self._entries

    @property
    def highlighted(self) -> Entry | None:
        """The entry under the cursor."""
        row = self.query_one(Rows).current
        return row.key if row is not None and isinstance(row.key, Entry) else None

    def visited(self, key: object) -> None:
        if key not in self._visited:
            self._visited.add(key)
            rows = self.query_one(Rows)
            rows.set_rows(rows.rows, keep=self.highlighted)

    def go_to_group(self, group: str) -> None:
        """Put the cursor on the first entry of a group, whatever the filter hides."""
        first = next((entry for entry in self._entries if entry.group == group), None)
        if first is not None:
            self.query_one(FilterInput).value = ""
            self._fill()
            rows = self.query_one(Rows)
            rows.select(first)
            rows.focus()
            self._tell_detail()

    def focus_filter(self) -> None:
        self.query_one(FilterInput).focus()

    def focus_content(self) -> None:
        self.query_one(Rows).focus()

    def on_descendant_focus(self) -> None:
        self._tell_detail()

    def _fill(self, *, to_best: bool = False) -> None:
        """Make the rows. The cursor stays on its entry, or goes to the one that fits best."""
        rows = self.query_one(Rows)
        query = self.query_one(FilterInput).value
        fits = self._fits(query)
        shown = ranked(fits) if fits is not None else self._entries
        keep = best(fits) if to_best and fits else _successor(self.highlighted, shown, rows.rows)
        counts = Counter(entry.group for entry in shown)
        made: list[Row] = []
        group = ""
        for entry in shown:
            if entry.group != group:
                group = entry.group
                made.append(Row(_heading(group, counts[group]), selectable=False, heading=True))
            made.append(self._rows[id(entry)])
        rows.set_rows(made, keep=keep)
        if query.strip() and not shown:
            self._detail(f"Nothing fits “{query.strip()}”; escape clears the filter.")
        elif self._detail_shown:
            self._tell_detail()
        total = len(self._entries)
        self.set_title("Navigator", f"{len(shown)} of {total}" if len(shown) != total else "")

    def _fits(self, query: str) -> Sequence[tuple[int, Entry]] | None:
        """Entries that fit the query with what it costs, None for an empty one. What did not fit
        a shorter query is not looked at again."""
        if not query.strip():
            self._fits_of.clear()
            return None
        found = self._fits_of.get(query)
        if found is None:
            shorter = max((q for q in self._fits_of if query.startswith(q)), key=len, default="")
            before = [entry for _, entry in self._fits_of[shorter]] if shorter else self._entries
            found = self._fits_of[query] = fitting(before, query)
        return found

    def _draw(self, entry: Entry) -> Callable[[int], Text]:
        def draw(width: int) -> Text:
            mark = "✗" if entry.failed else "·" if entry.key in self._visited else " "
            value = self._values.get(entry.label, "")
            detail = visible(f"{value} {entry.detail}".strip() if value else entry.detail)
            room = width - 2
            label = shorten_middle(visible(entry.label), room)
            text = Text(f"{mark} {label}", end="")
            left = room - cell_len(label) - 1
            if left > 0 and detail:
                text.append(" " + fit_words(detail, left), "dim")
            return text

        return draw

    @on(Input.Changed, "#nav-filter")
    def _filter(self) -> None:
        self._fill(to_best=True)

    @on(Input.Submitted, "#nav-filter")
    def _choose_best(self) -> None:
        rows = self.query_one(Rows)
        if rows.current is not None:
            rows.focus()
            rows.action_choose()

    @on(Rows.Highlighted, "#nav-rows")
    def _moved(self, event: Rows.Highlighted) -> None:
        event.stop()
        if isinstance(event, Rows.Chosen) and isinstance(event.row.key, Entry):
            self.post_message(self.Chosen(event.row.key))
        self._tell_detail()

    def action_remove(self) -> None:
        if self.highlighted is not None:
            self.post_message(self.Removed(self.highlighted))

    def _tell_detail(self) -> None:
        """All that is known of the highlighted entry, which a row has no room for."""
        entry = self.highlighted
        if entry is None:
            self._detail("")
            return
        value = self._values.get(entry.label, "")
        where = f" :{entry.line}" if entry.line else ""
        self._detail(" ".join(part for part in (entry.label, value, entry.detail, where) if part))

    def _detail(self, text: str) -> None:
        self._detail_shown = bool(text)
        self.query_one("#nav-detail", Static).update(plain(text))


def _successor(old: Entry | None, shown: Sequence[Entry], rows: Sequence[Row]) -> Entry | None:
    """The entry that the cursor goes to when the rows are made again: the same thing, perhaps
    with other words; for a breakpoint that is gone, the one in its place."""
    if old is None:
        return None
    same = next((entry for entry in shown if entry is old), None)
    same = same or next((entry for entry in shown if entry.key == old.key), None)
    if same is not None or old.group != "Breakpoints":
        return same
    before = [row.key for row in rows if isinstance(row.key, Entry) and row.key.group == old.group]
    left = [entry for entry in shown if entry.group == old.group]
    return left[min(before.index(old), len(left) - 1)] if left and old in before else None


def _heading(group: str, count: int) -> Callable[[int], Text]:
    return lambda width: Text(f"{group} {count}", end="")
