"""The jump list: places visited, back and forward, as vim and browsers keep them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from aoti_tui.index.model import LaunchId

LIMIT = 200


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file, and where the replay stood. ``path`` is ``""`` for the wrapper."""

    line: int
    name: str = ""
    path: str = ""
    launch: LaunchId | None = None
    """The launch whose recording was on the screen."""
    step: int = -1
    lane: tuple[int, ...] = ()

    def at(self, line: int) -> Place:
        """Another line of the same file."""
        return replace(self, line=line, name="")


@dataclass(slots=True)
class JumpList:
    """Where the user jumped from. Moving on the spot is no jump."""

    _back: list[Place] = field(default_factory=list)
    _forward: list[Place] = field(default_factory=list)

    def leave(self, place: Place) -> None:
        """Remember the place a jump leaves; what lay ahead is forgotten."""
        if not self._back or self._back[-1] != place:
            self._back.append(place)
            del self._back[:-LIMIT]
        self._forward.clear()

    def back(self, here: Place) -> Place | None:
        """The place before, or None at the beginning."""
        if not self._back:
            return None
        self._forward.append(here)
        return self._back.pop()

    def forward(self, here: Place) -> Place | None:
        if not self._forward:
            return None
        self._back.append(here)
        return self._forward.pop()

    def __len__(self) -> int:
        return len(self._back)
