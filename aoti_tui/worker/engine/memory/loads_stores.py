"""Loads and stores, each checked against its tensor before it happens."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..numbers.floats import Array
from ..numbers.stored import decode, encode
from ..run import Run
from ..values.arguments import Argument
from ..values.handle import Handle
from .addresses import by_argument, number_at
from .checked import access_of, inside, report, watched


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
    element = pointer.dtype.scalar.element_ty
    number = number_at(pointer)
    elements = pointer.lanes
    access = access_of("load", argument, number, elements, pointer.shape)
    before = argument.before(number.size)
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
        if argument.poison is not None and argument.poison.size == number.size:
            _look_for_unwritten(run, argument, bits, wanted)
        if run.onlooker is not None:
            bits = run.onlooker.loaded(run, access, wanted, bits, volatile)
    data = decode(bits, number)
    if wanted is not None:
        rest: Any = number.values.type(0) if other is None else other.lanes
        data = np.where(wanted, data, rest)
    if data.dtype != number.values:
        data = data.astype(number.values)
    return Handle(data, element, pointer.shape)


def _look_for_unwritten(run: Run, argument: Argument, bits: Array, wanted: Array | None) -> None:
    number = argument.poison
    assert number is not None
    kind = np.dtype(f"u{number.size}")
    stale = np.ascontiguousarray(bits).view(kind) == kind.type(number.poison)
    if (stale if wanted is None else stale & wanted).any():
        run.findings.flag(f"{argument.name} is read where nothing has been written yet")


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
    elements = pointer.lanes
    access = access_of("store", argument, number, elements, pointer.shape)
    before = argument.before(number.size)
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
    argument.storage.fork()
    view = argument.view(number.stored)
    stored = encode(value.lanes, number)
    if run.onlooker is not None:
        run.onlooker.storing(run, access, wanted, stored, view)
    if before:
        elements = elements + before
    at, bits, chosen_lanes = np.broadcast_arrays(elements, stored, wanted)
    if not chosen_lanes.all():
        at, bits = at[chosen_lanes], bits[chosen_lanes]
    if run.journal is not None:
        run.journal.append((view, at, view[at]))
    view[at] = bits
