"""Two programs, one element, at least one of them writes, and nothing says who comes first.

For kernels whose programs do not wait for each other: then no two of them are in any order.
"""

from __future__ import annotations

import numpy as np

from ...source.place import NOWHERE
from ..numbers.floats import Array
from ..values.access import Access
from ..values.arguments import Storage
from .kernel_frames import kernel_place
from .notices import Notice, NoticeKind, program_of
from .onlooker import Running
from .runs import joined, runs_of
from .shadow import Shadow, lanes_of, numbers_of, program_numbered
from .spans import Spans

# Lanes of a block that is looked at one by one although it may only be read.
SMALL = 4096


class Races:
    """Told of every access of a launch.

    Of most storages only spans are kept, which tell that no two programs meet. `mixed` gives
    those of which they do not: the launch has to be looked at once more, with them `followed`
    element by element.
    """

    def __init__(self, followed: frozenset[int] = frozenset()) -> None:
        self.followed = followed
        self.spans: dict[int, Spans] = {}
        self.scattered: set[int] = set()
        self.loaded_from: set[int] = set()
        self.stored_to: set[int] = set()
        self.changed: set[int] = set()
        self.shadows: dict[int, Shadow] = {}

    @property
    def mixed(self) -> frozenset[int]:
        """Storages (by id) at which programs may have met, and which were not followed."""
        read = self.loaded_from | self.scattered
        found = self.changed & (read | self.stored_to) | self.scattered & self.stored_to
        for key in self.stored_to - self.followed - found:
            spans = self.spans.get(key)
            if spans is not None and spans.meet():
                found.add(key)
        return frozenset(found - self.followed)

    def load(self, run: Running, access: Access, wanted: Array | None, volatile: bool) -> None:
        """A plain read; a volatile one is meant to meet the writes of others."""
        key = id(_storage(access))
        if volatile:
            self.loaded_from.add(key)
            return
        numbers = numbers_of(run.programs, run.grid)
        if key not in self.followed:
            runs = runs_of(access, wanted, numbers)
            if runs is None and access.pointer.lanes.size <= SMALL:
                runs = joined(access, wanted, numbers)
            if runs is None:
                self.scattered.add(key)
            else:
                self.loaded_from.add(key)
                self._spans(key).add(access, runs)
            return
        self.loaded_from.add(key)
        elements, who, _ = lanes_of(access, wanted, numbers)
        shadow = self._shadow(access)
        at, each = shadow.rows(access, elements)
        who = np.repeat(who, each) if each > 1 else who
        for column in ("writer", "changer"):
            before = shadow.columns[column][at]
            self._tell(run, access, elements, who, before, _strangers(before, who), each)
        _note(shadow.columns["reader"], at, who)

    def store(
        self, run: Running, access: Access, wanted: Array, bits: Array, memory: Array
    ) -> None:
        """A plain write; one that leaves all as it is harms nobody."""
        key = id(_storage(access))
        self.stored_to.add(key)
        numbers = numbers_of(run.programs, run.grid)
        if key not in self.followed:
            runs = runs_of(access, wanted, numbers)
            self._spans(key).add(access, runs or joined(access, wanted, numbers))
            return
        elements, who, (new,) = lanes_of(access, wanted, numbers, bits)
        shadow = self._shadow(access)
        at, each = shadow.rows(access, elements)
        who = np.repeat(who, each) if each > 1 else who
        argument = access.argument
        assert argument is not None
        old = memory[elements + argument.before(access.number.size)]
        changes = np.repeat(old != new, each) if each > 1 else old != new
        writer = shadow.columns["writer"]
        before = writer[at]
        writer[at] = who
        self._tell(run, access, elements, who, before, _strangers(before, who) & changes, each)
        twice = writer[at] != who
        if twice.any():
            wide = np.repeat(new, each) if each > 1 else new
            differs = wide != _last_writes(at, wide)
            self._tell(run, access, elements, who, writer[at], twice & differs, each)
        for column in ("reader", "changer"):
            other = shadow.columns[column][at]
            wrong = _strangers(other, who, shared=True) & changes
            self._tell(run, access, elements, who, other, wrong, each)

    def _spans(self, key: int) -> Spans:
        found = self.spans.get(key)
        if found is None:
            found = self.spans[key] = Spans()
        return found

    def atomic(self, run: Running, access: Access, wanted: Array) -> None:
        """A change in one step: in no order with plain accesses of others."""
        key = id(_storage(access))
        self.changed.add(key)
        if key not in self.followed:
            return
        elements, who, _ = lanes_of(access, wanted, numbers_of(run.programs, run.grid))
        shadow = self._shadow(access)
        at, each = shadow.rows(access, elements)
        who = np.repeat(who, each) if each > 1 else who
        for column in ("writer", "reader"):
            before = shadow.columns[column][at]
            self._tell(
                run, access, elements, who, before, _strangers(before, who, shared=True), each
            )
        _note(shadow.columns["changer"], at, who)

    def _shadow(self, access: Access) -> Shadow:
        storage = _storage(access)
        found = self.shadows.get(id(storage))
        if found is None:
            found = Shadow(storage, access.number.size)
            self.shadows[id(storage)] = found
        return found

    def _tell(
        self,
        run: Running,
        access: Access,
        elements: Array,
        who: Array,
        others: Array,
        wrong: Array,
        each: int,
    ) -> None:
        if wrong.any():
            run.findings.notice(race_of(run, access, elements, who, others, wrong, each))


