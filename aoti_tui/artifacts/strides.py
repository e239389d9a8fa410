"""From an element's place in memory to its index by dimensions."""

from __future__ import annotations

from collections.abc import Sequence


def index_of(shape: Sequence[int], stride: Sequence[int], element: int) -> tuple[int, ...] | None:
    """The index by dimensions of an element counted in memory from the data pointer; None when
    none or several fit."""
    left, index = element, [0] * len(shape)
    for dim in sorted(range(len(index)), key=lambda d: -stride[d]):
        step = stride[dim]
        if shape[dim] > 1 and step > 0:
            index[dim], left = divmod(left, step)
    fits = all(0 <= at < size for at, size in zip(index, shape, strict=True))
    return tuple(index) if left == 0 and fits and 0 not in stride else None


def flat_of(shape: Sequence[int], index: Sequence[int]) -> int:
    """The place of an index in the order of the dimensions."""
    flat = 0
    for size, at in zip(shape, index, strict=True):
        flat = flat * size + at
    return flat
