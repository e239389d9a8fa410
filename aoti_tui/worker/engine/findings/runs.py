"""The memory that an access touches as runs of elements that lie one behind the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..numbers.floats import Array
from ..values.access import Access
from ..values.rows import Rows, rows_of
from .shadow import lanes_of


@dataclass(frozen=True)
class Runs:
    """Each run's first element, its length and the number of its program, all flat."""

    first: Array
    length: Array
    who: Array


def runs_of(access: Access, wanted: Array | None, programs: Array) -> Runs | None:
    """The wanted lanes of a block that consists of rows; None for any other block.

    `programs`: a number for each that runs; where lanes do not tell them apart, the first's is
    negative and stands for all.
    """
    rows = rows_of(access.pointer) if access.pointer.terms else None
    if rows is None:
        return None
    lengths = _lengths(rows, wanted)
    if lengths is None:
        return None
    count = max(rows.first.shape[0], lengths.shape[0])
    who = programs if count == len(programs) else -programs[:1]
    who = who.reshape(-1, *(1,) * (rows.first.ndim - 1))
    flat = [part.reshape(-1) for part in np.broadcast_arrays(rows.first, lengths, who)]
    if wanted is not None and not flat[1].all():
        some = flat[1] > 0
        flat = [part[some] for part in flat]
    return Runs(*flat)


def _lengths(rows: Rows, wanted: Array | None) -> Array | None:
    """How many lanes of each row are wanted; None where those are not its first ones."""
    if wanted is None:
        return np.full((1,) * rows.first.ndim, rows.length)
    mask = np.moveaxis(wanted, rows.axis, -1)
    if mask.shape[-1] == 1:
        return np.where(mask[..., 0], rows.length, 0)
    lengths: Array = np.count_nonzero(mask, axis=-1)
    if int(lengths.min()) < rows.length:
        first = np.arange(rows.length) < lengths[..., None]
        if not np.array_equal(first, mask):
            return None
    return lengths


def joined(access: Access, wanted: Array | None, programs: Array) -> Runs:
    """The wanted lanes of any block: neighbours in memory and in the block become one run."""
    elements, who, _ = lanes_of(access, wanted, programs)
    if not len(elements):
        return Runs(elements, elements, who)
    breaks = np.flatnonzero((elements[1:] - elements[:-1] != 1) | (who[1:] != who[:-1])) + 1
    starts = np.concatenate([[0], breaks])
    length = np.diff(np.append(starts, len(elements)))
    return Runs(elements[starts], length, who[starts])
