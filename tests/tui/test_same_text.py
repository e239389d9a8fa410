"""What is typed after ``:`` gives the text that ``-ex`` and JSON give."""

from __future__ import annotations

from aoti_tui.session.headless import Headless
from aoti_tui.tui.dialogs.reading import Reading
from tests.tui.driving import Driver, demo_request, opened
from tests.tui.test_commands import command

TYPED = (
    "c",
    "p tmp10 - ks0",
    "p arg4_1.size(0)",
    "info locals",
    "info inputs",
    "b tmp6",
    "run",
    "n 2",
    "reverse-next",
    "where",
    "list",
    "w",
    "watch tmp4",
    "info b",
    "delete",
    "until k46",
    "lane next",
    "verdict",
    "contine",
    "b k46 if tmp99 < 0",
    "p nosuch",
)


async def quiet(user: Driver) -> None:
    """Wait until nothing is at work, and what came of it was taken in."""
    for _ in range(3):
        await user.until(lambda: not user.busy() and not user.screen.state.running, "quiet")
        await user.pilot.pause()


async def test_the_same_commands_give_the_same_text() -> None:
    session = Headless(demo_request())
    try:
        session.open()
        wanted = [session.do(typed) for typed in TYPED]
    finally:
        session.close()
    async with opened(demo_request()) as user:
        await quiet(user)
        for answer in wanted:
            said = user.screen.messages_said
            before = len(said)
            await command(user, answer.asked)
            await quiet(user)
            told = [text.removeprefix("✗ ") for text in user.screen.messages_said[before:]]
            assert "\n".join(told) == answer.text, answer.asked
            if isinstance(user.app.screen, Reading):
                assert answer.text.count("\n") >= 3
                await user.press("escape")
