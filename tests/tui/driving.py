"""Driving the application as a user does: keys in, text of the screen out."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib import resources
from pathlib import Path

from rich.cells import cell_len, set_cell_size
from textual.pilot import Pilot
from textual.widget import Widget

from aoti_tui.artifacts.given import Given
from aoti_tui.session.kept.config import Config
from aoti_tui.session.request import OpenRequest
from aoti_tui.tui.app import DebuggerApp
from aoti_tui.tui.main_screen import MainScreen
from tests.tui.settling import SettlingPilot
from tests.workers import shared_worker

DEADLINE = 60.0
LOOK_AGAIN = 0.01
"""Seconds between two looks for what another thread or process brings."""


def demo_request() -> OpenRequest:
    folder = Path(str(resources.files("aoti_tui.demo")))
    return OpenRequest(
        folder / "jagged_reduce.wrapper.cpp",
        log=folder / "error.empty_weights.log",
        given=Given(inputs=folder / "inputs.empty_weights.pt"),
        warm_up=False,  # most tests run nothing; those that do start the worker then
    )


class Driver:
    """A pilot that waits for what it wants to see, up to a deadline."""

    def __init__(self, pilot: Pilot[int]) -> None:
        self.pilot = pilot
        self.provokes_fault = False
        """The test makes the program fail on purpose."""

    @property
    def app(self) -> DebuggerApp:
        app = self.pilot.app
        assert isinstance(app, DebuggerApp)
        return app

    @property
    def screen(self) -> MainScreen:
        return next(s for s in self.app.screen_stack if isinstance(s, MainScreen))

    def rows(self) -> list[str]:
        """What the terminal shows, line by line."""
        strips = self.app.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip) for strip in strips]

    def text(self) -> str:
        return "\n".join(self.rows())

    def pieces(self) -> list[str]:
        """Each widget's part of the screen, as running text without line ends."""
        rows = self.rows()
        pieces = []
        for widget in self.app.screen.walk_children(Widget):
            area = widget.content_region
            if widget.is_on_screen and area.area:
                part = [
                    set_cell_size(chop(row, area.x), area.width)
                    for row in rows[area.y : area.bottom]
                ]
                pieces.append(" ".join("\n".join(part).split()))
        return pieces

    def busy(self) -> bool:
        """Whether a thread of the program is at work."""
        return any(not worker.is_finished for worker in self.app.workers)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def type(self, text: str) -> None:
        await self.press(*("space" if c == " " else c for c in text))

    async def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Pull the mouse from one cell of the screen to another, in one move."""
        await self.pilot.mouse_down(offset=start)
        await self.pilot.hover(offset=end)
        await self.pilot.mouse_up(offset=end)

    async def until(self, condition: Callable[[], bool], what: str = "") -> None:
        end = time.monotonic() + DEADLINE
        while not condition():
            assert time.monotonic() < end, f"never saw {what}:\n{self.text()}"
            await self.pilot.pause(LOOK_AGAIN)

    async def see(self, *texts: str) -> None:
        """Wait until each text is on the screen, perhaps wrapped inside one widget."""

        def seen() -> bool:
            whole = " ".join(self.text().split())
            missing = [text for text in texts if text not in whole]
            pieces = self.pieces() if missing else []
            return all(any(text in piece for piece in pieces) for text in missing)

        await self.until(seen, " and ".join(texts))


def chop(row: str, cells: int) -> str:
    """``row`` without its first cells."""
    if row.isascii():
        return row[cells:]
    while cells > 0 and row:
        cells -= cell_len(row[0])
        row = row[1:]
    return row


@asynccontextmanager
async def opened(
    request: OpenRequest | None = None,
    size: tuple[int, int] = (160, 45),
    config: Config | None = None,
    *,
    own_worker: bool = False,
) -> AsyncIterator[Driver]:
    """The application on a request (the demo), opened.

    It replays in the worker that all tests share, unless the request names a Python or the test
    wants a worker of its own, to harm it.
    """
    request = request or demo_request()
    shared = None if own_worker or request.given.python is not None else shared_worker()
    app = DebuggerApp(request, config, shared)
    async with app.run_test(size=size) as pilot:
        driver = Driver(SettlingPilot(pilot.app))
        await driver.until(lambda: driver.app.session.state.incident is not None, "the incident")
        await pilot.pause()
        try:
            yield driver
            faults = [said for said in driver.screen.messages_said if "fault of aoti-tui" in said]
            assert driver.provokes_fault or not faults
        finally:
            if shared is not None:
                shared.cancel()
            driver.screen.close()
