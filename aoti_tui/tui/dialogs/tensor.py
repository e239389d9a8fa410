"""The elements of a tensor as a grid: which of them failing lanes read, and what they hold."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from aoti_tui.artifacts.strides import flat_of, lane_of
from aoti_tui.replay.model import Block
from aoti_tui.replay.questions.elements import TensorElements
from aoti_tui.session.text import number, shape
from aoti_tui.session.values.lanes import Lane, LaneView, Words
from aoti_tui.tui.panes.lanes import LaneGrid, LaneLegend
from aoti_tui.tui.text import plain

WORDS = Words(failing="read by failing lanes", one="element")


class TensorView(ModalScreen[None]):
    """Shows what was read of a tensor; asks ``read`` for another part of a longer one.

    ``bad`` are the places, in the order of the dimensions, that failing lanes read.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,v", "leave", "Leave"),
        Binding("right_square_bracket", "next_bad(1)", "Next read by a failing lane"),
        Binding("left_square_bracket", "next_bad(-1)", "The one before"),
        Binding("enter", "typed", "Go to the typed element"),
        Binding("y", "copy", "Copy"),
    ]

    def __init__(
        self,
        elements: TensorElements,
        bad: Collection[int],
        *,
        about: str,
        read: Callable[[int], None],
    ) -> None:
        super().__init__()
        self.elements = elements
        self._bad = sorted(bad)
        self._about = about
        self._read = read
        self._at = self._bad[0] if self._bad else elements.start
        self._typed = ""

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog -tall") as dialog:
            dialog.border_title = Content(f"Elements of {self.elements.name}")
            dialog.border_subtitle = Content("arrows, ] [, number enter, m map, y, escape")
            yield Static(plain(self._about), id="tensor-about", markup=False)
            yield LaneGrid(id="tensor-grid")
            yield LaneLegend(id="tensor-legend")
            yield Static("", id="tensor-element", markup=False)

    def on_mount(self) -> None:
        self.query_one(LaneGrid).focus()
        self.show(self.elements)

    def show(self, elements: TensorElements) -> None:
        """Show this part of the tensor."""
        self.elements = elements
        self._load()

    @property
    def _whole(self) -> bool:
        return self.elements.start == 0 and len(self.elements.block) == self.elements.count

    def _load(self) -> None:
        found = self.elements
        read = found.block.values
        sizes = found.part
        marks: list[bool] = [False] * len(read) if self._bad else []
        for place in self._bad:
            if 0 <= place - found.start < len(read):
                marks[place - found.start] = True
        block = Block(found.dtype, sizes, read)
        view = LaneView(
            name=found.name,
            block=block,
            lane=self._lane(sizes),
            failing=marks,
            summary=found.summary,
            words=WORDS,
            first=found.start,
        )
        self.query_one(LaneGrid).load(view if len(read) else None)
        self.query_one(LaneLegend).load(view if len(read) else None)
        self._tell()

    def _lane(self, sizes: tuple[int, ...]) -> Lane:
        return lane_of(sizes, max(0, self._at - self.elements.start))

    def _tell(self) -> None:
        found = self.elements
        if not found.count:
            told = f"{found.dtype} {shape(found.shape)} has no elements."
        else:
            index = ", ".join(str(at) for at in lane_of(found.shape, self._at))
            value = number(found.block.values[self._at - found.start])
            told = f"{found.name}[{index}] = {value}   element {self._at} of {found.count}"
            if self._at in self._bad:
                told += "   ✗ read by a failing lane"
            if not self._whole:
                told += (
                    f"   shown: {found.start} to {found.start + len(found.block) - 1}; "
                    "type a number for others"
                )
        if self._typed:
            told = f"Go to element {self._typed}_"
        self.query_one("#tensor-element", Static).update(plain(told))

    def go(self, place: int) -> None:
        """Select an element by its place in the order of the dimensions."""
        found = self.elements
        if not found.count:
            return
        self._at = max(0, min(place, found.count - 1))
        if found.start <= self._at < found.start + len(found.block):
            self._load()
        else:
            self._read(self._at - len(found.block) // 2)

    @on(LaneGrid.Selected)
    def _selected(self, event: LaneGrid.Selected) -> None:
        event.stop()
        view = self.query_one(LaneGrid).view
        if view is not None:
            self.go(self.elements.start + flat_of(view.block.shape, event.lane))

    def action_next_bad(self, direction: int) -> None:
        if not self._bad:
            self.notify("No failing lane of the recorded program reads this tensor.", markup=False)
            return
        later = [at for at in self._bad if (at - self._at) * direction > 0]
        if direction > 0:
            self.go(later[0] if later else self._bad[0])
        else:
            self.go(later[-1] if later else self._bad[-1])

    def on_key(self, event: events.Key) -> None:
        if event.character and event.character in "0123456789":
            self._typed = (self._typed + event.character)[-18:]
        elif event.key == "backspace" and self._typed:
            self._typed = self._typed[:-1]
        else:
            return
        event.stop()
        self._tell()

    def action_typed(self) -> None:
        typed, self._typed = self._typed, ""
        if typed:
            self.go(int(typed))

    def action_copy(self) -> None:
        text = str(self.query_one("#tensor-element", Static).render())
        self.app.copy_to_clipboard(text)
        self.notify(f"Copied: {text}", markup=False, timeout=2)

    def action_leave(self) -> None:
        self.dismiss(None)
