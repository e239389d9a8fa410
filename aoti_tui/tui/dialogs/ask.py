"""One question with one line to type: a search, a path, a condition, a program."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from aoti_tui.tui.dialogs.ahead import TakesKeysAhead
from aoti_tui.tui.text import plain

Check = Callable[[str], str]
"""Gives the reason why a text cannot be taken, or ``""``."""


class Ask(TakesKeysAhead):
    """Gives the typed text, or None when the user left. Says at once why a text will not do."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Leave")]

    def __init__(
        self, title: str, hint: str, *, value: str = "", check: Check = lambda text: ""
    ) -> None:
        super().__init__()
        self._title = title
        self._hint = hint
        self._value = value
        self._check = check

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = Content(self._title)
            dialog.border_subtitle = Content("enter takes it, escape leaves")
            yield Input(self._value, id="ask-input", select_on_focus=True)
            yield Static(plain(self._hint), id="ask-hint", markup=False)

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        problem = self._check(event.value)
        if problem:
            hint = self.query_one("#ask-hint", Static)
            hint.update(plain(f"✗ {problem}"))
            hint.add_class("-bad")
        else:
            self.dismiss(event.value)

    def action_leave(self) -> None:
        self.dismiss(None)
