"""The palette: the right thing first, whatever one calls it."""

from __future__ import annotations

import pytest
from textual.command import CommandPalette
from textual.widgets import OptionList

from aoti_tui.tui.actions import ACTIONS
from aoti_tui.tui.dialogs.ask import Ask
from aoti_tui.tui.palette import action_cost
from aoti_tui.tui.panes.source import SourceView
from tests.tui.driving import Driver, opened


@pytest.mark.parametrize(
    ("query", "action"),
    [
        ("breakpoints", "breakpoints"),
        ("breakpoint", "breakpoint"),
        ("condition", "breakpoint_condition"),
        ("go to", "search"),
        ("hex", "number_format"),
        ("print", "watch"),
        ("value", "watch"),
        ("clear all", "clear_breakpoints"),
        ("zoom", "maximize"),
        ("quit", "quit"),
        ("set sym", "set_symbol"),
    ],
)
def test_actions_are_found_by_the_words_people_use(query: str, action: str) -> None:
    costs = {one.id: cost for one in ACTIONS if (cost := action_cost(one, query)) is not None}
    assert action in sorted(costs, key=lambda name: costs[name])[:3]


async def hits(user: Driver, query: str) -> list[str]:
    """What the palette lists for a query, best first."""
    await user.press("ctrl+p")
    await user.until(lambda: isinstance(user.app.screen, CommandPalette), "the palette")
    await user.type(query)
    found = user.app.screen.query_one(OptionList)
    await user.until(lambda: found.option_count > 0, "results")
    await user.pilot.pause(0.3)
    return [str(found.get_option_at_index(n).prompt) for n in range(found.option_count)]


async def test_a_temporary_is_found_and_gone_to() -> None:
    async with opened(size=(80, 24)) as user:
        first = (await hits(user, "tmp9"))[0]
        assert first.startswith("Temporary: tmp9\n")
        await user.press("enter")
        view = user.screen.query_one(SourceView)
        await user.until(lambda: view.line == 775, "the line of tmp9")
        assert view.name_at_cursor is not None
        assert view.name_at_cursor.name == "tmp9"


async def test_things_are_called_by_what_they_are() -> None:
    async with opened() as user:
        found = await hits(user, "cumsum")
        assert [one.split("\n")[0] for one in found] == [
            "Kernel: triton_red_fused_cumsum_0",
            "Launch: triton_red_fused_cumsum_0",
        ]


@pytest.mark.parametrize("query", ["quit", "screenshot", "keys", "maximize"])
async def test_commands_of_the_library_do_not_stand_beside_ours(query: str) -> None:
    async with opened() as user:
        found = await hits(user, query)
        ours = {one.label for one in ACTIONS}
        assert {one.split("\n")[0].split("  (")[0] for one in found} <= ours
        assert sum(query in one.lower().split("\n")[0] for one in found) <= 1


async def test_the_themes_are_in_the_palette() -> None:
    async with opened() as user:
        assert any(one.startswith("Theme") for one in await hits(user, "theme"))


async def test_no_palette_of_the_main_screen_over_a_dialog() -> None:
    async with opened() as user:
        await user.press("up", "K")
        assert isinstance(user.app.screen, Ask)
        await user.press("ctrl+p")
        assert isinstance(user.app.screen, Ask)
        await user.press("escape", "ctrl+p")
        assert isinstance(user.app.screen, CommandPalette)
