"""Going about in an incident: places, jumps, names, provenance, search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from aoti_tui.answer.trial import Trial
from aoti_tui.failure.model import Failure, ProvenanceNode
from aoti_tui.failure.prose.chain import step_words
from aoti_tui.failure.prose.words import plural
from aoti_tui.index.model import Kernel, Launch, LaunchId
from aoti_tui.session.jumps import JumpList, Place
from aoti_tui.session.listed.entries import Entry, entries
from aoti_tui.session.source.document import SourceDocument
from aoti_tui.session.values.known import known_arguments, known_symbols
from aoti_tui.tui.panes.callsite import CallSite
from aoti_tui.tui.panes.chain import Chain
from aoti_tui.tui.panes.navigator import Navigator
from aoti_tui.tui.panes.source import SourceView

if TYPE_CHECKING:
    from aoti_tui.answer.incident import Incident
    from aoti_tui.tui.main_screen import MainScreen


class Browsing:
    """What is looked at. Every method runs on the interface's thread and returns at once."""

    def __init__(self, screen: MainScreen) -> None:
        self.screen = screen
        self.incident: Incident | None = None
        self.failure: Failure | None = None
        self.trial: Trial | None = None
        """What the last replay showed, while symbols are set to try something."""
        self.kernel: Kernel | None = None
        self.launch: Launch | None = None
        self.launch_chosen = False
        """The user has picked the launch, rather than the failure."""
        self.jumps = JumpList()
        self._documents: dict[str, SourceDocument] = {}
        self._listed: tuple[Entry, ...] = ()
        self._stops_listed: tuple[Entry, ...] = ()

    def handlers(self) -> dict[str, Callable[[], None]]:
        return {
            "jump_back": lambda: self._jump(self.jumps.back, "back"),
            "jump_forward": lambda: self._jump(self.jumps.forward, "forward"),
            "go_assert": self.go_assert,
            "next_failure": self.next_failure,
        }

    # -- opening ------------------------------------------------------------------------------

    def load(self, incident: Incident) -> None:
        """Show an incident: its first failure, else the first kernel that can assert."""
        index = incident.index
        same = self.incident is not None and self.incident.index is index
        if self.incident is None or self.incident.given is not incident.given:
            self.trial = None
        self.incident = incident
        if not same:
            self._documents = {"": SourceDocument.of_wrapper(index)}
        navigator = self.screen.query_one(Navigator)
        self.list_entries()
        navigator.set_values(known_symbols(incident))
        if incident.failures:
            self.show_failure(0, remember=same)
        else:
            self.failure = None
            self.screen.arranging.change(side="nav")
            self._tell_summary()
            if not same:
                self.source.show(self._documents[""])
                launches = index.launches
                first = launches[0].kernel if launches else next(iter(index.kernels), "")
                if first:
                    self.show_kernel(first, remember=False)

    def list_entries(self) -> None:
        """Fill the navigator again, for another incident."""
        if self.incident is not None:
            self._listed = entries(self.incident)
            self._stops_listed = self.screen.breaking.entries()
            self.screen.query_one(Navigator).load((*self._stops_listed, *self._listed))

    def list_breakpoints(self) -> None:
        """Bring the navigator's breakpoints and their hits up to date."""
        stops = self.screen.breaking.entries()
        if stops != self._stops_listed:
            self._stops_listed = stops
            self.screen.query_one(Navigator).load((*stops, *self._listed))

    @staticmethod
    def _summary(incident: Incident) -> tuple[str, ...]:
        index = incident.index
        lines = [
            f"{plural(len(index.kernels), 'kernel')}, "
            f"{plural(len(index.launches), 'launch', 'launches')}, "
            f"{plural(len(index.inputs), 'input')}. No failure is open: p pastes a "
            "log, o reads one from a file, c runs the launch under the cursor."
        ]
        lines.extend(incident.notes[:2])
        return tuple(lines)

    @property
    def source(self) -> SourceView:
        return self.screen.query_one(SourceView)

    @property
    def here(self) -> Place:
        view = self.source
        name = view.name_at_cursor
        path = next((p for p, d in self._documents.items() if d is view.document), "")
        replaying = self.screen.replaying
        return Place(
            view.line,
            name.name if name else "",
            path,
            replaying.launch.id if replaying.recorded and replaying.launch else None,
            replaying.position,
            replaying.lane,
        )

    def show_failure(self, number: int, *, remember: bool = True) -> None:
        """Make a failure of the log the one that all panes show."""
        if self.incident is None or not 0 <= number < len(self.incident.failures):
            return
        failure = self.incident.failures[number]
        self.launch_chosen = False
        self.set_failure(failure)
        self.screen.replaying.focus(self.kernel, self.launch)
        if failure.wrapper_line is not None or self.kernel is not None:
            name = self._index_name(failure)
            self.go_kernel_line(failure.kernel, failure.kernel_line, name, remember=remember)

    def _index_name(self, failure: Failure) -> str:
        """The name that the assert checks, for the cursor."""
        assert self.incident is not None
        found = self.incident.kernel_program(failure.kernel).assert_at(failure.kernel_line)
        return found.index or "" if found is not None else ""

    def set_failure(self, failure: Failure) -> None:
        """Show what is known of a failure, without moving."""
        assert self.incident is not None
        self.failure = failure
        index = self.incident.index
        self.kernel = index.kernels.get(failure.kernel)
        if self.launch is None or self.launch not in failure.launches:
            self.launch = next(iter(failure.launches), None)
        self._tell_failure()
        self.show_chain(self.shown or failure)
        self.show_call()

    @property
    def shown(self) -> Failure | None:
        """The open failure with the values on the screen: those of a trial, while one is on."""
        failure = self.failure
        then = self.trial.failure if self.trial is not None else None
        same = (
            failure is not None
            and then is not None
            and (then.kernel, then.kernel_line) == (failure.kernel, failure.kernel_line)
        )
        return then if same else failure

    def show_trial(self, trial: Trial | None) -> None:
        """Say on top what symbols were set and what came of it; None brings the real run back."""
        if trial == self.trial or self.incident is None:
            return
        self.trial = trial
        if self.failure is not None:
            self._tell_failure()
            self.show_chain(self.shown or self.failure)
        else:
            self._tell_summary()

    def _tell_failure(self) -> None:
        assert self.incident is not None
        assert self.failure is not None
        if self.trial is None:
            self.screen.tell_answer(self.incident.headline(self.failure), failed=True)
            return
        lines = self.trial.lines()
        if self.shown is self.failure:
            # The trial was of another failure: what it found there says nothing here.
            lines = (
                f"WHAT IF {self.trial.settings} is set: c runs this one too — = takes it back",
            )
        self.screen.tell_answer(lines, failed=self.trial.fails)

    def _tell_summary(self) -> None:
        assert self.incident is not None
        first = self.trial.lines() if self.trial is not None else ()
        self.screen.tell_answer((*first, *self._summary(self.incident)), failed=False)

    def show_chain(self, failure: Failure) -> None:
        chain = self.screen.query_one(Chain)
        guards = tuple(ProvenanceNode(guard, guard.line) for guard in failure.guards)
        title = failure.message
        if self.trial is not None and failure is self.trial.failure:
            title = f"WHAT IF {self.trial.settings}: {title}"
        chain.load(title, (failure.bound.tree, failure.index.tree, *guards))

    def show_call(self) -> None:
        """The call site of the current launch, with the values that are known of it."""
        known = self.screen.replaying.known_arguments()
        arguments = known.arguments
        if not arguments and self.incident is not None and self.launch is not None:
            arguments = known_arguments(self.incident, self.launch)
        index = self.incident.index if self.incident else None
        count = len(index.launches_of(self.kernel.name)) if index and self.kernel else 0
        self.screen.query_one(CallSite).load(
            self.kernel,
            self.launch,
            arguments,
            known.grid,
            known.blocks,
            self.failure.ops if self.failure else (),
            count,
        )
        if self.failure is not None and self.launch and self.launch in self.failure.launches:
            self.screen.query_one(CallSite).select_parameter(self.failure.bound.text)

    def adopt_launch(self, identity: LaunchId) -> None:
        """Make the launch that was replayed the current one."""
        launch = self.incident.index.launch(identity) if self.incident is not None else None
        if launch is not None and self.incident is not None:
            self.launch = launch
            self.kernel = self.incident.index.kernels.get(launch.kernel)
            self.screen.replaying.focus(self.kernel, launch)

    def take_kernel(self, name: str) -> None:
        """Make a kernel the current one, with the launch that the failure or the wrapper has of
        it first, and stay where the cursor is."""
        if self.incident is None:
            return
        launches = self.incident.index.launches_of(name)
        failing = self.failure.launches if self.failure is not None else ()
        launch = next((la for la in launches if la in failing), None)
        self.show_kernel(name, launch=launch or (launches[0] if launches else None))

    def show_kernel(
        self, name: str, *, remember: bool = True, launch: Launch | None = None
    ) -> None:
        """Make a kernel (and one of its launches) current, and go to its source."""
        if self.incident is None or name not in self.incident.index.kernels:
            return
        self.kernel = self.incident.index.kernels[name]
        launches = self.incident.index.launches_of(name)
        self.launch = launch or (launches[0] if launches else None)
        self.launch_chosen = True
        self.screen.replaying.focus(self.kernel, self.launch)
        self.show_call()
        if launch is None:
            asserts = self.incident.kernel_program(name).asserts if self.kernel.has_source else ()
            self.go_kernel_line(name, asserts[0].line if asserts else 1, remember=remember)

    # -- places -------------------------------------------------------------------------------

    def document_of(self, path: str, kernel: Kernel | None = None) -> SourceDocument | None:
        if path not in self._documents and kernel is not None and kernel.has_source:
            self._documents[path] = SourceDocument.of_kernel(kernel)
        return self._documents.get(path)

    def go(self, place: Place, *, remember: bool = True) -> None:
        """Put the source pane on a place."""
        document = self._documents.get(place.path)
        if document is None:
            return
        if remember and (place.line, place.path) != (self.source.line, self.here.path):
            self.jumps.leave(self.here)
        self.source.show(document)
        self.source.go(place.line, place.name)
        self.screen.replaying.mark()

    def go_line(self, line: int | None, name: str = "", *, remember: bool = True) -> None:
        """Go to a line of the wrapper."""
        if line is not None:
            self.go(Place(line, name), remember=remember)

    def go_kernel_line(
        self, kernel_name: str, kernel_line: int, name: str = "", *, remember: bool = True
    ) -> None:
        """Go to a line of a kernel, in the wrapper or in the file that holds its source."""
        if self.incident is None:
            return
        kernel = self.incident.index.kernels.get(kernel_name)
        if kernel is None:
            return
        line = kernel.wrapper_line(kernel_line)
        if line is None:
            self.go_line(kernel.line, remember=remember)
        elif kernel.source_path is None:
            self.go_line(line, name, remember=remember)
        else:
            path = f"{kernel.source_path}:{kernel.source_line}"
            if self.document_of(path, kernel) is not None:
                self.go(Place(line, name, path), remember=remember)

    def kernel_line_here(self) -> tuple[Kernel, int] | None:
        """Kernel and kernel line of the cursor, when it is in a kernel's source."""
        view = self.source
        kernel = view.document.kernel_at(view.line)
        kernel_line = kernel.kernel_line(view.line) if kernel else None
        return (kernel, kernel_line) if kernel and kernel_line is not None else None

    def _jump(self, move: Callable[[Place], Place | None], which: str) -> None:
        here = self.here
        place = move(here)
        if place is None:
            self.screen.say(f"There is no place to go {which} to.")
            return
        if place.launch is not None:
            if self.launch is None or self.launch.id != place.launch:
                self.adopt_launch(place.launch)
                self.show_call()
            told = self.screen.replaying.return_to(place)
            if (here.launch, here.step) != (place.launch, place.step):
                self.screen.say(told)
        self.go(place, remember=False)

    def go_assert(self) -> None:
        if self.failure is not None:
            self._take_failing_launch(self.failure)
            name = self._index_name(self.failure)
            self.go_kernel_line(self.failure.kernel, self.failure.kernel_line, name)

    def _take_failing_launch(self, failure: Failure) -> None:
        """What runs next is the failing launch, whatever was looked at in between."""
        launches = failure.launches
        if launches and self.launch not in launches:
            self.adopt_launch(launches[0].id)
            self.launch_chosen = False
            self.show_call()

    def next_failure(self) -> None:
        failures = self.incident.failures if self.incident else ()
        if not failures:
            self.screen.say("No failure is open: p pastes a log, o reads one from a file.")
            return
        messages = [(f.kernel, f.kernel_line) for f in failures]
        here = (self.failure.kernel, self.failure.kernel_line) if self.failure else None
        at = messages.index(here) if here in messages else -1
        self.show_failure((at + 1) % len(failures))
        self.screen.say(f"Failure {(at + 1) % len(failures) + 1} of {len(failures)}.")

    def choose(self, entry: Entry) -> None:
        """Go to what the navigator's entry stands for."""
        kind, *rest = entry.key if isinstance(entry.key, tuple) else ("",)
        if kind == "failure":
            self.show_failure(int(rest[0]))
        elif kind == "kernel":
            self.show_kernel(str(rest[0]))
        elif kind == "breakpoint":
            self.go_kernel_line(str(rest[0]), int(rest[1]))
        elif kind == "temporary":
            self.go_kernel_line(str(rest[0]), int(rest[1]), entry.label)
        elif kind == "launch" and self.incident is not None:
            launch = self.incident.index.launch(LaunchId(int(rest[0])))
            if launch is not None:
                self.show_kernel(launch.kernel, launch=launch)
            self.go_line(entry.line)
        else:
            self.go_line(entry.line, entry.label)
        self.screen.query_one(Navigator).visited(entry.key)

    # -- names and where they come from -------------------------------------------------------

    def trace(self, line: int, name: str) -> ProvenanceNode | None:
        return self.incident.trace(line, name) if self.incident is not None and name else None

    def follow(self, line: int, name: str) -> None:
        """Show where a name comes from, and go one step towards it."""
        node = self.trace(line, name)
        if node is None:
            self.screen.say(
                f"Nothing is known of {name or 'this line'}: it is no name of the model."
            )
            return
        self.screen.query_one(Chain).load(f"{name} at :{line}", (node,))
        target = node
        if node.line == line and node.children:
            target = node.children[0]
        self.go_line(target.line, target.name)
        self.screen.say(step_words(target))

    def follow_node(self, node: ProvenanceNode) -> None:
        if node.kernel is not None and node.kernel_line is not None:
            self.go_kernel_line(node.kernel, node.kernel_line, node.name)
        elif node.line is not None:
            self.go_line(node.line, node.name)
        else:
            self.screen.say(f"{step_words(node)}: there is no line to go to.")

    def replace_failure(self, before: Failure, after: Failure) -> None:
        """Keep a failure that a replay has confirmed in place of what the log alone said."""
        if self.incident is not None:
            failures = tuple(after if f == before else f for f in self.incident.failures)
            self.incident = replace(self.incident, failures=failures)
        if self.failure == before:
            self.set_failure(after)
            if (after.kernel, after.kernel_line) != (before.kernel, before.kernel_line):
                self.go_assert()
                self.screen.say(f"The replay made the assert of {after.kernel} fire first.")

    def assert_here(self) -> Failure | None:
        """The failure of the assert under the cursor, explained even when the log is silent."""
        place = self.kernel_line_here()
        if place is None or self.incident is None:
            return None
        kernel, kernel_line = place
        failure = self.failure
        if failure is not None and (failure.kernel, failure.kernel_line) == (
            kernel.name,
            kernel_line,
        ):
            return self.shown
        if self.incident.kernel_program(kernel.name).assert_at(kernel_line) is None:
            return None
        return self.incident.explain_assert(kernel.name, kernel_line)
