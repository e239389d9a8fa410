"""The palette's commands: every action, everything that has a name, the pages of the manual."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import cast

from rich.text import Text
from textual.command import DiscoveryHit, Hit, Hits, Provider

from aoti_tui.help import page, topics
from aoti_tui.session.listed.entries import GROUPS, Entry, temporary_entries
from aoti_tui.session.listed.matching import fitting, fuzzy
from aoti_tui.session.text import visible
from aoti_tui.tui.actions import ACTIONS, Action
from aoti_tui.tui.dialogs.reading import Reading
from aoti_tui.tui.host import Host
from aoti_tui.tui.keyline import keys_of
from aoti_tui.tui.panes.navigator import Navigator

LIMIT = 25
SYNONYM, EXPLAINED, THING = 10, 60, 5
"""What it costs to be found by another word for it, by its explanation, and to be no action."""


class EverythingProvider(Provider):
    """Actions by words of their label or explanation, things by words of their name."""

    @property
    def _main(self) -> Host:
        return cast("Host", self.screen)

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
        for action in ACTIONS:
            cost = action_cost(action, query)
            if cost is not None:
                yield Hit(
                    _score(cost),
                    Text(self._title(action)),
                    self._run(action),
                    action.label,
                    action.tooltip,
                )
        for topic, title in topics().items():
            cost = fuzzy(query, f"manual {topic} {title.lower()}", letters=False)
            if cost is not None:
                yield Hit(
                    _score(cost + SYNONYM),
                    Text(f"Manual: {topic}"),
                    partial(self._read, topic, title),
                    topic,
                    title,
                )
        fits = fitting(self._things(), query)
        for cost, entry in sorted(fits, key=lambda fit: fit[0])[:LIMIT]:
            yield Hit(
                _score(cost + THING),
                Text(f"{GROUPS[entry.group]}: {visible(entry.label)}"),
                partial(self._go, entry),
                entry.label,
                visible(entry.detail),
            )

    def _things(self) -> Iterator[Entry]:
        """All that the navigator lists, and the names of the kernel that is looked at."""
        yield from self._main.query_one(Navigator).entries
        state = self._main.state
        if state.incident is not None and state.kernel is not None:
            program = state.incident.kernel_program(state.kernel.name)
            yield from temporary_entries(state.kernel, program)

    def _read(self, topic: str, title: str) -> None:
        """Show a page of the manual, the same as `aoti-tui help TOPIC` prints."""
        self._main.app.push_screen(Reading(title, page(topic)))

    def _go(self, entry: Entry) -> None:
        self._main.go_to(entry)


def action_cost(action: Action, query: str) -> int | None:
    """What it costs to find an action by ``query``; None when it is not meant."""
    label = action.label.lower()
    found = (
        (fuzzy(query, label), 0),
        (fuzzy(query, f"{label} {action.also}", letters=False), SYNONYM),
        (fuzzy(query, f"{label} {action.also} {action.tooltip.lower()}", letters=False), EXPLAINED),
    )
    return min((cost + more for cost, more in found if cost is not None), default=None)


def _score(cost: int) -> float:
    """Textual's way: from 1 for the best down to 0."""
    return 1 / (1 + cost / 100)
