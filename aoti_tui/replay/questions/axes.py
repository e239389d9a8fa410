"""Lanes beyond the axes of a launch: they compute, and nothing they compute is kept.

A block is a power of two and the axis mostly is none, so the last programs have lanes whose
``xindex`` is ``xnumel`` or more. Inductor masks what they load and store.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from aoti_tui.replay.model import Recording, Step
from aoti_tui.replay.recorded.blocks import Number

AXES = ("x", "y", "z", "r0_", "r1_", "r")

NumberAt = Callable[[Recording, Step, str, tuple[int, ...]], Number | None]
"""The value of a name in one lane just before a step."""


@dataclass(frozen=True, slots=True)
class Beyond:
    """An axis that failing lanes lie beyond: the smallest and largest index of theirs on it."""

    axis: str
    low: int
    high: int
    extent: int

    @property
    def words(self) -> str:
        """``xindex is 17 to 23, but xnumel is 17``."""
        span = str(self.low) if self.low == self.high else f"{self.low} to {self.high}"
        return f"{self.axis}index is {span}, but {self.axis}numel is {self.extent}"


@dataclass
class BeyondAxes:
    """Gathers failing lanes, and whether every one of them lies beyond an axis."""

    number_at: NumberAt
    all_beyond: bool = True
    seen: dict[str, Beyond] = field(default_factory=dict)

    def take(self, recording: Recording, step: Step, lanes: list[tuple[int, ...]]) -> None:
        if self.all_beyond:
            self.all_beyond = all(self._take_lane(recording, step, lane) for lane in lanes)

    def _take_lane(self, recording: Recording, step: Step, lane: tuple[int, ...]) -> bool:
        found = False
        for axis in AXES:
            at = self.number_at(recording, step, f"{axis}index", lane)
            extent = self.number_at(recording, step, f"{axis}numel", lane)
            if at is None or extent is None or at < extent:
                continue
            found = True
            old = self.seen.get(axis)
            low, high = (old.low, old.high) if old is not None else (int(at), int(at))
            self.seen[axis] = Beyond(axis, min(low, int(at)), max(high, int(at)), int(extent))
        return found

    @property
    def found(self) -> tuple[Beyond, ...]:
        """The axes that all failing lanes lie beyond; empty where one lane lies within."""
        return tuple(self.seen.values()) if self.all_beyond else ()
