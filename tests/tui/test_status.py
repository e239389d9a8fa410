"""Where the data comes from and what the worker does can always be seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from aoti_tui.artifacts.given import Given
from tests.tui.driving import demo_request, opened


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (160, 45)])
async def test_the_data_is_named_on_every_screen(size: tuple[int, int]) -> None:
    async with opened(size=size) as user:
        await user.see("data: inputs")
        await user.press("c")
        await user.see("The assert at kernel line 46 fails")
        await user.press("1")
        await user.see("inputs + replayed")


async def test_invented_data_and_the_worker_are_told() -> None:
    async with opened(replace(demo_request(), given=Given())) as user:
        await user.see("data: MADE-UP · worker off")
        await user.press("c")
        await user.until(lambda: user.app.session.state.outcome is not None, "a replay")
        await user.see("data: MADE-UP", "worker ready")
