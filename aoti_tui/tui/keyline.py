"""The line of keys at the bottom: what works here and now, as many as fit, clickable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from aoti_tui.tui.actions import ACTIONS, BY_ID, Action
from aoti_tui.tui.parts import part_style

_SHOWN = {
    "question_mark": "?",
    "exclamation_mark": "!",
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
GIVES_WAY = ("jump_mode", "paste_log", "step_back", "breakpoint", "next_failing")
"""Left out first where there is no room, in this order."""


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


ROOMY, TIGHT = "  ", " "
"""Between two keys."""


@dataclass(frozen=True, slots=True)
class _Item:
    action: str
    key: str
    label: str

    @property
    def width(self) -> int:
        return len(self.key) + 1 + len(self.label)


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
        self._first: tuple[str, ...] = ()
        self._keymap: Mapping[str, str] = {}
        self._spans: list[tuple[int, int, str]] = []
        self._status = ""

    def load(
        self, enabled: frozenset[str], keymap: Mapping[str, str], first: tuple[str, ...] = ()
    ) -> None:
        """``first`` are actions that matter here and now, besides those that always do."""
        made_for = (self._enabled, self._keymap, self._first)
        if (enabled, keymap, first) != made_for:
            self._enabled, self._keymap, self._first = enabled, keymap, first
            self.refresh()

    def set_status(self, text: str) -> None:
        """What stands at the right end, where the keys leave room for it."""
        if text != self._status:
            self._status = text
            self.refresh()

    def _items(self, width: int) -> tuple[list[_Item], str]:
        """The keys that are shown, and what stands between two of them."""
        usual = [a.id for a in ACTIONS if a.footer and a.id not in (*ALWAYS, *self._first)]
        shown = [name for name in (*self._first, *usual) if name in self._enabled]
        items = [self._item(name) for name in (*shown, *ALWAYS)]
        if _width(items, ROOMY) <= width:
            return items, ROOMY
        items = [self._item(name, short=True) for name in (*shown, *ALWAYS)]
        # What matters here and now stays until nothing else is left to give way.
        for name in (*(n for n in GIVES_WAY if n not in self._first), *reversed(shown)):
            if _width(items, TIGHT) <= width:
                break
            items = [item for item in items if item.action != name]
        return items, TIGHT

    def _item(self, name: str, *, short: bool = False) -> _Item:
        action = BY_ID[name]
        label = action.short if short and action.short else action.label
        return _Item(name, self._first_key(action), label)

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
        items, gap = self._items(width)
        for item in items:
            start, at = at, at + item.width + len(gap)
            self._spans.append((start, at, item.action))
            made += [Segment(f" {item.key}", key_style), Segment(f" {item.label}{gap[1:]}")]
        room = width - at - 1
        if len(self._status) < room:
            made.append(Segment(f"{self._status:>{room}}"))
        return Strip(made).extend_cell_length(width).crop(0, width).apply_style(base)

    def on_click(self, event: events.Click) -> None:
        for start, end, action in self._spans:
            if start <= event.x < end:
                self.post_message(self.Clicked(action))


def _width(items: Sequence[_Item], gap: str) -> int:
    """Cells of the line, which begins with a blank, as far as the last label."""
    return sum(item.width + len(gap) for item in items) - len(gap) + 1
