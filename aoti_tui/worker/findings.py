"""What a run found: asserts that fired, accesses outside their tensor, and what is uncertain."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import Any

import numpy as np

from .floats import Array
from .handle import Handle
from .problems import KERNEL_FILE
from .writes import Writes

Program = tuple[int, int, int]


def kernel_frame() -> FrameType | None:
    """The innermost running frame of the kernel or one of its own helpers."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename != KERNEL_FILE:
        frame = frame.f_back
    return frame


def kernel_line() -> int | None:
    """The kernel line that is running, None outside any kernel."""
    frame = kernel_frame()
    return frame.f_lineno if frame is not None else None


def number(value: Any) -> Any:
    """A numpy scalar as the Python number JSON can carry."""
    return value.item() if hasattr(value, "item") else value


@dataclass
class FiredAssert:
    """One assert of the source, over all programs in which it failed."""

    line: int
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

    line: int
    access: str
    argument: str
    element: int
    size: int
    program: Program
    lane: list[int]
    count: int


class Findings:
    """Collects over a run; runs of parts of the grid are merged."""

    def __init__(self) -> None:
        self.asserts: dict[tuple[int, str], FiredAssert] = {}
        self.faults: dict[tuple[int, str, str], Fault] = {}
        self.flags: dict[tuple[int | None, str], None] = {}
        self.writes = Writes()
        self.moment = 0

    @property
    def failed(self) -> bool:
        return bool(self.asserts or self.faults)

    def flag(self, text: str, line: int | None = None) -> None:
        """Say once per line what the CPU cannot promise to do as the GPU did."""
        self.flags[(line if line is not None else kernel_line(), text)] = None

    def assert_failed(
        self, message: str, failing: Handle, programs: Array, frame: FrameType | None
    ) -> None:
        """`failing`: true in the lanes that fail; `programs`: (n, 3) the programs run together."""
        lanes = failing.full()
        per_program = lanes.reshape(lanes.shape[0], -1).sum(axis=1)
        if len(per_program) != len(programs):
            per_program = np.broadcast_to(per_program, (len(programs),))
        rows = np.flatnonzero(per_program)
        line = frame.f_lineno if frame is not None else 0
        self.moment += 1
        found = self.asserts.get((line, message))
        first = _program(programs[rows[0]])
        if found is None:
            found = FiredAssert(line, message)
            self.asserts[(line, message)] = found
        found.lanes += int(per_program.sum())
        if not found.programs or first < found.first_program:
            row = int(rows[0])
            found.first_program = first
            found.first_moment = self.moment
            position = int(np.flatnonzero(lanes[min(row, len(lanes) - 1)])[0])
            found.lane = _lane(position, failing.shape)
            found.values = _values_at(frame, row, found.lane, failing.shape)
        found.programs.update(_program(programs[row]) for row in rows)

    def access_failed(
        self,
        access: str,
        argument: str,
        elements: Array,
        bad: Array,
        size: int,
        programs: Array,
        line: int | None,
    ) -> None:
        """`bad`: (programs or 1, *block), true where the access is outside; same for elements."""
        times = len(programs) if bad.shape[0] == 1 else 1
        flat = np.flatnonzero(bad)
        row, position = divmod(int(flat[0]), max(bad[0].size, 1))
        element = int(np.broadcast_to(elements, bad.shape)[row].reshape(-1)[position])
        key = (line or 0, access, argument)
        found = self.faults.get(key)
        program = _program(programs[row])
        count = len(flat) * times
        if found is None:
            lane = _lane(position, bad.shape[1:])
            self.faults[key] = Fault(
                line or 0, access, argument, element, size, program, lane, count
            )
        else:
            found.count += count
            if program < found.program:
                found.program, found.element = program, element
                found.lane = _lane(position, bad.shape[1:])

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
        for fault_key, fault in other.faults.items():
            mine = self.faults.get(fault_key)
            if mine is None:
                self.faults[fault_key] = fault
                continue
            mine.count += fault.count
            if fault.program < mine.program:
                mine.program, mine.element, mine.lane = fault.program, fault.element, fault.lane
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

    def asserts_report(self) -> list[dict[str, Any]]:
        """The protocol's `asserts`, in the order in which they fired."""
        ordered = sorted(self.asserts.values(), key=lambda a: (a.first_program, a.first_moment))
        return [
            {
                "kernel_line": fired.line,
                "message": fired.message,
                "programs": sorted(list(p) for p in fired.programs),
                "failing_lanes": fired.lanes,
                "order": order,
                "first": {
                    "program": list(fired.first_program),
                    "lane": fired.lane,
                    "values": fired.values,
                },
            }
            for order, fired in enumerate(ordered)
        ]

    def faults_report(self) -> list[dict[str, Any]]:
        """The protocol's `faults`, by program."""
        return [fault_json(f) for f in sorted(self.faults.values(), key=lambda f: f.program)]

    def flags_report(self) -> list[dict[str, Any]]:
        """The protocol's `flags`, by kernel line."""
        return [
            {"kernel_line": line, "text": text}
            for line, text in sorted(self.flags, key=lambda f: (f[0] or 0, f[1]))
        ]


def fault_json(fault: Fault) -> dict[str, Any]:
    """One fault as the protocol has it."""
    return {
        "kernel_line": fault.line,
        "access": fault.access,
        "argument": fault.argument,
        "element": fault.element,
        "size": fault.size,
        "program": list(fault.program),
        "lane": fault.lane,
        "count": fault.count,
    }


def _program(row: Array) -> Program:
    x, y, z = row.tolist()
    return (x, y, z)


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
        data = handle.data
        at = tuple(min(i, size - 1) for i, size in zip(index, data.shape[1:]))
        values[name] = number(data[(min(row, data.shape[0] - 1), *at)])
    return values
