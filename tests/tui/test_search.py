"""Searching sources and values."""

from __future__ import annotations

import math
from array import array

import pytest

from aoti_tui.artifacts.given import Given
from aoti_tui.replay.model import Block, Step, Summary
from aoti_tui.session.request import OpenRequest
from aoti_tui.session.source.search import rotated, value_query
from aoti_tui.tui.dialogs.search import Search
from aoti_tui.tui.panes.rows import Rows
from aoti_tui.tui.panes.source import SourceView
from tests.cases import DATA
from tests.tui.driving import Driver, opened


def step(*values: float) -> Step:
    block = Block("float32", (len(values),), memoryview(array("d", values)))
    finite = [value for value in values if not math.isnan(value)]
    summary = Summary(min(finite), max(finite), len(values) - len(finite), None, len(values))
    return Step(0, "k", 1, "tmp0", "k", 0, (), "assign", block, summary, True)


@pytest.mark.parametrize(
    ("text", "lane"),
    [
        ("-1", 1),
        ("=-1", 1),
        ("> 4", 2),
        (">= 9", None),
        ("< 0", 1),
        ("nan", 3),
        ("!= nan", 0),
        ("0x8", 2),
        ("inf", None),
        ("7", None),
        ("true", None),
    ],
)
def test_values_are_asked_for_by_number_or_comparison(text: str, lane: int | None) -> None:
    query = value_query(text)
    assert query is not None
    assert query.first_in(step(0.0, -1.0, 8.0, math.nan)) == lane


def test_other_text_asks_for_no_value() -> None:
    assert value_query("tmp4") is None
    assert value_query("< ks0") is None
    assert value_query("tmp4 < 3") is None


def test_results_begin_after_the_cursor() -> None:
    assert rotated([3, 5, 9], 5) == [9, 3, 5]
    assert rotated([3, 5, 9], 9) == [3, 5, 9]
    assert rotated([], 1) == []


def half() -> OpenRequest:
    folder = DATA / "gather_half"
    return OpenRequest(
        folder / "wrapper.cpp",
        log=folder / "error.below_minus_n.log",
        given=Given(inputs=folder / "inputs.below_minus_n.pt"),
        warm_up=False,
    )


def listed(user: Driver) -> list[str]:
    rows = user.app.screen.query_one("#search-rows", Rows).rows
    return [row.draw(120).plain.strip() for row in rows]


async def test_a_value_is_found_with_its_step_and_lane() -> None:
    async with opened(half()) as user:
        await user.press("c")
        await user.see("The assert at kernel line 38 fails")
        await user.press("slash")
        await user.type("< 0")
        assert [row for row in listed(user) if row.startswith("step")] == [
            "step 15  tmp0[0, 0] = -8   kernel line 33",
            "step 17  tmp2[0, 0] = -1   kernel line 35",
            "step 19  tmp4[0, 0] = -1   kernel line 37",
        ]
        await user.press("enter")
        await user.see("tmp0[0, 0] = -8, step 15. ctrl+o goes back.")
        assert user.app.session.state.position == 14
        await user.press("ctrl+o")
        await user.see("Back at step 20 of 36.")
        await user.press("slash")
        await user.type("s17")
        assert "s17 = 7" in listed(user)


async def test_lines_of_this_kernel_come_first_and_others_are_counted() -> None:
    async with opened() as user:
        await user.press("slash")
        await user.type("tmp7")
        rows = listed(user)
        assert rows[0].startswith("In triton_red_fused_ge_index_scalar_tensor_sub_sum_where_1 2")
        assert [row.split()[0] for row in rows[1:3]] == ["773", "774"]
        await user.see("c runs the kernel; then its values are found too.")
        await user.press("enter")
        await user.see("“tmp7”: ")
        view = user.screen.query_one(SourceView)
        assert view.line == 773
        await user.press("full_stop", "full_stop")
        await user.see("now in triton_red_fused_prepare_softmax_online_2")


async def test_what_is_nowhere_keeps_the_dialog_and_says_so() -> None:
    async with opened() as user:
        await user.press("slash")
        await user.type("quux")
        await user.see("“quux” is in no source and no value.")
        await user.press("enter")
        assert isinstance(user.app.screen, Search)
        await user.press("escape")
        await user.press("full_stop")
        await user.see("Nothing is searched for yet: / asks what.")
