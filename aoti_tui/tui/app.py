"""The application around the main screen: themes, keymap and the way in."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from typing import Any, ClassVar

from textual import events
from textual.app import App, SystemCommand
from textual.command import CommandPalette
from textual.screen import Screen
from textual.theme import Theme

from aoti_tui.replay.client import WorkerClient
from aoti_tui.session.kept.config import Config, load, save_choices
from aoti_tui.session.request import OpenRequest, RunRequest
from aoti_tui.session.session import Session
from aoti_tui.tui import threads
from aoti_tui.tui.actions import BY_ID
from aoti_tui.tui.dialogs.ahead import TakesKeysAhead
from aoti_tui.tui.keyline import keys_of
from aoti_tui.tui.main_screen import MainScreen

HIGH_CONTRAST = Theme(
    name="high-contrast",
    primary="#00ffff",
    secondary="#ffff00",
    accent="#ffff00",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#1a1a1a",
    success="#00ff00",
    warning="#ffff00",
    error="#ff6060",
    dark=True,
)

LEAVING_SECONDS = 2.0
"""How long leaving may take once a signal has asked for it."""
AGAIN_SECONDS = 3.0
"""How long after a ctrl+c another one leaves."""


class DebuggerApp(App[int]):
    """aoti-tui. Its exit value is the program's exit code."""

    TITLE = "aoti-tui"
    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar = []

    def __init__(
        self,
        request: OpenRequest | RunRequest,
        config: Config | None = None,
        client: WorkerClient | None = None,
    ) -> None:
        """``client`` is a worker that outlives the application; without it, it has its own."""
        super().__init__()
        self.config = config if config is not None else load(frozenset(BY_ID))
        self.main = MainScreen(request, self.config, client)
        self.register_theme(HIGH_CONTRAST)
        self._interrupted = -AGAIN_SECONDS

    @property
    def session(self) -> Session:
        """The state, and the one place that changes it."""
        return self.main.engine.session

    def on_mount(self) -> None:
        if self.config.theme:
            if self.config.theme in self.available_themes:
                self.theme = self.config.theme
            else:
                self.config.problems.append(
                    f"There is no theme {self.config.theme!r}; the palette (ctrl+p) lists them."
                )
        self.set_keymap(self.config.keymap)
        self.theme_changed_signal.subscribe(self, self._keep_theme)
        self.push_screen(self.main)

    async def on_key(self, event: events.Key) -> None:
        """Give a dialog the keys that were typed while it was still opening."""
        text = "\n" if event.key == "enter" else event.character if event.is_printable else None
        if text and isinstance(self.screen, TakesKeysAhead):
            event.prevent_default()
            self.screen.type_ahead(text)

    def copy_to_clipboard(self, text: str) -> None:
        """Copy by OSC 52, which works over ssh; inside of tmux, which by default lets no
        application do that, through tmux itself too."""
        super().copy_to_clipboard(text)
        if not os.environ.get("TMUX"):
            return
        # -w hands it on to the terminal around tmux; tmux before 3.2 does not know it.
        for flags in (("-w",), ()):
            with contextlib.suppress(OSError, subprocess.SubprocessError):
                done = subprocess.run(
                    ["tmux", "load-buffer", *flags, "-"],
                    input=text.encode(),
                    capture_output=True,
                    timeout=2,
                    check=False,
                )
                if done.returncode == 0:
                    return

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Only the themes: the rest of Textual's own are actions of ours, by other names."""
        yield SystemCommand("Theme", "Change the colours", self.action_change_theme)

    def action_command_palette(self) -> None:
        """Open the palette, whose commands are those of the main screen, only over that."""
        if isinstance(self.screen, MainScreen):
            super().action_command_palette()
        elif not isinstance(self.screen, CommandPalette):
            self.notify(
                "The palette opens on the main screen; escape leaves this.",
                markup=False,
                timeout=3,
            )

    def action_help_quit(self) -> None:
        """Leave at the second ctrl+c; at the first, say what it might have been meant for."""
        now = time.monotonic()
        if now - self._interrupted < AGAIN_SECONDS:
            self.exit(0)
            return
        self._interrupted = now
        copies, quits = (keys_of(BY_ID[name], self.config.keymap)[0] for name in ("copy", "quit"))
        if isinstance(self.screen, MainScreen):
            self.screen.say(f"ctrl+c again quits, as {quits} does; {copies} copies.")

    def _keep_theme(self, theme: Theme) -> None:
        if theme.name != self.config.theme:
            self.config.theme = theme.name
            save_choices(self.config)


def run_app(request: OpenRequest | RunRequest) -> int:
    """Open the interface on what was asked for; gives the exit code.

    Needs a terminal. An artifact that cannot be opened ends it with code 2 and its message, a
    signal with 128 and its number. What still runs then is given up.
    """
    return asyncio.run(_run(DebuggerApp(request)))


def _leave(app: DebuggerApp, loop: asyncio.AbstractEventLoop, code: int) -> None:
    """Leave in an orderly way, or in any: Textual waits without an end to write to a terminal that
    is gone (textual/drivers/_writer_thread.py: its thread has died, its queue is full), and the
    loop with it. The worker ends with its parent."""
    last = threading.Timer(LEAVING_SECONDS, os._exit, (code,))
    last.daemon = True
    last.start()
    loop.call_soon_threadsafe(app.exit, code)


async def _run(app: DebuggerApp) -> int:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: _leave(app, loop, 128 + number))
    try:
        result = await app.run_async()
    finally:
        app.main.close()
    code = result if result is not None else (app.return_code or 0)
    if threads.at_work():
        # The event loop would wait for a thread that nobody wants an answer of any more.
        with contextlib.suppress(OSError):
            sys.stdout.flush()
        os._exit(code)
    return code


__all__ = ["DebuggerApp", "OpenRequest", "RunRequest", "run_app"]
