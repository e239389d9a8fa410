"""Breakpoints as a user of a debugger handles them: by the source, and by their list."""

from __future__ import annotations

import json

from aoti_tui.session.kept.config import Config, load, state_file
from aoti_tui.session.listed.entries import Entry
from aoti_tui.session.request import OpenRequest
from aoti_tui.tui.actions import BY_ID
from aoti_tui.tui.dialogs.ask import Ask
from aoti_tui.tui.panes.navigator import Navigator
from aoti_tui.tui.panes.rows import Rows
from aoti_tui.tui.panes.source import SourceView
from tests.tui.driving import Driver, demo_request, opened

KERNEL = "triton_red_fused_ge_index_scalar_tensor_sub_sum_where_1"
OTHER = "triton_red_fused_cumsum_0"


def listed(user: Driver) -> list[str]:
    """The rows of breakpoints, as they stand in the list."""
    rows = user.screen.query_one("#nav-rows", Rows).rows
    return [
        " ".join(row.draw(200).plain.split())
        for row in rows
        if isinstance(row.key, Entry) and row.key.group == "Breakpoints"
    ]


def highlighted(user: Driver) -> str:
    entry = user.screen.query_one(Navigator).highlighted
    return entry.label if entry is not None else ""


def detail(user: Driver) -> str:
    widget = user.screen.query_one("#nav-detail")
    return " ".join(str(getattr(widget, "content", "")).split())


async def set_on(user: Driver, *kernel_lines: int) -> None:
    """Put the source's cursor on lines of the failing kernel, in this order, and press b."""
    for line in kernel_lines:
        await user.press("a")
        steps = line - 46
        await user.press(*(["down"] * steps if steps > 0 else ["up"] * -steps), "b")


async def test_keys_act_on_the_breakpoint_that_is_highlighted() -> None:
    async with opened() as user:
        await set_on(user, 46, 42, 44)
        assert listed(user) == ["● 42 tmp7", "● 44 tmp9", "● 46 device_assert"]
        assert user.screen.query_one(SourceView).line == 775
        user.screen.action_act("breakpoints")
        await user.pilot.pause()
        assert user.screen.focused_pane() == "nav"
        await user.see("B disables or enables it, K changes its condition")
        await user.press("down", "down")
        assert highlighted(user) == "● 46 device_assert"
        # Disabling one changes neither its place nor what is highlighted.
        await user.press("B")
        await user.see("Breakpoint disabled: line 46.")
        assert listed(user) == ["● 42 tmp7", "● 44 tmp9", "○ 46 device_assert"]
        assert highlighted(user) == "○ 46 device_assert"
        await user.press("up", "K")
        assert isinstance(user.app.screen, Ask)
        await user.see("Stop at kernel line 44 only when")
        await user.type("tmp6 < 0 after 1")
        await user.press("enter")
        assert listed(user)[1] == "● 44 tmp9 if tmp6 < 0 after 1"
        assert highlighted(user) == "● 44 tmp9"
        # b clears the highlighted one, though the source's cursor stands on another line.
        await user.press("up", "b")
        await user.see("Breakpoint cleared: line 42.")
        assert listed(user) == ["● 44 tmp9 if tmp6 < 0 after 1", "○ 46 device_assert"]
        assert highlighted(user) == "● 44 tmp9"
        assert detail(user).startswith("● 44 tmp9")
        await user.press("delete")
        await user.see("Breakpoint cleared: line 44")
        assert highlighted(user) == "○ 46 device_assert"
        await user.press("delete")
        assert listed(user) == []
        assert "46" not in detail(user).split()
        await user.press("delete")
        await user.see("Delete clears a breakpoint, and index out of bounds")


async def test_another_row_leaves_the_keys_to_the_source_where_that_is_seen() -> None:
    async with opened() as user:
        await user.press("5", "b")
        await user.see("Breakpoint set: kernel line 46 (device_assert)")
    async with opened(size=(80, 24)) as user:
        await user.press("b", "5", "b")
        await user.see("the source is not on the screen: Enter goes to the row's line, 1 shows")


