"""Branches and loops: which of two events runs when the other does."""

from __future__ import annotations

import pytest

from aoti_tui.flow.scopes import always_runs_with, exclude_each_other, loop_around
from aoti_tui.index.cpp.expression import read
from aoti_tui.index.model import Scope

YES, NO = Scope("if", 10, read("a")), Scope("else", 20, read("a"))
OTHER = Scope("else", 20, read("b"))
CONDITION = Scope("while", 30, read("1"), "while_loop_cond_graph_0")
BODY = Scope("while", 30, read("1"), "while_loop_body_graph_0")
SECOND = Scope("while", 60, read("1"))
BLOCK = Scope("block", 5, None)


@pytest.mark.parametrize(
    ("one", "other", "excluded"),
    [
        ((YES,), (NO,), True),
        ((YES,), (YES,), False),
        ((YES,), (), False),
        ((YES,), (OTHER,), False),
        ((BODY, YES), (BODY, NO), True),
        ((YES,), (BODY, NO), False),
    ],
)
def test_two_branches_of_one_if_exclude_each_other(
    one: tuple[Scope, ...], other: tuple[Scope, ...], excluded: bool
) -> None:
    assert exclude_each_other(one, other) is excluded
    assert exclude_each_other(other, one) is excluded


@pytest.mark.parametrize(
    ("scopes", "reader", "certain"),
    [
        ((), (YES,), True),
        ((YES,), (), False),
        ((YES,), (YES,), True),
        ((BLOCK,), (), True),
        ((CONDITION,), (BODY,), True),
        ((BODY,), (SECOND,), False),
    ],
)
def test_what_stands_in_a_branch_runs_for_sure_only_inside_of_it(
    scopes: tuple[Scope, ...], reader: tuple[Scope, ...], certain: bool
) -> None:
    assert always_runs_with(scopes, reader) is certain


def test_a_loops_condition_and_body_are_one_loop() -> None:
    assert loop_around((YES, BODY)) == BODY
    assert loop_around((BODY,), CONDITION) == BODY
    assert loop_around((SECOND,), CONDITION) is None
    assert loop_around((YES, NO)) is None
