"""Accesses whose lanes lie one behind the other in memory: whole rows instead of elements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..numbers.floats import Array
from .handle import Handle


@dataclass(frozen=True)
class Rows:
    """`first`: the element each row of lanes begins at, (programs or 1, *block without `axis`);
    `axis`: that of the lanes' arrays along which a row goes; `length`: its lanes."""

    first: Array
    axis: int
    length: int

    def within(self, count: int, before: int) -> bool:
        """Whether all of the rows lie in `count` elements of which `before` come before 0."""
        low, high = int(self.first.min()), int(self.first.max())
        return low >= -before and high + self.length + before <= count

    def cut(self, length: int) -> Rows:
        """Only the first lanes of each row."""
        return Rows(self.first, self.axis, length)

    @property
    def apart(self) -> bool:
        """Whether no two rows share an element."""
        begins = np.sort(self.first, axis=None)
        return bool((begins[1:] - begins[:-1] >= self.length).all())

    def windows(self, memory: Array) -> Array:
        """Memory as every row that there can be, one from each element on; all share its bytes."""
        count = len(memory) - self.length + 1
        step = memory.itemsize
        return np.ndarray((count, self.length), memory.dtype, memory, 0, (step, step))

    def lanes(self, taken: Array) -> Array:
        """Rows, which are the last axis of what was taken, in the order of lanes."""
        return taken if self.axis == taken.ndim - 1 else np.moveaxis(taken, -1, self.axis)

    def rows(self, lanes: Array) -> Array:
        """The other way round."""
        return lanes if self.axis == lanes.ndim - 1 else np.moveaxis(lanes, self.axis, -1)


def all_within(pointer: Handle, count: int, before: int) -> bool:
    """Whether a pointer's bounds tell that all of its lanes lie there."""
    low, high, _ = pointer.extremes
    return low >= -before and high + before < count


def rows_of(pointer: Handle) -> Rows | None:
    """The rows that a pointer block consists of, as far as its terms tell."""
    best: tuple[int, int, int] | None = None
    for place, term in enumerate(pointer.terms):
        axis = _only_axis(term)
        if axis and term.shape[axis] > (best[0] if best else 1) and _counts_up(term):
            best = (term.shape[axis], place, axis)
    if best is None:
        return None
    length, place, axis = best
    first = pointer.terms[place].reshape(-1)[:1]
    for other, term in enumerate(pointer.terms):
        if other != place:
            if term.shape[axis] != 1:
                return None
            first = first + term.reshape(term.shape[:axis] + term.shape[axis + 1 :])
    return Rows(first, axis, length)


def _only_axis(term: Array) -> int:
    """The axis that holds all of its elements; 0 where there is none beside that of programs."""
    for axis in range(1, term.ndim):
        if term.shape[axis] == term.size > 1:
            return axis
    return 0


def _counts_up(term: Array) -> bool:
    line = term.reshape(-1)
    if int(line[-1]) - int(line[0]) != len(line) - 1:
        return False
    return bool((line[1:] - line[:-1] == 1).all())


def prefix(mask: Array, rows: Rows) -> int | None:
    """How many lanes of every row a mask lets through; None where it is no such mask."""
    if mask.size == 1:
        return rows.length if bool(mask.item()) else 0
    axis = rows.axis
    if mask.shape[axis] != mask.size:
        return None
    line = mask.reshape(-1)
    count = int(np.count_nonzero(line))
    return count if bool(line[:count].all()) else None
