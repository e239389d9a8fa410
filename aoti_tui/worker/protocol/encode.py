"""Values as the protocol carries them: blocks, summaries, packed little-endian elements."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine.numbers.dtypes import BY_NAME, Number
from ..engine.numbers.floats import Array
from .frames import Blobs

PACKED: dict[str, Any] = {
    "f4": np.dtype("<f4"),
    "f8": np.dtype("<f8"),
    "i8": np.dtype("<i8"),
    "u8": np.dtype("<u8"),
    "b1": np.dtype(np.bool_),
}
MOST_DISTINCT = 1000
# Beyond this a full sort costs more than the count is worth when a sample is already varied.
SAMPLE = 4096


def packed_as(number: Number) -> str:
    """The format of a blob's elements."""
    if number.kind == "float":
        return "f8" if number.name == "float64" else "f4"
    return {"int": "i8", "uint": "u8", "bool": "b1"}[number.kind]


def block(values: Array, name: str, blobs: Blobs) -> dict[str, Any]:
    """A block of numbers of the torch-named type `name`."""
    packed = packed_as(BY_NAME[name])
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
    groups: dict[tuple[str, int], dict[int, list[int]]] = {}
    for position, values in enumerate(arrays):
        group = groups.setdefault((values.dtype.char, values.size), {})
        # Names that share one array (x0 = xindex) share its summary.
        group.setdefault(id(values), []).append(position)
    result: list[dict[str, Any]] = [{} for _ in arrays]
    for (_, size), members in groups.items():
        firsts = [arrays[positions[0]] for positions in members.values()]
        if size > SAMPLE or len(firsts) == 1:
            found = [_summaries(values.reshape(1, -1))[0] for values in firsts]
        else:
            found = _summaries(np.array([values.reshape(-1) for values in firsts]))
        for positions, one in zip(members.values(), found):
            for position in positions:
                result[position] = one
    return result


def _summaries(rows: Array) -> list[dict[str, Any]]:
    count = rows.shape[1]
    if not count:
        return [_summary(None, None, 0, 0, 0) for _ in rows]
    if rows.dtype == np.bool_:
        true = rows.sum(axis=1).tolist()
        return [
            _summary(int(n == count), int(n > 0), 0, 1 if n in (0, count) else 2, count)
            for n in true
        ]
    if count > SAMPLE and len(np.unique(rows[0, :SAMPLE])) > MOST_DISTINCT:
        return [_varied(row) for row in rows]
    ordered = np.sort(rows, axis=1)
    different = ordered[:, 1:] != ordered[:, :-1]
    nan = [0] * len(rows)
    # NaNs are sorted to the end.
    if rows.dtype.kind == "f" and np.isnan(ordered[:, -1]).any():
        missing = np.isnan(ordered)
        nan = missing.sum(axis=1).tolist()
        different &= ~missing[:, :-1]
    distinct = (different.sum(axis=1) + 1).tolist()
    low = ordered[:, 0].tolist()
    return [
        _summary(
            low[row] if nan[row] < count else None,
            ordered[row, count - 1 - nan[row]].item() if nan[row] < count else None,
            nan[row],
            distinct[row] if distinct[row] <= MOST_DISTINCT else None,
            count,
        )
        for row in range(len(rows))
    ]


def _varied(row: Array) -> dict[str, Any]:
    """The summary of a large array already known to hold more values than are counted."""
    nan = int(np.isnan(row).sum()) if row.dtype.kind == "f" else 0
    if nan == len(row):
        return _summary(None, None, nan, 1, nan)
    return _summary(np.fmin.reduce(row).item(), np.fmax.reduce(row).item(), nan, None, len(row))


def _summary(low: Any, high: Any, nan: int, distinct: int | None, count: int) -> dict[str, Any]:
    return {"min": low, "max": high, "nan": nan, "distinct": distinct, "count": count}


def number_json(value: Any) -> Any:
    """A number as JSON can carry it: infinities and NaN as text."""
    plain = value.item() if hasattr(value, "item") else value
    if isinstance(plain, float) and not math.isfinite(plain):
        return str(plain)
    return plain
