"""The line of keys at the bottom: what works here and now, as many as fit, clickable."""

from __future__ import annotations

from collections.abc import Mapping

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from aoti_tui.tui.actions import ACTIONS, BY_ID, Action
from aoti_tui.tui.parts import part_style

_SHOWN = {
    "question_mark": "?",
    "right_square_bracket": "]",
    "left_square_bracket": "[",
    "slash": "/",
    "full_stop": ".",
    "comma": ",",
    "colon": ":",
    "equals_sign": "=",
    "number_sign": "#",
    "escape": "esc",
    "minus": "-",
    "less_than_sign": "<",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "greater_than_sign": ">",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "home": "Home",
    "end": "End",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "delete": "Del",
    "enter": "Enter",
    "space": "Space",
}
ALWAYS = ("help", "quit")
"""Shown last, and never dropped."""


def key_text(key: str) -> str:
    """A key as people write it: ``ctrl+o`` → ``^o``, ``shift+left`` → ``shift+←``."""
    *modifiers, key = key.split("+")
    key = _SHOWN.get(key, key)
    if modifiers == ["ctrl"]:
        return f"^{key}"
    if len(key) > 1 and key[0] == "f" and key[1:].isdigit():
        key = key.upper()
    return "+".join((*modifiers, key))


def keys_of(action: Action, keymap: Mapping[str, str]) -> tuple[str, ...]:
    """The keys of an action, as the user may have remapped them."""
    raw = keymap.get(action.id, action.keys)
    return tuple(key_text(key.strip()) for key in raw.split(",") if key.strip())


class KeyLine(Widget):
    """One line. Keys that do nothing now are left out."""

    COMPONENT_CLASSES = {"keyline--key"}  # noqa: RUF012 (Textual's own type is a set)

    class Clicked(Message):
        def __init__(self, action: str) -> None:
            super().__init__()
            self.action = action

    def __init__(self) -> None:
        super().__init__(id="keyline")
        self._enabled: frozenset[str] = frozenset()
        self._keymap: Mapping[str, str] = {}
        self._spans: list[tuple[int, int, str]] = []
        self._status = ""

    def load(self, enabled: frozenset[str], keymap: Mapping[str, str]) -> None:
        if enabled != self._enabled or keymap != self._keymap:
            self._enabled, self._keymap = enabled, keymap
            self.refresh()

    def set_status(self, text: str) -> None:
        """What stands at the right end, where the keys leave room for it."""
        if text != self._status:
            self._status = text
            self.refresh()

    def _items(self, width: int) -> list[tuple[str, str, str]]:
        items = []
        for action in (*(a for a in ACTIONS if a.footer and a.id not in ALWAYS),):
            if action.id in self._enabled:
                items.append((action.id, self._first_key(action), action.label))
        last = [(i, self._first_key(BY_ID[i]), BY_ID[i].label) for i in ALWAYS]
        room = width - sum(_width(item) for item in last) - 1
        shown = []
        for item in items:
            room -= _width(item)
            if room < 0:
                break
            shown.append(item)
        return [*shown, *last]

    def _first_key(self, action: Action) -> str:
        keys = keys_of(action, self._keymap)
        return keys[0] if keys else ""

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        base = self.rich_style
        key_style = part_style(self, "keyline--key")
        self._spans = []
        made: list[Segment] = []
        at = 0
        for item in self._items(width):
            self._spans.append((at, at + _width(item), item[0]))
            made += [Segment(f" {item[1]}", key_style), Segment(f" {item[2]} ")]
            at += _width(item)
        room = width - at - 1
        if len(self._status) < room:
            made.append(Segment(f"{self._status:>{room}}"))
        return Strip(made).extend_cell_length(width).crop(0, width).apply_style(base)

    def on_click(self, event: events.Click) -> None:
        for start, end, action in self._spans:
            if start <= event.x < end:
                self.post_message(self.Clicked(action))


def _width(item: tuple[str, str, str]) -> int:
    return len(item[1]) + len(item[2]) + 3
