"""Whether what a program read where it should not have makes a difference to what it does.

Kernels load more than they need and mask it later. So what was read is replaced by something
else: where no store, branch or address changes, nothing depended on it.
"""

from __future__ import annotations

import numpy as np

from ...engine.findings.kernel_frames import kernel_place
from ...engine.findings.notices import Notice
from ...engine.findings.onlooker import Running
from ...engine.findings.watchful import unwritten
from ...engine.numbers.dtypes import Number
from ...engine.numbers.floats import Array
from ...engine.numbers.stored import encode
from ...engine.values.access import Access
from .rerun import Again, Program, Trace, can_run_alone, differ, run_alone

# Programs of which at least one has to show a difference; they are spread over those noticed.
MOST_TRIED = 8
_FLOATS = (1.5, -30000.0)
_INTEGERS = (1, 77)


class _Replacing(Trace):
    """Gives other values for what one access of the source read where it should not have."""

    def __init__(self, notice: Notice, choice: int) -> None:
        super().__init__()
        self.notice = notice
        self.choice = choice

    def loaded(
        self, run: Running, access: Access, wanted: Array | None, bits: Array, volatile: bool
    ) -> Array:
        super().loaded(run, access, wanted, bits, volatile)
        notice = self.notice
        if access.name != notice.argument or kernel_place() != notice.place:
            return bits
        lanes = self._lanes(access, bits)
        if lanes is None:
            return bits
        other = encode(_other(access.number, self.choice), access.number)
        return np.where(lanes, other, bits).astype(bits.dtype)

    def _lanes(self, access: Access, bits: Array) -> Array | None:
        if self.notice.kind == "unwritten-read":
            return unwritten(access, bits)
        argument = access.argument
        if argument is None or argument.reach is None:
            return None
        return argument.reach.beyond(access.elements, access.number.size)


def _other(number: Number, choice: int) -> Array:
    if number.kind == "float":
        return number.settled(np.array([_FLOATS[choice]], dtype=number.values))
    if number.kind == "bool":
        return np.array([choice == 1])
    return np.array([_INTEGERS[choice]]).astype(number.values)


def reaching(notice: Notice, again: Again) -> Program | None:
    """A program for which it makes a difference what was read there.

    None too for kernels whose programs depend on others, since one cannot be run on its own.
    """
    if not can_run_alone(again()):
        return None
    programs = sorted(notice.programs)
    step = max(len(programs) // MOST_TRIED, 1)
    for program in programs[::step][:MOST_TRIED]:
        real = Trace()
        ended = run_alone(again(), program, real)
        for choice in (0, 1):
            other = _Replacing(notice, choice)
            if type(run_alone(again(), program, other)) is not type(ended):
                return program
            if differ(real.steps, other.steps):
                return program
    return None
