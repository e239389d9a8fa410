"""The jump list: moments left, back and forward, as vim and browsers keep them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from aoti_tui.session.state import State

LIMIT = 200
RECORDINGS = 6
"""Different recordings that the list keeps alive."""


def spot(state: State) -> tuple[object, ...]:
    """What tells two moments of the jump list apart."""
    launch = state.launch.id if state.launch is not None else None
    return state.place, launch, id(state.outcome), state.position, state.lane


def without_recording(state: State) -> State:
    return replace(state, outcome=None, position=-1, explained=-1, lane=(), selected="")


@dataclass(slots=True)
class JumpList:
    """Where the user jumped from, whole. Moving on the spot is no jump."""

    _back: list[State] = field(default_factory=list)
    _forward: list[State] = field(default_factory=list)

    def leave(self, here: State) -> None:
        """Remember the moment a jump leaves; what lay ahead is forgotten."""
        if not self._back or spot(self._back[-1]) != spot(here):
            self._back.append(here)
            del self._back[:-LIMIT]
            self._let_go()
        self._forward.clear()

    def _let_go(self) -> None:
        """Keep the last recordings alone: each may be large."""
        alive: set[int] = set()
        for at in range(len(self._back) - 1, -1, -1):
            state = self._back[at]
            if state.outcome is None:
                continue
            if id(state.outcome) not in alive and len(alive) == RECORDINGS:
                self._back[at] = without_recording(state)
            else:
                alive.add(id(state.outcome))

    def back(self, here: State) -> State | None:
        """The moment before, or None at the beginning."""
        if not self._back:
            return None
        self._forward.append(here)
        return self._back.pop()

    def forward(self, here: State) -> State | None:
        if not self._forward:
            return None
        self._back.append(here)
        return self._forward.pop()

    def rewrite(self, how: Callable[[State], State]) -> None:
        """Change every moment, when what it rests on has changed."""
        self._back = [how(state) for state in self._back]
        self._forward = [how(state) for state in self._forward]

    def __len__(self) -> int:
        return len(self._back)
