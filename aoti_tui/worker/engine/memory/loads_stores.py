"""Loads and stores, each checked against its tensor before it happens."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..findings.watchful import unwritten
from ..numbers.exact import Exact
from ..numbers.floats import Array
from ..numbers.stored import decode, encode
from ..run import Run
from ..values.access import Access
from ..values.handle import Handle
from ..values.rows import all_within, prefix, rows_of
from .addresses import by_argument, number_at
from .checked import access_of, forked, inside, report, watched


def load(
    run: Run,
    pointer: Handle,
    mask: Handle | None,
    other: Handle | None,
    volatile: bool = False,
) -> Handle:
    """The elements a pointer block points at; `other` (or zero) where masked out or outside."""
    argument = pointer.argument
    if argument is None:
        return _load_scattered(run, pointer, mask, other, volatile)
    number = number_at(pointer)
    access = access_of(run, "load", pointer, argument, number)
    before = argument.before(number.size)
    if pointer.terms and run.recorder is None and not volatile:
        taken = _load_rows(run, access, before, mask, other)
        if taken is not None:
            return taken
    elements = pointer.lanes
    reached = inside(access, before)
    wanted = None if mask is None else mask.lanes
    if not bool(reached.all()):
        bad = ~reached if wanted is None else ~reached & wanted
        if bad.any():
            report(run, access, bad)
        wanted = reached if wanted is None else reached & wanted
    if run.recorder is not None:
        run.recorder.touched(access, None, mask)
    view = argument.view(number.stored)
    if not len(view):
        bits = np.zeros(elements.shape, dtype=number.stored)
    else:
        bits = view.take(elements + before if before else elements, mode="clip")
        bits = _seen(run, access, wanted, bits, volatile)
    if volatile and run.polled is not None:
        run.polled(access, bits)
    return _loaded(access, bits, wanted, other)


def _loaded(access: Access, bits: Array, wanted: Array | None, other: Handle | None) -> Handle:
    """Elements as they lie in memory, or `other`, as the block that the kernel gets."""
    number, pointer = access.number, access.pointer
    data = decode(bits, number)
    if wanted is not None:
        rest: Any = number.values.type(0) if other is None else other.lanes
        data = np.where(wanted, data, rest)
    if data.dtype != number.values or Exact.on:
        data = number.settled(data)
    return Handle(data, pointer.dtype.scalar.element_ty, pointer.shape)


def _load_rows(
    run: Run,
    access: Access,
    before: int,
    mask: Handle | None,
    other: Handle | None,
) -> Handle | None:
    """A load of whole rows; None where it is none, or where something of it is outside."""
    rows = rows_of(access.pointer)
    argument = access.argument
    if rows is None or argument is None:
        return None
    view = argument.view(access.number.stored)
    wanted = None if mask is None or _holds_everywhere(mask) else mask.lanes
    short = rows
    if not all_within(access.pointer, len(view), before):
        count = rows.length if wanted is None else prefix(wanted, rows)
        if not count or not rows.cut(count).within(len(view), before):
            return None
        short = rows.cut(count)
    taken = short.windows(view)[short.first + before if before else short.first]
    if short.length < rows.length:
        whole = np.zeros((*taken.shape[:-1], rows.length), taken.dtype)
        whole[..., : short.length] = taken
        taken = whole
    bits = rows.lanes(taken)
    bits = _seen(run, access, wanted, bits, False)
    return _loaded(access, bits, wanted, other)


def _holds_everywhere(mask: Handle) -> bool:
    return mask.lanes.size == 1 and bool(mask.lanes.item())


def _seen(run: Run, access: Access, wanted: Array | None, bits: Array, volatile: bool) -> Array:
    """What was read, once whoever looks on has seen it; else only a flag tells of stale memory."""
    if run.onlooker is not None:
        return run.onlooker.loaded(run, access, wanted, bits, volatile)
    stale = unwritten(access, bits)
    if stale is not None and (stale if wanted is None else stale & wanted).any():
        run.findings.flag(f"{access.name} is read where nothing has been written yet")
    return bits


def _load_scattered(
    run: Run, pointer: Handle, mask: Handle | None, other: Handle | None, volatile: bool
) -> Handle:
    element = pointer.dtype.scalar.element_ty
    data = np.zeros(pointer.full().shape, dtype=number_at(pointer).values)
    if other is not None:
        data[...] = other.lanes
    for part, chosen in by_argument(run, pointer, "load", mask):
        data = np.where(chosen.lanes, load(run, part, chosen, None, volatile).lanes, data)
    return Handle(data, element, pointer.shape)


def store(run: Run, pointer: Handle, value: Handle, mask: Handle | None) -> None:
    """Write the lanes that are wanted and inside."""
    argument = pointer.argument
    if argument is None:
        for part, chosen in by_argument(run, pointer, "store", mask):
            store(run, part, value, chosen)
        return
    number = number_at(pointer)
    access = access_of(run, "store", pointer, argument, number)
    before = argument.before(number.size)
    rows = pointer.terms and run.recorder is None and run.watch is None
    if rows and _store_rows(run, access, before, value, mask):
        return
    elements = pointer.lanes
    wanted = inside(access, before)
    if not wanted.all():
        bad = ~wanted if mask is None else ~wanted & mask.lanes
        if bad.any():
            report(run, access, bad)
        if mask is not None:
            wanted = wanted & mask.lanes
    else:
        wanted = np.ones((1,) * elements.ndim, dtype=bool) if mask is None else mask.lanes
    if run.recorder is not None:
        run.recorder.touched(access, value, mask)
    watched(run, access, wanted, value)
    stored = encode(value.lanes, number)
    if run.onlooker is not None:
        run.onlooker.storing(run, access, wanted, stored, argument.view(number.stored))
    if before:
        elements = elements + before
    at, bits, chosen_lanes = np.broadcast_arrays(elements, stored, wanted)
    if not chosen_lanes.all():
        at, bits = at[chosen_lanes], bits[chosen_lanes]
    forked(argument, number, at)
    view = argument.view(number.stored)
    if run.journal is not None:
        run.journal.append((view, at, view[at]))
    view[at] = bits


def _store_rows(run: Run, access: Access, before: int, value: Handle, mask: Handle | None) -> bool:
    """A store of whole rows, if it is one and all of it is inside; whether it happened."""
    rows = rows_of(access.pointer)
    argument = access.argument
    if rows is None or argument is None:
        return False
    count = rows.length if mask is None else prefix(mask.lanes, rows)
    short = rows.cut(count or 0)
    view = argument.view(access.number.stored)
    if not count:
        return False
    if not (all_within(access.pointer, len(view), before) or short.within(len(view), before)):
        return False
    stored = encode(value.lanes, access.number)
    if run.onlooker is not None:
        wanted = np.ones((1,) * stored.ndim, bool) if mask is None else mask.lanes
        run.onlooker.storing(run, access, wanted, stored, view)
    whole = np.broadcast_shapes(stored.shape, *(term.shape for term in access.pointer.terms))
    bits = rows.rows(np.broadcast_to(stored, whole))[..., :count]
    first = np.broadcast_to(short.first + before if before else short.first, bits.shape[:-1])
    forked(argument, access.number, first, count)
    windows = short.windows(argument.view(access.number.stored))
    if run.journal is not None:
        run.journal.append((windows, first, windows[first]))
    windows[first] = bits
    return True
