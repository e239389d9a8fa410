"""Shape expressions have the value C++ gives them."""

from __future__ import annotations

import pytest

from aoti_tui.index.cpp.expression import ExpressionError, parse, parse_python

DIV = "c10::div_floor_integer(static_cast<int64_t>({}), static_cast<int64_t>({}))"


@pytest.mark.parametrize(
    ("text", "env", "value"),
    [
        ("16L*s19", {"s19": 3}, 48),
        ("s52 + s97", {"s52": 3, "s97": 4}, 7),
        ("(-1L) + s0", {"s0": 0}, -1),
        ("-7L / 2L", {}, -3),
        ("-7L % 2L", {}, -1),
        ("7L - 2L - 1L", {}, 4),
        ("0x10UL + 1ULL", {}, 17),
        ("(-1L << 63)", {}, -(2**63)),
        (DIV.format("255L + s17", "256L"), {"s17": 2}, 1),
        (DIV.format("-1L", "4L"), {}, -1),
        ("c10::div_mod(s0, 3L)", {"s0": -1}, 2),
        ("(static_cast<int64_t>(s0) % static_cast<int64_t>(3L))", {"s0": 11}, 2),
        ("(-1L)*(static_cast<int64_t>(std::floor((-1.0/16.0)*s1)))", {"s1": 17}, 2),
        ("std::max<int64_t>({1L, s0, 7L})", {"s0": 9}, 9),
        ("std::max(static_cast<int64_t>(1L), static_cast<int64_t>(s0))", {"s0": -4}, 1),
        ("std::min(s0, 3L)", {"s0": 2}, 2),
        ("std::max(xnumel_0, (long)3)", {"xnumel_0": 1}, 3),
        ("((xnumel + (128 - 1)) / (128))", {"xnumel": 129}, 2),
        ("(y_grid_div_ == 0 ? 0 : 5)", {"y_grid_div_": 0}, 0),
        ("u0_i < 0 ? u0_i + s0 : u0_i", {"u0_i": -1, "s0": 5}, 4),
        ("!(u0 >= 2L) || (s0 == 1L && s0 != 2L)", {"u0": 3, "s0": 1}, 1),
        ("static_cast<int64_t>(static_cast<double>(s0) / static_cast<double>(3L))", {"s0": 10}, 3),
        ("static_cast<int32_t>(s0)", {"s0": 2**31}, -(2**31)),
        ("arg4_1_size[0]*2L", {"arg4_1_size[0]": 4}, 8),
        ("buf9.size(0) + arg1_1.item<bool>()", {"buf9.size(0)": 4, "arg1_1.item()": 1}, 5),
        ("true && !false", {}, 1),
        ("1L + align(64L*s77 + 4L)", {"s77": 2}, 193),
        ("(1 << (3L))", {}, 8),
    ],
)
def test_value(text: str, env: dict[str, int], value: int) -> None:
    found = parse(text).evaluate(env)
    assert found == value
    assert isinstance(found, int)


@pytest.mark.parametrize(("size", "expected"), [(8, 2), (7, 1), (4, 1), (3, 0), (-5, -1)])
def test_float_reciprocal_truncates_only_when_assigned(size: int, expected: int) -> None:
    expression = parse("(1.0/4.0)*arg1_1_size_0")
    assert expression.evaluate({"arg1_1_size_0": size}) == size / 4
    assert expression.evaluate_int({"arg1_1_size_0": size}) == expected


def test_reciprocal_of_three_can_lose_a_whole_one() -> None:
    # 0.1 * 30 is 3 but (1.0/49.0) * 49 is below 1: the bug that a truncated symbol is.
    assert parse("(1.0/49.0)*n").evaluate_int({"n": 49}) == 0


@pytest.mark.parametrize(
    ("text", "env", "value"),
    [
        ("ks0*((ks1 + ks2) // 2)", {"ks0": 2, "ks1": 3, "ks2": 4}, 6),
        ("(-1) + ks0", {"ks0": 0}, -1),
        ("triton_helpers.div_floor_integer(ks0,  3)", {"ks0": -1}, -1),
        ("triton_helpers.remainder_integer(ks0, 3)", {"ks0": -1}, 2),
        ("libdevice.floor(ks0 / 2).to(tl.int64)", {"ks0": 5}, 2),
        ("libdevice.trunc((0.25*ks0.to(tl.float64))).to(tl.int32)", {"ks0": 7}, 1),
        ("((1) * ((1) >= (ks0)) + (ks0) * ((ks0) > (1)))", {"ks0": 7}, 7),
        ("tl.where(ks0 < 0, ks0 + 4, ks0)", {"ks0": -1}, 3),
        ("0 <= ks0 < 4", {"ks0": 3}, 1),
        ("(0 <= ks0) & (ks0 < 4)", {"ks0": 4}, 0),
        ("tl.full([], 2.0, tl.float64)", {}, 2.0),
        ("-ks0 if ks0 < 0 else ks0", {"ks0": -3}, 3),
    ],
)
def test_python_value(text: str, env: dict[str, int], value: float) -> None:
    assert parse_python(text).evaluate(env) == value


def test_names_come_once_and_in_order() -> None:
    assert parse("s7*s19 + std::max(s3, s7)").names() == ("s7", "s19", "s3")
    assert parse(" + ".join(f"s{i}" for i in range(1500))).names()[-1] == "s1499"
    assert parse_python("ks1 + ks0*ks1").names() == ("ks1", "ks0")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("s0 / 0L", "1 / 0"),
        ("s0 % 0L", "1 % 0"),
        ("s0 / 0.0", "1 / 0.0"),
        (DIV.format("s0", "s0 - 1L"), "1 / 0"),
        ("s9 + 1L", "s9"),
        ("mystery(s0)", "mystery"),
        ("std::abs(s0, s0)", "std::abs"),
        ("static_cast<int64_t>(std::numeric_limits<double>::infinity())", "inf"),
        ("1L << 64L", "<< 64"),
    ],
)
def test_what_has_no_value_names_text_and_part(text: str, part: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text).evaluate({"s0": 1})
    assert caught.value.text == text
    assert caught.value.part == part


@pytest.mark.parametrize(
    "text", ["", "s0 +", "((1)", "1 ? 2", "a b", "s0 = 3", "{1}", "f(1", "@", "(" * 5000]
)
def test_what_is_no_expression_is_an_error(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse(text)


@pytest.mark.parametrize("text", ["", "lambda: 1", "x[1]", "'a'", "ks0 in y", "1 +", "(" * 5000])
def test_what_is_no_python_expression_is_an_error(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse_python(text)


def test_python_division_by_zero_and_overflow_are_errors() -> None:
    for text in ("1 // ks0", "1 / ks0", "1 % ks0", "2.0**99999.0"):
        with pytest.raises(ExpressionError):
            parse_python(text).evaluate({"ks0": 0})
