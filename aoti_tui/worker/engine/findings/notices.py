"""What an onlooker noticed: accesses that are inside of their tensor and yet look wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ...source.place import NOWHERE, Place
from ..numbers.floats import Array
from ..values.access import Access, AccessKind
from .kernel_frames import kernel_place

Program = tuple[int, int, int]
NoticeKind = Literal["beyond-view", "unwritten-read", "race", "not-finite"]
NoticeKey = tuple[NoticeKind, Place, AccessKind, str]
# Of the programs that do the same at one place, these many are told by name.
MOST_PROGRAMS = 64


@dataclass
class Notice:
    """One access of the source, over all programs and lanes of which the same was noticed.

    `element`, `lane`, `value` are those of the first program. `other`: the program that a race
    is with, and where it did its part. `sure`: nothing more has to be looked at to call it wrong.
    """

    kind: NoticeKind
    place: Place
    access: AccessKind
    argument: str
    element: int
    program: Program
    lane: list[int]
    count: int
    value: Any = None
    other: Program | None = None
    sure: bool = True
    programs: set[Program] = field(default_factory=set)

    @property
    def key(self) -> NoticeKey:
        return (self.kind, self.place, self.access, self.argument)

    def add(self, more: Notice) -> None:
        """Take in the same from other programs."""
        self.count += more.count
        self.sure = self.sure or more.sure
        if more.program < self.program:
            self.program, self.element, self.lane = more.program, more.element, more.lane
            self.value, self.other = more.value, more.other
        if len(self.programs) < MOST_PROGRAMS:
            self.programs |= more.programs


def notice_at(
    kind: NoticeKind,
    access: Access,
    lanes: Array,
    programs: Array,
    values: Array | None = None,
    sure: bool = True,
) -> Notice:
    """The notice of the lanes that are true, first ones first; at least one is.

    `lanes` and `values` broadcast to (programs, *block).
    """
    block = access.shape
    parts = [lanes, access.elements] if values is None else [lanes, access.elements, values]
    count = max(part.shape[0] for part in parts)
    whole = np.broadcast_to(lanes, (count, *block)).reshape(count, -1)
    rows = np.flatnonzero(whole.any(axis=1))
    row = int(rows[0])
    position = int(np.flatnonzero(whole[row])[0])
    lane = [int(i) for i in np.unravel_index(position, block)] if block else []
    at = (row, *lane)

    def there(array: Array) -> Any:
        return np.broadcast_to(array, (count, *block))[at].item()

    total = int(whole.sum())
    if count == 1:
        total *= len(programs)
        rows = np.arange(len(programs))
    return Notice(
        kind,
        kernel_place() or NOWHERE,
        access.kind,
        access.name,
        there(access.elements),
        program_of(programs[row]),
        lane,
        total,
        value=None if values is None else there(values),
        sure=sure,
        programs={program_of(programs[one]) for one in rows[:MOST_PROGRAMS].tolist()},
    )


def program_of(row: Array) -> Program:
    """A row of programs as a tuple."""
    x, y, z = row.tolist()
    return (x, y, z)
