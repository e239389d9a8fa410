"""The table of temporaries and the lanes under it, as a user works with them."""

from __future__ import annotations

import time

import pytest
from rich.console import Console
from textual.widgets import Input, Static

from aoti_tui.session.values.temporaries import summary_text, temporaries
from aoti_tui.session.values.watches import watched
from aoti_tui.tui.dialogs.ask import Ask
from aoti_tui.tui.panes.lanes import LaneGrid, needed_rows
from aoti_tui.tui.panes.preamble import cut, most_rows, short_status
from aoti_tui.tui.panes.run import RunPane
from aoti_tui.tui.panes.table import BRIEF, Cells, TableFilter, TemporaryRows, widths
from tests.tui.driving import Driver, opened
from tests.tui.recordings import ints, recording

ASSERT = "The assert at kernel line 46 fails"


async def stopped_at_the_assert(user: Driver) -> None:
    await user.press("c")
    await user.see(ASSERT)
    await user.press("4")


def table_of(user: Driver) -> list[str]:
    """The rows of the table that are on the screen."""
    table = user.screen.query_one(TemporaryRows)
    area = table.region
    return [row[area.x : area.right].rstrip() for row in user.rows()[area.y : area.bottom]]


async def add_watch(user: Driver, text: str) -> None:
    await user.press("e")
    await user.type(text)
    await user.press("enter")


async def test_a_watch_stays_in_sight_and_fills_the_lanes() -> None:
    async with opened() as user:
        await stopped_at_the_assert(user)
        await add_watch(user, "tmp6 + tmp99")
        await user.see("has no tmp99. There is tmp9")
        await user.press("ctrl+u")
        await user.type("tmp6 + ks0")
        await user.press("enter")
        await user.see("Watching tmp6 + ks0 = -1 in lane [0, 0].")
        for _ in range(4):
            await user.press("n")
        heading, watch, *_ = table_of(user)
        assert heading.split()[:2] == ["name", "dtype"]
        assert "≔ tmp6 + ks0" in watch
        assert "all -1" in watch
        await user.press("home")
        grid = user.screen.query_one(LaneGrid)
        assert grid.view is not None
        assert grid.view.name == "≔ tmp6 + ks0"
        assert set(grid.view.block.values) == {-1}
        await user.see("tmp6 + ks0 = -1")


async def test_a_watch_is_changed_and_removed_on_its_row() -> None:
    async with opened() as user:
        await stopped_at_the_assert(user)
        await add_watch(user, "max(tmp6)")
        await user.see("Watching max(tmp6) = -1.")
        await user.press("home", "enter")
        assert isinstance(user.app.screen, Ask)
        assert user.app.screen.query_one(Input).value == "max(tmp6)"
        await user.press("ctrl+u")
        await user.type("tmp12")
        await user.press("enter")
        # The assert is before the load that makes tmp12.
        await user.see("Watching tmp12: no value yet: tmp12 is assigned at step")
        assert user.app.session.stops.watches == ("tmp12",)
        assert "no value yet: tmp12 is assigned" in table_of(user)[1]
        await user.press("delete")
        await user.see("No longer watching tmp12; e adds a watch.")
        assert user.app.session.stops.watches == ()
        await user.press("delete")
        await user.see("Only a watch can be removed")


def test_a_watch_of_a_large_block_is_worked_out_once() -> None:
    made = recording(
        ("x", ints((1, 256), range(256)), ()),
        ("y", ints((256, 1), range(256)), ()),
        *(("i", n, ()) for n in range(20)),
    )
    start = time.process_time()
    rows = [watched(made, at, (1, 2), ("x * 256 + y",))[0] for at in range(len(made.steps))]
    # Felt from about 100 ms on, for a single step of these twenty.
    assert time.process_time() - start < 1.0
    assert rows[0].value == "no value yet: y is assigned at step 2 (kernel line 3)"
    assert rows[1].value == str(2 * 256 + 1)
    assert (rows[1].dtype, rows[1].shape) == ("int", "[256, 256]")
    assert rows[1].summary == "0 … 65535"
    assert rows[2].block is rows[-1].block


async def test_the_heading_stays_while_the_rows_scroll() -> None:
    async with opened(size=(80, 24)) as user:
        await stopped_at_the_assert(user)
        for _ in range(6):
            await user.press("n")
        heading, *rows = table_of(user)
        assert heading.split()[:2] == ["name", "dtype"]
        assert len(rows) >= 4
        assert user.screen.query_one(TemporaryRows).scroll_offset.y > 0
        await user.press("home")
        first = user.screen.query_one(TemporaryRows).rows[1].key
        assert str(first) in table_of(user)[1]


@pytest.mark.parametrize("size", [(160, 45), (100, 30)])
async def test_every_summary_is_complete(size: tuple[int, int]) -> None:
    async with opened(size=size) as user:
        await stopped_at_the_assert(user)
        if size[0] < 160:
            await user.press("z")
        await user.press("home")
        table = user.screen.query_one(TemporaryRows)
        replaying = user.app.session.state
        recording = replaying.recording
        assert recording is not None
        for one in temporaries(recording, replaying.position, replaying.lane):
            table.select(one.name)
            await user.pilot.pause()
            row = next(row for row in table_of(user) if f" {one.name} " in row)
            assert row.rstrip("▁▂▃▄▅▆▇█ ").endswith(
                (one.summary, summary_text(one.statistics, BRIEF))
            )


