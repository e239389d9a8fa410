"""Between the place of an element in memory or in a block, and its index by dimensions."""

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


def lane_of(shape: Sequence[int], flat: int) -> tuple[int, ...]:
    """Indices of the ``flat``-th element of a C-contiguous block."""
    lane: list[int] = []
    for size in reversed(shape):
        flat, position = divmod(flat, size) if size else (0, 0)
        lane.append(position)
    return tuple(reversed(lane))


def place_of(shape: Sequence[int], lane: Sequence[int]) -> int | None:
    """The place in a block of what Triton would broadcast to a lane; None outside of the block.

    Dimensions are aligned at the right: a block of fewer has the lane's last ones, a lane of
    fewer (a scalar's) the block's first elements.
    """
    if 0 in shape:
        return None
    rank = len(shape)
    aligned = (0,) * (rank - len(lane)) + tuple(lane[max(0, len(lane) - rank) :])
    if any(size > 1 and not 0 <= at < size for size, at in zip(shape, aligned, strict=True)):
        return None
    return flat_of(shape, [at if size > 1 else 0 for size, at in zip(shape, aligned, strict=True)])
