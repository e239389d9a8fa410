"""The bytes of storages as they were at certain times, copied only when they are overwritten.

A large storage is not copied when a launch begins: its state is what lies there, until somebody
is about to write. Launches then keep the pages that they touch, torch's operations the whole.
A small one is copied at once, which also outlives writes that nobody sees (numpy's).
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from ...engine.numbers.floats import Array
from ...engine.values.arguments import PAGE

SMALL = 1 << 18
# Of more than this no copy is made, and what it held is lost.
MOST_COPIED = 1 << 28


class Lost(Exception):
    """The bytes were overwritten, and were too many to be kept."""


class State:
    """The bytes of one storage at one time."""

    def __init__(self, memory: Memory, copy: Array | None = None) -> None:
        self.memory = memory
        self.copy = copy
        self.pages: dict[int, Array] = {}
        self.later: State | None = None
        self.lost = False

    @property
    def size(self) -> int:
        """Bytes of the storage."""
        return len(self.memory.data) if self.copy is None else len(self.copy)

    @property
    def kept(self) -> int:
        """Bytes that are there for this state alone."""
        if self.copy is not None:
            return len(self.copy)
        return sum(len(page) for page in self.pages.values())

    def bytes(self) -> Array:
        """All bytes, not to be written to: the storage's own where it is still as it was.

        Raises Lost.
        """
        if self.lost:
            raise Lost
        if self.copy is not None:
            return self.copy
        base = self.memory.data if self.later is None else self.later.bytes()
        if not self.pages:
            return base
        whole: Array = base.copy()
        for page, data in self.pages.items():
            whole[page * PAGE : page * PAGE + len(data)] = data
        return whole

    def keep_pages(self, pages: list[int]) -> None:
        """Copy pages that are about to change."""
        for page in pages:
            if page not in self.pages:
                self.pages[page] = self.memory.data[page * PAGE : (page + 1) * PAGE].copy()

    def keep_all(self) -> None:
        """Copy everything: it is about to change."""
        if self.size > MOST_COPIED:
            self.lost, self.pages = True, {}
            return
        whole = self.bytes()
        self.copy = whole if self.pages else whole.copy()
        self.pages = {}


class Memory:
    """One storage of the script, alive as long as a state of it is asked for."""

    def __init__(self, untyped: Any, data: Array) -> None:
        self.address = int(untyped.data_ptr())
        self.data = data
        # Holds the memory, so that nothing else can be put there; a small one is copied.
        self.untyped = None if len(data) <= SMALL else untyped
        self._changed = False
        self._current: weakref.ref[State] | None = None
        self._last: weakref.ref[State] | None = None

    @property
    def small(self) -> bool:
        return len(self.data) <= SMALL

    def state(self) -> State:
        """The state now; the same as before while nothing has changed."""
        if self.small:
            return self._copied()
        current = self._current() if self._current is not None else None
        if current is not None and not self._changed:
            return current
        made = State(self)
        if current is not None:
            current.later = made
        self._current, self._changed = weakref.ref(made), False
        return made

    def _copied(self) -> State:
        last = self._last() if self._last is not None else None
        if last is None or last.copy is None or not np.array_equal(last.copy, self.data):
            last = State(self, self.data.copy())
            self._last = weakref.ref(last)
        return last

    def changing(self, pages: list[int] | None = None) -> None:
        """Pages (None: perhaps all) are about to be written."""
        current = self._current() if self._current is not None else None
        if current is None:
            return
        if pages is None:
            current.keep_all()
            self._current = None
        else:
            current.keep_pages(pages)
            self._changed = True

    @property
    def held_alone(self) -> bool:
        """Whether the script itself has let go of it."""
        import torch

        if self.untyped is None:
            return False
        # The storage's Python object, and the tensor behind `data`.
        return int(torch._C._storage_Use_Count(self.untyped._cdata)) <= 2


class Memories:
    """Every storage that a kept launch was given, by address."""

    def __init__(self) -> None:
        self._by_address: weakref.WeakValueDictionary[int, Memory] = weakref.WeakValueDictionary()

    def of(self, untyped: Any, data: Array) -> Memory:
        """The memory of a torch storage whose bytes are `data`."""
        address = int(untyped.data_ptr())
        found = self._by_address.get(address)
        if found is None or len(found.data) != len(data):
            found = Memory(untyped, data)
            self._by_address[address] = found
        elif found.small:
            # What lies at that address now may be another storage.
            found.data = data
        return found

    def changing(self, address: int) -> None:
        """Whatever lies at an address is about to be overwritten."""
        found = self._by_address.get(address)
        if found is not None:
            found.changing()
