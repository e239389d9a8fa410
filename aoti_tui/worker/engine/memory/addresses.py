"""Absolute addresses, where pointers into several arguments meet in one block."""

from __future__ import annotations

import numpy as np

from ..numbers.dtypes import BY_TRITON, Number
from ..numbers.floats import Array
from ..run import Run
from ..values.access import Access, AccessKind
from ..values.arguments import SPACING
from ..values.handle import Handle
from .checked import report


def number_at(pointer: Handle) -> Number:
    """The type of the elements that a block of pointers points at."""
    return BY_TRITON[pointer.dtype.scalar.element_ty.name]


def absolute(pointer: Handle) -> Array:
    """A pointer block's byte addresses, far apart for different arguments."""
    if pointer.argument is None:
        return pointer.lanes
    size = number_at(pointer).size
    return pointer.lanes * np.int64(size) + np.int64(pointer.argument.address)


def by_argument(
    run: Run, pointer: Handle, kind: AccessKind, mask: Handle | None
) -> list[tuple[Handle, Handle]]:
    """A block of absolute addresses as one pointer block and mask per argument it touches.

    What lies in no argument, or between two elements, is reported.
    """
    number = number_at(pointer)
    addresses = pointer.full()
    wanted = np.ones(addresses.shape, dtype=bool)
    if mask is not None:
        wanted = np.broadcast_to(mask.lanes, addresses.shape)
    owner = (addresses + np.int64(SPACING // 2)) // np.int64(SPACING) - 1
    parts = []
    known = {argument.address // SPACING - 1: argument for argument in run.arguments.values()}
    for position in np.unique(owner[wanted]).tolist():
        here = wanted & (owner == position)
        argument = known.get(position)
        if argument is None:
            report(run, Access(kind, None, number, pointer, 0), here)
            continue
        offsets = addresses - np.int64(argument.address)
        at = offsets // number.size
        elements = Handle(at, pointer.dtype, pointer.shape, argument)
        crooked = here & (offsets % number.size != 0)
        if crooked.any():
            report(run, Access(kind, argument, number, elements, 0), crooked)
            here = here & ~crooked
        parts.append((elements, Handle(here, None, pointer.shape)))
    return parts


def of_arguments(run: Run, addresses: Array) -> Array:
    """Real addresses of the process, where they are of arguments, as those of the engine.

    A pointer that is made of one leads into its tensor from then on, however far it is moved.
    """
    if run.pointed is not None:
        run.pointed(addresses)
    for one in run.arguments.values():
        if one.lies_at is not None:
            first = one.lies_at - one.offset
            inside = (addresses >= first) & (addresses < first + len(one.storage.data))
            addresses = np.where(inside, addresses + np.int64(one.address - one.lies_at), addresses)
    return addresses
