"""What the script stops at, so that somebody can look."""

from __future__ import annotations

from typing import Literal

StopKind = Literal["finding", "difference", "breakpoint", "exception", "breakpoint-call"]


class Stops:
    """`kinds` is what the host asked for; none of them, and the script never waits."""

    def __init__(self, kinds: frozenset[str] = frozenset()) -> None:
        self.kinds = kinds

    def at(self, kind: StopKind) -> bool:
        return kind in self.kinds
