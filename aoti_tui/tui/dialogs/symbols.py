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
from textual.widgets.input import Selection

from aoti_tui.artifacts.given import BEYOND_SYMBOLS
from aoti_tui.replay.data.symbols import SET_BY_USER
from aoti_tui.replay.model import SymbolValue
from aoti_tui.session.text import number, visible
from aoti_tui.tui.dialogs.ahead import TakesKeysAhead
from aoti_tui.tui.panes.rows import Row, Rows
from aoti_tui.tui.text import fit, plain

# A name typed over the one that stands there already repeats it: `s20=s20=10`.
SETTING = re.compile(
    r"\s*(?:\w+(?:\[[\d, ]+\])?\s*=\s*)?(\w+(?:\[[\d, ]+\])?)\s*="
    r"\s*(-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)?\s*$"
)


class SetSymbol(TakesKeysAhead):
    """Gives the symbol and its new value (None: as before), or None when the user left."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Leave")]

    def __init__(self, symbols: Sequence[SymbolValue], first: str = "") -> None:
        super().__init__()
        self._symbols = symbols
        self._first = first
        self._offered = ""
        """What the dialog itself put into the field."""
        self._typed = False

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog -tall") as dialog:
            dialog.border_title = Content("What if a symbol had another value?")
            dialog.border_subtitle = Content("enter sets it and runs again, escape leaves")
            yield Input(placeholder="s7=1", id="symbol-input", select_on_focus=False)
            yield Static(
                plain(
                    "name=value sets a symbol; name= alone takes a set value back. Inputs whose "
                    "size no longer fits are made up, and all that is computed from them says so."
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
        if self._first:
            self._offer(self._first)
        super().on_mount()

    def _offer(self, name: str) -> None:
        """Put a symbol into the field, with its value where the user has set it: selected, so that
        another one is typed over it."""
        own = self._set_by_user(name)
        self._offered = f"{name}={number(own.value) if own is not None else ''}"
        self._typed = False
        field = self.query_one(Input)
        field.value = self._offered
        field.selection = Selection(len(name) + 1, len(self._offered))

    def _set_by_user(self, name: str) -> SymbolValue | None:
        own = (s for s in self._symbols if s.name == name and s.how == SET_BY_USER)
        return next(own, None)

    @on(Input.Changed)
    def _edited(self, event: Input.Changed) -> None:
        self._typed = self._typed or event.value != self._offered

    @on(Rows.Highlighted)
    @on(Rows.Chosen)
    def _pick(self, event: Rows.Highlighted) -> None:
        self._offer(str(event.row.key))
        if isinstance(event, Rows.Chosen):
            self.query_one(Input).focus()

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        if event.value == self._offered and not self._typed:
            # Nothing was typed: nothing changes.
            self.dismiss(None)
            return
        found = SETTING.match(event.value)
        names = {symbol.name for symbol in self._symbols}
        if found is None:
            self._refuse(f"“{event.value}” is not name=value, such as s7=1.")
        elif found[1] not in names and "[" not in found[1]:
            known = ", ".join(sorted(names)[:8])
            self._refuse(f"The wrapper has no symbol {found[1]}. It has {known or 'none'}.")
        elif not abs(float(found[2] or 0)) < BEYOND_SYMBOLS:
            self._refuse(f"{found[1]} can have numbers of 64 bits only.")
        elif found[2] is None and self._set_by_user(found[1]) is None:
            self._refuse(f"{found[1]} is not set: there is no value to take back.")
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
    how = "" if symbol.how == SET_BY_USER else f"  {visible(symbol.how)}"
    cells = (visible(symbol.name), number(symbol.value), f"{source}{how}")

    return lambda width: Text(_cells(cells, width), end="")


def _cells(cells: tuple[str, str, str], width: int) -> str:
    name = max(13, width // 3)
    return f"{fit(cells[0], name)} {fit(cells[1], 13)} {fit(cells[2], max(1, width - name - 15))}"
