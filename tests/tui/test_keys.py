"""Every key of the table, on the bundled failure."""

from pathlib import Path

import pytest
from textual.binding import Binding
from textual.widget import Widget
from textual.widgets import Input, TextArea

from aoti_tui.artifacts.strides import flat_of
from aoti_tui.session.kept.config import Config, load
from aoti_tui.session.request import OpenRequest
from aoti_tui.tui.actions import ACTIONS, BY_ID
from aoti_tui.tui.dialogs.jump_mode import JumpMode
from aoti_tui.tui.dialogs.paste_log import PasteLog
from aoti_tui.tui.dialogs.reading import Reading
from aoti_tui.tui.dialogs.search import Search
from aoti_tui.tui.help import help_text
from aoti_tui.tui.keyline import keys_of
from aoti_tui.tui.panes.chain import Chain, ChainTree
from aoti_tui.tui.panes.lanes import LaneGrid
from aoti_tui.tui.panes.navigator import Navigator
from aoti_tui.tui.panes.rows import Rows
from aoti_tui.tui.panes.source import SourceView
from aoti_tui.tui.panes.table import TemporaryRows
from tests.tui.driving import demo_request, opened


def test_every_action_has_a_handler_and_no_key_is_given_twice() -> None:
    from aoti_tui.tui.main_screen import MainScreen

    screen = MainScreen(demo_request(), Config())
    assert set(screen.handlers) == set(BY_ID)
    keys = [key for action in ACTIONS for key in action.keys.split(",") if key]
    assert len(keys) == len(set(keys))


def test_keys_are_written_as_people_write_them() -> None:
    shown = {action.id: keys_of(action, {}) for action in ACTIONS}
    assert shown["search_next"] == (".",)
    assert shown["search_previous"] == (",",)
    assert shown["next_failing"] == ("]",)
    assert shown["jump_back"] == ("^o",)
    assert shown["continue"] == ("c", "F5")
    assert keys_of(BY_ID["step"], {"step": "j,f6"}) == ("j", "F6")


async def test_search_goes_on_and_back() -> None:
    async with opened() as user:
        view = user.screen.query_one(SourceView)
        await user.press("slash")
        assert isinstance(user.app.screen, Search)
        await user.type("device_assert")
        await user.press("enter")
        assert view.line == 998
        await user.press("full_stop")
        assert view.line == 777
        await user.press("comma")
        assert view.line == 998
        await user.press("ctrl+o")
        assert view.line == 777
        await user.press("slash", "ctrl+u")
        await user.press("enter", "full_stop")
        await user.see("Nothing is searched for yet")


async def test_names_are_walked_and_followed() -> None:
    async with opened() as user:
        view = user.screen.query_one(SourceView)
        await user.press("home")
        assert view.name_at_cursor is not None
        assert view.name_at_cursor.name == "device_assert"
        await user.press("right", "right", "right")
        assert view.name_at_cursor.name == "ks0"
        await user.press("enter")
        assert view.line == 1375
        assert user.screen.query_one(Chain).roots[0].name == "ks0"


async def test_who_made_and_who_uses_without_a_replay() -> None:
    async with opened() as user:
        view = user.screen.query_one(SourceView)
        assert view.name_at_cursor is not None
        assert view.name_at_cursor.name == "tmp10"
        await user.press("w")
        assert view.line == 776
        await user.see("tmp10 = tl.where(tmp9, tmp8, tmp6)")
        await user.press("u")
        assert view.line == 778
        await user.see("tmp10 is used by tmp12")