def race_of(
    run: Running,
    access: Access,
    elements: Array,
    who: Array,
    others: Array,
    wrong: Array,
    each: int,
) -> Notice:
    """The race of the lanes that are wrong; `who` and `others` are programs' numbers."""
    first = int(np.flatnonzero(wrong)[0])
    element = int(elements[first // each])
    number, other = abs(int(who[first])), abs(int(others[first]))
    numbers = numbers_of(run.programs, run.grid)
    row = int(np.flatnonzero(numbers == number)[0])
    kind: NoticeKind = "race"
    return Notice(
        kind,
        kernel_place() or NOWHERE,
        access.kind,
        access.name,
        element,
        program_of(run.programs[row]),
        _lane(access, element, row),
        int(wrong.sum()) // each,
        other=program_numbered(other, run.grid) if other != number else None,
        programs={program_of(run.programs[row])},
    )


def _lane(access: Access, element: int, row: int) -> list[int]:
    shape = access.shape
    if not shape:
        return []
    at = np.broadcast_to(access.elements, (access.elements.shape[0], *shape))
    mine = at[min(row, at.shape[0] - 1)].reshape(-1)
    position = int(np.flatnonzero(mine == element)[0])
    return [int(i) for i in np.unravel_index(position, shape)]


def _storage(access: Access) -> Storage:
    assert access.argument is not None
    return access.argument.storage


def _strangers(before: Array, who: Array, shared: bool = False) -> Array:
    """Lanes at whose element another program was; with `shared` several count as another."""
    foreign: Array = (before > 0) & (before != who) & (who > 0)
    return foreign | (before < 0) if shared else foreign


def _note(column: Array, at: Array, who: Array) -> None:
    """Each element's one program, or the first of several as a negative number."""
    before = column[at]
    column[at] = np.where((before == 0) | (before == who), who, -np.abs(before))
    mixed = (column[at] != who) & (column[at] > 0)
    if mixed.any():
        column[at[mixed]] = -np.abs(column[at[mixed]])


def _last_writes(at: Array, new: Array) -> Array:
    """What is left at each lane's element once all have written."""
    order = np.argsort(at, kind="stable")
    ordered = at[order]
    ends = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), len(ordered) - 1)
    which = np.searchsorted(ordered[ends], at)
    left: Array = new[order[ends]][which]
    return left
