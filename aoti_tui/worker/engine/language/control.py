"""Blocks as Python's own control flow meets them: conditions, loops, `and`, `or`, `not`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...source.place import Place
from ..errors import Unsupported
from ..findings.kernel_frames import marked
from ..values.handle import Handle, plain, spread
from ..values.scalars import Values


class Divergence(Exception):
    """Programs run together disagree on a branch; `groups` numbers which belong together.

    Groups are numbered in the order of their first programs.
    """

    def __init__(self, values: Any) -> None:
        super().__init__("programs take different branches")
        _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
        self.groups = np.argsort(np.argsort(first))[inverse.reshape(-1)]


def single(handle: Handle) -> Any:
    """The one value a scalar has in all programs; Divergence where they differ."""
    values = handle.lanes.reshape(-1)
    if len(values) > 1 and (values != values[0]).any():
        raise Divergence(values)
    return values[0].item()


def truth(tensor: Any) -> bool:
    """A tensor as the condition of an `if` or `while`."""
    handle = tensor.handle
    if handle.shape and np.prod(handle.shape) > 1:
        caller = sys._getframe(1)
        if not marked(caller.f_globals):
            # triton's own code asks only whether there is a tensor at all (`if mask:`).
            return True
        place = Place(caller.f_code.co_filename, caller.f_lineno)
        raise Unsupported("a block of several lanes is used as a condition", place)
    return bool(single(handle))


class Control:
    """What functions rewritten to run as kernels do call in place of Python's operators."""

    def __init__(self, values: Values) -> None:
        self.tl = values.tl
        self.settle = values.settle

    def hooks(self) -> dict[str, Any]:
        """By the names that the rewriting puts in."""
        return {
            "__not": self._not,
            "__and": self._and,
            "__or": self._or,
            "__settle": self.settle,
            "__value": self._value,
            "__spread": lambda value: self.settle(tuple(spread(value))),
        }

    def _value(self, value: Any) -> Any:
        """`.value`: constexprs are plain values here, blocks have none."""
        return value.value if isinstance(value, self.tl.tensor) else plain(value)

    def _not(self, value: Any) -> Any:
        return value == 0 if isinstance(value, self.tl.tensor) else not plain(value)

    def _and(self, left: Any, right: Any) -> Any:
        if not isinstance(left, self.tl.tensor):
            return right() if plain(left) else left
        return left.logical_and(self.settle(right()))

    def _or(self, left: Any, right: Any) -> Any:
        if not isinstance(left, self.tl.tensor):
            return left if plain(left) else right()
        return left.logical_or(self.settle(right()))

    def range(self, *bounds: Any, **keywords: Any) -> Iterator[Any]:
        """`range` and tl.range: the loop variable is a scalar of the bounds' type."""
        start: Any = 0
        step: Any = keywords.get("step", 1)
        if len(bounds) == 1:
            stop = bounds[0]
        else:
            start, stop = bounds[0], bounds[1]
            step = bounds[2] if len(bounds) > 2 else step
        wide = any(_is_wide(bound) for bound in (start, stop, step))
        dtype = self.tl.int64 if wide else self.tl.int32
        kind = np.int64 if wide else np.int32
        first, last, by = (_numbers(bound) for bound in (start, stop, step))
        counts = np.maximum(-((first - last) // by), 0)
        if (counts != counts[0]).any():
            raise Divergence(counts)
        for index in range(int(counts[0])):
            data = (first + by * index).astype(kind)
            yield self.tl.tensor(Handle(data, dtype, ()), dtype)


def static_range(*bounds: Any, **keywords: Any) -> Any:
    """tl.static_range: Python's own."""
    numbers = [int(plain(bound)) for bound in bounds]
    step = int(plain(keywords.get("step", 1)))
    if len(numbers) < 3:
        numbers = [*([0] if len(numbers) == 1 else []), *numbers, step]
    return range(*numbers)


def _is_wide(value: Any) -> bool:
    handle = getattr(value, "handle", None)
    if isinstance(handle, Handle):
        return handle.lanes.dtype.itemsize > 4 or handle.lanes.dtype == np.uint32
    return not -(2**31) <= int(plain(value)) < 2**31


def _numbers(bound: Any) -> Any:
    handle = getattr(bound, "handle", None)
    if isinstance(handle, Handle):
        return handle.lanes.reshape(-1).astype(np.int64)
    return np.array([int(plain(bound))], dtype=np.int64)
