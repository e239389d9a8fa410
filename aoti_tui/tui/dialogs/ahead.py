"""Keys typed before a dialog is there: a fast typist, a paste or a macro must not lose any."""

from __future__ import annotations

from typing import Any

from textual.screen import ModalScreen
from textual.widgets import Input


class TakesKeysAhead(ModalScreen[Any]):
    """A dialog with one :class:`~textual.widgets.Input` that takes what was typed too early.

    Such keys went to what had the focus when they were typed, and reach the application unused.
    """

    def __init__(self) -> None:
        super().__init__()
        self._ahead = ""

    def type_ahead(self, text: str) -> None:
        """Type ``text`` into the field (a newline enters it), now or as soon as it is there."""
        self._ahead += text
        if self.is_mounted and self.query(Input):
            self._flush()

    def on_mount(self) -> None:
        self.query_one(Input).focus()
        self.call_after_refresh(self._flush)

    def _flush(self) -> None:
        ahead, self._ahead = self._ahead, ""
        field = self.query_one(Input)
        for character in ahead:
            if character == "\n":
                self.run_worker(field.action_submit())
            else:
                if not field.selection.is_empty:
                    field.replace("", *field.selection)
                field.insert_text_at_cursor(character)
