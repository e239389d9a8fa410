"""Between which values a kernel's integer must lie, whatever its data."""

from __future__ import annotations

import ast

import pytest

from aoti_tui.failure.cause.ranges import ANYTHING, Interval, Ranges
from tests.failure.wrapper import FLOW, INDEX, PROGRAMS, program_of

SECOND = INDEX.launches[1]


def ranges(rows: int | None = 5) -> Ranges:
    symbols = {} if rows is None else {"s0": rows}
    return Ranges(program_of, FLOW, symbols, {"ids": (-2, 9)})


@pytest.mark.parametrize(
    ("expression", "low", "high"),
    [
        ("7", 7, 7),
        ("-7", -7, -7),
        ("ks0", 5, 5),
        ("xindex", 0, 5),
        ("tmp0", -2, 9),
        ("tmp0 + ks0", 3, 14),
        ("ks0 - tmp0", -4, 7),
        ("-tmp0", -9, 2),
        ("3*tmp0", -6, 27),
        ("xindex // 2", 0, 2),
        ("xindex % ks0", 0, 4),
        ("tl.where(tmp3, tmp2, tmp0)", -2, 14),
        ("triton_helpers.minimum(tmp0, 4)", -2, 4),
        ("triton_helpers.maximum(tmp0, 0)", 0, 9),
        ("tl.broadcast_to(tmp0, [XBLOCK])", -2, 9),
        ("tl.full([1], 33, tl.int64)", 33, 33),
        ("tmp0.to(tl.int64)", -2, 9),
    ],
)
def test_an_interval_follows_arithmetic_launches_and_buffers(
    expression: str, low: int, high: int
) -> None:
    node = ast.parse(expression, mode="eval").body
    assert ranges().of(SECOND, PROGRAMS["second"], node, None, 0) == Interval(low, high)


@pytest.mark.parametrize(
    "expression",
    ["tmp0.to(tl.int8)", "tmp0 // tmp0", "tmp6", "2147483647 + ks0", "tl.sum(tmp0)", "tmp9"],
)
def test_nothing_is_said_of_what_could_be_anything(expression: str) -> None:
    node = ast.parse(expression, mode="eval").body
    assert ranges().of(SECOND, PROGRAMS["second"], node, None, 0) == ANYTHING


def test_a_size_that_is_not_known_bounds_nothing() -> None:
    assert ranges(rows=None).of_name(SECOND, "ks0", None) == ANYTHING
    assert ranges(rows=None).of_name(SECOND, "tmp0", None) == Interval(-2, 9)
