"""What if: the symbols of a wrapper with their values, and one field to set one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from aoti_tui.replay.model import SymbolValue
from aoti_tui.tui.dialogs.ahead import TakesKeysAhead
from aoti_tui.tui.panes.rows import Row, Rows
from aoti_tui.tui.text import fit, number, plain, visible

SETTING = re.compile(r"\s*(\w+)\s*=\s*(-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)?\s*$")


class SetSymbol(TakesKeysAhead):
    """Gives the symbol and its new value (None: as before), or None when the user left."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Leave")]

    def __init__(self, symbols: Sequence[SymbolValue], first: str = "") -> None:
        super().__init__()
        self._symbols = symbols
        self._first = first

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog -tall") as dialog:
            dialog.border_title = Content("What if a symbol had another value?")
            dialog.border_subtitle = Content("enter sets it and runs again, escape leaves")
            yield Input(placeholder="s7=1", id="symbol-input", select_on_focus=False)
            yield Static(
                plain(
                    "name=value sets a symbol; name= alone takes the value back. Inputs whose size "
                    "no longer fits are made up, and everything computed from them says so."
                ),
                id="symbol-hint",
                markup=False,
            )
            yield Rows(id="symbol-rows")

    def on_mount(self) -> None:
        heading = Row(
            lambda width: Text(_cells(("symbol", "value", "from"), width), end=""),
            selectable=False,
            heading=True,
        )
        self.query_one(Rows).set_rows(
            [heading, *(Row(_draw(symbol), symbol.name) for symbol in self._symbols)],
            keep=self._first,
        )
        field = self.query_one(Input)
        if self._first:
            field.value = f"{self._first}="
        super().on_mount()

    @on(Rows.Highlighted)
    @on(Rows.Chosen)
    def _pick(self, event: Rows.Highlighted) -> None:
        field = self.query_one(Input)
        field.value = f"{event.row.key}="
        if isinstance(event, Rows.Chosen):
            field.focus()
            field.action_end()

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        found = SETTING.match(event.value)
        names = {symbol.name for symbol in self._symbols}
        if found is None:
            self._refuse(f"“{event.value}” is not name=value, such as s7=1.")
        elif found[1] not in names:
            known = ", ".join(sorted(names)[:8])
            self._refuse(f"The wrapper has no symbol {found[1]}. It has {known or 'none'}.")
        else:
            self.dismiss((found[1], float(found[2]) if found[2] is not None else None))

    def _refuse(self, reason: str) -> None:
        hint = self.query_one("#symbol-hint", Static)
        hint.update(plain(f"✗ {reason}"))
        hint.add_class("-bad")

    def action_leave(self) -> None:
        self.dismiss(None)


def _draw(symbol: SymbolValue) -> Callable[[int], Text]:
    source = "MADE-UP" if symbol.source == "made-up" else symbol.source
    cells = (visible(symbol.name), number(symbol.value), f"{source}  {visible(symbol.how)}")

    return lambda width: Text(_cells(cells, width), end="")


def _cells(cells: tuple[str, str, str], width: int) -> str:
    name = max(13, width // 3)
    return f"{fit(cells[0], name)} {fit(cells[1], 13)} {fit(cells[2], max(1, width - name - 15))}"
