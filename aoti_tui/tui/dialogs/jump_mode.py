"""Jump mode: a letter on every pane; typing it goes there."""

from __future__ import annotations

from collections.abc import Mapping

from textual import events
from textual.app import ComposeResult
from textual.geometry import Offset
from textual.screen import ModalScreen
from textual.widgets import Static


class JumpMode(ModalScreen[str | None]):
    """Gives the id of the chosen target. Any other key leaves."""

    def __init__(self, targets: Mapping[str, tuple[str, Offset]]) -> None:
        """``targets``: letter → id of a widget and where its letter goes on the screen."""
        super().__init__()
        self._targets = targets

    def compose(self) -> ComposeResult:
        for letter, (_, offset) in self._targets.items():
            label = Static(f" {letter} ", classes="jump-letter", markup=False)
            label.styles.offset = (offset.x, offset.y)
            yield label

    def on_key(self, event: events.Key) -> None:
        event.stop()
        target = self._targets.get(event.character or "")
        self.dismiss(target[0] if target else None)

    def on_click(self) -> None:
        self.dismiss(None)
