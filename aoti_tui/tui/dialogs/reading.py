"""A text to read: the whole answer, help, a report."""

from __future__ import annotations

from typing import ClassVar

from rich.console import RenderableType
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from aoti_tui.tui.text import plain


class Reading(ModalScreen[None]):
    """Shows a text that wraps and scrolls; ``y`` copies it, any of escape, enter, q leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,q,question_mark", "leave", "Leave"),
        Binding("y", "copy", "Copy"),
        Binding("j", "down", show=False),
        Binding("k", "up", show=False),
    ]

    def __init__(self, title: str, text: str, shown: RenderableType | None = None) -> None:
        """``text`` is what is copied; ``shown`` what is seen, where that has another form."""
        super().__init__()
        self._title = title
        self._text = text
        self._shown = plain(text) if shown is None else shown

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog -tall") as dialog:
            dialog.border_title = Content(self._title)
            dialog.border_subtitle = Content("↑↓ scroll, y copies, escape leaves")
            with VerticalScroll(id="reading-scroll"):
                yield Static(self._shown, id="reading-text", markup=False)

    def on_mount(self) -> None:
        self.query_one("#reading-scroll").focus()

    def action_down(self) -> None:
        self.query_one("#reading-scroll").scroll_down()

    def action_up(self) -> None:
        self.query_one("#reading-scroll").scroll_up()

    def action_copy(self) -> None:
        self.app.copy_to_clipboard(self._text)
        self.notify("Copied.", markup=False, timeout=2)

    def action_leave(self) -> None:
        self.dismiss(None)
