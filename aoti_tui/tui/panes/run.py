"""The run pane: status, timeline, temporaries and lanes of a replayed program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import ProgressBar, Static

from aoti_tui.tui.lane_view import Lane, LaneView
from aoti_tui.tui.panes.lanes import LaneGrid, LaneLegend
from aoti_tui.tui.panes.pane import Pane
from aoti_tui.tui.panes.rows import Row, Rows
from aoti_tui.tui.panes.timeline import Timeline
from aoti_tui.tui.stepping import Temporary
from aoti_tui.tui.text import fit, plain, visible


@dataclass(frozen=True, slots=True)
class RunView:
    """Everything the pane shows at one position."""

    status: str
    """Worker, data source, program: always visible."""
    message: str = ""
    """Why the program stands here, or what the replay found."""
    bad: bool = False
    """``message`` tells of a failure."""
    expression: str = ""
    temporaries: tuple[Temporary, ...] = ()
    selected: str = ""
    lanes: LaneView | None = None
    count: int = 0
    position: int = -1
    failing: frozenset[int] = field(default_factory=frozenset)
    asserts: frozenset[int] = field(default_factory=frozenset)
    stops: frozenset[int] = field(default_factory=frozenset)


class TemporaryRows(Rows):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "sort", "Sort", show=False),
        Binding("x", "pin", "Pin", show=False),
    ]
    HELP = (
        "The temporaries assigned so far: value in the selected lane, then minimum, maximum, NaN "
        "and distinct values over all lanes. ✱ changed with this step. r sorts by newest, name "
        "or line; x pins a name to the top; Enter goes to the step that made it."
    )
    ORDERS = ("line", "newest", "name")

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.order = "line"
        self.pinned: set[str] = set()
        self._temporaries: tuple[Temporary, ...] = ()

    def load(self, temporaries: tuple[Temporary, ...], selected: str) -> None:
        self._temporaries = temporaries
        ordered = list(temporaries)
        if self.order == "newest":
            ordered.sort(key=lambda t: -t.position)
        elif self.order == "name":
            ordered.sort(key=lambda t: t.name)
        ordered.sort(key=lambda t: (t.dtype != "watch", t.name not in self.pinned))
        heading = Row(_heading, selectable=False, heading=True)
        rows = [Row(_draw(t, t.name in self.pinned), t.name, strong=t.changed) for t in ordered]
        self.set_rows([heading, *rows], keep=selected)

    def action_sort(self) -> None:
        at = self.ORDERS.index(self.order)
        self.order = self.ORDERS[(at + 1) % len(self.ORDERS)]
        self.load(self._temporaries, self._key())

    def action_pin(self) -> None:
        self.pinned ^= {self._key()}
        self.load(self._temporaries, self._key())

    def _key(self) -> str:
        return str(self.current.key) if self.current is not None else ""


class RunPane(Pane):
    """Shows :class:`RunView`. Posts what the user picks in it."""

    HELP = (
        "The kernel replayed in Triton's interpreter. c runs or continues, C runs back, n and N "
        "step, s enters a helper, f leaves it, t runs to the cursor, ] and [ select failing "
        "lanes, = sets a symbol, P picks a program, escape cancels."
    )

    class Picked(Message):
        """A temporary was highlighted (``follow``: chosen)."""

        def __init__(self, name: str, follow: bool) -> None:
            super().__init__()
            self.name = name
            self.follow = follow

    def __init__(self) -> None:
        super().__init__(id="run", title="Run")
        self.view: RunView | None = None

    def compose(self) -> ComposeResult:
        yield Static("", id="run-status", markup=False)
        yield ProgressBar(id="run-progress", show_eta=False)
        yield Static("", id="run-message", markup=False)
        yield Timeline()
        yield TemporaryRows(id="run-rows")
        yield Static("", id="run-expression", markup=False)
        yield LaneGrid(id="run-lanes")
        yield LaneLegend(id="run-legend")

    def on_mount(self) -> None:
        self.query_one(ProgressBar).display = False

    def on_resize(self) -> None:
        # What was found must leave room for the values that show it.
        self.query_one("#run-message").styles.max_height = max(2, self.size.height // 4)

    def focus_content(self) -> None:
        self.query_one(TemporaryRows).focus()

    def load(self, view: RunView) -> None:
        self.view = view
        self.query_one("#run-status", Static).update(plain(view.status))
        message = self.query_one("#run-message", Static)
        message.update(plain(view.message))
        message.display = bool(view.message)
        message.set_class(view.bad, "-bad")
        recorded = view.count > 0
        timeline = self.query_one(Timeline)
        timeline.display = recorded
        timeline.load(view.count, view.position, view.failing, view.asserts, view.stops)
        rows = self.query_one(TemporaryRows)
        rows.display = recorded
        rows.load(view.temporaries, view.selected)
        expression = self.query_one("#run-expression", Static)
        expression.display = bool(view.expression)
        expression.update(plain(view.expression))
        grid = self.query_one(LaneGrid)
        grid.display = view.lanes is not None
        grid.load(view.lanes)
        self.query_one(LaneLegend).load(view.lanes)
        lane = view.lanes
        self.set_title("Run", f"{lane.name} lane {_lane(lane.lane)}" if lane else "")

    def progress(self, text: str, done: float | None) -> None:
        """Show a running replay; ``done`` from 0 to 1, None while that is not known."""
        bar = self.query_one(ProgressBar)
        bar.display = True
        bar.update(total=None if done is None else 100, progress=0 if done is None else 100 * done)
        message = self.query_one("#run-message", Static)
        message.display = True
        message.set_class(False, "-bad")
        message.update(plain(f"{text} (escape cancels)"))

    def tell(self, text: str) -> None:
        """Say why a replay could not go on, until the next one."""
        message = self.query_one("#run-message", Static)
        message.display = True
        message.set_class(True, "-bad")
        message.update(plain(text))

    def idle(self) -> None:
        self.query_one(ProgressBar).display = False

    @on(Rows.Highlighted, "#run-rows")
    def _highlighted(self, event: Rows.Highlighted) -> None:
        event.stop()
        self.post_message(self.Picked(str(event.row.key), False))

    @on(Rows.Chosen, "#run-rows")
    def _chosen(self, event: Rows.Chosen) -> None:
        event.stop()
        self.post_message(self.Picked(str(event.row.key), True))


def _lane(lane: Lane) -> str:
    return "[" + ", ".join(str(at) for at in lane) + "]"


def _widths(width: int) -> tuple[int, int, int, int, int]:
    """Name, dtype, shape, value, summary."""
    name = 10 if width < 50 else 13 if width < 80 else 18
    dtype = 7
    sizes = 0 if width < 44 else 9
    value = 9 if width < 70 else 14
    return name, dtype, sizes, value, max(0, width - name - dtype - sizes - value - 5)


def _columns(cells: tuple[str, ...], width: int) -> Text:
    text = Text(end="")
    for cell, room in zip(cells, _widths(width), strict=True):
        if room > 0:
            text.append(fit(visible(cell), room) + " ")
    return text


def _heading(width: int) -> Text:
    return _columns(("  name", "dtype", "shape", "this lane", "all lanes"), width)


def _draw(temporary: Temporary, pinned: bool) -> Callable[[int], Text]:
    sign = "✱" if temporary.changed else "⊤" if pinned else " "
    value = temporary.value + (" ·" if temporary.masked else "")
    if temporary.dtype == "watch":
        # An expression and its value need all the room there is.
        return lambda width: Text(fit(visible(f"  {temporary.name} = {value}"), width), end="")
    cells = (
        f"{sign} {temporary.name}",
        temporary.dtype,
        temporary.shape,
        value,
        temporary.summary,
    )
    return lambda width: _columns(cells, width)
