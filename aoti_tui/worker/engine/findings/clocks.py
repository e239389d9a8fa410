"""Races where programs wait for each other: what came before what, by vector clocks.

An atomic passes on to the next atomic on its element all that its program did or knew before.
"""

from __future__ import annotations

import numpy as np

from ..numbers.floats import Array
from ..values.access import Access
from ..values.arguments import Storage
from .onlooker import Running
from .races import race_of
from .shadow import Shadow, lanes_of, numbers_of

_MOMENTS = {"writer": "written", "reader": "read", "changer": "changed"}
# A clock has a number for each program of the grid, and each program has a clock.
MOST_PROGRAMS = 2048


class Clocks:
    """Told of every access of a launch whose programs run one at a time, in whatever turns.

    A larger grid than MOST_PROGRAMS is not looked at.
    """

    def __init__(self, grid: tuple[int, int, int]) -> None:
        self.count = grid[0] * grid[1] * grid[2]
        self.known: dict[int, Array] = {}
        self.passed: list[Array] = []
        self.shadows: dict[int, Shadow] = {}

    def load(self, run: Running, access: Access, wanted: Array | None, volatile: bool) -> None:
        """A plain read; a volatile one takes what it sees as a sign that its writer was there."""
        if not self._alone(run):
            return
        elements, who, shadow, at, each = self._lanes(run, access, wanted)
        if volatile:
            self._acquire(who, shadow, at)
            return
        self._check(run, access, elements, who, shadow, at, each, ("writer", "changer"), None)
        self._note(who, shadow, at, "reader")

    def store(
        self, run: Running, access: Access, wanted: Array, bits: Array, memory: Array
    ) -> None:
        """A plain write."""
        if not self._alone(run):
            return
        numbers = numbers_of(run.programs, run.grid)
        flat, _, (new,) = lanes_of(access, wanted, numbers, bits)
        elements, who, shadow, at, each = self._lanes(run, access, wanted)
        argument = access.argument
        assert argument is not None
        if len(flat):
            changes = memory[flat + argument.before(access.number.size)] != new
            changes = np.repeat(changes, each) if each > 1 else changes
            columns = ("writer", "reader", "changer")
            self._check(run, access, elements, who, shadow, at, each, columns, changes)
        self._note(who, shadow, at, "writer")

    def atomic(self, run: Running, access: Access, wanted: Array) -> None:
        """Takes what the last atomics on its elements passed on, and passes on its own."""
        if not self._alone(run):
            return
        elements, who, shadow, at, each = self._lanes(run, access, wanted)
        passed = shadow.columns["passed"]
        mine = self._clock(who)
        for index in np.unique(passed[at]).tolist():
            if index:
                np.maximum(mine, self.passed[index - 1], out=mine)
        self._check(run, access, elements, who, shadow, at, each, ("writer", "reader"), None)
        self._note(who, shadow, at, "changer")
        self.passed.append(mine.copy())
        passed[at] = len(self.passed)
        mine[who] += 1

    def _alone(self, run: Running) -> bool:
        return len(run.programs) == 1 and self.count <= MOST_PROGRAMS

    def _lanes(
        self, run: Running, access: Access, wanted: Array | None
    ) -> tuple[Array, int, Shadow, Array, int]:
        number = int(numbers_of(run.programs, run.grid)[0])
        elements, _, _ = lanes_of(access, wanted, np.array([number], np.int32))
        storage = _storage(access)
        shadow = self.shadows.get(id(storage))
        if shadow is None:
            shadow = Shadow(storage, access.number.size)
            self.shadows[id(storage)] = shadow
        at, each = shadow.rows(access, elements)
        return elements, number, shadow, at, each

    def _clock(self, who: int) -> Array:
        found = self.known.get(who)
        if found is None:
            found = np.zeros(self.count + 1, dtype=np.int32)
            found[who] = 1
            self.known[who] = found
        return found

    def _acquire(self, who: int, shadow: Shadow, at: Array) -> None:
        mine = self._clock(who)
        for column in ("writer", "changer"):
            for other in np.unique(shadow.columns[column][at]).tolist():
                if other > 0 and other != who:
                    np.maximum(mine, self._clock(other), out=mine)

    def _note(self, who: int, shadow: Shadow, at: Array, column: str) -> None:
        shadow.columns[column][at] = who
        shadow.columns[_MOMENTS[column]][at] = self._clock(who)[who]

    def _check(
        self,
        run: Running,
        access: Access,
        elements: Array,
        who: int,
        shadow: Shadow,
        at: Array,
        each: int,
        columns: tuple[str, ...],
        only: Array | None,
    ) -> None:
        mine = self._clock(who)
        for column in columns:
            other = shadow.columns[column][at]
            moment = shadow.columns[_MOMENTS[column]][at]
            wrong = (other > 0) & (other != who) & (mine[np.maximum(other, 0)] < moment)
            if only is not None:
                wrong = wrong & only
            if wrong.any():
                number = np.full(len(at), who, np.int32)
                race = race_of(run, access, elements, number, other, wrong, each)
                run.findings.notice(race)


def _storage(access: Access) -> Storage:
    assert access.argument is not None
    return access.argument.storage