async def test_replay_keys() -> None:
    async with opened() as user:
        view = user.screen.query_one(SourceView)
        await user.press("n")
        await user.see("Step: nothing has been run yet; c runs the kernel.")
        await user.press("f5")
        await user.see("The assert at kernel line 46 fails")
        assert view.line == 777
        at_assert = user.app.session.state.position
        await user.press("f10")
        assert user.app.session.state.position == at_assert + 1
        await user.press("N", "N")
        assert user.app.session.state.position == at_assert - 1
        await user.press("s")
        assert user.app.session.state.position == at_assert
        # A breakpoint by F9; backwards to it with C.
        await user.press("up", "up", "f9")
        assert user.app.session.stops.lines(view.document) == {775: True}
        await user.press("C")
        assert view.line == 775
        assert user.app.session.state.position == at_assert - 2
        await user.press("B")
        assert user.app.session.stops.lines(view.document) == {775: False}
        await user.press("b")
        assert user.app.session.stops.lines(view.document) == {}
        # To the cursor, who made, who uses.
        await user.press("up", "up", "up", "up", "t")
        assert view.line == 771
        await user.press("w")
        await user.see("tmp5 = -1 comes from ks0 = 0 (s7, input)")
        await user.press("u")
        assert view.line == 772
        await user.see("Used by tmp6")
        # The lanes that fail.
        await user.press("right_square_bracket")
        await user.see("Failing lane [0, 0], 1 of 1")
        grid = user.screen.query_one(LaneGrid)
        assert grid.view is not None
        assert grid.view.failing[flat_of(grid.view.block.shape, user.app.session.state.lane)]
        # Another program, and the timeline.
        await user.press("P")
        await user.type("9")
        await user.press("enter")
        await user.see("The grid is 4×1×1; programs count from 0.")
        await user.press("backspace")
        await user.type("3")
        await user.press("enter")
        await user.see("program 3 of 4×1×1")
        user.screen.query_one("#timeline").focus()
        await user.press("home")
        assert user.app.session.state.position == 0
        await user.type("5")
        await user.press("enter")
        assert user.app.session.state.position == 4
        await user.press("f")
        await user.see("no helper to step out of")


async def test_a_condition_must_hold() -> None:
    async with opened() as user:
        await user.press("up", "K")
        await user.type("tmp10 <")
        await user.press("enter")
        await user.see("✗")
        await user.press("ctrl+u")
        await user.type("tmp10 > 5")
        await user.press("enter")
        await user.see("Breakpoint set: line 45 if tmp10 > 5")
        await user.press("c")
        await user.see("The assert at kernel line 46 fails")


async def test_a_breakpoint_that_cannot_be_says_why() -> None:
    async with opened() as user:
        await user.press("1", "ctrl+home", "b")
        await user.see("No breakpoint on line 1: only lines of a kernel's source run here.")
        await user.press("a", *["up"] * 16, "b")
        assert user.screen.query_one(SourceView).line == 761
        await user.see("line 30 cannot stop: it is the head of a loop")


async def test_panes_zoom_hide_and_jump_mode() -> None:
    async with opened() as user:
        places = {str(pane.id): pane for pane in user.screen.query("Pane")}
        await user.press("z")
        assert [name for name, pane in places.items() if pane.display] == ["source"]
        await user.press("z")
        assert all(pane.display for pane in places.values())
        await user.press("2", "minus")
        assert not places["call"].display
        await user.press("2")
        assert places["call"].display
        assert user.screen.focused_pane() == "call"
        width = places["source"].size.width
        await user.press("1", "greater_than_sign")
        assert places["source"].size.width == width + 4
        await user.press("less_than_sign")
        assert places["source"].size.width == width
        await user.press("g")
        assert isinstance(user.app.screen, JumpMode)
        await user.press("f")
        assert user.screen.focused_pane() in {"chain", "source", "nav", "call", "run"}
        assert not isinstance(user.app.screen, JumpMode)


async def test_edges_between_panes_are_dragged_and_kept() -> None:
    config = Config(hint_seen=True)
    async with opened(config=config) as user:
        places = {str(pane.id): pane for pane in user.screen.query("Pane")}
        source, call = places["source"], places["call"]
        before = source.region
        await user.drag((before.right - 1, before.y + 5), (before.right + 9, before.y + 5))
        assert source.region.right == before.right + 10
        assert config.moved["source"] == 10
        height = call.region.height
        await user.drag((call.region.x + 4, call.region.y), (call.region.x + 4, call.region.y - 3))
        assert call.region.height == height + 3
        await user.press("2", "left_curly_bracket")
        assert call.region.height == height + 1
        await user.press("5", "greater_than_sign")
        assert source.region.x == before.x + 4
        await user.press("0")
        assert (source.region.x, source.region.width) == (before.x, before.width)
        assert config.moved == {}
    assert load(frozenset(BY_ID)).moved == {}


