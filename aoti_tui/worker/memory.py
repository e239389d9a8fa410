"""Loads, stores and atomics, each checked against its tensor before it happens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from .arguments import SPACING, Argument
from .dtypes import BY_TRITON, Number
from .findings import kernel_line
from .floats import Array, from_bits, round_to, to_bits
from .handle import Handle

if TYPE_CHECKING:
    from .run import Run


def decode(bits: Array, number: Number) -> Array:
    """Elements as stored to the values blocks are calculated in."""
    if number.small is not None:
        return from_bits(bits, number.small)
    return bits != 0 if number.kind == "bool" else bits


def encode(values: Array, number: Number) -> Array:
    """Values to elements as stored."""
    if number.small is not None:
        return to_bits(values, number.small)
    return values.astype(number.stored, copy=False)


def _inside(elements: Array, before: int, count: int) -> Array:
    if before == 0:
        # A negative index is a very large unsigned one: one comparison for both ends.
        result: Array = elements.view(np.uint64) < np.uint64(count)
        return result
    return (elements >= -before) & (elements < count)


def load(run: Run, pointer: Handle, mask: Handle | None, other: Handle | None) -> Handle:
    """The elements a pointer block points at; `other` (or zero) where masked out or outside."""
    element = pointer.dtype.scalar.element_ty
    number = BY_TRITON[element.name]
    shape = pointer.shape
    if pointer.argument is None:
        return _load_scattered(run, pointer, mask, other)
    argument = pointer.argument
    elements = pointer.data
    before, count = argument.before(number.size), argument.count(number.size)
    inside = _inside(elements, before, count)
    wanted = None if mask is None else mask.data
    all_inside = bool(inside.all())
    if not all_inside:
        bad = ~inside if wanted is None else ~inside & wanted
        if bad.any():
            _report(run, "load", argument.name, elements, bad, shape, count)
        wanted = inside if wanted is None else inside & wanted
    if run.recorder is not None:
        run.recorder.loaded(argument.name, elements, mask, shape)
    view = argument.view(number.stored)
    if not len(view):
        bits = np.zeros(elements.shape, dtype=number.stored)
    else:
        bits = view.take(elements + before if before else elements, mode="clip")
        if argument.poison is not None and argument.poison.size == number.size:
            _look_for_unwritten(run, argument, bits, wanted)
    data = decode(bits, number)
    if wanted is not None:
        rest: Any = number.values.type(0) if other is None else other.data
        data = np.where(wanted, data, rest)
    if data.dtype != number.values:
        data = data.astype(number.values)
    return Handle(data, element, shape)


def _look_for_unwritten(run: Run, argument: Argument, bits: Array, wanted: Array | None) -> None:
    number = argument.poison
    assert number is not None
    kind = np.dtype(f"u{number.size}")
    stale = np.ascontiguousarray(bits).view(kind) == kind.type(number.poison)
    if (stale if wanted is None else stale & wanted).any():
        run.findings.flag(f"{argument.name} is read where nothing has been written yet")


def store(run: Run, pointer: Handle, value: Handle, mask: Handle | None) -> None:
    """Write the lanes that are wanted and inside."""
    number = BY_TRITON[pointer.dtype.scalar.element_ty.name]
    if pointer.argument is None:
        for part, chosen in _by_argument(run, pointer, "store", mask):
            store(run, part, value, chosen)
        return
    argument = pointer.argument
    elements = pointer.data
    before, count = argument.before(number.size), argument.count(number.size)
    wanted = _inside(elements, before, count)
    if not wanted.all():
        bad = ~wanted if mask is None else ~wanted & mask.data
        if bad.any():
            _report(run, "store", argument.name, elements, bad, pointer.shape, count)
        if mask is not None:
            wanted = wanted & mask.data
    else:
        wanted = np.ones((1,) * elements.ndim, dtype=bool) if mask is None else mask.data
    if run.recorder is not None:
        run.recorder.stored("store", argument.name, elements, value, mask, pointer.shape)
    if run.watch is not None:
        _watched(run, "store", argument, number, elements, wanted, value, pointer.shape)
    argument.storage.fork()
    view = argument.view(number.stored)
    if before:
        elements = elements + before
    at, bits, chosen_lanes = np.broadcast_arrays(elements, encode(value.data, number), wanted)
    if not chosen_lanes.all():
        at, bits = at[chosen_lanes], bits[chosen_lanes]
    if run.journal is not None:
        run.journal.append((view, at, view[at]))
    view[at] = bits


def _report(
    run: Run,
    access: str,
    name: str,
    elements: Array,
    bad: Array,
    shape: tuple[int, ...],
    size: int,
) -> None:
    whole = np.broadcast_to(bad, (bad.shape[0], *shape))
    run.findings.access_failed(access, name, elements, whole, size, run.programs, kernel_line())
    if run.recorder is not None:
        run.recorder.fault(access, name, elements, whole, size)


def _watched(
    run: Run,
    access: str,
    argument: Argument,
    number: Number,
    elements: Array,
    wanted: Array,
    value: Handle,
    shape: tuple[int, ...],
) -> None:
    """Note the lanes that write to the watched element, with the value as it is stored."""
    assert run.watch is not None
    hit = run.watch.reached(argument, elements, wanted, number.size)
    if not hit.any():
        return
    stored = decode(encode(value.data, number), number)
    run.watch.note(
        run.findings.writes,
        access,
        argument,
        elements,
        hit,
        stored,
        shape,
        run.programs,
        kernel_line(),
    )


def absolute(pointer: Handle) -> Array:
    """A pointer block's byte addresses, far apart for different arguments."""
    if pointer.argument is None:
        return pointer.data
    size = BY_TRITON[pointer.dtype.scalar.element_ty.name].size
    return pointer.data * np.int64(size) + np.int64(pointer.argument.address)


