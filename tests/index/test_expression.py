"""Shape expressions have the value C++ gives them, and a text that needs no C++ to be read."""

from __future__ import annotations

from fractions import Fraction

import pytest

from aoti_tui.index.cpp.expression import parse, read
from aoti_tui.index.expression import Expr, ExpressionError
from aoti_tui.index.nodes import Binary, Name, Reading
from aoti_tui.index.python.expression import parse_python

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
        ("arg4_1_size[0]*2L", {"arg4_1.size(0)": 4}, 8),
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
        ("std::abs(s0, s0)", "abs"),
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


@pytest.mark.parametrize(
    ("operator", "left", "right", "value"),
    [
        ("//", -7, 2, -4),
        ("//", 7, -2, -4),
        ("%", -7, 2, 1),
        ("%", 7, -2, -1),
        ("quotient", -7, 2, -3),
        ("quotient", 7, -2, -3),
        ("quotient", 7.0, 2, 3.5),
        ("remainder", -7, 2, -1),
        ("remainder", 7, -2, 1),
        ("/", 7, 2, 3.5),
        ("and", 0, 5, 0),
        ("or", 0, 5, 1),
        ("<=", -1, 0, 1),
        (">>", -8, 1, -4),
    ],
)
def test_operators_mean_the_same_in_every_language(
    operator: str, left: float, right: float, value: float
) -> None:
    found = Expr("", Binary(operator, Name("a"), Name("b"))).evaluate({"a": left, "b": right})
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("static_cast<uint32_t>(-1L)", 2**32 - 1),
        ("static_cast<unsigned long>(-1L)", 2**64 - 1),
        ("static_cast<size_t>(3L)", 3),
        ("static_cast<uint8_t>(257L)", 1),
        ("static_cast<int8_t>(200L)", -56),
        ("static_cast<bool>(7L)", 1),
        ("static_cast<int64_t>(-7.9)", -7),
        ("std::floor(-7.5)", -8.0),
        ("std::trunc(-7.5)", -7.0),
        ("std::llrint(2.5)", 2),
        ("-INFINITY", float("-inf")),
    ],
)
def test_casts_and_rounding(text: str, value: float) -> None:
    assert parse(text).evaluate({}) == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("16L*s20", "16*s20"),
        ("s7 / 2L", "s7 // 2"),
        ("(static_cast<int64_t>(s0) % static_cast<int64_t>(3L))", "s0 % 3"),
        (DIV.format("255L + s17", "256L"), "(255 + s17) // 256"),
        ("((xnumel + (128 - 1)) / (128))", "(xnumel + (128 - 1)) // 128"),
        ("arg4_1_size[0]*2L", "arg4_1.size(0)*2"),
        ("buf9.stride(1L) + arg1_1.item<bool>()", "buf9.stride(1) + arg1_1.item()"),
        ("(1.0/4.0)*arg1_1_size_0", "(1.0/4.0)*arg1_1_size_0"),
        ("static_cast<int64_t>(std::floor(0.5*s1))", "int(floor(0.5*s1))"),
        ("static_cast<int32_t>(s1)", "int32(s1)"),
        ("std::max<int64_t>({1L, s0, 7L})", "max(1, s0, 7)"),
        ("u0 < 0 ? u0 + s0 : u0", "u0 + s0 if u0 < 0 else u0"),
        ("!(u0 >= 2L) || (s0 == 1L && s0 != 2L)", "not u0 >= 2 or s0 == 1 and s0 != 2"),
        ("s0 - (s1 - s2)", "s0 - (s1 - s2)"),
        ("s0 - s1 - s2", "s0 - s1 - s2"),
        ("2L*(s0 / 3L)", "2*(s0 // 3)"),
        ("-(s0 + 1L)", "-(s0 + 1)"),
        ("std::numeric_limits<double>::infinity()", "inf"),
    ],
)
def test_text_for_people(text: str, said: str) -> None:
    assert str(parse(text)) == said
    assert parse(text).written == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ks0*((ks1 + ks2) // 2)", "ks0*((ks1 + ks2) // 2)"),
        ("libdevice.floor(ks0 / 2).to(tl.int64)", "int(floor(ks0/2))"),
        ("triton_helpers.div_floor_integer(ks0,  3)", "ks0 // 3"),
        ("0 <= ks0 < 4", "0 <= ks0 and ks0 < 4"),
    ],
)
def test_a_kernels_expression_reads_like_the_wrappers(text: str, said: str) -> None:
    assert str(parse_python(text)) == said