async def test_a_drag_past_the_end_stops_there_and_comes_back_at_once() -> None:
    async with opened(size=(100, 30)) as user:
        source = user.screen.query_one("#source")
        edge = source.region.right
        await user.drag((edge, 10), (3, 10))
        assert source.region.width == 30
        assert user.screen.arranging.view.moved["source"] == 30 - edge
        await user.drag((30, 10), (31, 10))
        assert source.region.width == 31


async def test_a_click_on_the_answer_shows_all_of_it() -> None:
    async with opened(size=(80, 24)) as user:
        for place in ((5, 1), (60, 4)):
            await user.pilot.click(offset=place)
            await user.pilot.pause()
            assert isinstance(user.app.screen, Reading)
            await user.see("The answer", "AOTI_RUNTIME_CHECK_INPUTS=1")
            await user.press("escape")


async def test_what_if_means_the_symbol_under_the_navigators_cursor() -> None:
    async with opened() as user:
        await user.press("ctrl+f")
        await user.type("s19 arg2")
        await user.press("down", "equals_sign")
        await user.see("What if a symbol had another value?")
        assert user.app.screen.query_one(Input).value == "s19="


async def test_a_double_click_on_a_title_zooms() -> None:
    async with opened() as user:
        chain = user.screen.query_one("#chain")
        await user.pilot.click(offset=(chain.region.x + 5, chain.region.y), times=2)
        await user.pilot.pause()
        assert chain.region.width == 160


async def test_the_navigator_filters_and_goes() -> None:
    async with opened() as user:
        await user.press("ctrl+f")
        await user.type("proj.weight")
        rows = user.screen.query_one("#nav-rows", Rows)
        assert [row.key.label for row in rows.rows if row.selectable] == ["proj.weight"]
        await user.press("enter")
        view = user.screen.query_one(SourceView)
        assert "proj_weight" in view.document.text(view.line)
        await user.press("ctrl+f", "escape")
        assert len(rows.rows) > 40
        assert user.screen.query_one(Navigator).query_one(Input).value == ""


async def test_enter_in_the_filter_takes_the_best_fit_not_the_row_before() -> None:
    async with opened() as user:
        await user.press("5", "end", "ctrl+f")
        await user.type("s7")
        navigator = user.screen.query_one(Navigator)
        await user.until(lambda: len(navigator.query_one(Rows).rows) < 30, "fewer rows")
        assert navigator.highlighted is not None
        assert navigator.highlighted.label == "s7"
        await user.press("enter")
        view = user.screen.query_one(SourceView)
        assert "s7" in view.document.text(view.line)
        await user.press("ctrl+f")
        await user.type("zzqq")
        await user.see("Nothing fits “zzqq”; escape clears the filter.")


async def test_help_has_the_keys_of_the_focused_pane_in_front() -> None:
    async with opened() as user:
        await user.press("5", "question_mark")
        await user.see("In this pane", "Home ^Home First row", "End ^End G Last row", "PgDn")
        await user.see("Enter Go to what the row stands for", "Del Clear the breakpoint")
        await user.press("escape", "1", "question_mark")
        await user.see("In this pane", "^End G Bottom of the file", "PgDn Space Page down")
        await user.press("escape", "c")
        await user.see("The assert at kernel line 46 fails")
        user.screen.query_one(LaneGrid).focus()
        await user.press("question_mark")
        await user.see("In this pane", "Home First lane", "m Map")


