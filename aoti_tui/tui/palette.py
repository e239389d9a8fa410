"""The palette's commands: every action, and everything the navigator lists."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, cast

from rich.text import Text
from textual.command import DiscoveryHit, Hit, Hits, Provider

from aoti_tui.tui.actions import ACTIONS, Action
from aoti_tui.tui.entries import Entry, entries, filtered
from aoti_tui.tui.keyline import keys_of
from aoti_tui.tui.text import visible

if TYPE_CHECKING:
    from aoti_tui.tui.main_screen import MainScreen

LIMIT = 25


class EverythingProvider(Provider):
    """Actions by words of their label or explanation, things by words of their name."""

    @property
    def _main(self) -> MainScreen:
        return cast("MainScreen", self.screen)

    def _run(self, action: Action) -> Callable[[], None]:
        return partial(self._main.action_act, action.id)

    def _title(self, action: Action) -> str:
        keys = " ".join(keys_of(action, self._main.config.keymap))
        return f"{action.label}  ({keys})" if keys else action.label

    async def discover(self) -> Hits:
        for action in ACTIONS:
            yield DiscoveryHit(
                Text(self._title(action)), self._run(action), action.label, action.tooltip
            )

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for action in ACTIONS:
            words = f"{action.label} {action.tooltip}"
            score = max(matcher.match(words), matcher.match(action.label))
            if score > 0:
                yield Hit(
                    score, Text(self._title(action)), self._run(action), words, action.tooltip
                )
        incident = self._main.browsing.incident
        if incident is None:
            return
        for entry in filtered(entries(incident), query)[:LIMIT]:
            yield Hit(
                0.4,
                Text(f"{entry.group[:-1]}: {visible(entry.label)}"),
                partial(self._go, entry),
                entry.label,
                visible(entry.detail),
            )

    def _go(self, entry: Entry) -> None:
        self._main.browsing.choose(entry)
