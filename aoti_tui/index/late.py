"""What is worked out when it is first asked for, and then kept.

A wrapper of a large model holds thousands of kernels, of which a session asks for a few.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

_T = TypeVar("_T")


class Late(Generic[_T]):
    """``late()`` is the value that ``make`` gives. Threads that ask at the same time may each have
    it made, and all get the same one."""

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], _T]) -> None:
        self._make: Callable[[], _T] | None = make
        self._made: list[_T] = []

    @classmethod
    def known(cls, value: _T) -> Late[_T]:
        """One whose value is there already."""
        late = cls(lambda: value)
        late()
        return late

    def __call__(self) -> _T:
        make = self._make
        if make is not None:
            self._made.append(make())
            # What it was made from can be let go.
            self._make = None
        return self._made[0]