def test_every_action_is_in_the_help_with_its_key_or_that_of_the_palette() -> None:
    text, _ = help_text(None, (), {"suspend": "f4"})
    lines = text.split("\n")
    assert "  ^p          Clear all breakpoints of this wrapper" in lines
    assert "  F4          Back to the shell; fg comes back" in lines
    assert all(any(line.endswith(action.tooltip) for line in lines) for action in ACTIONS)


async def test_help_answer_palette_and_messages() -> None:
    async with opened(size=(80, 24)) as user:
        await user.press("question_mark")
        await user.see("Source of the wrapper and its kernels", "shift+←→ scroll")
        assert isinstance(user.app.screen, Reading)
        await user.press("escape", "A")
        await user.see("it would have caught this")
        await user.press("escape", "ctrl+p")
        await user.type("paste log")
        await user.see("Paste log (p)")
        await user.press("enter")
        await user.until(lambda: isinstance(user.app.screen, PasteLog), "the paste dialog")
        await user.press("escape", "M")
        await user.see("Messages, the last one first", "First time?")


async def test_copy_and_report(own_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(own_folders)
    async with opened() as user:
        await user.press("Y")
        assert "s7 = arg4_1.size(0) = 0  (:1356)" in user.app.clipboard
        await user.press("y")
        assert user.app.clipboard.strip().startswith("tl.device_assert(((0 <= tmp10)")
        await user.press("R")
        await user.see("Failed kernel asserts")
        written = list(own_folders.glob("aoti-report-*.md"))
        assert len(written) == 1
        assert written[0].read_text() == user.app.clipboard
        await user.press("escape", "S")
        await user.see("The picture is")
        assert len(list(own_folders.glob("*.svg"))) == 1


async def test_a_log_pasted_later_brings_the_failure() -> None:
    demo = demo_request()
    assert demo.log is not None
    async with opened(OpenRequest(demo.wrapper, warm_up=False)) as user:
        await user.see("No failure is open", "p pastes a log")
        await user.press("p")
        user.app.screen.query_one(TextArea).text = demo.log.read_text()
        await user.press("ctrl+s")
        await user.see("failed: 0 <= tmp10 < ks0 in 4 programs", "the pasted log: 1 failure.")
        assert user.screen.query_one(SourceView).line == 777


async def test_a_log_without_an_assert_says_what_was_looked_for(tmp_path: Path) -> None:
    log = tmp_path / "other.log"
    log.write_text("CUDA error: out of memory\n")
    async with opened(OpenRequest(demo_request().wrapper, warm_up=False)) as user:
        await user.press("o")
        await user.type(str(log) + "x")
        await user.press("enter")
        await user.see("There is no file")
        await user.press("backspace", "enter")
        await user.see("no Triton assert is in the log (1 lines)")


async def test_inputs_that_do_not_fit_are_refused() -> None:
    demo = demo_request()
    async with opened() as user:
        await user.press("O")
        await user.type(str(demo.log))
        await user.press("enter")
        await user.until(lambda: len(user.screen.messages_said) > 1, "a message")
        assert user.app.session.state.incident is not None
        assert user.app.session.state.incident.given.inputs == demo.given.inputs


async def test_keys_can_be_remapped() -> None:
    config = Config(keymap={"model_input": "v", "step": "j"}, hint_seen=True)
    async with opened(config=config) as user:
        view = user.screen.query_one(SourceView)
        await user.press("i")
        assert view.line == 777
        await user.press("v")
        assert view.line == 1329
        assert "v Input" in user.text()


async def test_quit() -> None:
    async with opened() as user:
        await user.press("q")
        assert user.app.return_value == 0


@pytest.mark.parametrize("widget", [SourceView, Rows, LaneGrid, ChainTree, TemporaryRows])
def test_no_widget_takes_a_key_of_the_registry(widget: type[Widget]) -> None:
    taken = {key for action in ACTIONS for key in action.keys.split(",")}
    own = {
        key for binding in Binding.make_bindings(widget.BINDINGS) for key in binding.key.split(",")
    }
    assert own & taken == set()
