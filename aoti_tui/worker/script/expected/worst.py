"""Where two tensors are furthest apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...engine.numbers.floats import Array


@dataclass(frozen=True)
class Worst:
    """`index` of the element, its two values, and how many elements are apart; `shape` is that
    in which the two were compared."""

    shape: tuple[int, ...]
    index: tuple[int, ...]
    actual: Any
    expected: Any
    apart: int
    of: int


def worst(
    actual: Array,
    expected: Array,
    rtol: float = 0.0,
    atol: float = 0.0,
    equal_nan: bool = False,
) -> Worst | None:
    """The worst of the elements that are further apart than is tolerated; None without any.

    A NaN that is not expected is worst of all, then an infinity, then the largest distance.
    """
    shape = np.broadcast_shapes(actual.shape, expected.shape)
    left, right = (_numbers(np.broadcast_to(one, shape)) for one in (actual, expected))
    if not left.size:
        return None
    with np.errstate(all="ignore"):
        apart = np.abs(left - right)
        allowed = atol + rtol * np.abs(right)
        wrong = ~(apart <= allowed) & (left != right)
    both = np.isnan(left) & np.isnan(right)
    if equal_nan:
        wrong &= ~both
    if not wrong.any():
        return None
    score = np.where(np.isnan(apart), np.inf, apart)
    score = np.where(np.isnan(left) & ~np.isnan(right), np.inf, score)
    score = np.where(wrong, score, -1.0)
    first = int(np.argmax(score))
    index = tuple(int(i) for i in np.unravel_index(first, shape))
    return Worst(
        shape,
        index,
        np.broadcast_to(actual, shape)[index].item(),
        np.broadcast_to(expected, shape)[index].item(),
        int(wrong.sum()),
        int(wrong.size),
    )


def _numbers(values: Array) -> Array:
    if values.dtype.kind == "c":
        return np.abs(values)
    return values.astype(np.float64)
