"""Which stores and atomics of a launch touch one element of an argument."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...source.place import NOWHERE, Place
from ..numbers.floats import Array
from ..values.access import Access, AccessKind
from ..values.arguments import Argument
from .kernel_frames import kernel_place

MOST_LISTED = 64
# Beyond this many kept writes all but the first ones and the last are let go.
_MOST_KEPT = 4096


@dataclass(frozen=True)
class Write:
    """One lane of a store or atomic that touched the element; `order` compares writes of a run."""

    order: tuple[Any, ...]
    place: Place
    access: AccessKind
    argument: str
    element: int
    program: tuple[int, int, int]
    lane: tuple[int, ...]
    value: Any


class Writes:
    """The first writes of a run and its last one; `count` is how many there were."""

    def __init__(self) -> None:
        self.kept: list[Write] = []
        self.count = 0

    def add(self, writes: list[Write], count: int) -> None:
        self.kept += writes
        self.count += count
        if len(self.kept) > _MOST_KEPT:
            ordered = self.ordered()
            self.kept = [*ordered[:MOST_LISTED], ordered[-1]]

    def ordered(self) -> list[Write]:
        return sorted(self.kept, key=lambda write: write.order)


class Watch:
    """One element of an argument's storage, whichever argument it is written through.

    `size` is that of the element in bytes. With `by_program` writes are in the order of programs
    (and within one as they happen), else as they happen.
    """

    def __init__(self, argument: Argument, element: int, size: int, by_program: bool) -> None:
        self.storage = argument.storage
        self.low = argument.offset + element * size
        self.high = self.low + size
        self.by_program = by_program
        self.moment = 0

    def reached(self, access: Access, wanted: Array) -> Array:
        """Lanes that are wanted and point at bytes of the element."""
        argument = access.argument
        if argument is None or argument.storage is not self.storage:
            return np.zeros(1, dtype=bool)
        size = access.number.size
        first = (self.low - argument.offset) // size
        last = (self.high - 1 - argument.offset) // size
        return (access.elements >= first) & (access.elements <= last) & wanted

    def note(
        self, into: Writes, access: Access, hit: Array, values: Array, programs: Array
    ) -> None:
        """Keep the first hits of one access and the last; arrays may broadcast to
        (programs, *block)."""
        self.moment += 1
        whole = (len(programs), *access.shape)
        flat = np.flatnonzero(np.broadcast_to(hit, whole))
        lanes = int(np.prod(access.shape, dtype=np.int64))
        chosen = flat if len(flat) <= MOST_LISTED else np.append(flat[:MOST_LISTED], flat[-1])
        at = np.broadcast_to(access.elements, whole)
        stored = np.broadcast_to(values, whole)
        place = kernel_place() or NOWHERE
        found = []
        for number in chosen.tolist():
            row, position = divmod(number, lanes)
            lane: tuple[int, ...] = ()
            if access.shape:
                lane = tuple(int(i) for i in np.unravel_index(position, access.shape))
            x, y, z = (int(n) for n in programs[row])
            program = (x, y, z)
            order = (program, self.moment) if self.by_program else (self.moment, program)
            found.append(
                Write(
                    (*order, position),
                    place,
                    access.kind,
                    access.name,
                    int(at[(row, *lane)]),
                    program,
                    lane,
                    stored[(row, *lane)],
                )
            )
        into.add(found, len(flat))
