"""The events that a wrapper would come to with the values of the moment; nothing runs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from aoti_tui.flow.events import Event
from aoti_tui.index.cpp.expression import read
from aoti_tui.index.model import LoopExit, RuntimeCheck, Scope
from aoti_tui.replay.data.symbols import SymbolTable
from aoti_tui.replay.model import Gate
from aoti_tui.replay.plan.walk import Walker, condition_names

from .models import demo_index

YES, NO = Scope("if", 10, read("flag")), Scope("else", 20, read("flag"))
LOOP = Scope("while", 30, read("1"), exit=LoopExit(33, read("left")))
ENDLESS = Scope("while", 30, read("1"))


def event(line: int, *scopes: Scope) -> Event:
    check = RuntimeCheck(read("1"), f"at {line}", line, "always")
    return Event(line, "check", check, scopes, number=line)


class Walked:
    """A walk over ``events``: the lines it came to, what it said, and where it ended."""

    def __init__(
        self,
        events: list[Event],
        target: Event | None = None,
        stop_here: Callable[[], bool] | None = None,
        **values: int,
    ) -> None:
        self.symbols = SymbolTable(demo_index(), {}, ())
        for name, value in values.items():
            self.symbols.define(name, value, "input", "given")
        self.lines: list[int] = []
        self.notes: list[str] = []
        self.gates: dict[Scope, Gate] = {}
        walker = Walker(self.symbols, self.notes, self.gates, self.do, self.symbols.source_of)
        self.reached = walker.walk(events, target, stop_here)

    def do(self, event: Event) -> None:
        self.lines.append(event.line)
        if event.line == 34:
            left = int(self.symbols.number(read("left")))
            self.symbols.define("left", left - 1, "replayed", "counted")


@pytest.mark.parametrize(("flag", "lines"), [(1, [1, 11, 25]), (0, [1, 21, 25])])
def test_only_the_branch_that_the_values_take(flag: int, lines: list[int]) -> None:
    events = [event(1), event(11, YES), event(21, NO), event(25)]
    assert Walked(events, flag=flag).lines == lines


def test_a_condition_that_is_not_known_takes_the_first_branch_and_says_so() -> None:
    walked = Walked([event(11, YES), event(21, NO)])
    assert 11 in walked.lines
    assert "the condition of line 10 (flag) is not known" in walked.notes[0]


def test_a_target_in_the_other_branch_is_replayed_all_the_same() -> None:
    target = event(21, NO)
    walked = Walked([event(1), event(11, YES), target], target, flag=1)
    assert walked.reached
    assert walked.lines == [1, 11]
    assert any("does not enter the branch of line 20" in note for note in walked.notes)


def test_nothing_runs_after_the_target() -> None:
    target = event(2)
    walked = Walked([event(1), target, event(3)], target)
    assert walked.reached
    assert walked.lines == [1]


def test_a_loop_runs_until_its_condition_is_false() -> None:
    events = [event(31, LOOP), event(34, LOOP), event(40)]
    assert Walked(events, left=2).lines == [31, 34, 31, 34, 31, 40]


def test_a_loop_of_which_the_end_is_not_understood_runs_once() -> None:
    walked = Walked([event(31, ENDLESS), event(34, ENDLESS), event(40)], left=5)
    assert walked.lines == [31, 34, 40]
    assert "one iteration was run" in walked.notes[0]


def test_a_target_in_a_loop_comes_until_it_is_accepted() -> None:
    target = event(35, LOOP)
    answers = iter([False, True])
    walked = Walked([event(34, LOOP), target], target, lambda: next(answers), left=9)
    assert walked.reached
    assert walked.lines == [34, 35, 34]


def test_the_names_that_decide_whether_a_scope_runs() -> None:
    assert condition_names(YES) == {"flag"}
    assert condition_names(LOOP) == {"left"}