def test_a_reading_is_asked_for_when_it_is_met() -> None:
    asked: list[Reading] = []

    def look(reading: Reading) -> int | None:
        asked.append(reading)
        return None if reading.what == "stride" else 5

    expression = parse("buf3.item<bool>() ? arg0_1_size[2] : buf9.stride(0)")
    assert expression.evaluate({}, look) == 5
    assert asked == [Reading("buf3", "item"), Reading("arg0_1", "size", 2)]
    assert expression.names() == ("buf3", "arg0_1", "buf9")
    assert expression.needs() == ("buf3.item()", "arg0_1.size(2)", "buf9.stride(0)")
    with pytest.raises(ExpressionError, match=r"buf9\.stride\(0\)"):
        parse("buf9.stride(0)").evaluate({}, look)


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("16L", 16),
        ("(-1L)", -1),
        ("0", 0),
        ("-(-2.5)", 2.5),
        ("true", 1),
        ("s0", None),
        ("1L + 1L", None),
        ("", None),
    ],
)
def test_a_number_is_told_from_what_is_worked_out(text: str, literal: float | None) -> None:
    assert read(text).literal == literal


@pytest.mark.parametrize(
    ("text", "ratio", "exact"),
    [
        ("(1.0/4.0)*s0", True, Fraction(15, 2)),
        ("-(2.0 / 3.0)*s0 + 1L", True, Fraction(-19)),
        ("s0/4.0", False, Fraction(15, 2)),
        ("s0 / 4L", False, None),
        ("std::floor((1.0/4.0)*s0)", True, None),
        ("(1.0/4.0)*s1", True, None),
    ],
)
def test_a_float_ratio_is_found_and_worked_out_exactly(
    text: str, ratio: bool, exact: Fraction | None
) -> None:
    expression = parse(text)
    assert expression.has_float_ratio is ratio
    assert expression.exact({"s0": 30}) == exact


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("u0 >= 2L", ("u0", ">=", 2)),
        ("(2L <= u0)", ("u0", ">=", 2)),
        ("2L < u0", ("u0", ">", 2)),
        ("u0 == 7L", ("u0", "==", 7)),
        ("u0 + 1L >= 2L", None),
        ("u0 >= s0", None),
        ("u0", None),
    ],
)
def test_a_limit_of_one_name(text: str, limit: tuple[str, str, int] | None) -> None:
    assert parse(text).limit == limit


def test_products_are_compared_by_their_factors() -> None:
    assert parse("4L*s0*(s1*8L)").factors() == parse("(s1)*32L*s0").factors() == (32, ("s0", "s1"))
    assert parse("s0 + s1").factors() == (1, ("s0 + s1",))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('assert_size_stride(arg0_1, {s0, 16L}, {16L, 1L}, "input")', ("arg0_1", "s0")),
        ("!((long(arg0_1.data_ptr()) & (16 -1)) != 0)", ("arg0_1",)),
        ("s0 = 3L", ("s0",)),
        ("1" * 5000, ()),
    ],
)
def test_what_is_not_understood_says_so_and_keeps_its_names(
    text: str, names: tuple[str, ...]
) -> None:
    expression = read(text)
    assert expression.problem
    assert expression.names() == names
    assert str(expression) == expression.written == text
    with pytest.raises(ExpressionError):
        expression.evaluate({"s0": 1})


def test_a_sum_too_long_to_work_out_has_a_text_all_the_same() -> None:
    text = " + ".join(f"s{i}" for i in range(1500))
    assert str(parse(text)) == text


def test_the_same_text_is_read_once() -> None:
    assert read("16L*s991") is read("16L*s991")
