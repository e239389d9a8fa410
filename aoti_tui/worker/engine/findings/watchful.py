"""The onlooker of an ordinary run: cheap enough to be there always."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ..numbers.dtypes import Number
from ..numbers.floats import Array
from ..numbers.stored import decode
from ..values.access import Access
from .notices import notice_at
from .onlooker import Onlooker, Running
from .runs import runs_of


class Order(Protocol):
    """What tells whether two programs' accesses come in an order: `Races` or `Clocks`."""

    def load(self, run: Running, access: Access, wanted: Array | None, volatile: bool) -> None: ...

    def store(
        self, run: Running, access: Access, wanted: Array, bits: Array, memory: Array
    ) -> None: ...

    def atomic(self, run: Running, access: Access, wanted: Array) -> None: ...


class Watchful(Onlooker):
    """Notices accesses beyond a view, reads of what nobody wrote, NaN and infinities that are
    stored, and races, as `order` tells them.

    What was read beyond a view or before it was written is noticed as not sure: most kernels mask
    it later, which only running the program again can tell.
    """

    def __init__(self, order: Order) -> None:
        self.order = order

    def loaded(
        self, run: Running, access: Access, wanted: Array | None, bits: Array, volatile: bool
    ) -> Array:
        self._beyond(run, access, wanted, sure=False)
        stale = unwritten(access, bits)
        if stale is not None:
            read = stale if wanted is None else stale & wanted
            if read.any():
                run.findings.notice(
                    notice_at("unwritten-read", access, read, run.programs, sure=False)
                )
        self.order.load(run, access, wanted, volatile)
        return bits

    def storing(
        self, run: Running, access: Access, wanted: Array, bits: Array, memory: Array
    ) -> None:
        self._beyond(run, access, wanted, sure=True)
        self._not_finite(run, access, wanted, bits)
        self.order.store(run, access, wanted, bits, memory)

    def atomic(
        self,
        run: Running,
        access: Access,
        wanted: Array,
        before: Array,
        operands: list[Array],
        reads: bool,
    ) -> None:
        self._beyond(run, access, wanted, sure=True)
        stale = unwritten(access, before) if reads else None
        if stale is not None and stale.any():
            lanes = np.zeros(wanted.shape, dtype=bool)
            lanes[wanted] = stale
            run.findings.notice(notice_at("unwritten-read", access, lanes, run.programs))
        self.order.atomic(run, access, wanted)

    def _beyond(self, run: Running, access: Access, wanted: Array | None, sure: bool) -> None:
        argument = access.argument
        if argument is None or argument.reach is None:
            return
        if access.pointer.terms:
            low, high, _ = access.pointer.extremes
            if argument.reach.surely_holds(low, high, access.number.size):
                return
        if access.pointer.terms:
            runs = runs_of(access, wanted, run.programs[:, 0])
            if runs and argument.reach.whole_runs(runs.first, runs.length, access.number.size):
                return
        outside = argument.reach.beyond(access.elements, access.number.size)
        if outside is None:
            return
        touched = outside if wanted is None else outside & wanted
        if touched.any():
            run.findings.notice(notice_at("beyond-view", access, touched, run.programs, sure=sure))

    def _not_finite(self, run: Running, access: Access, wanted: Array, bits: Array) -> None:
        number = access.number
        if number.kind != "float":
            return
        values = decode(bits, number)
        finite = np.isfinite(values)
        if finite.all():
            return
        stored = ~finite & wanted
        if stored.any():
            run.findings.notice(
                notice_at("not-finite", access, stored, run.programs, values, sure=False)
            )


def unwritten(access: Access, bits: Array) -> Array | None:
    """Lanes whose element still is as its tensor was made; None where that is not known."""
    argument = access.argument
    number: Number | None = argument.poison if argument is not None else None
    if number is None or number.size != access.number.size:
        return None
    kind = np.dtype(f"u{number.size}")
    stale: Array = np.ascontiguousarray(bits).view(kind) == kind.type(number.poison)
    return stale
