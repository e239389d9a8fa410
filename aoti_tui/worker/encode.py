"""Values as the protocol carries them: blocks, summaries, packed little-endian elements."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from .dtypes import BY_NAME, Number
from .floats import Array
from .frames import Blobs

PACKED = {
    "f4": np.dtype("<f4"),
    "f8": np.dtype("<f8"),
    "i8": np.dtype("<i8"),
    "u8": np.dtype("<u8"),
    "b1": np.dtype(np.bool_),
}
MOST_DISTINCT = 1000
# Beyond this a full sort costs more than the count is worth when a sample is already varied.
SAMPLE = 4096


def block(values: Array, name: str, blobs: Blobs) -> dict[str, Any]:
    """A block of numbers of the torch-named type `name`."""
    packed = BY_NAME[name].packed
    data = np.ascontiguousarray(values, dtype=PACKED[packed])
    return {
        "dtype": name,
        "shape": list(values.shape),
        "packed": packed,
        "blob": blobs.add(data.tobytes()),
    }


def indices(values: Array, blobs: Blobs) -> dict[str, Any]:
    """A block of element indices."""
    return block(values, "int64", blobs)


def booleans(values: Array, blobs: Blobs) -> dict[str, Any]:
    """A block of lanes that are or are not."""
    return block(values, "bool", blobs)


def summary(values: Array) -> dict[str, Any]:
    """Least, greatest, NaNs and distinct values of an array."""
    return summaries([values])[0]


def summaries(arrays: list[Array]) -> list[dict[str, Any]]:
    """The summaries of several arrays; equal sizes are worked out together, which is cheap."""
    groups: dict[tuple[str, int], list[int]] = {}
    for position, values in enumerate(arrays):
        groups.setdefault((values.dtype.str, values.size), []).append(position)
    result: list[dict[str, Any]] = [{} for _ in arrays]
    for (_, size), members in groups.items():
        if size > SAMPLE:
            for position in members:
                result[position] = _summaries(arrays[position].reshape(1, -1))[0]
            continue
        stacked = np.stack([arrays[position].reshape(-1) for position in members])
        for position, found in zip(members, _summaries(stacked)):
            result[position] = found
    return result


def _summaries(rows: Array) -> list[dict[str, Any]]:
    count = rows.shape[1]
    if not count:
        empty = {"min": None, "max": None, "nan": 0, "distinct": 0, "count": 0}
        return [dict(empty) for _ in rows]
    if rows.dtype == np.bool_:
        rows = rows.view(np.uint8)
    ordered: Optional[Array] = None
    if count > SAMPLE and len(np.unique(rows[0, :SAMPLE])) > MOST_DISTINCT:
        distinct: list[Optional[int]] = [None] * len(rows)
    else:
        ordered = np.sort(rows, axis=1)
        different = ordered[:, 1:] != ordered[:, :-1]
        if rows.dtype.kind == "f":
            different &= ordered[:, :-1] == ordered[:, :-1]
        distinct = [int(n) + 1 for n in different.sum(axis=1)]
    if rows.dtype.kind == "f":
        nan = np.isnan(rows).sum(axis=1)
    else:
        nan = np.zeros(len(rows), np.int64)
    low, high = np.fmin.reduce(rows, axis=1), np.fmax.reduce(rows, axis=1)
    result = []
    for row in range(len(rows)):
        some = int(nan[row]) < count
        found = distinct[row]
        result.append(
            {
                "min": low[row].item() if some else None,
                "max": high[row].item() if some else None,
                "nan": int(nan[row]),
                "distinct": None if found is None or found > MOST_DISTINCT else found,
                "count": count,
            }
        )
    return result


def number_named(name: str) -> Optional[Number]:
    """The number type of that torch name, None for one kernels never hold."""
    return BY_NAME.get(name)
