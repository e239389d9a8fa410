"""Which part of a tensor's memory a kernel walks, as Python indexing of its dimensions."""

from __future__ import annotations

from dataclasses import dataclass

from aoti_tui.failure.condition.formula import (
    Axis,
    Elements,
    Formula,
    Lane,
    NotDerived,
    Of,
    Size,
    axes_of,
)
from aoti_tui.failure.condition.operations import Numeric, summands


@dataclass(frozen=True, slots=True)
class Walk:
    """``step`` elements further for each step along ``axis``."""

    step: int
    axis: Axis


@dataclass(frozen=True, slots=True)
class Place:
    """An address: where it starts and what it walks."""

    start: int
    walks: tuple[Walk, ...]


@dataclass(frozen=True, slots=True)
class Dimension:
    """``size`` is None where it is only known when the model runs; ``fixed`` when compiled."""

    size: int | None
    stride: int
    fixed: bool = False
    whole: frozenset[int] = frozenset()
    """The sizes of which a dimension of unknown size must have one; empty where all may be."""


def place_of(address: Formula, numeric: Numeric) -> Place:
    """An address that is a sum of axes and sizes. Raises NotDerived for any other."""
    start, walks = 0, []
    for sign, term in summands(address):
        by: int | None = sign
        if isinstance(term, Of) and term.operator == "*" and isinstance(term.arguments[1], Size):
            factor = numeric(term.arguments[1].node)
            by, term = None if factor is None else sign * factor, term.arguments[0]
        if by is None:
            raise NotDerived("an address of unknown size")
        if isinstance(term, Size):
            number = numeric(term.node)
            if number is None:
                raise NotDerived("an address of unknown size")
            start += by * number
        elif isinstance(term, Lane):
            walks.append(Walk(by, term.axis))
        else:
            raise NotDerived("an address that depends on data")
    return Place(start, tuple(walks))


def part_of(whole: Elements, layout: tuple[Dimension, ...], place: Place) -> Elements:
    """The part of a tensor that lies at a place, its dimensions along the place's axes.

    ``whole`` has one axis for each dimension of ``layout``. Raises NotDerived.
    """
    start, firsts = place.start, [0] * len(layout)
    order = sorted(range(len(layout)), key=lambda dim: -layout[dim].stride)
    for dim in order:
        if layout[dim].stride > 0 and layout[dim].size != 1:
            firsts[dim], start = divmod(start, layout[dim].stride)
    if start or min(firsts, default=0) < 0:
        raise NotDerived("an address between elements, or before the first")
    taken: dict[int, tuple[Axis, int | None]] = {}
    for walk in place.walks:
        for dim, axis in _split(walk, layout, taken):
            taken[dim] = (axis, axis.count)
    marks, axes = [], []
    for dim, dimension in enumerate(layout):
        if dim in taken:
            axis, count = taken[dim]
            marks.append(_slice(firsts[dim], count, dimension))
            axes.append(axis)
        else:
            marks.append(_single(firsts[dim], dimension))
    while marks and marks[-1] == ":":
        marks.pop()
    text = f"{whole.text}[{', '.join(marks)}]" if marks else whole.text
    return Elements(text, tuple(axes), whole.kind, whole.may_be_empty, whole.negative)


def _split(
    walk: Walk, layout: tuple[Dimension, ...], taken: dict[int, tuple[Axis, int | None]]
) -> list[tuple[int, Axis]]:
    """The dimensions that a walk runs along, innermost first: several where it is flat."""
    found: list[tuple[int, Axis]] = []
    step, axis = walk.step, walk.axis
    start, left = axis.start, axis.count
    if step < 0:
        raise NotDerived("a walk backwards")
    if left == 1:
        raise NotDerived("an axis of one")
    while left is None or left > 1:
        used = {*taken, *(dim for dim, _ in found)}
        dim = next(
            (
                d
                for d, one in enumerate(layout)
                if one.stride == step and one.size != 1 and d not in used
            ),
            None,
        )
        if dim is None:
            raise NotDerived("an address that fits no dimension")
        size = layout[dim].size
        if left is None or size is None or left <= size:
            # The rest of the walk stays within this dimension.
            if left is None and size is not None:
                raise NotDerived("a walk of unknown length")
            found.append((dim, Axis(axis.space, start, axis.stop)))
            return found
        if left % size:
            raise NotDerived("a walk that ends inside of a row")
        found.append((dim, Axis(axis.space, start, start * size)))
        start, step, left = start * size, step * size, left // size
    return found


def _slice(first: int, count: int | None, dimension: Dimension) -> str:
    if count is None or dimension.size is None:
        if first or (dimension.whole and count not in dimension.whole):
            raise NotDerived("a part of unknown length")
        return ":"
    after = dimension.size - first - count
    if after < 0:
        raise NotDerived("a walk beyond a dimension")
    begin = str(first) if first else ""
    if not after:
        return f"{begin}:"
    return f"{begin}:{first + count}" if dimension.fixed else f"{begin}:-{after}"


def _single(first: int, dimension: Dimension) -> str:
    if dimension.size is not None and not 0 <= first < max(dimension.size, 1):
        raise NotDerived("an element outside of a dimension")
    if not dimension.fixed and dimension.size == 1:
        raise NotDerived("a dimension of one, of which nothing tells it from a single row")
    last = dimension.size is not None and first == dimension.size - 1 and first > 1
    return "-1" if last and not dimension.fixed else str(first)


def moved(formula: Formula, written: Place, read: Place) -> Formula | None:
    """A value that went through memory, along the reader's axes instead of the writer's; None
    where the reader takes but a part, or another order. Both places count from one element."""
    if read.start != written.start:
        return None
    axes: dict[Axis, Axis] = {}
    for axis in axes_of(formula):
        found = _renamed(axis, written, read)
        if found is None:
            return None
        axes[axis] = found
    return _with_axes(formula, axes)


def _renamed(axis: Axis, written: Place, read: Place) -> Axis | None:
    for walk in written.walks:
        own = walk.axis
        inside = (
            axis.space == own.space
            and axis.start >= own.start
            and (own.stop is None or (axis.stop is not None and axis.stop <= own.stop))
        )
        if not inside:
            continue
        first = walk.step * (axis.start // own.start)
        last = None if axis.stop is None else walk.step * axis.stop // own.start
        return next(filter(None, (_at(first, last, one) for one in read.walks)), None)
    return None


def _at(first: int, last: int | None, walk: Walk) -> Axis | None:
    """The stretch of a walk's axis that lies between two elements of memory."""
    axis = walk.axis
    if walk.step <= 0 or first < walk.step or first % walk.step:
        return None
    start = axis.start * (first // walk.step)
    if last is None:
        return Axis(axis.space, start, None) if axis.stop is None else None
    stop = axis.start * last // walk.step
    if axis.stop is not None and stop > axis.stop:
        return None
    return Axis(axis.space, start, stop)


def _with_axes(formula: Formula, axes: dict[Axis, Axis]) -> Formula:
    if isinstance(formula, Lane):
        return Lane(axes.get(formula.axis, formula.axis), formula.extent)
    if isinstance(formula, Elements):
        own = tuple(axes.get(axis, axis) for axis in formula.axes)
        return Elements(formula.text, own, formula.kind, formula.may_be_empty, formula.negative)
    if isinstance(formula, Of):
        parts = tuple(_with_axes(part, axes) for part in formula.arguments)
        along = tuple(axes.get(axis, axis) for axis in formula.along)
        return Of(formula.operator, parts, along)
    return formula