def test_columns_are_as_wide_as_what_they_hold() -> None:
    row = Cells(
        "✱ tmp10", "float32", "[8, 64]", "0.123457", "-2.34567 … 3.45678  64 distinct",
        "-2.346 … 3.457 64 distinct",
    )  # fmt: skip
    wide = widths([row], 96)
    assert (wide.name, wide.dtype, wide.shape, wide.value, wide.brief) == (7, 7, 7, 8, False)
    brief = widths([row], 60)
    assert brief.brief
    assert brief.shape == 7
    assert brief.summary >= len(row.brief)
    narrow = widths([row], 52)
    assert narrow.shape == 0
    assert narrow.summary >= len(row.brief)


async def test_the_table_is_filtered_sorted_and_pinned() -> None:
    async with opened() as user:
        await stopped_at_the_assert(user)
        table = user.screen.query_one(TemporaryRows)
        count = table.count
        await user.press("ctrl+f")
        assert isinstance(user.app.focused, TableFilter)
        await user.type("tmp1")
        await user.see(f"Run {table.found} of {count}")
        shown = [str(row.key) for row in table.rows if row.selectable]
        assert shown == ["_tmp14", "tmp1", "tmp10"]
        await user.press("ctrl+u")
        await user.type("<0")
        assert "tmp10" in [str(row.key) for row in table.rows]
        assert "tmp7" not in [str(row.key) for row in table.rows]
        await user.press("enter")
        assert user.app.focused is table
        assert table.found < count
        await user.press("escape")
        assert table.found == count
        assert not user.screen.query_one(TableFilter).display
        await user.press("r", "r")
        await user.see("Sorted by name.")
        await user.press("x")
        await user.see("stays on top; x again lets go.")
        await user.press("5", "ctrl+f")
        assert user.screen.focused_pane() == "nav"


async def test_numbers_are_shown_in_hexadecimal_and_as_bits() -> None:
    async with opened() as user:
        await stopped_at_the_assert(user)
        await user.press("number_sign")
        await user.see("this lane (hex)", "Numbers in hexadecimal")
        grid = user.screen.query_one(LaneGrid)
        row = next(row for row in table_of(user) if " tmp10 " in row)
        assert "0xffffffffffffffff" in row
        area = grid.region
        assert any("0xffffffffffffffff" in row for row in user.rows()[area.y : area.bottom])
        await user.press("number_sign")
        await user.see("this lane (bits)")
        await user.press("number_sign")
        assert "0xff" not in user.text()


async def test_the_lanes_stay_on_a_locked_name() -> None:
    async with opened() as user:
        await stopped_at_the_assert(user)
        assert user.app.session.state.selected == "tmp10"
        await user.press("L")
        await user.see("tmp10 locked", "The lanes stay on tmp10 while you step")
        await user.press("N", "N", "n", "n", "n")
        assert user.app.session.state.selected == "tmp10"
        await user.see("tmp10 locked")
        await user.press("L", "n")
        assert user.app.session.state.selected != "tmp10"
        assert "locked" not in user.text()


async def test_that_there_is_no_nan_is_said() -> None:
    async with opened() as user:
        await stopped_at_the_assert(user)
        await user.press("alt+n")
        await user.see("Nothing in program 2 gets a NaN or an infinity")


async def test_table_and_lanes_have_room_on_a_small_screen() -> None:
    async with opened(size=(80, 24)) as user:
        await stopped_at_the_assert(user)
        pane = user.screen.query_one(RunPane)
        words = [pane.query_one(f"#run-{part}", Static) for part in ("status", "message")]
        assert sum(one.size.height for one in words) <= 3
        assert pane.query_one(TemporaryRows).size.height >= 5
        grid = pane.query_one(LaneGrid)
        assert grid.size.height >= 4
        await user.see("(M: all)")
        await user.press("N")
        height = grid.size.height
        for _ in range(8):
            await user.press("N")
            assert grid.size.height == height, "the lanes jump while stepping"
        await user.press("M")
        await user.see("In the run pane:", "(the only assert that fails)")


def test_a_grid_has_the_rows_that_its_largest_block_needs() -> None:
    few, many = ints((8, 1), range(8)), ints((16, 4), range(64))
    assert needed_rows([few], 58) == 2
    assert needed_rows([few, many], 58) == 17
    assert needed_rows([ints((64,), [7] * 64)], 58) == 9


def test_words_that_are_cut_say_where_the_rest_is() -> None:
    console = Console(width=200)
    status = "program 1 of 2 · data: MADE-UP · torch 2.13.0, triton 3.7.1"
    assert short_status(status, 80) == status
    assert short_status(status, 50) == "program 1 of 2 · data: MADE-UP · … (M)"
    assert short_status("c runs the kernel in the interpreter.", 20).startswith("c runs the kernel")
    assert cut("one two", 1, 20, console).plain == "one two"
    long = cut("one two three four five six seven\neight", 1, 20, console)
    assert long.plain == "one two t … (M: all)"
    assert cut("word " * 30, 2, 30, console).plain.endswith("word … (M: all)")
    assert sum(most_rows(14)[:2]) <= 3
