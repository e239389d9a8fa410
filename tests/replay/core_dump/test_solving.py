"""Symbols out of the numbers that a launch passed."""

from __future__ import annotations

from aoti_tui.index.cpp.expression import read
from aoti_tui.replay.core_dump.solving import Equation, solve


def equation(text: str, value: int | float, said_by: str = "ks0") -> Equation:
    return Equation(read(text), value, said_by)


def test_a_symbol_is_what_its_parameter_was() -> None:
    solved = solve([equation("s7", 0), equation("16L*s20", 320, "xnumel")])
    assert solved.symbols == {"s7": (0, "ks0"), "s20": (20, "xnumel")}


def test_one_equation_helps_another() -> None:
    solved = solve([equation("s0*s1", 60, "xnumel"), equation("s1", 5)])
    assert solved.values == {"s1": 5, "s0": 12}


def test_a_quotient_allows_several_values_and_tells_nothing() -> None:
    assert solve([equation("c10::div_floor_integer(static_cast<int64_t>(s0), 2L)", 4)]).values == {}


def test_numbers_that_contradict_are_of_another_launch() -> None:
    solved = solve([equation("s0", 4), equation("2L*s0", 9, "xnumel")])
    assert solved.contradiction is not None
    assert solved.contradiction.said_by == "xnumel"
    assert solve([equation("320L", 640, "xnumel")]).contradiction is not None
    assert solve([equation("3L*s0", 10)]).values == {}
