"""The timeline: all steps of a recording as one bar, with the position to drag or type."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from aoti_tui.tui.parts import part_style


class Timeline(Widget, can_focus=True):
    """One line: ``━`` steps done, ``─`` steps to come, ``●`` breakpoints, ``◇`` asserts that
    hold, ``✗`` asserts that fail, ``▼`` the position."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "timeline--done",
        "timeline--todo",
        "timeline--failing",
        "timeline--stop",
        "timeline--here",
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "by(-1)", "One step back", show=False),
        Binding("right,l", "by(1)", "One step on", show=False),
        Binding("home", "to(0)", "First step", show=False),
        Binding("end", "to(-1)", "Last step", show=False),
        Binding("enter", "typed", "Go to the typed step", show=False),
    ]
    HELP = (
        "All steps of the recorded program. Drag or click to move, ←→ one step, type a number "
        "and Enter to go to that step. ● breakpoint, ◇ assert that holds, ✗ assert that fails."
    )

    class Moved(Message):
        def __init__(self, position: int) -> None:
            super().__init__()
            self.position = position

    def __init__(self) -> None:
        super().__init__(id="timeline")
        self.count = 0
        self.position = -1
        self.failing: Collection[int] = frozenset()
        self.asserts: Collection[int] = frozenset()
        self.stops: Collection[int] = frozenset()
        self._typed = ""

    def load(
        self,
        count: int,
        position: int,
        failing: Collection[int],
        asserts: Collection[int],
        stops: Collection[int],
    ) -> None:
        """Show ``count`` steps; the others are positions of steps."""
        self.count, self.position = count, position
        self.failing, self.asserts, self.stops = failing, asserts, stops
        self.refresh()

    def _cell(self, position: int, width: int) -> int:
        return 0 if self.count < 2 else position * (width - 1) // (self.count - 1)

    def render_line(self, y: int) -> Strip:
        base = self.rich_style
        label = f" {self._typed}_" if self._typed else f" {self.position + 1}/{self.count}"
        width = max(4, self.size.width - len(label))
        if not self.count:
            return Strip.blank(self.size.width, base)
        here = self._cell(max(0, self.position), width)
        cells = ["━" if at < here else "─" for at in range(width)]
        parts = ["done" if at < here else "todo" for at in range(width)]
        marks = (
            (self.asserts, "◇", "todo"),
            (self.stops, "●", "stop"),
            (self.failing, "✗", "failing"),
        )
        for positions, sign, part in marks:
            for position in positions:
                at = self._cell(position, width)
                cells[at], parts[at] = sign, part
        if cells[here] not in "✗●":
            cells[here] = "▼"
        parts[here] = "here"
        styles = {part: part_style(self, f"timeline--{part}") for part in set(parts)}
        made = [Segment(cell, styles[part]) for cell, part in zip(cells, parts, strict=True)]
        return Strip([*made, Segment(label)]).crop(0, self.size.width).apply_style(base)

    def _move(self, position: int) -> None:
        position = max(0, min(position, self.count - 1))
        if self.count and position != self.position:
            self.post_message(self.Moved(position))

    def action_by(self, steps: int) -> None:
        self._move(self.position + steps)

    def action_to(self, position: int) -> None:
        self._move(self.count - 1 if position < 0 else position)

    def action_typed(self) -> None:
        typed, self._typed = self._typed, ""
        if typed:
            self._move(int(typed) - 1)
        self.refresh()

    def on_key(self, event: events.Key) -> None:
        if event.character and event.character in "0123456789":
            self._typed = (self._typed + event.character)[-6:]
        elif event.key == "backspace" and self._typed:
            self._typed = self._typed[:-1]
        else:
            return
        event.stop()
        event.prevent_default()
        self.refresh()

    def on_blur(self) -> None:
        self._typed = ""

    def _position_of(self, x: int) -> int:
        width = max(4, self.size.width - len(f" {self.position + 1}/{self.count}"))
        return round(x * (self.count - 1) / max(1, width - 1))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self.capture_mouse()
        self._move(self._position_of(event.x))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self.app.mouse_captured is self:
            self._move(self._position_of(event.x))

    def on_mouse_up(self) -> None:
        self.release_mouse()
