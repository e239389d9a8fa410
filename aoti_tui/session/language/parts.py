"""What the rooms of the language are built on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from aoti_tui.answer.incident import Incident
from aoti_tui.session.commands.breakpoints import Breakpoints
from aoti_tui.session.commands.incidents import Incidents
from aoti_tui.session.commands.origins import Origins
from aoti_tui.session.commands.places import Places
from aoti_tui.session.commands.references import References
from aoti_tui.session.commands.replays import Replays
from aoti_tui.session.commands.scripts import Scripts
from aoti_tui.session.commands.search import Search
from aoti_tui.session.commands.symbols import Symbols
from aoti_tui.session.commands.values import Values
from aoti_tui.session.commands.watches import Watches
from aoti_tui.session.commands.writers import Writers
from aoti_tui.session.session import Session
from aoti_tui.session.state import State

LINES = 3
"""Lines that a front end says in passing."""


class Desk(Protocol):
    """What the language hands on to the front end that it is typed into."""

    def act(self, action: str) -> bool:
        """Do what a key does, by the action's id or label; False where there is no such one."""
        ...

    def show_group(self, group: str) -> bool:
        """Show a group of what is listed; False where it is empty."""
        ...

    def look_at(self, tensor: str) -> bool:
        """Show the elements of a tensor; False where there is nothing to show them on."""
        ...

    def read(self, title: str, text: str) -> None:
        """Show a text of many lines, which was said already."""
        ...


@dataclass
class Parts:
    """The rooms of the session, and the values of the command that is done now."""

    session: Session
    places: Places
    incidents: Incidents
    replays: Replays
    scripts: Scripts
    writers: Writers
    values: Values
    breakpoints: Breakpoints
    watches: Watches
    symbols: Symbols
    references: References
    origins: Origins
    search: Search
    desk: Desk
    given: list[dict[str, Any]] = field(default_factory=list)
    """Values of the answer to the last command."""
    refused: bool = False
    """The last command could not be done, as was found out while it was."""

    @property
    def state(self) -> State:
        return self.session.state

    @property
    def incident(self) -> Incident:
        """What is open; a command that needs it is not done before."""
        incident = self.session.state.incident
        assert incident is not None
        return incident

    def tell(self, text: str, *values: dict[str, Any], title: str = "Answer") -> None:
        """Say the answer of a command with its values; of many lines it is a text to read, unless
        there is no ``title``, because a pane shows what it says."""
        self.given.extend(values)
        self.session.say(text)
        if title and text.count("\n") >= LINES:
            self.desk.read(title, text)

    def refuse(self, text: str) -> None:
        """Say why a command that was begun cannot be done."""
        self.refused = True
        self.session.say(text, bad=True)
