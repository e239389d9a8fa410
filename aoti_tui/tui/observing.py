"""From a change of the state to the panes that show it: each is told only what it shows."""

from __future__ import annotations

from textual.screen import Screen

from aoti_tui.answer.script import ScriptIncident
from aoti_tui.answer.script_words import phase_words
from aoti_tui.failure.model import Failure
from aoti_tui.index.model import Launch
from aoti_tui.session.engine import Engine
from aoti_tui.session.heading import heading
from aoti_tui.session.listed.entries import Entry
from aoti_tui.session.listed.everything import listed
from aoti_tui.session.shown import marks_for, run_view
from aoti_tui.session.state import State
from aoti_tui.session.values.known import known_arguments, known_symbols
from aoti_tui.tui.asking import symbol_values
from aoti_tui.tui.panes.callsite import CallSite
from aoti_tui.tui.panes.chain import Chain
from aoti_tui.tui.panes.headline import Headline
from aoti_tui.tui.panes.navigator import Navigator
from aoti_tui.tui.panes.output import OutputPane
from aoti_tui.tui.panes.pane import Pane
from aoti_tui.tui.panes.run import RunPane
from aoti_tui.tui.panes.source import SourceView

_RUN = ("outcome", "precision", "position", "explained", "lane", "selected", "locked", "watches")


class Observing:
    """Brings the panes of a screen up to date."""

    def __init__(self, screen: Screen[int], engine: Engine) -> None:
        self.screen = screen
        self.engine = engine
        self._listed: tuple[Entry, ...] = ()
        self._breakpoints: tuple[Entry, ...] = ()
        self._kernel_here = ""

    def changed(self, state: State, before: State) -> None:
        """Show a state after another one."""
        # A failure that a replay confirmed, and symbols that were set, are other incidents.
        failing = state.differs(before, "incident", "trial", "failure_number")
        if failing and state.incident is not None:
            self.screen.query_one(Headline).tell(heading(state))
        if state.differs(before, "chain"):
            self._show_chain(state)
        if failing or state.differs(before, "kernel", "launch", "outcome"):
            self._show_call(state)
        if state.differs(before, *_RUN, "kernel", "launch", "incident", "breakpoints", "running"):
            self._show_run(state)
        self._show_source(state, before)
        self._list(state, before)
        if state.incident is not before.incident and isinstance(state.incident, ScriptIncident):
            run = state.incident.run
            self.screen.query_one(OutputPane).load(run.output, run.dropped, phase_words(run))

    def _show_chain(self, state: State) -> None:
        chain = self.screen.query_one(Chain)
        chain.load(state.chain.title, state.chain.roots)
        if state.chain.node is not None:
            chain.select(state.chain.node)

    def _show_call(self, state: State) -> None:
        """The call site of the current launch, with the values that are known of it."""
        incident, launch, kernel = state.incident, state.launch, state.kernel
        if incident is None:
            return
        result = state.outcome.result if state.outcome is not None else None
        arguments = result.arguments if result is not None else ()
        if not arguments and launch is not None:
            arguments = known_arguments(incident, launch)
        call = self.screen.query_one(CallSite)
        call.load(
            kernel,
            launch,
            arguments,
            result.grid if result is not None else None,
            result.blocks if result is not None else {},
            state.failure.ops if state.failure is not None else (),
            len(incident.index.launches_of(kernel.name)) if kernel is not None else 0,
        )
        if _failed(state.failure, launch) and state.failure is not None:
            call.select_parameter(state.failure.bound.text)

    def _show_run(self, state: State) -> None:
        pane, recording = self.screen.query_one(RunPane), state.recording
        if not state.running:
            pane.idle()
        stops = self.engine.session.stops
        positions = stops.positions(recording) if recording is not None else frozenset()
        pane.load(run_view(state, positions))

    def _show_source(self, state: State, before: State) -> None:
        view, document = self.screen.query_one(SourceView), self.engine.session.document
        other = document is not view.document
        view.show(document)
        name = view.name_at_cursor
        here = state.place
        if (here.line, here.name) != (view.line, name.name if name is not None else ""):
            view.go(here.line, here.name)
        if state.differs(before, "needle"):
            view.set_needle(state.needle)
        kernel = document.kernel_at(here.line)
        named = kernel.name if kernel is not None else ""
        marked = ("outcome", "position", "lane", "breakpoints", "incident", "launch")
        if other or named != self._kernel_here or state.differs(before, *marked):
            breakpoints = self.engine.session.stops.lines(document)
            view.set_marks(marks_for(state, document, breakpoints))
        if other or named != self._kernel_here or state.differs(before, "kernel"):
            self._kernel_here = named
            current = state.kernel.name if state.kernel is not None else ""
            # What c runs and p speaks of is named where the cursor is somewhere else.
            told = f"{named}  (c runs {current})" if named and current != named else named
            # The gutter has the line numbers: a title that changed with each would repaint.
            title = f"Source {document.path.rsplit('/', 1)[-1]}"
            self.screen.query_one("#source", Pane).set_title(title, told)

    def _list(self, state: State, before: State) -> None:
        """Everything that has a name, breakpoints and their hits first."""
        if state.incident is None:
            return
        navigator = self.screen.query_one(Navigator)
        moved = state.differs(before, "breakpoints", "outcome", "position", "kernel", "incident")
        breakpoints = self.engine.breakpoints.entries() if moved else self._breakpoints
        opened = state.incident is not before.incident
        if opened:
            self._listed = listed(state.incident)
        if opened or breakpoints != self._breakpoints:
            self._breakpoints = breakpoints
            navigator.load((*breakpoints, *self._listed))
        if before.incident is None or before.incident.given is not state.incident.given:
            navigator.set_values(known_symbols(state.incident))
        if state.outcome is not None and state.outcome is not before.outcome:
            navigator.set_values(symbol_values(state.outcome.symbols))


def _failed(failure: Failure | None, launch: Launch | None) -> bool:
    return failure is not None and launch is not None and launch in failure.launches