async def test_the_list_counts_hits_up_to_where_the_program_stands() -> None:
    async with opened() as user:
        await set_on(user, 44)
        assert listed(user) == ["● 44 tmp9"]
        await user.press("c")
        await user.see("Stopped at breakpoint line 44")
        assert listed(user) == ["● 44 tmp9 hit 1×"]
        await user.press("N")
        assert listed(user) == ["● 44 tmp9 hit 0×"]
        await user.press("n", "K")
        await user.type("tmp6 > 5")
        await user.press("enter")
        await user.see("It stops nowhere in program 2: its condition never holds.")
        assert listed(user) == ["● 44 tmp9 if tmp6 > 5 hit 0×"]


async def test_the_kernel_is_named_where_there_is_a_choice() -> None:
    async with opened() as user:
        await set_on(user, 46)
        assert listed(user) == ["● 46 device_assert"]
        user.screen.engine.places.show_kernel(OTHER)
        await user.pilot.pause()
        assert listed(user) == [f"● 46 device_assert {KERNEL}"]
        await user.press(*["down"] * 11, "b")
        await user.see("Breakpoint set")
        first, second = listed(user)
        assert first.endswith(OTHER), "kernels come in the order of the wrapper"
        assert second.endswith(KERNEL)


async def test_a_new_breakpoint_says_which_key_gets_there() -> None:
    async with opened() as user:
        await user.press("c")
        await user.see("The assert at kernel line 46 fails")
        await set_on(user, 44)
        await user.see("Breakpoint set: kernel line 44 (tmp9). C runs back to it.")
        await user.press("C")
        await user.see("Stopped at breakpoint line 44")
        await set_on(user, 41, 45)
        await user.see("Breakpoint set: kernel line 45 (tmp10). c runs to it.")
        await set_on(user, 40)
        await user.see("Breakpoint set: kernel line 40 (tmp5). C stops at line 41 first.")
        user.app.session.go_kernel_line(OTHER, 12)
        await user.press("b")
        await user.see(f"c runs {KERNEL}: Enter on a launch of {OTHER} in the navigator (5)")


async def test_all_are_cleared_at_once_and_the_empty_list_says_how_to_begin() -> None:
    async with opened() as user:
        user.screen.action_act("breakpoints")
        await user.see("No breakpoint is set: b sets one on a line of a kernel")
        await set_on(user, 44, 46)
        user.screen.action_act("clear_breakpoints")
        await user.see("2 breakpoints cleared; b sets one again, on a line of a kernel.")
        assert listed(user) == []
        assert user.app.session.stops.everything() == ()


async def test_breakpoints_of_an_earlier_run_are_announced_once() -> None:
    async with opened() as user:
        await set_on(user, 46)
    async with opened(config=load(frozenset(BY_ID))) as user:
        await user.see("1 breakpoint restored (5 shows it).")
        assert listed(user) == ["● 46 device_assert"]
        assert demo_request().log is not None
        await user.press("o")
        await user.type(str(demo_request().log))
        await user.press("enter")
        await user.until(lambda: len(user.screen.messages_said) > 1, "news of the log")
        assert "restored" not in user.screen.messages_said[-1]


async def test_a_kept_breakpoint_that_makes_no_sense_is_left_out() -> None:
    path = str(demo_request().wrapper.resolve())
    state_file().parent.mkdir(parents=True, exist_ok=True)
    stored = [
        {"kernel": KERNEL, "kernel_line": 44, "condition": "tmp6 <"},
        {"kernel": "gone", "kernel_line": 4},
    ]
    state_file().write_text(json.dumps({"breakpoints": {path: stored}}))
    async with opened() as user:
        assert listed(user) == ["● 4 gone (no kernel of this wrapper)"]
        user.screen.action_act("breakpoints")
        await user.press("K")
        await user.see("gone is no kernel of this wrapper; b clears the breakpoint.")
        await user.press("b")
        assert listed(user) == []


async def test_the_first_hint_fits_what_is_open_and_is_given_once() -> None:
    async with opened() as user:
        await user.see("First time? i goes to the model input, c runs to the assert")
    async with opened(config=load(frozenset(BY_ID))) as user:
        assert user.screen.messages_said == []
    alone = OpenRequest(demo_request().wrapper, warm_up=False)
    async with opened(alone, config=Config()) as user:
        await user.see("First time? p pastes the log of a failure, c runs the kernel, ? explains.")
