"""The main screens at three sizes, character by character.

``AOTI_SNAPSHOTS=write`` writes them again, for a change that is meant: look at the difference.
"""

import os
from pathlib import Path

import pytest

from aoti_tui.session.kept.config import Config
from tests.tui.driving import Driver, opened

FOLDER = Path(__file__).parent / "snapshots"
SIZES = ((80, 24), (100, 30), (160, 45))


def compare(user: Driver, name: str) -> None:
    """The screen is as it was; trailing blanks do not count."""
    text = "\n".join(row.rstrip() for row in user.rows()) + "\n"
    path = FOLDER / f"{name}.txt"
    if os.environ.get("AOTI_SNAPSHOTS") == "write":
        FOLDER.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_first_screen(size: tuple[int, int]) -> None:
    async with opened(size=size, config=Config(hint_seen=True)) as user:
        await user.see("0 <= tmp10 < ks0")
        await user.pilot.pause()
        compare(user, f"main-{size[0]}x{size[1]}")


@pytest.mark.parametrize("pane", ["call", "chain", "nav"])
async def test_panes_of_a_small_screen(pane: str) -> None:
    async with opened(size=(80, 24), config=Config(hint_seen=True)) as user:
        user.screen.arranging.open_pane(pane)
        await user.pilot.pause()
        await user.pilot.pause()
        compare(user, f"{pane}-80x24")
