"""Large blocks of integers as sums of small ones: what can be done without adding them up.

Offsets of a kernel are mostly sums of a number per program, one per row and one per column.
Their bounds follow from the terms', and so do the rows of memory that they lead to.
"""

from __future__ import annotations

from collections.abc import Callable

from ..numbers.floats import Array
from .handle import Handle

# Blocks of fewer lanes are added up at once: terms cost more calls than they save.
SMALLEST = 2048
MOST = {size: (1 << (8 * size - 1)) - 1 for size in (1, 2, 4, 8)}
"""The largest signed integer by its bytes."""


def summed(left: Handle, right: Handle, sign: int = 1) -> Handle | None:
    """left + sign * right as terms; None where it is as well added up now, or may wrap."""
    if not (left.terms or right.terms or _outer(left.lanes, right.lanes)):
        return None
    if left.parts[0].dtype.kind != "i":
        return None
    added = right.parts if sign > 0 else tuple(-part for part in right.parts)
    terms = _joined(left.parts, added)
    if len(terms) < 2:
        return None
    size = 1
    for lengths in zip(*(term.shape for term in terms)):
        size *= max(lengths)
    if size < SMALLEST or any(term.size * 2 > size for term in terms):
        return None
    low, high, magnitude = left.extremes
    least, most, more = right.extremes
    magnitude += more
    if magnitude > MOST[terms[0].dtype.itemsize]:
        return None
    if sign < 0:
        least, most = -most, -least
    bounds = (low + least, high + most, magnitude)
    return Handle(None, left.dtype, left.shape, left.argument, terms, bounds)


def scaled(value: Handle, factor: int) -> Handle | None:
    """Each of the terms times a number; None where a product may wrap."""
    if not value.terms or value.extremes[2] * abs(factor) > MOST[value.terms[0].dtype.itemsize]:
        return None
    terms = tuple(term * term.dtype.type(factor) for term in value.terms)
    low, high, magnitude = (bound * factor for bound in value.extremes)
    bounds = (min(low, high), max(low, high), abs(magnitude))
    return Handle(None, value.dtype, value.shape, value.argument, terms, bounds)


def each(value: Handle, change: Callable[[Array], Array], shape: tuple[int, ...]) -> Handle:
    """A change of axes, which lanes and terms go through in the same way."""
    if value.terms:
        terms = tuple(change(term) for term in value.terms)
        return Handle(None, value.dtype, shape, value.argument, terms, value.extremes)
    return Handle(change(value.lanes), value.dtype, shape, value.argument)


def _outer(left: Array, right: Array) -> bool:
    """Whether a sum would be larger than both of its operands, and large."""
    if left.shape == right.shape or left.size == 1 or right.size == 1:
        return False
    size = 1
    for lengths in zip(left.shape, right.shape):
        size *= max(lengths)
    return size >= SMALLEST and size > left.size and size > right.size


def _joined(left: tuple[Array, ...], right: tuple[Array, ...]) -> tuple[Array, ...]:
    """Terms of both, with those of one shape added up, and a lone number put into another."""
    by_shape: dict[tuple[int, ...], Array] = {}
    for term in (*left, *right):
        known = by_shape.get(term.shape)
        by_shape[term.shape] = term if known is None else known + term
    if len(by_shape) > 1:
        for shape, term in list(by_shape.items()):
            if term.size == 1:
                del by_shape[shape]
                smallest = min(by_shape, key=lambda other: by_shape[other].size)
                by_shape[smallest] = by_shape[smallest] + term
                break
    return tuple(by_shape.values())
