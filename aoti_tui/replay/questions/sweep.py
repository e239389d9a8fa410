"""What if a symbol were 0, 1, 2, its guard's minimum or maximum: which asserts fire?"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from aoti_tui.index.model import Launch, WrapperIndex
from aoti_tui.replay.data.madeup import guard_range
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.model import ReplayResult
from aoti_tui.replay.session import ReplaySession

LARGEST_TRIED = 1 << 16
"""A guard's maximum above this is not tried: its tensors would not fit beside the user's work."""


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """One value tried. ``problem`` says why it could not be run, else ``result`` is there."""

    value: int
    why: str
    """``0``, ``guard minimum``, …"""
    result: ReplayResult | None
    problem: str = ""

    @property
    def fires(self) -> bool:
        return self.result is not None and bool(self.result.asserts or self.result.faults)


def values_to_try(index: WrapperIndex, name: str) -> tuple[tuple[int, str], ...]:
    """0, 1, 2, and the guard's minimum and maximum, each once, smallest first."""
    symbol = index.symbol(name)
    low, high = (
        guard_range(index, symbol.position, symbol.dim) if symbol is not None else (None, None)
    )
    found: dict[int, str] = {0: "0", 1: "1", 2: "2"}
    if low is not None:
        found[low] = "guard minimum"
    if high is not None:
        found[min(high, LARGEST_TRIED)] = (
            "guard maximum"
            if high <= LARGEST_TRIED
            else f"instead of the guard maximum {high}, which is too large to try"
        )
    return tuple(sorted(found.items()))


def sweep(
    session: ReplaySession,
    launch: Launch,
    name: str,
    values: Iterable[tuple[int, str]] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[SweepPoint, ...]:
    """Replay ``launch`` with the symbol at each value; its setting is as before afterwards.

    Raises ReplayError when it is cancelled or no symbol has this name; a value that cannot be run
    is a point with a problem.
    """
    chosen = tuple(values if values is not None else values_to_try(session.index, name))
    before = session.settings.get(name)
    points: list[SweepPoint] = []
    try:
        for number, (value, why) in enumerate(chosen):
            session.set_symbol(name, value)
            try:
                points.append(SweepPoint(value, why, session.run(launch)))
            except ReplayError as error:
                if error.is_final:
                    raise
                points.append(SweepPoint(value, why, None, f"{error.what}: {error.why}"))
            if progress is not None:
                progress(number + 1, len(chosen))
    finally:
        if before is None:
            session.unset_symbol(name)
        else:
            session.set_symbol(name, before)
    return tuple(points)
