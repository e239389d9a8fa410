"""What a symbol is worth in a run, and how far that can be trusted; nothing runs."""

from __future__ import annotations

import pytest

from aoti_tui.index.cpp.expression import read
from aoti_tui.index.model import Function, Symbol
from aoti_tui.replay.data.symbols import SymbolTable
from aoti_tui.replay.errors import ReplayError

from .models import demo_index

MAIN = Function("main", "run_impl")


def table(settings: dict[str, int | float] | None = None, **values: tuple[int, str]) -> SymbolTable:
    found = SymbolTable(demo_index(), settings or {}, ())
    for name, (value, source) in values.items():
        found.define(name, value, source, "given")  # type: ignore[arg-type]
    return found


def test_a_number_is_worked_out_of_symbols() -> None:
    assert table(s0=(6, "input")).number(read("(s0 + 1L)*2L")) == 14


def test_a_name_that_is_not_known_is_said_with_what_to_do() -> None:
    with pytest.raises(ReplayError, match="u9") as error:
        table().number(read("u9 + 1L"))
    assert error.value.kind == "unknown"
    assert "--set" in error.value.do


def test_names_of_the_moment_come_before_the_tables_own() -> None:
    assert table(s0=(6, "input")).number(read("s0"), {"s0": 7}) == 7


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("8L", "fixed"),
        ("s0", "input"),
        ("s0 + u0", "made-up"),
        ("s0 + r0", "replayed"),
    ],
)
def test_an_expression_is_as_good_as_its_worst_part(text: str, source: str) -> None:
    known = table(s0=(6, "input"), u0=(3, "made-up"), r0=(2, "replayed"))
    assert known.source_of(read(text)) == source


def test_what_the_user_set_wins_over_what_is_read() -> None:
    known = table({"s0": 5})
    known.define("s0", 9, "input", "size of input 0")
    assert known.number(read("s0")) == 5
    assert known.is_set("s0")
    assert known.source_of(read("2L*s0")) == "set"


@pytest.mark.parametrize(("type_", "value"), [("int", 2), ("float", 2.75)])
def test_an_integer_local_truncates_as_the_wrapper_does(type_: str, value: float) -> None:
    known = table(s0=(11, "input"))
    symbol = Symbol("s1", 9, "expression", read("(1.0/4.0)*s0"), MAIN, type_)  # type: ignore[arg-type]
    known.expression(symbol)
    assert known.values["s1"].value == value
    assert known.values["s1"].source == "input"
