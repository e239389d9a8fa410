"""A pilot that goes on as soon as the application has nothing left to do.

Textual's own waits, after every key and between the events of a click, until the process has used
no CPU for a while: at least 40 ms a key, and a second while another thread is at work.
"""

from __future__ import annotations

import asyncio
import unicodedata

from textual import events
from textual.app import App
from textual.keys import REPLACED_KEYS, _character_to_key, _get_unicode_name_from_key
from textual.pilot import Pilot
from textual.screen import Screen

DEADLINE = 30.0


async def settled(app: App[int]) -> None:
    """Wait until every message is handled and what it changed is painted.

    What a thread, a timer or another process will bring later is not waited for.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + DEADLINE
    while app._exception is None and app._running and not app._exit:
        await asyncio.sleep(0)
        assert loop.time() < deadline, "the application never comes to rest"
        # What can run now, this task apart; all else waits for a message, a timer or a thread.
        if loop._ready:  # type: ignore[attr-defined]
            continue
        animator = app.animator
        if animator._animations or animator._scheduled:
            await animator.wait_until_complete()
            continue
        screen = app.screen
        before = _unpainted(screen)
        if before == (0, False, False, 0):
            return
        screen._on_timer_update()
        if _unpainted(screen) == before and not loop._ready:  # type: ignore[attr-defined]
            return


def _unpainted(screen: Screen[object]) -> tuple[int, bool, bool, int]:
    return (
        len(screen._dirty_widgets),
        screen._layout_required,
        screen._repaint_required,
        len(screen._callbacks),
    )


class SettlingPilot(Pilot[int]):
    """Textual's pilot with waits that end when there is nothing left to wait for."""

    async def press(self, *keys: str) -> None:
        for key in keys:
            self.app.post_message(key_event(key).set_sender(self.app))
            await settled(self.app)

    async def pause(self, delay: float | None = None) -> None:
        if delay is not None:
            await asyncio.sleep(delay)
        await settled(self.app)


def key_event(key: str) -> events.Key:
    """The event of a key by its name (``down``, ``ctrl+o``) or of a character."""
    if len(key) == 1 and not key.isalnum():
        key = _character_to_key(key)
    name = _get_unicode_name_from_key(REPLACED_KEYS.get(key, key))
    try:
        character: str | None = unicodedata.lookup(name)
    except KeyError:
        character = key if len(key) == 1 else None
    return events.Key(key, character)
