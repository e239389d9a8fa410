"""Which bytes of a storage which programs wrote and read, as spans: cheap, and enough to tell
that no two programs meet."""

from __future__ import annotations

import numpy as np

from ..numbers.floats import Array
from ..values.access import Access
from .runs import Runs

# Beyond so many spans nothing is told of a storage but that programs may meet there.
MOST = 1 << 20


class Spans:
    """Of one storage. `full`: there were too many spans to keep."""

    def __init__(self) -> None:
        self.stores: list[tuple[Array, Array, Array]] = []
        self.loads: list[tuple[Array, Array, Array]] = []
        self.count = 0

    @property
    def full(self) -> bool:
        return self.count > MOST

    def add(self, access: Access, runs: Runs) -> None:
        """A load or store of whole runs."""
        argument, size = access.argument, access.number.size
        assert argument is not None
        self.count += len(runs.first)
        if self.full:
            self.stores, self.loads = [], []
            return
        start = runs.first * size + argument.offset
        into = self.loads if access.kind == "load" else self.stores
        into.append((start, start + runs.length * size, runs.who))

    def meet(self) -> bool:
        """Whether one program may have touched what another one wrote."""
        if self.full:
            return True
        if not self.stores:
            return False
        start, stop, who = _sorted(self.stores)
        reach = np.maximum.accumulate(stop)
        edges = np.concatenate([[0], np.flatnonzero(start[1:] >= reach[:-1]) + 1])
        low, high = np.minimum.reduceat(who, edges), np.maximum.reduceat(who, edges)
        if (low != high).any():
            return True
        if not self.loads:
            return False
        ends = reach[np.append(edges[1:], len(reach)) - 1]
        return _read(self.loads, start[edges], ends, low)


def _sorted(spans: list[tuple[Array, Array, Array]]) -> tuple[Array, Array, Array]:
    start, stop, who = (np.concatenate(parts) for parts in zip(*spans))
    order = np.argsort(start, kind="stable")
    return start[order], stop[order], who[order]


def _read(
    loads: list[tuple[Array, Array, Array]], begins: Array, ends: Array, writers: Array
) -> bool:
    """Whether a load overlaps with what another program wrote: spans that are apart, in order."""
    start, stop, who = (np.concatenate(parts) for parts in zip(*loads))
    first = np.searchsorted(ends, start, side="right")
    last = np.searchsorted(begins, stop, side="left")
    some = first < last
    if not some.any():
        return False
    first, last, who = first[some], last[some], who[some]
    padded = np.append(writers, writers[-1])
    bounds = np.stack([first, last], axis=1).reshape(-1)
    low = np.minimum.reduceat(padded, bounds)[::2]
    high = np.maximum.reduceat(padded, bounds)[::2]
    return bool(((low != who) | (high != who)).any())
