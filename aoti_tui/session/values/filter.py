"""Which temporaries fit what is typed into the filter line of their table."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence

from aoti_tui.replay.model import Block
from aoti_tui.session.values.temporaries import Temporary

HINT = "part of a name, or >5 <0 ==7 nan inf in any lane, changed, masked"

_COMPARED = re.compile(r"(>=|<=|==|!=|>|<|=)\s*(\S*)")
_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "=": operator.eq,
    "!=": operator.ne,
}


def fits(temporary: Temporary, typed: str) -> bool:
    """Whether a temporary fits: by name, or by the values of the lanes that hold data."""
    typed = typed.strip()
    summary = temporary.statistics.summary
    if typed == "changed":
        return temporary.changed
    if typed == "masked":
        return bool(temporary.out)
    if typed == "nan":
        return bool(summary and summary.nan) or _is(temporary.raw, math.isnan)
    if typed == "inf":
        ends = (summary.min, summary.max) if summary is not None else (temporary.raw,)
        return any(_is(end, math.isinf) for end in ends)
    compared = _COMPARED.fullmatch(typed)
    if compared is None:
        return typed.lower() in temporary.name.lower()
    try:
        number = float(int(compared[2], 0)) if "x" in compared[2] else float(compared[2])
    except ValueError:
        return not compared[2]
    return _any_lane(temporary, compared[1], number)


def _is(value: object, test: Callable[[float], bool]) -> bool:
    return isinstance(value, float) and test(value)


def _any_lane(temporary: Temporary, sign: str, number: float) -> bool:
    """Whether the comparison holds in a lane that holds data."""
    holds, summary = _OPERATORS[sign], temporary.statistics.summary
    if not isinstance(temporary.block, Block):
        raw = temporary.raw
        return isinstance(raw, int | float) and holds(raw, number)
    if summary is None or summary.min is None or summary.max is None:
        return False
    if sign not in ("==", "="):
        return holds(summary.min, number) or holds(summary.max, number)
    if not summary.min <= number <= summary.max:
        return False
    out = temporary.out
    lanes = enumerate(temporary.block.values)
    return any(value == number and not (out and out[flat]) for flat, value in lanes)


def fitting(temporaries: Sequence[Temporary], typed: str) -> tuple[Temporary, ...]:
    """Those that fit; all of them while nothing is typed."""
    return tuple(t for t in temporaries if not typed.strip() or fits(t, typed))
