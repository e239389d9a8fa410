"""How far values are from a reference."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.numbers.floats import Array


def compare_values(
    mine: Array, theirs: Array, rtol: float | None, atol: float | None
) -> dict[str, Any]:
    """`theirs` is the reference. NaN equals NaN, an infinity its like."""
    flat, reference = mine.reshape(-1), theirs.reshape(-1)
    inexact = flat.dtype.kind == "f"
    same = flat == reference
    if inexact:
        same = same | ((flat != flat) & (reference != reference))
        bit_equal = bool(np.all(same & (np.signbit(flat) == np.signbit(reference))))
    else:
        bit_equal = bool(np.all(same))
    different = int(np.count_nonzero(~same))
    if not different:
        return _comparison(True, 0.0, 0.0, None, 0, bit_equal)
    wide = np.float64 if inexact else np.longdouble
    with np.errstate(all="ignore"):
        error = np.abs(flat.astype(wide) - reference.astype(wide))
        error = np.where(same, 0.0, np.where(np.isnan(error), np.inf, error))
        finite = np.abs(reference.astype(wide))
        finite = finite[np.isfinite(finite)]
        scale = float(finite.max()) if finite.size else 0.0
        worst = int(np.argmax(error))
        largest = float(error[worst])
        relative = largest / scale if scale else float("inf")
    equal = inexact and (
        (rtol is not None and relative <= rtol) or (atol is not None and largest <= atol)
    )
    return _comparison(equal, largest, relative, worst, different, bit_equal)


def _comparison(
    equal: bool,
    max_abs: float,
    max_rel: float,
    worst: int | None,
    different: int,
    bit_equal: bool,
) -> dict[str, Any]:
    return {
        "equal": equal,
        "max_abs": max_abs,
        "max_rel": max_rel,
        "worst": worst,
        "different": different,
        "bit_equal": bit_equal,
    }
