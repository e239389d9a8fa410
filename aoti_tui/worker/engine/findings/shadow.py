"""Notes beside a storage: a few numbers for each of its elements."""

from __future__ import annotations

import numpy as np

from ..numbers.floats import Array
from ..values.access import Access
from ..values.arguments import Storage


class _Columns(dict[str, Array]):
    """Columns of zeros, each made when it is first asked for."""

    def __init__(self, count: int, known: dict[str, Array]) -> None:
        super().__init__(known)
        self.count = count

    def __missing__(self, name: str) -> Array:
        made: Array = np.zeros(self.count, dtype=np.int32)
        self[name] = made
        return made


class Shadow:
    """Named columns of int32, all zero at first, with one row per `unit` bytes of a storage.

    Zeros are only reserved, so a shadow costs no more memory than what is touched.
    """

    def __init__(self, storage: Storage, unit: int) -> None:
        self.unit = unit
        self.columns = _Columns(len(storage.original) // unit + 1, {})

    def rows(self, access: Access, elements: Array) -> tuple[Array, int]:
        """The rows of elements of an access, and how many there are to each element."""
        argument, size = access.argument, access.number.size
        assert argument is not None
        if size < self.unit:
            self._refine(size)
        at = elements * np.int64(size) + np.int64(argument.offset)
        if self.unit > 1:
            at //= self.unit
        each = size // self.unit
        if each > 1:
            at = (at[:, None] + np.arange(each)).reshape(-1)
        return at, each

    def _refine(self, unit: int) -> None:
        each = self.unit // unit
        finer = {name: np.repeat(old, each) for name, old in self.columns.items()}
        self.columns = _Columns(self.columns.count * each, finer)
        self.unit = unit


def lanes_of(
    access: Access, wanted: Array | None, programs: Array, *more: Array
) -> tuple[Array, Array, list[Array]]:
    """Elements, programs and further values of the wanted lanes, one after the other.

    `programs`: a number for each that runs; where lanes do not tell them apart, the first's is
    negative and stands for all.
    """
    elements = access.elements
    parts = [elements, *more] if wanted is None else [elements, wanted, *more]
    rows = max(part.shape[0] for part in parts)
    who = programs if rows == len(programs) else -programs[:1]
    who = who.reshape(-1, *(1,) * len(access.shape))
    whole = np.broadcast_arrays(*parts, who)
    if wanted is None or bool(wanted.all()):
        flat = [part.reshape(-1) for part in whole]
    else:
        chosen = whole[1]
        flat = [part[chosen] for part in whole]
    values = flat[1:-1] if wanted is None else flat[2:-1]
    return flat[0], flat[-1], values


def numbers_of(programs: Array, grid: tuple[int, int, int]) -> Array:
    """A number from 1 on for each of some programs of a grid."""
    x, y, z = (programs[:, axis].astype(np.int64) for axis in range(3))
    return ((x * grid[1] + y) * grid[2] + z + 1).astype(np.int32)


def program_numbered(number: int, grid: tuple[int, int, int]) -> tuple[int, int, int]:
    """The program that has a number."""
    at = number - 1
    return (at // (grid[1] * grid[2]), at // grid[2] % grid[1], at % grid[2])
