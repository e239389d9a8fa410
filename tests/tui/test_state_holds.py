"""Whatever is pressed, all panes speak of one launch, program, step and lane.

``AOTI_SEQUENCES=25`` presses 25 sequences on each failure at each size (300 in all) instead of one.
"""

from __future__ import annotations

import os

import pytest

from tests.tui.driving import opened
from tests.tui.pressing import FAILURES, SIZES, Presser, request_of

SEQUENCES = int(os.environ.get("AOTI_SEQUENCES", "1"))


@pytest.mark.parametrize("seed", range(SEQUENCES))
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("failure", FAILURES)
async def test_panes_agree_after_every_key(failure: str, size: tuple[int, int], seed: int) -> None:
    async with opened(request_of(failure), size) as user:
        told = await Presser(user, seed).go()
        assert not told, "\n".join(map(str, told))
