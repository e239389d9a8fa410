"""The run pane: status, timeline, temporaries and lanes of a replayed program."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.message import Message
from textual.widgets import ProgressBar, Static

from aoti_tui.replay.model import Block, Recording
from aoti_tui.session.shown import RunView
from aoti_tui.session.values.filter import HINT
from aoti_tui.session.values.formats import FORMATS
from aoti_tui.session.values.lanes import Lane
from aoti_tui.tui.panes.lanes import LaneGrid, LaneLegend, needed_rows
from aoti_tui.tui.panes.pane import Pane
from aoti_tui.tui.panes.preamble import LEAST, cut, most_rows, short_status
from aoti_tui.tui.panes.rows import Rows
from aoti_tui.tui.panes.table import TableFilter, TemporaryRows
from aoti_tui.tui.panes.timeline import Timeline

GRID_PERCENT = 40
LEAST_GRID = 4
LEAST_TABLE = 5
"""Rows of lane grid and table, their headers among them."""


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
        self._words = ""
        self._bad = False
        self._urgent = False
        """The words are of what happens now, not of what the replay found."""
        self._needed = 0
        self._measured: Recording | None = None
        self._measured_width = 0

    def compose(self) -> ComposeResult:
        yield Static("", id="run-status", markup=False)
        yield ProgressBar(id="run-progress", show_eta=False)
        yield Static("", id="run-message", markup=False)
        yield Timeline()
        yield TableFilter(placeholder=HINT, id="run-filter", compact=True)
        yield TemporaryRows(id="run-rows")
        yield Static("", id="run-expression", markup=False)
        yield LaneGrid(id="run-lanes")
        yield LaneLegend(id="run-legend")

    def on_mount(self) -> None:
        self.query_one(ProgressBar).display = False
        self.query_one(TableFilter).display = False

    def on_resize(self) -> None:
        self._lay_words()
        self._lay_grid()
        self._tell_title()

    def focus_content(self) -> None:
        rows = self.query_one(TemporaryRows)
        (rows if rows.display else self).focus()

    def load(self, view: RunView) -> None:
        self.view = view
        self._words = view.message
        self._bad = view.bad
        self._urgent = False
        self._lay_words()
        recorded = view.count > 0
        timeline = self.query_one(Timeline)
        timeline.display = recorded
        timeline.load(view.count, view.position, view.failing, view.asserts, view.stops)
        rows = self.query_one(TemporaryRows)
        rows.display = recorded
        rows.load(view.temporaries, view.selected)
        # Before anything ran there is no row that could hold the focus of the pane.
        waited = self.has_focus
        self.can_focus = not recorded
        if waited and recorded:
            rows.focus()
        grid = self.query_one(LaneGrid)
        # A step without lanes to show leaves their place as it is: nothing jumps.
        grid.display = recorded
        grid.load(view.lanes)
        self._lay_grid()
        legend = self.query_one(LaneLegend)
        legend.load(view.lanes)
        legend.display = legend.display and not self._low
        self._tell_title()

    def _tell_title(self) -> None:
        view, rows = self.view, self.query_one(TemporaryRows)
        filtered = f" {rows.found} of {rows.count}" if rows.filter.strip() and rows.display else ""
        told = ""
        if view is not None and view.lanes is not None:
            told = f"{view.lanes.name}{' locked' if view.locked else ''}"
            told += f" lane {_lane(view.lanes.lane)}"
        elif view is not None and view.locked:
            told = f"{view.selected} locked: no value here"
        if view is not None and self._low:
            filtered += f" · {view.status.partition(' · ')[0]} (M: all)"
        self.set_title(f"Run{filtered}", told)

    @property
    def _low(self) -> bool:
        """Whether there is no row for the words that stand above the values."""
        return self.view is not None and self.view.count > 0 and 0 < self.size.height < LEAST

    def _lay_words(self) -> None:
        """Give status and message the rows that leave room for the values they speak of."""
        status = self.view.status if self.view is not None else ""
        first, second, third = most_rows(self.size.height)
        if self.view is None or not self.view.count:
            first, second = 12, 12  # nothing else is there
        width = self.size.width - 2
        status = short_status(status, width)
        shown = self.query_one("#run-status", Static)
        shown.display = first > 0
        shown.update(cut(status, first, width, self.app.console))
        message = self.query_one("#run-message", Static)
        second = max(second, int(self._urgent))
        message.display = bool(self._words) and second > 0
        message.set_class(self._bad, "-bad")
        message.update(cut(self._words, second, width, self.app.console))
        shown = self.query_one("#run-expression", Static)
        text = self.view.expression if self.view is not None else ""
        shown.display = bool(text)
        shown.update(cut(text, third, width, self.app.console))

    def _lay_grid(self) -> None:
        """Give the lanes the rows that the largest block of the recording needs, within limits;
        the table has the rest."""
        recording, height = self.view.recording if self.view else None, self.size.height
        if recording is None or not height:
            return
        if self._measured is not recording or self._measured_width != self.size.width:
            blocks = (s.value for s in recording.steps if isinstance(s.value, Block))
            self._needed = needed_rows(blocks, self.size.width)
            self._measured, self._measured_width = recording, self.size.width
        # Besides them there are the border, the timeline, the legend, and the words.
        room = height - 4 - sum(most_rows(height))
        most = min(height * GRID_PERCENT // 100, room - max(LEAST_TABLE, room // 2))
        most = max(LEAST_GRID, most)
        self.query_one(LaneGrid).styles.height = min(self._needed, most)

    def progress(self, text: str, done: float | None) -> None:
        """Show a running replay; ``done`` from 0 to 1, None while that is not known."""
        bar = self.query_one(ProgressBar)
        bar.display = True
        bar.update(total=None if done is None else 100, progress=0 if done is None else 100 * done)
        self._words, self._bad, self._urgent = f"{text} (escape cancels)", False, True
        self._lay_words()

    def tell(self, text: str) -> None:
        """Say why a replay could not go on, until the next one."""
        self._words, self._bad, self._urgent = text, True, True
        self._lay_words()

    @property
    def words(self) -> str:
        """Status, message and expression in full."""
        status, text = (self.view.status, self.view.expression) if self.view else ("", "")
        return "\n".join(part for part in (status, self._words, text) if part)

    # -- how the table is shown -----------------------------------------------------------------

    def open_filter(self) -> None:
        """Show the filter line and put the cursor into it."""
        line = self.query_one(TableFilter)
        line.display = True
        line.focus()

    def clear_filter(self) -> bool:
        """Show all temporaries again; False when they were shown already."""
        line = self.query_one(TableFilter)
        if not line.display:
            return False
        line.value = ""
        line.display = False
        self.query_one(TemporaryRows).set_filter("")
        self._tell_title()
        return True

    def next_format(self) -> str:
        """Show numbers in the next format; gives its name."""
        rows = self.query_one(TemporaryRows)
        how = FORMATS[(FORMATS.index(rows.format) + 1) % len(FORMATS)]
        rows.set_format(how)
        self.query_one(LaneGrid).set_format(how)
        return how

    @on(TableFilter.Changed, "#run-filter")
    def _filter(self, event: TableFilter.Changed) -> None:
        event.stop()
        self.query_one(TemporaryRows).set_filter(event.value)
        self._tell_title()

    @on(TableFilter.Left)
    def _filter_left(self, event: TableFilter.Left) -> None:
        event.stop()
        if event.clear or not self.query_one(TableFilter).value.strip():
            self.clear_filter()
        self.query_one(TemporaryRows).focus()

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
