"""Programs of a launch run once more, on memory as it was before the launch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...engine.findings.kernel_frames import kernel_place
from ...engine.findings.onlooker import Onlooker, Running
from ...engine.findings.recorder import Recorder
from ...engine.numbers.dtypes import Number
from ...engine.numbers.floats import Array
from ...engine.programs.launch import Launch
from ...engine.values.access import Access
from ...source.place import NOWHERE, Place

Program = tuple[int, int, int]
Again = Callable[[], Launch]
"""The launch on memory of its own, as it was before the launch ran."""


@dataclass(frozen=True)
class Step:
    """One access as a program made it. `bits`: what it brought, None for loads; `wanted`: lanes
    that are not masked out and inside of the storage, None for all."""

    place: Place
    kind: str
    argument: str
    number: Number
    elements: Array
    wanted: Array | None
    bits: Array | None

    def lanes(self) -> Array:
        """The wanted lanes' elements."""
        if self.wanted is None:
            return self.elements.reshape(-1)
        elements, wanted = np.broadcast_arrays(self.elements, self.wanted)
        chosen: Array = elements[wanted]
        return chosen

    def stored(self) -> Array:
        """What the wanted lanes brought."""
        assert self.bits is not None
        if self.wanted is None or self.kind == "atomic":
            return self.bits.reshape(-1)
        _, bits, wanted = np.broadcast_arrays(self.elements, self.bits, self.wanted)
        chosen: Array = bits[wanted]
        return chosen


class Trace(Onlooker):
    """Notes every access of one program."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def loaded(
        self, run: Running, access: Access, wanted: Array | None, bits: Array, volatile: bool
    ) -> Array:
        self._note(access, wanted, None)
        return bits

    def storing(
        self, run: Running, access: Access, wanted: Array, bits: Array, memory: Array
    ) -> None:
        self._note(access, wanted, bits)

    def atomic(
        self,
        run: Running,
        access: Access,
        wanted: Array,
        before: Array,
        operands: list[Array],
        reads: bool,
    ) -> None:
        self._note(access, wanted, np.concatenate([part.reshape(-1) for part in operands]))

    def _note(self, access: Access, wanted: Array | None, bits: Array | None) -> None:
        place = kernel_place() or NOWHERE
        step = Step(place, access.kind, access.name, access.number, access.elements, wanted, bits)
        self.steps.append(step)


def can_run_alone(launch: Launch) -> bool:
    """Whether a program does the same without the others before it."""
    return not launch.kernel.facts.ordered and not launch.kernel.facts.cooperative


def run_alone(
    launch: Launch, program: Program, onlooker: Onlooker | None, recorder: Recorder | None = None
) -> Exception | None:
    """Run one program; the exception with which it ended, if it did."""
    execution = launch.execution()
    execution.run.onlooker = onlooker
    execution.run.recorder = recorder
    try:
        execution.call(np.array([program], dtype=np.int32))
    except Exception as error:
        return error
    return None


def differ(one: list[Step], other: list[Step]) -> bool:
    """Whether two runs of a program took other ways, other addresses, or stored other values."""
    if len(one) != len(other):
        return True
    return any(_different(left, right) for left, right in zip(one, other))


def _different(left: Step, right: Step) -> bool:
    if (left.place, left.kind, left.argument) != (right.place, right.kind, right.argument):
        return True
    if left.bits is None or right.bits is None:
        return _other_addresses(left, right)
    if not np.array_equal(left.lanes(), right.lanes()):
        return True
    return left.stored().tobytes() != right.stored().tobytes()


def _other_addresses(left: Step, right: Step) -> bool:
    """Whether a lane that both loads want has two addresses."""
    changed = left.elements != right.elements
    for step in (left, right):
        if step.wanted is not None:
            changed = changed & step.wanted
    return bool(changed.any())
