"""Two programs, one element, at least one of them writes, and nothing says who comes first.

For kernels whose programs do not wait for each other: then no two of them are in any order.
"""

from __future__ import annotations

import numpy as np

from ...source.place import NOWHERE
from ..numbers.floats import Array
from ..values.access import Access
from ..values.arguments import Storage
from ..values.rows import prefix, rows_of
from .kernel_frames import kernel_place
from .notices import Notice, NoticeKind, program_of
from .onlooker import Running
from .shadow import Shadow, lanes_of, numbers_of, program_numbered

_COLUMNS = ("writer", "reader", "changer")


class Races:
    """Told of every access of a launch.

    Writers are always kept. Readers and atomics only of the storages in `followed`: most launches
    read one set of tensors and write another. `mixed` gives the storages for which that was too
    little, so that the launch has to be looked at once more.
    """

    def __init__(self, followed: frozenset[int] = frozenset()) -> None:
        self.followed = followed
        self.loaded_from: set[int] = set()
        self.stored_to: set[int] = set()
        self.changed: set[int] = set()
        self.shadows: dict[int, Shadow] = {}

    @property
    def mixed(self) -> frozenset[int]:
        """Storages (by id) that were used in more than one way and were not followed."""
        both = self.loaded_from & (self.stored_to | self.changed) | self.stored_to & self.changed
        return frozenset(both - self.followed)

    def load(self, run: Running, access: Access, wanted: Array | None, volatile: bool) -> None:
        """A plain read; a volatile one is meant to meet the writes of others."""
        key = id(_storage(access))
        self.loaded_from.add(key)
        if key not in self.followed or volatile:
            return
        elements, who, _ = lanes_of(access, wanted, numbers_of(run.programs, run.grid))
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
        if key not in self.followed and self._first_rows(run, access, wanted):
            return
        elements, who, (new,) = lanes_of(access, wanted, numbers_of(run.programs, run.grid), bits)
        shadow = self._shadow(access)
        at, each = shadow.rows(access, elements)
        who = np.repeat(who, each) if each > 1 else who
        writer = shadow.columns["writer"]
        before = writer[at]
        writer[at] = who
        foreign = _strangers(before, who)
        twice = writer[at] != who
        if foreign.any() or twice.any() or key in self.followed:
            argument = access.argument
            assert argument is not None
            old = memory[elements + argument.before(access.number.size)]
            changes = np.repeat(old != new, each) if each > 1 else old != new
            self._tell(run, access, elements, who, before, foreign & changes, each)
            if twice.any():
                last = _last_writes(at, np.repeat(new, each) if each > 1 else new)
                differs = (np.repeat(new, each) if each > 1 else new) != last
                self._tell(run, access, elements, who, writer[at], twice & differs, each)
            if key in self.followed:
                for column in ("reader", "changer"):
                    other = shadow.columns[column][at]
                    wrong = _strangers(other, who, shared=True) & changes
                    self._tell(run, access, elements, who, other, wrong, each)

    def _first_rows(self, run: Running, access: Access, wanted: Array) -> bool:
        """Note writers of whole rows that nobody wrote before; whether that is all there is."""
        rows = rows_of(access.pointer) if access.pointer.terms else None
        shadow = self._shadow(access)
        size = access.number.size
        assert access.argument is not None
        if rows is None or size != shadow.unit or access.argument.offset % size:
            return False
        count = prefix(wanted, rows)
        if not count or rows.first.shape[0] != len(run.programs) or not rows.cut(count).apart:
            return False
        windows = rows.cut(count).windows(shadow.columns["writer"])
        first = rows.first + access.argument.offset // size
        if windows[first].any():
            return False
        who = numbers_of(run.programs, run.grid)
        windows[first] = who.reshape(-1, *(1,) * first.ndim)
        return True

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
            found = Shadow(storage, access.number.size, _COLUMNS)
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
