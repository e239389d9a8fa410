"""The one screen: panes, their places, keys and messages. What they mean is decided elsewhere."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import ProgressBar

from aoti_tui.index.model import Kernel, Launch
from aoti_tui.replay.client import WorkerClient
from aoti_tui.replay.model import Program
from aoti_tui.session.kept.config import Config
from aoti_tui.session.kept.stops import Stops
from aoti_tui.session.listed.entries import Entry
from aoti_tui.session.source.document import SourceDocument
from aoti_tui.tui import tasks
from aoti_tui.tui.actions import BY_ID, bindings
from aoti_tui.tui.arranging import Arranging
from aoti_tui.tui.body import Body
from aoti_tui.tui.breaking import Breaking
from aoti_tui.tui.browsing import Browsing
from aoti_tui.tui.commands import Commands
from aoti_tui.tui.dialogs.reading import Reading
from aoti_tui.tui.explaining import Explaining
from aoti_tui.tui.greeting import Greeting
from aoti_tui.tui.keyline import KeyLine
from aoti_tui.tui.messages import (
    Diagnosed,
    ElementsRead,
    Opened,
    Progressed,
    Refused,
    Replayed,
    Said,
    SymbolsKnown,
    UpstreamFound,
    WorkerReady,
    WriterFound,
)
from aoti_tui.tui.origins import Origins
from aoti_tui.tui.palette import EverythingProvider
from aoti_tui.tui.panes.callsite import CallSite
from aoti_tui.tui.panes.chain import Chain
from aoti_tui.tui.panes.headline import Headline
from aoti_tui.tui.panes.lanes import LaneGrid
from aoti_tui.tui.panes.message_line import MessageLine
from aoti_tui.tui.panes.navigator import Navigator
from aoti_tui.tui.panes.pane import Pane
from aoti_tui.tui.panes.run import RunPane
from aoti_tui.tui.panes.source import SourceView
from aoti_tui.tui.panes.table import TemporaryRows
from aoti_tui.tui.panes.timeline import Timeline
from aoti_tui.tui.replaying import Replaying
from aoti_tui.tui.request import OpenRequest
from aoti_tui.tui.searching import Searching
from aoti_tui.tui.status import status_text
from aoti_tui.tui.tabs import TabLine
from aoti_tui.tui.taking import Taking
from aoti_tui.tui.tensors import Tensors
from aoti_tui.tui.values import Values
from aoti_tui.tui.watching import Watching
from aoti_tui.tui.whatif import Settings
from aoti_tui.tui.writers import Writers


class SourcePane(Pane):
    def compose(self) -> ComposeResult:
        yield SourceView(SourceDocument((), path=""), id="source-view")


class MainScreen(Screen[int]):
    """Composes the panes, routes messages to :class:`Browsing` and :class:`Replaying`."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings()]
    # The panes decide what is focused first, not their order.
    AUTO_FOCUS = ""
    COMMANDS = {EverythingProvider}  # noqa: RUF012 (Textual's own type is a set)

    def __init__(
        self, request: OpenRequest, config: Config, client: WorkerClient | None = None
    ) -> None:
        super().__init__()
        self.request = request
        self.client = client
        self.config = config
        self.stops = Stops(str(request.wrapper.resolve()), config)
        self.arranging = Arranging(self)
        self.browsing = Browsing(self)
        self.searching = Searching(self)
        self.origins = Origins(self)
        self.replaying = Replaying(self, self.stops)
        self.values = Values(self)
        self.watching = Watching(self)
        self.taking = Taking(self)
        self.settings = Settings(self)
        self.breaking = Breaking(self)
        self.greeting = Greeting(self)
        self.writers = Writers(self)
        self.tensors = Tensors(self)
        self.commands = Commands(self)
        self.explaining = Explaining(self)
        self.handlers: dict[str, Callable[[], None]] = {
            **self._own_handlers(),
            **self.arranging.handlers(),
            **self.browsing.handlers(),
            **self.searching.handlers(),
            **self.origins.handlers(),
            **self.replaying.handlers(),
            **self.values.handlers(),
            **self.watching.handlers(),
            **self.taking.handlers(),
            **self.settings.handlers(),
            **self.breaking.handlers(),
            **self.writers.handlers(),
            **self.tensors.handlers(),
            **self.commands.handlers(),
            **self.explaining.handlers(),
        }
        self._marked_kernel: Kernel | None = None

    def _own_handlers(self) -> dict[str, Callable[[], None]]:
        return {
            "cancel": self.cancel,
            "suspend": lambda: self.app.action_suspend_process(),
            "redraw": self._redraw,
            "quit": lambda: self.app.exit(0),
        }

    def compose(self) -> ComposeResult:
        yield Headline()
        yield TabLine()
        with Body():
            yield Navigator()
            yield SourcePane(id="source", title="Source")
            yield Chain()
            yield CallSite()
            yield RunPane()
        yield ProgressBar(id="opening", show_eta=False)
        yield MessageLine()
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one(SourceView).focus()
        self.query_one(Headline).tell((f"Reading {self.request.wrapper} …",), failed=False)
        self.arranging.place_panes()
        tasks.open_incident(self)

    # -- layout -------------------------------------------------------------------------------

    def on_resize(self) -> None:
        self.arranging.place_panes()

    def focused_pane(self) -> str:
        """The id of the pane that has the focus, ``""`` for none."""
        node: Widget | None = self.focused
        for ancestor in node.ancestors_with_self if node is not None else ():
            if isinstance(ancestor, Pane):
                return str(ancestor.id)
        return ""

    def on_paste(self, event: events.Paste) -> None:
        """A log pasted anywhere is read as one; nothing else that is pasted is a command."""
        event.stop()
        if self.browsing.incident is None:
            self.say("The wrapper is still being read; paste the log again afterwards.")
        elif event.text.strip():
            tasks.bring_log(self, event.text)

    def on_descendant_focus(self) -> None:
        pane = self.focused_pane()
        if pane:
            self.arranging.focused(pane)

    # -- telling ------------------------------------------------------------------------------

    def tell_answer(self, lines: tuple[str, ...], *, failed: bool) -> None:
        self.query_one(Headline).tell(lines, failed=failed)
        self.arranging.place_panes()

    def say(self, text: str, *, bad: bool = False) -> None:
        """One message above the keys, until the next one; ``M`` shows all of them in full."""
        self.query_one(MessageLine).say(text, bad=bad)
        self.arranging.place_panes()

    @property
    def messages_said(self) -> list[str]:
        """All messages so far, oldest first."""
        return self.query_one(MessageLine).said

    def _redraw(self) -> None:
        self.app.refresh(layout=True)

    @property
    def given(self) -> str:
        """Where the data of a replay will come from."""
        if self.request.inputs is not None:
            return f"inputs of {self.request.inputs.name}"
        return "MADE-UP, no inputs are given (O reads them from a .pt file)"

    def refresh_keys(self) -> None:
        enabled = frozenset(name for name in BY_ID if not self._unmet(name))
        self.query_one(KeyLine).load(enabled, self.config.keymap)
        self.show_status()

    def show_status(self) -> None:
        """Say where the data comes from and what the worker does: in the line of tabs, or where
        there is none beside the keys."""
        text = status_text(self)
        tabs = self.query_one(TabLine)
        tabs.set_status(text)
        self.query_one(KeyLine).set_status("" if tabs.display else text)

    # -- actions ------------------------------------------------------------------------------

    def action_act(self, name: str) -> None:
        """Do an action of the registry, or say why it does nothing now."""
        unmet = self._unmet(name)
        if unmet:
            self.say(f"{BY_ID[name].label}: {unmet}")
            return
        try:
            self.handlers[name]()
        except Exception as error:
            # An hour of an incident must not be lost to one key that has a fault.
            where = traceback.extract_tb(error.__traceback__)[-1]
            self.say(
                f"{BY_ID[name].label} met a fault of aoti-tui itself: {type(error).__name__}: "
                f"{error} ({Path(where.filename).name}:{where.lineno}). Everything else goes on; "
                "please report it with the wrapper.",
                bad=True,
            )
        self.refresh_keys()

    def _unmet(self, name: str) -> str:
        needs = BY_ID[name].needs
        if needs and self.browsing.incident is None:
            return "the wrapper is still being read."
        if needs == "failure" and self.browsing.failure is None:
            return "no failure is open; p pastes a log, o reads one from a file."
        if needs == "recording" and self.replaying.recording is None:
            return "nothing has been run yet; c runs the kernel."
        return ""

    def cancel(self) -> None:
        if self.replaying.running:
            tasks.cancel_replay(self)
            self.say("Cancelling the replay …")
        elif self.focused_pane() == "run" and self.query_one(RunPane).clear_filter():
            self.query_one(TemporaryRows).focus()
        elif self.arranging.view.maximized:
            self.arranging.change(maximized="")
        else:
            self.say("")

    def go_to(self, entry: Entry) -> None:
        """Go to what an entry stands for; on a narrow screen bring its source to the front."""
        self.browsing.choose(entry)
        if self.size.width < 100:
            self.arranging.open_pane("source")

    def start_replay(self, launch: Launch, program: Program | None) -> None:
        if self.size.width < 100 or self.arranging.view.side not in ("run",):
            self.arranging.change(side="run")
        tasks.replay(self, launch, program, search=not self.browsing.launch_chosen)

    def replay_arrived(self) -> None:
        """Make room for the recording; on a narrow screen bring it to the front."""
        self.arranging.change(replaying=True)
        if self.size.width < 100 and self.focused_pane() == "source":
            self.arranging.open_pane("run")

    def show_report(self, text: str, path: str) -> None:
        self.say(f"The report is {path}, and copied.")
        self.app.push_screen(Reading("Report", text))

    def close(self) -> None:
        """End the worker; the screen is left."""
        if self.browsing.incident is not None:
            self.browsing.incident.close()

    # -- messages of threads ------------------------------------------------------------------

    @on(Progressed)
    def _progressed(self, event: Progressed) -> None:
        if event.replay:
            if self.replaying.running:
                self.query_one(RunPane).progress(event.text, event.done)
            return
        bar = self.query_one("#opening", ProgressBar)
        bar.update(total=100, progress=100 * (event.done or 0))
        self.query_one(Headline).tell(
            (f"Reading {self.request.wrapper}: {event.text}",), failed=False
        )

    @on(Opened)
    def _opened(self, event: Opened) -> None:
        self.query_one("#opening", ProgressBar).display = False
        before = self.browsing.incident
        if before is not None and before.given is not event.incident.given:
            self.replaying.forget()
        self.browsing.load(event.incident)
        self.replaying.show()
        self.arranging.place_panes()
        tasks.settle()
        if self.request.warm_up:
            tasks.warm_up(self)
        self.greeting.opened(event.told)

    @on(Refused)
    def _refused(self, event: Refused) -> None:
        self.query_one("#opening", ProgressBar).display = False
        if event.fatal:
            self.app.exit(2, message=f"{event.what}: {event.why}.\n{event.do}")
            return
        text = f"{event.what}: {event.why.rstrip('.')}. {event.do}"
        if event.replay:
            self.replaying.failed()
            self.query_one(RunPane).tell(text)
        self.say(text, bad=True)
        self.arranging.place_panes()

    @on(Replayed)
    def _replayed(self, event: Replayed) -> None:
        self.browsing.show_trial(event.trial)
        self.replaying.finished(event.outcome)
        self.settings.learned(event.outcome.symbols)
        tasks.settle()

    @on(WorkerReady)
    def _worker_ready(self) -> None:
        self.show_status()

    @on(Said)
    def _told(self, event: Said) -> None:
        self.say(event.text)

    @on(SymbolsKnown)
    def _symbols(self, event: SymbolsKnown) -> None:
        self.settings.open_dialog(event.symbols)

    @on(ElementsRead)
    def _elements(self, event: ElementsRead) -> None:
        self.tensors.show(event.elements)

    @on(UpstreamFound)
    def _upstream(self, event: UpstreamFound) -> None:
        self.writers.arrived(event.found)

    @on(WriterFound)
    def _writer(self, event: WriterFound) -> None:
        self.writers.found(event.written)

    @on(Diagnosed)
    def _diagnosed(self, event: Diagnosed) -> None:
        self.browsing.replace_failure(event.before, event.after)

    # -- messages of panes --------------------------------------------------------------------

    @on(SourceView.CursorMoved)
    def _cursor(self, event: SourceView.CursorMoved) -> None:
        view = self.query_one(SourceView)
        kernel = view.document.kernel_at(event.line)
        # The gutter has the line numbers: a title that changed with each would repaint the pane.
        self.query_one("#source", Pane).set_title(
            f"Source {view.document.path.rsplit('/', 1)[-1]}", kernel.name if kernel else ""
        )
        if kernel is not self._marked_kernel:
            self._marked_kernel = kernel
            self.replaying.mark()

    @on(SourceView.Followed)
    def _followed(self, event: SourceView.Followed) -> None:
        self.browsing.follow(event.line, event.name)

    @on(SourceView.GutterClicked)
    def _gutter(self, event: SourceView.GutterClicked) -> None:
        self.breaking.toggle_on_line(event.line)

    @on(Chain.Chosen)
    def _chain(self, event: Chain.Chosen) -> None:
        self.browsing.follow_node(event.node)

    @on(CallSite.Chosen)
    def _argument(self, event: CallSite.Chosen) -> None:
        self.browsing.follow(event.line, event.name)

    @on(Navigator.Chosen)
    def _entry(self, event: Navigator.Chosen) -> None:
        self.go_to(event.entry)

    @on(Navigator.Removed)
    def _remove(self, event: Navigator.Removed) -> None:
        self.breaking.remove(event.entry)

    @on(RunPane.Picked)
    def _temporary(self, event: RunPane.Picked) -> None:
        self.values.pick(event.name, event.follow)

    @on(TemporaryRows.Removed)
    def _watch_removed(self, event: TemporaryRows.Removed) -> None:
        self.watching.remove(event.expression)

    @on(LaneGrid.Selected)
    def _lane(self, event: LaneGrid.Selected) -> None:
        self.values.select_lane(event.lane)

    @on(Timeline.Moved)
    def _moved(self, event: Timeline.Moved) -> None:
        self.replaying.move_to(event.position)

    @on(Body.Dragged)
    def _divider(self, event: Body.Dragged) -> None:
        self.arranging.move(event.divider, event.to)

    @on(Body.Dropped)
    def _divider_left(self) -> None:
        self.arranging.keep()

    @on(Body.TitleChosen)
    def _title(self, event: Body.TitleChosen) -> None:
        self.arranging.open_pane(event.pane)
        self.arranging.toggle_zoom(event.pane)

    @on(Headline.Clicked)
    @on(TabLine.NoteClicked)
    def _answer(self) -> None:
        self.action_act("answer")

    @on(TabLine.Picked)
    def _tab(self, event: TabLine.Picked) -> None:
        self.arranging.open_pane(event.pane)

    @on(KeyLine.Clicked)
    def _key(self, event: KeyLine.Clicked) -> None:
        self.action_act(event.action)
