"""The frame of a pane: a border with a title that is never markup, and a place in the layout."""

from __future__ import annotations

from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget

from aoti_tui.tui.layout import Rect


class Pane(Vertical):
    """A titled frame. The focused pane's border is heavy as well as coloured."""

    def __init__(self, *children: Widget, id: str, title: str) -> None:
        super().__init__(*children, id=id)
        self._titles = (title, "")
        self.border_title = Content(title)

    def set_title(self, title: str, subtitle: str = "") -> None:
        if (title, subtitle) != self._titles:
            self._titles = (title, subtitle)
            self.border_title = Content(title)
            self.border_subtitle = Content(subtitle)

    def place(self, rect: Rect | None) -> None:
        """Move the pane there, or hide it."""
        if rect is None:
            self.display = False
            return
        self.styles.offset = (rect.x, rect.y)
        self.styles.width = rect.width
        self.styles.height = rect.height
        self.display = True

    def focus_content(self) -> None:
        """Focus the first widget inside that takes focus."""
        for child in self.walk_children(Widget):
            if child.focusable:
                child.focus()
                return
