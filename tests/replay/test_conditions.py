"""The expression language of breakpoints and watches."""

from __future__ import annotations

import time
from array import array

import pytest

from aoti_tui.replay.model import Block
from aoti_tui.replay.recorded.blocks import Number
from aoti_tui.replay.recorded.conditions import ConditionError, Lanes, parse_condition


def block(shape: tuple[int, ...], values: list[int]) -> Block:
    return Block("int64", shape, memoryview(array("q", values)))


VALUES: dict[str, Block | Number | None] = {
    "tmp10": block((2, 3), [-1, 0, 1, 2, 3, 4]),
    "row": block((2, 1), [10, 20]),
    "tmp4": block((4,), [50, 51, 52, 53]),
    "ks0": 3,
    "scale": 0.5,
    "later": None,
}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("any(tmp10 < 0)", True),
        ("all(tmp10 < 0)", False),
        ("tmp10 < 0", True),
        ("tmp10 > 4", False),
        ("tmp4[0] == 50", True),
        ("tmp4[-1] == 53", True),
        ("tmp10[1, 2] == 4", True),
        ("tmp10[5] == 4", True),
        ("0 <= ks0 < 4", True),
        ("any(0 <= tmp10 < ks0)", True),
        ("count(tmp10 >= ks0) == 2", True),
        ("max(tmp10) - min(tmp10) == 5", True),
        ("max(tmp10, ks0 + 7) == 10", True),
        ("any(tmp10 < 0 and row == 10)", True),
        ("any(tmp10 < 0 and row == 20)", False),
        ("not any(tmp10 == 9)", True),
        ("ks0 * scale == 1.5", True),
        ("(ks0 & 1) == 1", True),
        ("abs(tmp10[0]) == 1", True),
    ],
)
def test_what_holds(text: str, holds: bool) -> None:
    assert parse_condition(text).holds(VALUES) is holds


def test_blocks_are_broadcast_as_triton_does() -> None:
    value = parse_condition("tmp10 + row").evaluate(VALUES)
    assert isinstance(value, Lanes)
    assert value.shape == (2, 3)
    assert list(value.values) == [9, 10, 11, 22, 23, 24]


def test_any_dimension_of_size_one_is_repeated() -> None:
    values: dict[str, Block | Number | None] = {
        "x": block((2, 1, 3), [1, 2, 3, 4, 5, 6]),
        "y": block((4, 1), [10, 20, 30, 40]),
    }
    value = parse_condition("x + y").evaluate(values)
    assert isinstance(value, Lanes)
    assert value.shape == (2, 4, 3)
    rows = [[v + y for v in x] for x in ((1, 2, 3), (4, 5, 6)) for y in (10, 20, 30, 40)]
    assert list(value.values) == [one for row in rows for one in row]


def test_a_watch_over_a_large_block_is_not_felt() -> None:
    values: dict[str, Block | Number | None] = {
        "x": block((1, 256), list(range(256))),
        "y": block((256, 1), list(range(256))),
    }
    condition = parse_condition("x * 256 + y")
    start = time.process_time()
    value = condition.evaluate(values)
    # A key is felt to lag from about 100 ms on; one loop in Python per lane took longer.
    assert time.process_time() - start < 0.1
    assert isinstance(value, Lanes)
    assert len(value.values) == 65_536


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no expression"),
        ("tmp4 <", "no expression"),
        ("__import__('os')", "is not known"),
        ("tmp4.values", "not understood"),
        ("open('x')", "is not known"),
        ("[x for x in tmp4]", "not understood"),
        ("lambda: 1", "not understood"),
        ("tmp4 == 'a'", "only numbers"),
        ("any()", "is not known"),
        ("tmp4 ** 9", "only"),
        ("tmp4[ks0] == 1", "a lane is a number"),
        ("tmp4[1:2]", "a lane is a number"),
        ("tmp4 is ks0", "only < <= "),
        ("a" * 501, "longer"),
        ("(" * 240 + "1" + ")" * 240, "no expression"),
    ],
)
def test_what_is_refused(text: str, told: str) -> None:
    with pytest.raises(ConditionError, match=told):
        parse_condition(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("tmp99 == 1", "tmp99 has no value here"),
        ("later == 1", "later has no value here"),
        ("tmp4[4] == 1", "has 4 lanes"),
        ("tmp10[1, 1, 1] == 1", "2 dimensions"),
        ("ks0[0] == 1", "has no lanes"),
        ("tmp10 + tmp4 > 0", "do not match"),
        ("(ks0 << 64) == 0", "shift by 64"),
        ("(scale & 1) == 0", "bits of a float"),
        ("1 / (ks0 - 3) == 1", "division"),
    ],
)
def test_what_has_no_value(text: str, told: str) -> None:
    with pytest.raises(ConditionError, match=told):
        parse_condition(text).evaluate(VALUES)


def test_names_of_a_condition() -> None:
    assert parse_condition("any(tmp10 < ks0) and tmp4[1] == 2").names() == ("tmp10", "ks0", "tmp4")