def _by_argument(
    run: Run, pointer: Handle, access: str, mask: Handle | None
) -> list[tuple[Handle, Handle]]:
    """A block of absolute addresses as one pointer block and mask per argument it touches."""
    size = BY_TRITON[pointer.dtype.scalar.element_ty.name].size
    addresses = pointer.full()
    wanted = np.ones(addresses.shape, dtype=bool)
    if mask is not None:
        wanted = np.broadcast_to(mask.data, addresses.shape)
    owner = (addresses + np.int64(SPACING // 2)) // np.int64(SPACING) - 1
    parts = []
    known = {argument.address // SPACING - 1: argument for argument in run.arguments.values()}
    for position in np.unique(owner[wanted]).tolist():
        here = wanted & (owner == position)
        argument = known.get(position)
        if argument is None:
            _report(run, access, "", addresses, here, pointer.shape, 0)
            continue
        offsets = addresses - np.int64(argument.address)
        crooked = here & (offsets % size != 0)
        if crooked.any():
            _report(run, access, argument.name, offsets // size, crooked, pointer.shape, 0)
            here = here & ~crooked
        elements = Handle(offsets // size, pointer.dtype, pointer.shape, argument)
        parts.append((elements, Handle(here, None, pointer.shape)))
    return parts


def _load_scattered(run: Run, pointer: Handle, mask: Handle | None, other: Handle | None) -> Handle:
    element = pointer.dtype.scalar.element_ty
    number = BY_TRITON[element.name]
    data = np.zeros(pointer.full().shape, dtype=number.values)
    if other is not None:
        data[...] = other.data
    for part, chosen in _by_argument(run, pointer, "load", mask):
        data = np.where(chosen.data, load(run, part, chosen, None).data, data)
    return Handle(data, element, pointer.shape)


Combine = Callable[..., Array]


def atomic(
    run: Run, pointer: Handle, operands: list[Handle], mask: Handle | None, combine: Combine
) -> Handle:
    """Read, combine and write each lane in turn (lane order, programs in grid order).

    `combine(old, *operands)` gives the new values; lanes that share an element take turns.
    Gives the value each lane found.
    """
    element = pointer.dtype.scalar.element_ty
    number = BY_TRITON[element.name]
    shape = (len(run.programs), *pointer.shape)
    if pointer.argument is None:
        found = np.zeros(shape, dtype=number.values)
        for part, chosen in _by_argument(run, pointer, "atomic", mask):
            before_it = atomic(run, part, operands, chosen, combine).data
            found = np.where(chosen.data, before_it, found)
        return Handle(found, element, pointer.shape)
    argument: Argument = pointer.argument
    elements = np.broadcast_to(pointer.data, shape)
    before, count = argument.before(number.size), argument.count(number.size)
    inside = (elements >= -before) & (elements < count)
    wanted = inside if mask is None else inside & mask.data
    bad = ~inside if mask is None else ~inside & mask.data
    if bad.any():
        _report(run, "atomic", argument.name, elements, bad, pointer.shape, count)
    if run.recorder is not None:
        run.recorder.stored("atomic", argument.name, elements, operands[-1], mask, pointer.shape)
    if run.watch is not None:
        operand = operands[-1]
        _watched(run, "atomic", argument, number, elements, wanted, operand, pointer.shape)
    argument.storage.fork()
    view = argument.view(number.stored)
    chosen_at = elements[wanted] + before
    values = [np.broadcast_to(operand.data, shape)[wanted] for operand in operands]
    if run.journal is not None:
        run.journal.append((view, chosen_at, view[chosen_at]))
    old = np.zeros(chosen_at.shape, dtype=number.values)
    if isinstance(combine, np.ufunc) and not run.reads_atomics and number.small is None:
        # Nobody looks at the old values, so numpy may take all the turns itself.
        combine.at(view, chosen_at, encode(values[0], number))
        nothing = np.zeros((1,) * len(shape), dtype=number.values)
        return Handle(nothing, element, pointer.shape)
    for turn in _turns(chosen_at):
        at = chosen_at[turn]
        old[turn] = decode(view[at], number)
        new = combine(old[turn], *[value[turn] for value in values])
        if number.small is not None:
            new = round_to(new, number.small)
        view[at] = encode(new, number)
    result = np.zeros(shape, dtype=number.values)
    result[wanted] = old
    return Handle(result, element, pointer.shape)


def _turns(elements: Array) -> list[Array]:
    """Positions grouped so that no group holds an element twice, in order of occurrence."""
    if len(elements) <= 1:
        return [np.arange(len(elements))]
    order = np.argsort(elements, kind="stable")
    ordered = elements[order]
    new = np.empty(len(ordered), dtype=bool)
    new[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    if new.all():
        return [np.arange(len(elements))]
    positions = np.arange(len(ordered))
    start = np.maximum.accumulate(np.where(new, positions, 0))
    rank = positions - start
    by_rank = np.argsort(rank, kind="stable")
    edges = np.flatnonzero(np.diff(rank[by_rank])) + 1
    return [order[group] for group in np.split(by_rank, edges)]
