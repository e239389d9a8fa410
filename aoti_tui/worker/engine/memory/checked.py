"""Which lanes of an access are inside of its tensor, and telling of those that are not."""

from __future__ import annotations

import math

import numpy as np

from ..numbers.dtypes import Number
from ..numbers.floats import Array
from ..numbers.stored import decode, encode
from ..run import Run
from ..values.access import Access, AccessKind
from ..values.arguments import Argument, pages_of
from ..values.handle import Handle


def access_of(
    run: Run, kind: AccessKind, pointer: Handle, argument: Argument, number: Number
) -> Access:
    """An access through an argument, with the elements that it has."""
    run.widest = max(run.widest, math.prod(pointer.shape))
    if kind != "load":
        run.writes += 1
    return Access(kind, argument, number, pointer, argument.count(number.size))


def inside(access: Access, before: int) -> Array:
    """Lanes inside of the storage, of which `before` elements lie before the data pointer."""
    if before == 0:
        # A negative index is a very large unsigned one: one comparison for both ends.
        result: Array = access.elements.view(np.uint64) < np.uint64(access.size)
        return result
    return (access.elements >= -before) & (access.elements < access.size)


def report(run: Run, access: Access, bad: Array) -> None:
    """Tell of lanes that are outside."""
    whole = np.broadcast_to(bad, (bad.shape[0], *access.shape))
    run.findings.access_failed(access, whole, run.programs)
    if run.recorder is not None:
        run.recorder.fault(access, whole)


def watched(run: Run, access: Access, wanted: Array, value: Handle) -> None:
    """Note the lanes that write to the watched element, with the value as it is stored."""
    if run.watch is None:
        return
    hit = run.watch.reached(access, wanted)
    if hit.any():
        stored = decode(encode(value.lanes, access.number), access.number)
        run.watch.note(run.findings.writes, access, hit, stored, run.programs)


def forked(argument: Argument, number: Number, starts: Array, length: int = 1) -> None:
    """Prepare a storage for writing `length` elements from each of some on, counted from the
    storage's first."""
    storage = argument.storage
    if not storage.paged:
        storage.fork()
        return
    offset = argument.offset % number.size
    storage.fork(pages_of(starts * np.int64(number.size) + np.int64(offset), length * number.size))
