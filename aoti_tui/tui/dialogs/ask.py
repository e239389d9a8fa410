"""One question with one line to type: a search, a path, a condition, a program."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
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
Complete = Callable[[str], Sequence[str]]
"""Gives what a text can become."""


class Ask(TakesKeysAhead):
    """Gives the typed text, or None when the user left. Says at once why a text will not do."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave"),
        Binding("up", "earlier(-1)", "Earlier"),
        Binding("down", "earlier(1)", "Later"),
        Binding("tab", "complete", "Complete", priority=True),
    ]

    def __init__(
        self,
        title: str,
        hint: str,
        *,
        value: str = "",
        check: Check = lambda text: "",
        history: Sequence[str] = (),
        complete: Complete = lambda text: (),
    ) -> None:
        super().__init__()
        self._history = [*history]
        self._at = len(self._history)
        self._complete = complete
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

    def action_earlier(self, direction: int) -> None:
        """What was typed before, or after that again."""
        at = self._at + direction
        if 0 <= at <= len(self._history):
            self._at = at
            self._put(self._history[at] if at < len(self._history) else "")

    def action_complete(self) -> None:
        """Go on as far as all that fits agrees, and show what fits."""
        field = self.query_one(Input)
        found = self._complete(field.value)
        if not found:
            return
        common = os.path.commonprefix(found)  # noqa: RUF071 (letter by letter is what is meant)
        self._put(common if len(common) > len(field.value) else field.value)
        if len(found) > 1:
            start = field.value.rpartition(" ")[0]
            shown = "  ".join(one[len(start) :].strip() for one in found[:24])
            self.query_one("#ask-hint", Static).update(plain(shown))

    def _put(self, text: str) -> None:
        field = self.query_one(Input)
        field.value = text
        field.cursor_position = len(text)

    def action_leave(self) -> None:
        self.dismiss(None)
