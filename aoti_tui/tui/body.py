"""The room of the panes: the edges between them can be dragged with the mouse."""

from __future__ import annotations

from textual import events
from textual.containers import Container
from textual.message import Message

from aoti_tui.tui.layout import Arrangement, Divider
from aoti_tui.tui.panes.pane import Pane


class Body(Container):
    """Holds the panes. Knows their arrangement, to say which edge the mouse has hold of."""

    class Dragged(Message):
        """A divider was pulled to ``to``, a column or row of the body."""

        def __init__(self, divider: Divider, to: int) -> None:
            super().__init__()
            self.divider = divider
            self.to = to

    class Dropped(Message):
        """The mouse let go of a divider."""

    class TitleChosen(Message):
        """A double click on the upper border of a pane."""

        def __init__(self, pane: str) -> None:
            super().__init__()
            self.pane = pane

    def __init__(self) -> None:
        super().__init__(id="body")
        self.arrangement = Arrangement({}, ())
        self._held: Divider | None = None
        self._grip = 0
        """Cells from the divider to where the mouse took it."""

    def on_mouse_down(self, event: events.MouseDown) -> None:
        x, y = event.screen_x - self.region.x, event.screen_y - self.region.y
        divider = self.arrangement.divider_at(x, y)
        if divider is not None and event.button == 1:
            event.stop()
            self._held = divider
            self._grip = (x if divider.upright else y) - divider.at
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._held is not None:
            event.stop()
            x, y = event.screen_x - self.region.x, event.screen_y - self.region.y
            self.post_message(
                self.Dragged(self._held, (x if self._held.upright else y) - self._grip)
            )

    def on_mouse_up(self, event: events.MouseUp) -> None:
        if self._held is not None:
            event.stop()
            self._held = None
            self.release_mouse()
            self.post_message(self.Dropped())

    def on_click(self, event: events.Click) -> None:
        if event.chain != 2:
            return
        for pane in self.query(Pane):
            region = pane.region
            if (
                pane.display
                and event.screen_y == region.y
                and region.x <= event.screen_x < region.right
            ):
                self.post_message(self.TitleChosen(str(pane.id)))
