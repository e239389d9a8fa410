"""The line of tabs: panes that do not all fit, reached by digit or click."""

from __future__ import annotations

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from aoti_tui.tui.parts import part_style

NAMES = {
    "source": "Source",
    "call": "Call",
    "chain": "Chain",
    "out": "Output",
    "run": "Run",
    "nav": "Navigator",
}

_NAMED = sum(len(name) + 4 for name in NAMES.values())
"""Columns from which on every tab has its name."""


class TabLine(Widget):
    """``1 Source  2 Call  [3 Chain] …``; brackets mark what is seen."""

    COMPONENT_CLASSES = {"tabs--on", "tabs--off"}  # noqa: RUF012 (Textual's own type is a set)

    class Picked(Message):
        def __init__(self, pane: str) -> None:
            super().__init__()
            self.pane = pane

    class NoteClicked(Message):
        """The user wants the lines that the note speaks of."""

    def __init__(self) -> None:
        super().__init__(id="tabs")
        self._tabs: tuple[str, ...] = ()
        self._seen: frozenset[str] = frozenset()
        self._note = ""
        self._status = ""
        self._spans: list[tuple[int, int, str]] = []

    def load(self, tabs: tuple[str, ...], seen: frozenset[str], note: str = "") -> None:
        self._tabs, self._seen, self._note = tabs, seen, note
        self.display = bool(tabs) or bool(note)
        self.refresh()

    def set_status(self, text: str) -> None:
        """What stands at the right end, after the note, as far as there is room."""
        if text != self._status:
            self._status = text
            self.refresh()

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        on = part_style(self, "tabs--on")
        off = part_style(self, "tabs--off")
        made: list[Segment] = []
        self._spans = []
        at = 0
        for number, pane in enumerate(self._tabs, 1):
            seen = pane in self._seen
            name = f" {NAMES[pane]}" if seen or width >= _NAMED else ""
            label = f"[{number}{name}]" if seen else f" {number}{name} "
            made.append(Segment(label, on if seen else off))
            self._spans.append((at, at + len(label), pane))
            at += len(label)
        room = width - at - 2
        # Which data is looked at matters more than the process that computes it.
        data = self._status.partition(" · worker")[0]
        ends = (
            " · ".join(part for part in (self._note, self._status) if part),
            " · ".join(part for part in (self._note, data) if part),
            data,
            data.removeprefix("data: "),
            self._note,
        )
        end = next((end for end in ends if len(end) <= room), "")
        made.append(Segment(end.rjust(room + 1), off))
        return Strip(made).extend_cell_length(width).crop(0, width).apply_style(self.rich_style)

    def column_of(self, pane: str) -> int:
        """The first column of a pane's tab."""
        return next((start for start, _, name in self._spans if name == pane), 0)

    def on_click(self, event: events.Click) -> None:
        for start, end, pane in self._spans:
            if start <= event.x < end:
                self.post_message(self.Picked(pane))
                return
        if self._note:
            self.post_message(self.NoteClicked())
