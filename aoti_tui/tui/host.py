"""What the screen gives to the parts that ask, arrange and take: none of them knows the screen."""

from __future__ import annotations

from textual.screen import Screen
from textual.widget import Widget

from aoti_tui.session.engine import Engine
from aoti_tui.session.kept.config import Config
from aoti_tui.session.listed.entries import Entry
from aoti_tui.session.request import OpenRequest, RunRequest
from aoti_tui.session.state import State
from aoti_tui.tui.panes.pane import Pane


class Host(Screen[int]):
    """The main screen as its parts see it."""

    config: Config
    engine: Engine
    request: OpenRequest | RunRequest

    @property
    def state(self) -> State:
        return self.engine.session.state

    def say(self, text: str, *, bad: bool = False) -> None:
        """One message above the keys, until the next one; ``M`` shows all of them in full."""
        raise NotImplementedError

    def place_panes(self) -> None:
        """Give the panes their places again."""
        raise NotImplementedError

    def open_pane(self, pane: str) -> None:
        """Bring a pane to the front and focus it, because the user asked for it."""
        raise NotImplementedError

    def focused_pane(self) -> str:
        """The id of the pane that has the focus, ``""`` for none."""
        node: Widget | None = self.focused
        for ancestor in node.ancestors_with_self if node is not None else ():
            if isinstance(ancestor, Pane):
                return str(ancestor.id)
        return ""

    def action_act(self, name: str) -> None:
        """Do an action of the registry, or say why it does nothing now."""
        raise NotImplementedError

    def go_to(self, entry: Entry) -> None:
        """Go to what an entry stands for."""
        raise NotImplementedError
