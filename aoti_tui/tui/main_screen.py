"""The one screen: panes, their places, keys and messages. What they mean is decided elsewhere."""

from __future__ import annotations

import gc
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import ProgressBar, Static

from aoti_tui.answer.incident import Incident
from aoti_tui.answer.script import ScriptIncident
from aoti_tui.failure.prose.headline import Heading
from aoti_tui.replay.client import CANCEL_EVERY_SECONDS, WorkerClient
from aoti_tui.session.engine import Engine
from aoti_tui.session.kept.config import Config, init_file
from aoti_tui.session.kept.stops import Stops
from aoti_tui.session.listed.entries import Entry
from aoti_tui.session.needs import unmet
from aoti_tui.session.request import OpenRequest, RunRequest
from aoti_tui.session.session import Tell
from aoti_tui.session.source.document import SourceDocument
from aoti_tui.session.state import Place, State
from aoti_tui.session.values.formats import TOLD
from aoti_tui.session.values.watches import SIGN
from aoti_tui.tui import threads
from aoti_tui.tui.actions import ACTIONS, BY_ID, bindings
from aoti_tui.tui.arranging import LEAST_HEIGHT, LEAST_WIDTH, Arranging
from aoti_tui.tui.asking import Asking
from aoti_tui.tui.body import Body
from aoti_tui.tui.dialogs.reading import Reading
from aoti_tui.tui.explaining import Explaining
from aoti_tui.tui.greeting import Greeting
from aoti_tui.tui.host import Host
from aoti_tui.tui.keyline import KeyLine
from aoti_tui.tui.layout import MEDIUM
from aoti_tui.tui.observing import Observing
from aoti_tui.tui.palette import EverythingProvider
from aoti_tui.tui.panes.callsite import CallSite
from aoti_tui.tui.panes.chain import Chain
from aoti_tui.tui.panes.headline import Headline
from aoti_tui.tui.panes.lanes import LaneGrid
from aoti_tui.tui.panes.message_line import MessageLine
from aoti_tui.tui.panes.navigator import Navigator
from aoti_tui.tui.panes.output import OutputPane
from aoti_tui.tui.panes.pane import Pane
from aoti_tui.tui.panes.run import RunPane
from aoti_tui.tui.panes.source import SourceView
from aoti_tui.tui.panes.table import TemporaryRows
from aoti_tui.tui.panes.timeline import Timeline
from aoti_tui.tui.status import status_text
from aoti_tui.tui.tabs import TabLine
from aoti_tui.tui.taking import Taking
from aoti_tui.tui.tensors import Tensors

SHOWN_SECONDS = 0.1
"""How long a screen takes to be painted once the panes have their places, with room to spare."""

T = TypeVar("T")
_LABELS = {action.label.lower(): action.id for action in ACTIONS}


