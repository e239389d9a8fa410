"""Which lanes of a value hold data, and what the values of those lanes sum up to.

Inductor's kernels say it themselves: a bool block named ``…mask`` is false in the lanes past the
end. What such a lane holds was never asked for, so it says nothing about a value: statistics are
over the others.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import compress
from operator import not_

from aoti_tui.replay.model import Block, Recording, Step, Summary
from aoti_tui.session.values.lanes import projected

MOST_DISTINCT = 1000
"""Values that are counted; the worker's own summaries stop there too."""
SAMPLE = 4096
"""Lanes looked at first."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """Of the lanes that hold data. ``true`` counts those of a bool block that are true."""

    summary: Summary | None
    true: int | None = None


class Masking:
    """The masks of one recording. Every answer is worked out once."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self._made: dict[str, dict[tuple[int, ...], list[Step]]] = {}
        for step in recording.steps:
            value = step.value
            if (
                step.kind == "assign"
                and step.name.endswith("mask")
                and isinstance(value, Block)
                and value.dtype == "bool"
            ):
                self._made.setdefault(step.name, {}).setdefault(step.iteration, []).append(step)
        self._out: dict[tuple[tuple[int, ...], tuple[int, ...]], Sequence[bool]] = {}
        self._statistics: dict[tuple[int, tuple[int, ...]], Statistics] = {}

    def masks(self, step: Step, position: int) -> tuple[Step, ...]:
        """The masks that speak of a step's lanes, as far as they are known at ``position``: of
        the same call, and made in the same round of the loops around the step."""
        found = []
        for rounds in self._made.values():
            for depth in range(len(step.iteration), -1, -1):
                made = rounds.get(step.iteration[:depth], ())
                mask = next((m for m in reversed(made) if m.position <= position), None)
                if mask is not None:
                    if self._same_call(mask, step):
                        found.append(mask)
                    break
        return tuple(found)

    def _same_call(self, one: Step, other: Step) -> bool:
        if (one.depth, one.function) != (other.depth, other.function):
            return False
        first, last = sorted((one.position, other.position))
        # A helper has returned where its caller's steps go on.
        return one.depth == 0 or all(
            step.depth >= one.depth for step in self.recording.steps[first:last]
        )

    def out(self, step: Step, position: int, shape: Sequence[int]) -> Sequence[bool]:
        """Which lanes of a block of ``shape``, as of ``step``, are masked out; empty for none."""
        masks = self.masks(step, position)
        key = (tuple(mask.position for mask in masks), tuple(shape))
        if key not in self._out:
            self._out[key] = _joined(masks, shape)
        return self._out[key]

    def statistics(self, step: Step, position: int) -> Statistics:
        """Of a step's value, as far as the masks are known at ``position``."""
        block = step.value
        if not isinstance(block, Block):
            return Statistics(step.summary)
        key = (step.position, tuple(mask.position for mask in self.masks(step, position)))
        if key not in self._statistics:
            # A mask is there to tell lanes apart: all of its own count.
            out = () if step.name in self._made else self.out(step, position, block.shape)
            summary = step.summary if not out else None
            self._statistics[key] = statistics(block, out, summary)
        return self._statistics[key]


def _joined(masks: Sequence[Step], shape: Sequence[int]) -> Sequence[bool]:
    out: Sequence[bool] = ()
    for mask in masks:
        assert isinstance(mask.value, Block)
        inside = projected(mask.value, shape, any)
        if inside and not all(inside):
            here = [not one for one in inside]
            out = [a or b for a, b in zip(out, here, strict=True)] if out else here
    return out


def statistics(block: Block, out: Sequence[bool], summary: Summary | None = None) -> Statistics:
    """Of the lanes of a block that are not masked ``out``; ``summary`` where it is known."""
    values: Sequence[int | float | bool] = block.values
    if out:
        values = list(compress(values, map(not_, out)))
    true = sum(values) if block.dtype == "bool" else None
    if summary is not None:
        return Statistics(summary, int(true) if true is not None else None)
    numbers = values
    if block.values.format in ("f", "d"):
        numbers = [value for value in values if value == value]
    # Where a part has too many values to count, so has the whole.
    different: Collection[int | float | bool] = set(numbers[:SAMPLE])
    if len(different) <= MOST_DISTINCT:
        different = set(numbers)
    else:
        different = numbers
    return Statistics(
        Summary(
            min=min(different, default=None),
            max=max(different, default=None),
            nan=len(values) - len(numbers),
            distinct=len(different) if len(different) <= MOST_DISTINCT else None,
            count=len(values),
        ),
        int(true) if true is not None else None,
    )


_latest: list[Masking] = []


def masking(recording: Recording) -> Masking:
    """The masks of the recording that is on the screen: only one is at a time."""
    if not _latest or _latest[0].recording is not recording:
        _latest[:] = [Masking(recording)]
    return _latest[0]
