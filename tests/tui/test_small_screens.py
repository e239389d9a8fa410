"""A terminal of any size is drawn on, or it is said that it is too small."""

from dataclasses import replace

import pytest
from textual.geometry import Size

from aoti_tui.tui.panes.pane import Pane
from tests.tui.driving import demo_request, opened

KEYS = ["1", "2", "3", "4", "5", "z", "g", "escape", "slash", "escape", "colon", "escape"]
KEYS += ["ctrl+p", "escape", "question_mark", "escape", "M", "escape", "A", "escape", "down"]


@pytest.mark.parametrize(
    "size", [(20, 5), (20, 40), (33, 9), (47, 20), (48, 20), (300, 5)], ids=str
)
async def test_every_pane_and_dialog_is_drawn(size: tuple[int, int]) -> None:
    async with opened(replace(demo_request(), warm_up=False), size=size) as user:
        await user.press(*KEYS)
        await user.press("1")
        assert "Source" in user.text()
        shown = [pane for pane in user.screen.query(Pane) if pane.region.height > 0]
        assert shown
        assert user.screen.size == Size(*size)


@pytest.mark.parametrize("size", [(19, 20), (80, 4), (6, 2)], ids=str)
async def test_a_size_in_which_nothing_can_be_seen_says_so(size: tuple[int, int]) -> None:
    async with opened(replace(demo_request(), warm_up=False), size=size) as user:
        await user.press(*KEYS)
        # A dialog that opened behind a key typed ahead of it.
        await user.press("escape", "escape")
        await user.see("Too")
        assert "Source" not in user.text()
        await user.pilot.resize_terminal(100, 30)
        await user.see("failed: 0 <= tmp10 < ks0")
        await user.see("1 Source")
