"""Whether an address is what it is because 32 bits were too few for the offset.

Each addition, subtraction, multiplication and shift of a program is done once more in 64 bits.
Where one did not fit, its result is moved far away: if the address moves along, it led there.
Values that are cut down afterwards (hashes, random numbers) do not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...engine.findings.kernel_frames import kernel_place
from ...engine.numbers.floats import Array
from ...engine.programs.launch import Launch
from ...engine.values.handle import Handle
from ...source.place import NOWHERE, Place
from .rerun import Again, Program, Trace, can_run_alone, run_alone

# Operations that did not fit; a kernel that hashes has many, and they come early.
MOST_TRIED = 24
# As far as no offset that was cut down afterwards comes.
_FAR = 1 << 29
_MOVED = 1 << 20
_OPERATIONS: dict[str, tuple[str, Callable[[Array, Array], Array]]] = {
    "create_add": ("+", np.add),
    "create_sub": ("-", np.subtract),
    "create_mul": ("*", np.multiply),
    "create_shl": ("<<", np.left_shift),
}


@dataclass(frozen=True)
class Overflow:
    """`left operator right` is `exact`, which is no 32-bit number."""

    place: Place
    left: int
    operator: str
    right: int
    exact: int
    program: Program

    @property
    def text(self) -> str:
        """The operation with its numbers."""
        return f"{self.left} {self.operator} {self.right} = {self.exact} does not fit 32 bits"


class _Exact:
    """Stands in for the builder's operations on integers while a program runs."""

    def __init__(self, builder: Any, program: Program, moved: int = 0) -> None:
        self.builder = builder
        self.program = program
        self.moved = moved
        self.count = 0
        self.found: list[tuple[int, Overflow]] = []

    def __enter__(self) -> _Exact:
        for name, (sign, operation) in _OPERATIONS.items():
            setattr(self.builder, name, self._checked(getattr(self.builder, name), sign, operation))
        return self

    def __exit__(self, *_: Any) -> None:
        for name in _OPERATIONS:
            delattr(self.builder, name)

    def _checked(
        self, own: Callable[..., Handle], sign: str, operation: Callable[[Array, Array], Array]
    ) -> Callable[..., Handle]:
        def call(left: Handle, right: Handle, *more: Any) -> Handle:
            result = own(left, right, *more)
            lanes = result.lanes
            if lanes.dtype.kind not in "iu" or lanes.dtype.itemsize != 4:
                return result
            exact = operation(left.lanes.astype(np.int64), right.lanes.astype(np.int64))
            lost = exact != lanes
            if not lost.any():
                return result
            self.count += 1
            if self.count == self.moved:
                far = np.where(lost, lanes ^ lanes.dtype.type(_FAR), lanes)
                return Handle(far, result.dtype, result.shape)
            if len(self.found) < MOST_TRIED:
                self.found.append((self.count, self._told(left, sign, right, exact, lost)))
            return result

        return call

    def _told(self, left: Handle, sign: str, right: Handle, exact: Array, lost: Array) -> Overflow:
        parts = np.broadcast_arrays(left.lanes, right.lanes, exact, lost)
        at = int(np.flatnonzero(parts[3])[0])
        numbers = [int(part.reshape(-1)[at]) for part in parts[:3]]
        place = kernel_place() or NOWHERE
        return Overflow(place, numbers[0], sign, numbers[1], numbers[2], self.program)


def overflow_of(
    place: Place, argument: str, lane: tuple[int, ...], program: Program, again: Again
) -> Overflow | None:
    """The operation that made an access of one lane go astray, if one did not fit 32 bits."""
    launch = again()
    if not can_run_alone(launch):
        return None
    real, found = _run(launch, program, 0)
    for count, overflow in found:
        moved, _ = _run(again(), program, count)
        here = _addresses(real, place, argument, lane)
        there = _addresses(moved, place, argument, lane)
        if any(abs(a - b) >= _MOVED for a, b in zip(here, there)):
            return overflow
    return None


def _run(launch: Launch, program: Program, moved: int) -> tuple[Trace, list[tuple[int, Overflow]]]:
    trace = Trace()
    with _Exact(launch.language.builder, program, moved) as exact:
        run_alone(launch, program, trace)
    return trace, exact.found


def _addresses(trace: Trace, place: Place, argument: str, lane: tuple[int, ...]) -> list[int]:
    found = []
    for step in trace.steps:
        if (step.place, step.argument) == (place, argument):
            at = tuple(min(i, n - 1) for i, n in zip(lane, step.elements.shape[1:]))
            found.append(int(step.elements[(0, *at)]))
    return found