def _settle() -> None:
    """Look for garbage once, now that something large has come, and spare what is left the next
    searches: looking through an index or a recording again and again is felt as a stutter. What
    was spared before is looked through too, so that nothing is kept for good."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def _has_grown(state: State, before: State) -> bool:
    """Whether it is the same script as before, which went on."""
    return isinstance(state.incident, ScriptIncident) and before.incident is not None


class SourcePane(Pane):
    def compose(self) -> ComposeResult:
        yield SourceView(SourceDocument((), path=""), id="source-view")


class MainScreen(Host):
    """Composes the panes, maps keys to commands of the engine, and shows the state."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings()]
    # The panes decide what is focused first, not their order.
    AUTO_FOCUS = ""
    COMMANDS = {EverythingProvider}  # noqa: RUF012 (Textual's own type is a set)

    def __init__(
        self, request: OpenRequest | RunRequest, config: Config, client: WorkerClient | None = None
    ) -> None:
        super().__init__()
        self.request = request
        self.config = config
        stops = Stops(request.kept_as, config)
        self.greeting = Greeting(self)
        self.engine = Engine(request, stops, self, self, self.greeting.opened, client, init_file())
        self.observing = Observing(self, self.engine)
        self.arranging = Arranging(self)
        self.asking = Asking(self)
        self.tensors = Tensors(self)
        self.handlers: dict[str, Callable[[], None]] = {
            **self._own_handlers(),
            **self._engine_handlers(),
            **self.arranging.handlers(),
            **self.asking.handlers(),
            **Taking(self).handlers(),
            **self.tensors.handlers(),
            **Explaining(self).handlers(),
        }

    def _own_handlers(self) -> dict[str, Callable[[], None]]:
        return {
            "model_input": self._model_input,
            "number_format": lambda: self.say(TOLD[self.query_one(RunPane).next_format()]),
            "cancel": self.cancel,
            "suspend": lambda: self.app.action_suspend_process(),
            "redraw": self._redraw,
            "quit": lambda: self.app.exit(self.engine.scripts.exit_code),
        }

    def _engine_handlers(self) -> dict[str, Callable[[], None]]:
        engine = self.engine
        replays, values, session = engine.replays, engine.values, engine.session
        return {
            "continue": engine.scripts.continue_on,
            "script_on": engine.scripts.go_on,
            "precision": engine.references.precision,
            "continue_back": lambda: replays.continue_from(self.state.position, -1),
            "step": lambda: replays.step(1, "over"),
            "step_back": lambda: replays.step(-1, "over"),
            "step_into": lambda: replays.step(1, "into"),
            "step_out": lambda: replays.step(1, "out"),
            "run_to_cursor": replays.run_to_cursor,
            "next_failing": lambda: values.select_failing(1),
            "previous_failing": lambda: values.select_failing(-1),
            "next_nan": lambda: values.go_non_finite(1),
            "previous_nan": lambda: values.go_non_finite(-1),
            "lock": values.lock,
            "who_made": lambda: values.who_made(at_cursor=self.focused_pane() == "source"),
            "who_uses": lambda: values.who_uses(at_cursor=self.focused_pane() == "source"),
            "search_next": lambda: engine.search.go_on(1),
            "search_previous": lambda: engine.search.go_on(-1),
            "jump_back": lambda: session.jump(-1),
            "jump_forward": lambda: session.jump(1),
            "go_assert": engine.go_back_to_failure,
            "next_failure": engine.next_failure,
            "find_fault": engine.incidents.find_fault,
        }

    def compose(self) -> ComposeResult:
        yield Headline()
        yield TabLine()
        with Body():
            yield Navigator()
            yield SourcePane(id="source", title="Source")
            yield Chain()
            if isinstance(self.request, RunRequest):
                yield OutputPane()
            yield CallSite()
            yield RunPane()
        yield ProgressBar(id="opening", show_eta=False)
        yield MessageLine()
        yield KeyLine()
        yield Static(f"Too small: {LEAST_WIDTH}×{LEAST_HEIGHT} is the least.", id="too-small")

    def on_mount(self) -> None:
        view = self.query_one(SourceView)
        view.moved = self._cursor_moved
        view.focus()
        self.query_one(Headline).tell(Heading(said=f"Reading {self.request.title} …"))
        self.place_panes()
        self.engine.session.observe(self._changed)
        self.engine.incidents.open()
        self.set_interval(1.0, self._tell_progress)

    # -- layout -------------------------------------------------------------------------------

    def on_resize(self) -> None:
        self.place_panes()

    def place_panes(self) -> None:
        self.arranging.place_panes()

    def open_pane(self, pane: str) -> None:
        self.arranging.open_pane(pane)

    def on_paste(self, event: events.Paste) -> None:
        """A log pasted anywhere is read as one; nothing else that is pasted is a command."""
        event.stop()
        if event.text.strip():
            self.engine.incidents.bring_log(event.text)

    def on_descendant_focus(self) -> None:
        pane = self.focused_pane()
        if pane:
            self.arranging.focused(pane)

    # -- what the engine asks of a front end --------------------------------------------------

    def say(self, text: str, *, bad: bool = False) -> None:
        self.query_one(MessageLine).say(text, bad=bad)
        self.place_panes()

    def start(self, group: str, ask: Callable[[Tell], T], answered: Callable[[T], None]) -> None:
        if group == "warm":
            # The worker would share the processor with what is not on the screen yet.
            self._once_shown(lambda: threads.start(self, group, ask, answered))
        else:
            threads.start(self, group, ask, answered)

    def _once_shown(self, do: Callable[[], None]) -> None:
        """Do what nobody waits for when what has changed is on the screen."""
        self.call_after_refresh(self.set_timer, SHOWN_SECONDS, do)

    def post(self, take: Callable[[], None]) -> None:
        self.post_message(threads.Answered("script", take))

    def act(self, action: str) -> bool:
        known = action if action in BY_ID else _LABELS.get(action.lower(), "")
        if known:
            self.action_act(known)
        return bool(known)

    def show_group(self, group: str) -> bool:
        navigator = self.query_one(Navigator)
        if not any(entry.group == group for entry in navigator.entries):
            return False
        self.open_pane("nav")
        navigator.go_to_group(group)
        return True

    def look_at(self, tensor: str) -> bool:
        return self.tensors.look_at(tensor)

    def read(self, title: str, text: str) -> None:
        self.app.push_screen(Reading(title, text))

    # -- the state ----------------------------------------------------------------------------

    def _changed(self, state: State, before: State) -> None:
        self.observing.changed(state, before)
        if state.differs(before, "running") and state.running:
            self.query_one(RunPane).progress("Starting the worker …", None)
            self.arranging.bring_to_front("run")
        if state.outcome is not None:
            self.arranging.change(replaying=True)
        if state.differs(before, "incident", "trial", "failure_number"):
            if state.failure is None and not _has_grown(state, before):
                self.arranging.bring_to_front("nav")
            elif before.failure is None and self.arranging.view.side == "nav":
                self.arranging.bring_to_front("source" if self.size.width < MEDIUM else "chain")
            self.place_panes()
        if state.differs(before, "incident", "failure_number", "outcome", "running", "launch"):
            self.refresh_keys()

    def _cursor_moved(self, line: int, name: str) -> None:
        here = self.state.place
        if (line, name) != (here.line, here.name):
            self.engine.session.change(place=Place(line, name, here.path))

    @property
    def messages_said(self) -> list[str]:
        """All messages so far, oldest first."""
        return self.query_one(MessageLine).said

    def _redraw(self) -> None:
        self.app.refresh(layout=True)

    def refresh_keys(self) -> None:
        enabled = frozenset(name for name in BY_ID if not self._unmet(name))
        self.query_one(KeyLine).load(enabled, self.config.keymap, self._first_keys())
        self.show_status()

    def _first_keys(self) -> tuple[str, ...]:
        """What to press here and now: the way to a failure, or to the next one."""
        incident = self.state.incident
        if incident is None:
            return ()
        if self.state.failure is None:
            return ("find_fault",) if incident.only_memory_faults else ("paste_log",)
        return ("next_failure",) if len(incident.failures) > 1 else ()

    def show_status(self) -> None:
        """Say where the data comes from and what the worker does: in the line of tabs, or where
        there is none beside the keys."""
        incident = self.state.incident
        text = status_text(self.state, incident.given if incident else self.request.given)
        tabs = self.query_one(TabLine)
        tabs.set_status(text)
        self.query_one(KeyLine).set_status("" if tabs.display else text)

    # -- actions ------------------------------------------------------------------------------

    def action_act(self, name: str) -> None:
        if self.query_one("#too-small").display and name != "quit":
            # What it does could not be seen, and a dialog has no room.
            return
        unmet = self._unmet(name)
        if unmet:
            self.say(f"{BY_ID[name].label}: {unmet}")
            return
        try:
            with self.engine.session.together():
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
        return unmet(self.state, BY_ID[name].needs, BY_ID[name].only)

    def _model_input(self) -> None:
        """From what is under the cursor of the focused pane to its model input."""
        origins, pane = self.engine.origins, self.focused_pane()
        if self.engine.scripts.incident is not None:
            self.engine.scripts.go_to_call()
            return
        if pane == "chain":
            node = self.query_one(Chain).node_at_cursor
            origins.model_input((node.name, (node,)) if node is not None else ("", ()))
        elif pane == "call" and self.state.launch is not None:
            origins.model_input(origins.of_argument(self.query_one(CallSite).name_at_cursor))
        else:
            chosen = self.engine.session.selected_temporary() if pane == "run" else None
            origins.model_input(origins.of_temporary(chosen) if chosen is not None else None)

    def cancel(self) -> None:
        incident = self.state.incident
        if self.state.running and incident is not None:
            self.start("cancel", lambda tell: self._stop(incident), lambda done: None)
            self.say("Cancelling the replay …")
        elif self.engine.scripts.pause():
            return
        elif self.focused_pane() == "run" and self.query_one(RunPane).clear_filter():
            self.query_one(TemporaryRows).focus()
        elif self.arranging.view.maximized:
            self.arranging.change(maximized="")
        else:
            self.say("")

    def _stop(self, incident: Incident) -> None:
        """Cancel what runs. The key can come before the worker has started or was asked for
        anything, and then there is nothing to cancel yet."""
        while self.state.running and not incident.replayer().cancel():
            time.sleep(CANCEL_EVERY_SECONDS)

    def go_to(self, entry: Entry) -> None:
        """Go to what an entry stands for; on a narrow screen bring its source to the front."""
        with self.engine.session.together():
            self.engine.places.choose(entry)
        self.query_one(Navigator).visited(entry.key)
        if self.size.width < 100:
            self.open_pane("source")

    def close(self) -> None:
        """End the worker; the screen is left."""
        self.engine.close()

    # -- messages of threads ------------------------------------------------------------------

    @on(threads.Progressed)
    def _progressed(self, event: threads.Progressed) -> None:
        if event.group != "open":
            if self.state.running:
                self.query_one(RunPane).progress(event.text, event.done)
            return
        bar = self.query_one("#opening", ProgressBar)
        bar.update(total=100, progress=100 * (event.done or 0))
        self.query_one(Headline).tell(Heading(said=f"Reading {self.request.title}: {event.text}"))

    def _tell_progress(self) -> None:
        """Say of one long request, which tells nothing by itself, what it is and how far."""
        incident = self.state.incident
        session = incident.workshop.session if incident is not None else None
        running = session.client.running if session is not None else None
        if session is None or running is None or not self.state.running:
            return
        words = running.words(session.doing, time.monotonic())
        share = running.done / running.total if running.total else None
        self.query_one(RunPane).progress(words[:1].upper() + words[1:], share)

    @on(threads.Answered)
    def _answered(self, event: threads.Answered) -> None:
        if event.group == "open":
            self.query_one("#opening", ProgressBar).display = False
        with self.engine.session.together():
            event.take()
        if event.group in ("open", "judge", "replay"):
            self._once_shown(_settle)
        self.show_status()

    @on(threads.Refused)
    def _refused(self, event: threads.Refused) -> None:
        self.query_one("#opening", ProgressBar).display = False
        if self.state.incident is None:
            # There is nothing to show without it.
            self.app.exit(2, message=f"{event.what}: {event.why}.\n{event.do}")
            return
        text = f"{event.what}: {event.why.rstrip('.')}. {event.do}"
        if event.group == "replay" and self.state.running:
            self.engine.replays.failed()
            self.query_one(RunPane).tell(text)
        self.say(text, bad=True)

    # -- messages of panes --------------------------------------------------------------------

    @on(SourceView.Followed)
    def _followed(self, event: SourceView.Followed) -> None:
        with self.engine.session.together():
            self.engine.places.follow(event.line, event.name)

    @on(SourceView.GutterClicked)
    def _gutter(self, event: SourceView.GutterClicked) -> None:
        self.engine.breakpoints.toggle_on_line(event.line)

    @on(Chain.Chosen)
    def _chain(self, event: Chain.Chosen) -> None:
        self.engine.places.follow_node(event.node)

    @on(CallSite.Chosen)
    def _argument(self, event: CallSite.Chosen) -> None:
        with self.engine.session.together():
            self.engine.places.follow(event.line, event.name)

    @on(Navigator.Chosen)
    def _entry(self, event: Navigator.Chosen) -> None:
        self.go_to(event.entry)

    @on(Navigator.Removed)
    def _remove(self, event: Navigator.Removed) -> None:
        self.engine.breakpoints.remove(event.entry)

    @on(RunPane.Picked)
    def _temporary(self, event: RunPane.Picked) -> None:
        if event.follow and event.name.startswith(SIGN):
            self.asking.watch(event.name.removeprefix(SIGN))
            return
        with self.engine.session.together():
            self.engine.values.pick(event.name, follow=event.follow)

    @on(TemporaryRows.Removed)
    def _watch_removed(self, event: TemporaryRows.Removed) -> None:
        with self.engine.session.together():
            self.engine.watches.remove(event.expression)

    @on(TemporaryRows.Said)
    def _said(self, event: TemporaryRows.Said) -> None:
        self.say(event.text)

    @on(LaneGrid.Selected)
    def _lane(self, event: LaneGrid.Selected) -> None:
        self.engine.values.select_lane(event.lane)

    @on(Timeline.Moved)
    def _moved(self, event: Timeline.Moved) -> None:
        with self.engine.session.together():
            self.engine.replays.move_to(event.position)

    @on(Body.Dragged)
    def _divider(self, event: Body.Dragged) -> None:
        self.arranging.move(event.divider, event.to)

    @on(Body.Dropped)
    def _divider_left(self) -> None:
        self.arranging.keep()

    @on(Body.TitleChosen)
    def _title(self, event: Body.TitleChosen) -> None:
        self.open_pane(event.pane)
        self.arranging.toggle_zoom(event.pane)

    @on(Headline.Clicked)
    @on(TabLine.NoteClicked)
    def _answer(self) -> None:
        self.action_act("answer")

    @on(TabLine.Picked)
    def _tab(self, event: TabLine.Picked) -> None:
        self.open_pane(event.pane)

    @on(KeyLine.Clicked)
    def _key(self, event: KeyLine.Clicked) -> None:
        self.action_act(event.action)
