"""Searching: what is typed is looked for at once, in the sources and in the values."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from aoti_tui.session.commands.search import Found, Hit
from aoti_tui.session.source.search import NumberHit, ValueHit, said_value
from aoti_tui.session.text import number, visible
from aoti_tui.tui.dialogs.ahead import TakesKeysAhead
from aoti_tui.tui.panes.rows import Row, Rows
from aoti_tui.tui.text import fit, plain


class Search(TakesKeysAhead):
    """Gives the text and the chosen result (None: only the text), or None when the user left."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave"),
        Binding("down", "move(1)", "Down", priority=True),
        Binding("up", "move(-1)", "Up", priority=True),
        Binding("pagedown", "page(1)", "Page down", priority=True),
        Binding("pageup", "page(-1)", "Page up", priority=True),
    ]

    def __init__(self, find: Callable[[str], Found], value: str = "") -> None:
        super().__init__()
        self._find = find
        self._value = value

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog -tall") as dialog:
            dialog.border_title = Content("Search sources and values")
            dialog.border_subtitle = Content("↑↓ choose, enter goes there, escape leaves")
            yield Input(
                self._value,
                placeholder="text, or a value: -1  nan  > 31999",
                id="search-input",
                select_on_focus=True,
            )
            yield Rows(id="search-rows")
            yield Static("", id="search-note", markup=False)

    def on_mount(self) -> None:
        super().on_mount()
        self._show(self._value)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        self._show(event.value)

    def _show(self, text: str) -> None:
        found = self._find(text) if text.strip() else Found()
        rows: list[Row] = []
        for title, hits, count in found.groups:
            if hits:
                rows.append(Row(_heading(title, count), selectable=False, heading=True))
                rows += [Row(_draw(hit), hit) for hit in hits]
                if count > len(hits):
                    more = f"  … {count - len(hits)} more; . and , go through those of the source"
                    rows.append(Row(_plain(more), selectable=False))
        self.query_one(Rows).set_rows(rows, keep=found.first)
        note = found.note
        if text.strip() and not rows:
            note = f"“{text}” is in no source and no value. {note}"
        self.query_one("#search-note", Static).update(plain(note))

    def action_move(self, step: int) -> None:
        self.query_one(Rows).action_move(step)

    def action_page(self, step: int) -> None:
        self.query_one(Rows).action_page(step)

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        row = self.query_one(Rows).current
        hit = row.key if row is not None else None
        if event.value.strip() and hit is None:
            return  # The note says that there is nothing to go to.
        self.dismiss((event.value, hit))

    @on(Rows.Chosen)
    def _chosen(self, event: Rows.Chosen) -> None:
        self.dismiss((self.query_one(Input).value, event.row.key))

    def action_leave(self) -> None:
        self.dismiss(None)


def _heading(title: str, count: int) -> Callable[[int], Text]:
    return lambda width: Text(f"{title} {count}", end="")


def _plain(text: str) -> Callable[[int], Text]:
    return lambda width: Text(fit(text, width), end="")


def _draw(hit: Hit) -> Callable[[int], Text]:
    if isinstance(hit, ValueHit):
        where, told = f"step {hit.position + 1}", said_value(hit)
        rest = f"   kernel line {hit.kernel_line}"
    elif isinstance(hit, NumberHit):
        where, told, rest = "", f"{hit.name} = {number(hit.value)}", ""
    else:
        where, told, rest = str(hit.line), visible(hit.text), ""

    def draw(width: int) -> Text:
        text = Text(end="")
        text.append(f"{where:>9}  ", "dim")
        text.append(fit(told + rest, max(1, width - 11)))
        return text

    return draw
