"""Atomics: each lane in turn, in the order of lanes and programs."""

from __future__ import annotations

from typing import Callable

import numpy as np

from ..numbers.floats import Array
from ..numbers.stored import decode, encode
from ..run import Run
from ..values.handle import Handle
from .addresses import by_argument, number_at
from .checked import access_of, forked, report, watched

Combine = Callable[..., Array]


def atomic(
    run: Run, pointer: Handle, operands: list[Handle], mask: Handle | None, combine: Combine
) -> Handle:
    """Read, combine and write each lane in turn (lane order, programs in grid order).

    `combine(old, *operands)` gives the new values; lanes that share an element take turns.
    Gives the value each lane found.
    """
    element = pointer.dtype.scalar.element_ty
    number = number_at(pointer)
    shape = (len(run.programs), *pointer.shape)
    argument = pointer.argument
    if argument is None:
        found = np.zeros(shape, dtype=number.values)
        for part, chosen in by_argument(run, pointer, "atomic", mask):
            before_it = atomic(run, part, operands, chosen, combine).lanes
            found = np.where(chosen.lanes, before_it, found)
        return Handle(found, element, pointer.shape)
    elements = np.broadcast_to(pointer.lanes, shape)
    whole = Handle(elements, pointer.dtype, pointer.shape, argument)
    access = access_of(run, "atomic", whole, argument, number)
    before = argument.before(number.size)
    reached = (elements >= -before) & (elements < access.size)
    wanted = reached if mask is None else reached & mask.lanes
    bad = ~reached if mask is None else ~reached & mask.lanes
    if bad.any():
        report(run, access, bad)
    if run.recorder is not None:
        run.recorder.touched(access, operands[-1], mask)
    watched(run, access, wanted, operands[-1])
    chosen_at = elements[wanted] + before
    forked(argument, number, chosen_at)
    view = argument.view(number.stored)
    values = [np.broadcast_to(operand.lanes, shape)[wanted] for operand in operands]
    if run.onlooker is not None:
        reads = combine is not BY_OPERATION["XCHG"]
        run.onlooker.atomic(run, access, wanted, view[chosen_at], values, reads)
    if run.journal is not None:
        run.journal.append((view, chosen_at, view[chosen_at]))
    if isinstance(combine, np.ufunc) and not run.reads_atomics and number.small is None:
        # Nobody looks at the old values, so numpy may take all the turns itself.
        combine.at(view, chosen_at, encode(values[0], number))
        nothing = np.zeros((1,) * len(shape), dtype=number.values)
        return Handle(nothing, element, pointer.shape)
    old = np.zeros(chosen_at.shape, dtype=number.values)
    for turn in _turns(chosen_at):
        at = chosen_at[turn]
        old[turn] = decode(view[at], number)
        new = combine(old[turn], *[value[turn] for value in values])
        view[at] = encode(number.settled(new) if number.small is not None else new, number)
    result = np.zeros(shape, dtype=number.values)
    result[wanted] = old
    if run.polled is not None:
        run.polled(access, result)
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


def compare_and_swap(old: Array, wanted: Array, new: Array) -> Array:
    """What an atomic compare-and-swap leaves behind."""
    return np.where(old == wanted, new, old)


def _unsigned(choose: Callable[[Array, Array], Array], old: Array, value: Array) -> Array:
    kind = np.dtype(f"u{old.dtype.itemsize}")
    return choose(old.view(kind), value.astype(old.dtype).view(kind)).view(old.dtype)


# By the names of triton's ir.ATOMIC_OP.
BY_OPERATION: dict[str, Combine] = {
    "ADD": np.add,
    "FADD": np.add,
    "AND": np.bitwise_and,
    "OR": np.bitwise_or,
    "XOR": np.bitwise_xor,
    "MAX": np.maximum,
    "UMAX": lambda old, value: _unsigned(np.maximum, old, value),
    "MIN": np.minimum,
    "UMIN": lambda old, value: _unsigned(np.minimum, old, value),
    "XCHG": lambda old, value: value,
}
