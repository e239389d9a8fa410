"""Pasting a log: a text field that takes what the terminal pastes, of any length."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Static, TextArea

from aoti_tui.tui.text import plain


class PasteLog(ModalScreen[str | None]):
    """Gives the pasted log, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave"),
        Binding("ctrl+s,f2", "take", "Read it", priority=True),
    ]

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog -tall") as dialog:
            dialog.border_title = Content("Paste a log")
            dialog.border_subtitle = Content("ctrl+s reads it, escape leaves")
            yield Static(
                plain(
                    "Paste what the process printed (shift+insert, or the terminal's paste key). "
                    "Lines with “Assertion `…` failed” are looked for; the rest may stay."
                ),
                markup=False,
            )
            yield TextArea("", id="paste-text", soft_wrap=False, show_line_numbers=False)
            with Horizontal(classes="buttons"):
                yield Button("Read it", id="paste-take", variant="primary", compact=True)
                yield Button("Leave", id="paste-leave", compact=True)

    def on_mount(self) -> None:
        self.query_one(TextArea).focus()

    @on(Button.Pressed, "#paste-take")
    def action_take(self) -> None:
        text = self.query_one(TextArea).text
        if text.strip():
            self.dismiss(text)
        else:
            self.notify("There is nothing to read yet: paste the log first.", markup=False)

    @on(Button.Pressed, "#paste-leave")
    def action_leave(self) -> None:
        self.dismiss(None)
