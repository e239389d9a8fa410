"""Which elements a tensor's shape and strides lead to, within the storage behind it."""

from __future__ import annotations

import numpy as np

from ..numbers.floats import Array

# Beyond this many elements the gaps of a strided view are not told apart, only its ends.
MOST_MAPPED = 1 << 28


class Reach:
    """The elements of one view, counted from its first: 0 to `span`, less what it steps over.

    `size` is that of an element in bytes.
    """

    def __init__(self, shape: tuple[int, ...], stride: tuple[int, ...], size: int) -> None:
        self.shape = shape
        self.stride = stride
        self.size = size
        empty = any(length == 0 for length in shape)
        steps = sum((length - 1) * step for length, step in zip(shape, stride))
        self.span = 0 if empty else steps + 1
        distinct = int(np.prod([n for n, step in zip(shape, stride) if step], dtype=np.int64))
        self.gaps = not empty and distinct < self.span <= MOST_MAPPED
        self._map: Array | None = None
        self._nest = _nested(shape, stride)

    def beyond(self, elements: Array, size: int) -> Array | None:
        """Lanes that point at something else than the view's elements; None when there are none.

        `size`: of the elements that are pointed at, which may be another than the view's.
        """
        span = self.span if size == self.size else self.span * self.size // size
        outside: Array = elements.view(np.uint64) >= np.uint64(span)
        if self.gaps and size == self.size:
            reached = self._reached().take(elements, mode="clip")
            outside = outside | ~reached
        return outside if outside.any() else None

    def surely_holds(self, low: int, high: int, size: int) -> bool:
        """Whether all elements from one to another are the view's."""
        return not self.gaps and size == self.size and low >= 0 and high < self.span

    def whole_runs(self, first: Array, length: Array, size: int) -> bool:
        """Whether runs of elements, by their first ones and their lengths, are all inside."""
        if not len(first):
            return True
        if size != self.size:
            return False
        last = first + (length - 1)
        if int(first.min()) < 0 or int(last.max()) >= self.span:
            return False
        if not self.gaps:
            return True
        nest = self._nest
        if nest is None:
            return False
        rest = first
        for step, count in nest[:-1]:
            at = rest // step
            if int(at.max()) >= count:
                return False
            rest = rest - at * step
        step, count = nest[-1]
        return step == 1 and int((rest + length).max()) <= count

    def holds(self, byte: int) -> bool:
        """Whether a byte, counted from the first element's first, is of one of the elements."""
        element = byte // self.size
        if not 0 <= element < self.span:
            return False
        return not self.gaps or bool(self._reached()[element])

    def _reached(self) -> Array:
        if self._map is None:
            self._map = np.zeros(self.span, dtype=bool)
            whole = np.lib.stride_tricks.as_strided(self._map, self.shape, self.stride)
            whole[...] = True
        return self._map


def _nested(shape: tuple[int, ...], stride: tuple[int, ...]) -> list[tuple[int, int]] | None:
    """Steps and counts from the largest step on, with axes that leave no gap made one; None where
    elements of one axis lie among those of another."""
    axes = sorted(((step, n) for step, n in zip(stride, shape) if n > 1 and step), reverse=True)
    nest: list[tuple[int, int]] = []
    inside = 1
    for step, count in reversed(axes):
        if step < inside:
            return None
        if nest and step == nest[0][0] * nest[0][1]:
            nest[0] = (nest[0][0], nest[0][1] * count)
        else:
            nest.insert(0, (step, count))
        inside += step * (count - 1)
    return nest or [(1, 1)]


def reach_of(tensor: object) -> Reach | None:
    """A torch tensor's reach; None where it covers its whole storage.

    None too where it holds elements several times (stride 0): kernels step through its storage
    by another shape then, as gathers do along the axis that they were given flat.
    """
    shape = tuple(int(n) for n in tensor.shape)  # type: ignore[attr-defined]
    stride = tuple(int(n) for n in tensor.stride())  # type: ignore[attr-defined]
    size = int(tensor.element_size())  # type: ignore[attr-defined]
    if any(step == 0 and length > 1 for length, step in zip(shape, stride)):
        return None
    reach = Reach(shape, stride, size)
    storage = int(tensor.untyped_storage().nbytes())  # type: ignore[attr-defined]
    return reach if reach.gaps or reach.span * size < storage else None
