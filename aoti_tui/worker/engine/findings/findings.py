"""What a run found: asserts that fired, accesses outside their tensor, and what is uncertain."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import FrameType
from typing import Any

import numpy as np

from ...source.place import NOWHERE, Place
from ..numbers.floats import Array
from ..values.access import Access, AccessKind
from ..values.handle import Handle
from .kernel_frames import kernel_place, place_of
from .notices import Notice, NoticeKey, Program, program_of
from .writes import Writes


@dataclass
class FiredAssert:
    """One assert of the source, over all programs in which it failed."""

    place: Place
    message: str
    programs: set[Program] = field(default_factory=set)
    lanes: int = 0
    first_program: Program = (0, 0, 0)
    first_moment: int = 0
    lane: list[int] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)


@dataclass
class Fault:
    """One access of the source that left its tensor, over all programs and lanes."""

    place: Place
    access: AccessKind
    argument: str
    element: int
    size: int
    program: Program
    lane: list[int]
    count: int


def fault_at(access: Access, bad: Array, program: Program, row: int = 0) -> Fault:
    """The first bad lane of an access; `bad`: (programs or 1, *block), `row` its program's."""
    position = int(np.flatnonzero(bad[row])[0])
    element = int(np.broadcast_to(access.elements, bad.shape)[row].reshape(-1)[position])
    return Fault(
        kernel_place() or NOWHERE,
        access.kind,
        access.name,
        element,
        access.size,
        program,
        _lane(position, bad.shape[1:]),
        int(bad.sum()),
    )


class Findings:
    """Collects over a run; runs of parts of the grid are merged."""

    def __init__(self) -> None:
        self.asserts: dict[tuple[Place, str], FiredAssert] = {}
        self.faults: dict[tuple[Place, AccessKind, str], Fault] = {}
        self.flags: dict[tuple[Place, str], None] = {}
        self.notices: dict[NoticeKey, Notice] = {}
        self.writes = Writes()
        self.moment = 0

    @property
    def failed(self) -> bool:
        return bool(self.asserts or self.faults)

    def flag(self, text: str, place: Place | None = None) -> None:
        """Say once per line what the CPU cannot promise to do as the GPU did."""
        self.flags[(place or kernel_place() or NOWHERE, text)] = None

    def assert_failed(
        self, message: str, failing: Handle, programs: Array, frame: FrameType | None
    ) -> None:
        """`failing`: true in the lanes that fail; `programs`: (n, 3) the programs run together."""
        lanes = failing.full()
        per_program = lanes.reshape(lanes.shape[0], -1).sum(axis=1)
        if len(per_program) != len(programs):
            per_program = np.broadcast_to(per_program, (len(programs),))
        rows = np.flatnonzero(per_program)
        place = place_of(frame) or NOWHERE
        self.moment += 1
        found = self.asserts.get((place, message))
        first = program_of(programs[rows[0]])
        if found is None:
            found = FiredAssert(place, message)
            self.asserts[(place, message)] = found
        found.lanes += int(per_program.sum())
        if not found.programs or first < found.first_program:
            row = int(rows[0])
            found.first_program = first
            found.first_moment = self.moment
            position = int(np.flatnonzero(lanes[min(row, len(lanes) - 1)])[0])
            found.lane = _lane(position, failing.shape)
            found.values = _values_at(frame, row, found.lane, failing.shape)
        found.programs.update(program_of(programs[row]) for row in rows)

    def access_failed(self, access: Access, bad: Array, programs: Array) -> None:
        """`bad`: (programs or 1, *block), true where the access is outside."""
        row = int(np.flatnonzero(bad.reshape(bad.shape[0], -1).any(axis=1))[0])
        fault = fault_at(access, bad, program_of(programs[row]), row)
        if bad.shape[0] == 1:
            fault.count *= len(programs)
        self._add(fault)

    def _add(self, fault: Fault) -> None:
        key = (fault.place, fault.access, fault.argument)
        found = self.faults.get(key)
        if found is None:
            self.faults[key] = fault
            return
        found.count += fault.count
        if fault.program < found.program:
            found.program, found.element, found.lane = fault.program, fault.element, fault.lane

    def notice(self, notice: Notice) -> None:
        """Keep what an onlooker noticed, with what was noticed of the same access before."""
        found = self.notices.get(notice.key)
        if found is None:
            self.notices[notice.key] = notice
        else:
            found.add(notice)

    def merge(self, other: Findings) -> None:
        """Take in what another part of the grid found; moments stay comparable per program."""
        for key, theirs in other.asserts.items():
            ours = self.asserts.get(key)
            if ours is None:
                self.asserts[key] = theirs
                continue
            ours.programs |= theirs.programs
            ours.lanes += theirs.lanes
            if theirs.first_program < ours.first_program:
                ours.first_program, ours.first_moment = theirs.first_program, theirs.first_moment
                ours.lane, ours.values = theirs.lane, theirs.values
        for fault in other.faults.values():
            self._add(fault)
        for notice in other.notices.values():
            self.notice(notice)
        self.flags.update(other.flags)
        self.writes.add(other.writes.kept, other.writes.count)

    def only(self, program: Program) -> Findings:
        """What concerns one program: asserts that failed in it, faults first seen in it."""
        part = Findings()
        part.flags = self.flags
        part.asserts = {
            key: replace(fired, programs={program}, first_program=program)
            for key, fired in self.asserts.items()
            if program in fired.programs
        }
        part.faults = {k: fault for k, fault in self.faults.items() if fault.program == program}
        return part


def _lane(position: int, shape: tuple[int, ...]) -> list[int]:
    return [int(i) for i in np.unravel_index(position, shape)] if shape else []


def _values_at(
    frame: FrameType | None, row: int, lane: list[int], block: tuple[int, ...]
) -> dict[str, Any]:
    """Every number the frame knows in that lane: scalars, and blocks that fit the assert's."""
    values: dict[str, Any] = {}
    if frame is None:
        return values
    for name, value in frame.f_locals.items():
        if name.startswith("__"):
            continue
        handle = getattr(value, "handle", None)
        if not isinstance(handle, Handle):
            if isinstance(value, (bool, int, float)):
                values[name] = value
            continue
        if handle.argument is not None or len(handle.shape) > len(block):
            continue
        tail = block[len(block) - len(handle.shape) :]
        if any(have not in (1, want) for have, want in zip(handle.shape, tail)):
            continue
        index = lane[len(block) - len(handle.shape) :]
        data = handle.lanes
        at = tuple(min(i, size - 1) for i, size in zip(index, data.shape[1:]))
        number = data[(min(row, data.shape[0] - 1), *at)]
        values[name] = number.item() if hasattr(number, "item") else number
    return values
