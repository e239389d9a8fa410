"""What a grid of lanes shows: a block and, lane by lane, what is known of each; no Textual here.

The grid of a temporary and that of a tensor's elements are the same thing with other words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from aoti_tui.replay.model import Block, Recording, Step, Summary
from aoti_tui.replay.recorded.recording import last_step
from aoti_tui.session.text import number

Lane = tuple[int, ...]
GLYPHS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True)
class Words:
    """What the marks of a grid mean, for its legend."""

    failing: str = "fail"
    masked: str = "masked out"
    changed: str = "changed"
    one: str = "lane"


@dataclass(frozen=True, slots=True)
class Scale:
    """Values between two ends, as one of eight bars."""

    low: float
    high: float

    def glyph(self, value: float) -> str:
        """``▁`` at the low end to ``█`` at the high one; ``N`` for NaN, ``↑ ↓`` for infinities."""
        if math.isnan(value):
            return "N"
        if math.isinf(value):
            return "↑" if value > 0 else "↓"
        span = self.high - self.low
        part = (value - self.low) / span if span > 0 else 0.0
        return GLYPHS[max(0, min(len(GLYPHS) - 1, int(part * len(GLYPHS))))]


@dataclass(frozen=True, slots=True)
class LaneView:
    """A block with marks. The marks are flat, C-contiguous like the block's values, and empty
    where no lane has one."""

    name: str
    block: Block
    lane: Lane
    failing: Sequence[bool] = ()
    masked: Sequence[bool] = ()
    changed: Sequence[bool] = ()
    summary: Summary | None = None
    words: Words = field(default_factory=Words)
    first: int = 0
    """Number of the first lane, where the block is a part of something longer."""

    @property
    def scale(self) -> Scale | None:
        """The ends of the block's finite values; None when all are the same."""
        ends = self._ends()
        return Scale(*ends) if ends is not None and ends[0] < ends[1] else None

    def _ends(self) -> tuple[float, float] | None:
        summary = self.summary
        if summary is not None and summary.min is not None and summary.max is not None:
            low, high = float(summary.min), float(summary.max)
            if math.isfinite(low) and math.isfinite(high):
                return low, high
        finite = [float(value) for value in self.block.values if math.isfinite(value)]
        return (min(finite), max(finite)) if finite else None

    def legend(self) -> tuple[str, ...]:
        """What the signs mean and how many there are, then the scale and what else is known."""
        count = len(self.block.values)
        parts = [
            f"{sign} {found} {word}"
            for sign, marks, word in (
                ("✗", self.failing, self.words.failing),
                ("✱", self.changed, self.words.changed),
                ("·", self.masked, self.words.masked),
            )
            if (found := sum(map(bool, marks)))
        ]
        parts.append(
            f"of {count}" if parts else f"{count} {self.words.one}{'s' if count != 1 else ''}"
        )
        scale, summary = self.scale, self.summary
        if scale is not None:
            low, high = (number(_whole(end)) for end in (scale.low, scale.high))
            parts.append(f"▁ {low} … █ {high}")
        elif count:
            # Not the first lane's value: that lane may be masked out.
            same = summary.min if summary is not None and summary.min is not None else None
            parts.append(f"all {number(self.block.values[0] if same is None else same)}")
        if summary is not None:
            if summary.nan:
                parts.append(f"N {summary.nan} NaN")
            if summary.distinct is not None and summary.distinct > 1:
                parts.append(f"{summary.distinct} distinct")
        return tuple(parts)


def _whole(value: float) -> int | float:
    return int(value) if value == int(value) and abs(value) < 1 << 53 else value


def projected(
    block: Block | None, shape: Sequence[int], how: Callable[[Iterable[bool]], bool]
) -> Sequence[bool]:
    """A bool block over the lanes of another one; empty when it has nothing to say there.

    A dimension that the other block lacks is joined with ``how``: a value that many lanes share
    fails where any of them fails, and is masked out where all of them are.
    """
    if block is None:
        return ()
    rank = max(len(shape), len(block.shape))
    target = (1,) * (rank - len(shape)) + tuple(shape)
    sizes = [1] * (rank - len(block.shape)) + list(block.shape)
    values: Sequence[bool] = [bool(value) for value in block.values]
    for dim in range(rank):
        inner = math.prod(sizes[dim + 1 :])
        if target[dim] == 1 and sizes[dim] != 1:
            step = sizes[dim] * inner
            values = [
                how(values[outer + at : outer + step : inner])
                for outer in range(0, len(values), step)
                for at in range(inner)
            ]
            sizes[dim] = 1
        elif sizes[dim] == 1 and target[dim] != 1:
            values = [
                value
                for outer in range(0, len(values), inner)
                for value in [*values[outer : outer + inner]] * target[dim]
            ]
            sizes[dim] = target[dim]
        elif sizes[dim] != target[dim]:
            return ()
    return values


def changed_lanes(recording: Recording, step: Step) -> Sequence[bool]:
    """Lanes in which ``step`` gave its name another value than it had."""
    before = last_step(recording, step.name, step.position, step)
    return differing(before.value if before is not None else None, step.value)


def differing(old: object, new: object) -> Sequence[bool]:
    """Lanes in which two blocks differ; empty unless both are blocks of one shape."""
    if not isinstance(old, Block) or not isinstance(new, Block) or old.shape != new.shape:
        return ()
    # NaN is no change of NaN.
    return [a != b and (a == a or b == b) for a, b in zip(old.values, new.values, strict=True)]
