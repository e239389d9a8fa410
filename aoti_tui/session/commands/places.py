"""Going about: failures, kernels, launches, names and where they come from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from aoti_tui.answer.incident import Incident
from aoti_tui.answer.trial import Trial
from aoti_tui.failure.model import Failure, ProvenanceNode
from aoti_tui.failure.prose.chain import step_words
from aoti_tui.failure.prose.headline import guilty_end, short_assert, shown_program, trees
from aoti_tui.failure.prose.words import program_words
from aoti_tui.index.model import Launch, LaunchId
from aoti_tui.session.listed.entries import Entry
from aoti_tui.session.session import Session
from aoti_tui.session.source.document import SourceDocument
from aoti_tui.session.state import Place, Shown


class Places:
    """What is looked at."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.choices: dict[str, Callable[[int], None]] = {}
        """What else an entry can stand for, by the kind of its key: it is given its number."""

    # -- opening ------------------------------------------------------------------------------

    def load(self, incident: Incident) -> None:
        """Show an incident: its first failure, else the first kernel that can assert."""
        session, before = self.session, self.session.state.incident
        same = before is not None and before.index is incident.index
        if before is not None and before.given is not incident.given:
            session.forget()
        trial = session.state.trial if before and before.given is incident.given else None
        session.change(incident=incident, trial=trial, failure_number=None)
        session.jumps.rewrite(lambda state: replace(state, failure_number=None))
        if not same:
            session.open_documents(SourceDocument.of_incident(incident))
        if incident.failures:
            self.show_failure(0, remember=same)
        elif not same:
            launches = incident.index.launches
            first = launches[0].kernel if launches else next(iter(incident.index.kernels), "")
            if first:
                self.show_kernel(first, remember=False)

    # -- failures -----------------------------------------------------------------------------

    def show_failure(self, number: int, *, remember: bool = True) -> None:
        """Make a failure of the log the one that everything speaks of."""
        session, incident = self.session, self.session.state.incident
        if incident is None or not 0 <= number < len(incident.failures):
            return
        failure = incident.failures[number]
        if remember:
            session.leave()
        self._set_failure(number, failure)
        session.change(launch_chosen=False)
        session.go_kernel_line(
            failure.kernel, failure.kernel_line, self._index_name(failure), remember=False
        )

    def _set_failure(self, number: int, failure: Failure) -> None:
        incident = self.session.state.incident
        assert incident is not None
        launch = self.session.state.launch
        if launch not in failure.launches:
            launch = next(iter(failure.launches), None)
        self.session.change(
            failure_number=number,
            kernel=incident.index.kernels.get(failure.kernel),
            launch=launch,
        )
        self._show_chain()

    def _show_chain(self) -> None:
        state = self.session.state
        failure = state.shown
        if failure is None:
            return
        guards = tuple(ProvenanceNode(guard, guard.line) for guard in failure.guards)
        title, program = failure.message, shown_program(failure)
        if program is not None:
            title = f"{short_assert(title)}, values of program {program_words(program)}"
        if state.trial is not None and failure is state.trial.failure:
            title = f"WHAT IF {state.trial.settings}: {title}"
        self.session.change(chain=Shown(title, (*trees(failure), *guards), guilty_end(failure)))

    def show_trial(self, trial: Trial | None) -> None:
        """What symbols were set and what came of it; None brings the real run back."""
        if trial != self.session.state.trial:
            self.session.change(trial=trial)
            self._show_chain()

    def replace_failure(self, before: Failure, after: Failure) -> None:
        """Keep a failure that a replay has confirmed in place of what the log alone said."""
        session, incident = self.session, self.session.state.incident
        if incident is None:
            return
        shown = session.state.failure == before
        failures = tuple(after if f == before else f for f in incident.failures)
        session.change(incident=replace(incident, failures=failures))
        number = session.state.failure_number
        if shown and number is not None:
            self._set_failure(number, after)
            if (after.kernel, after.kernel_line) != (before.kernel, before.kernel_line):
                self.go_assert()
                session.say(f"The replay made the assert of {after.kernel} fire first.")

    def _index_name(self, failure: Failure) -> str:
        """The name that the assert checks, for the cursor."""
        assert self.session.state.incident is not None
        program = self.session.state.incident.kernel_program(failure.kernel)
        found = program.assert_at(failure.kernel_line)
        return found.index or "" if found is not None else ""

    def go_assert(self) -> None:
        """To the assert of the failure; its launch runs next, whatever was looked at between."""
        state, failure = self.session.state, self.session.state.failure
        if failure is None:
            return
        if failure.launches and state.launch not in failure.launches:
            self.session.leave()
            self.session.change(launch=failure.launches[0], launch_chosen=False)
        self.session.go_kernel_line(failure.kernel, failure.kernel_line, self._index_name(failure))

    def next_failure(self) -> None:
        state = self.session.state
        failures = state.incident.failures if state.incident else ()
        if not failures:
            self.session.say("No failure is open: p pastes a log, o reads one from a file.")
            return
        number = state.failure_number
        at = (number + 1 if number is not None else 0) % len(failures)
        self.show_failure(at)
        self.session.say(f"Failure {at + 1} of {len(failures)}.")

    def assert_here(self) -> Failure | None:
        """The failure of the assert under the cursor, explained even when the log is silent."""
        place, incident = self.session.kernel_line_here(), self.session.state.incident
        if place is None or incident is None:
            return None
        kernel, kernel_line = place
        failure = self.session.state.failure
        here = (kernel.name, kernel_line)
        if failure is not None and (failure.kernel, failure.kernel_line) == here:
            return self.session.state.shown
        if incident.kernel_program(kernel.name).assert_at(kernel_line) is None:
            return None
        return incident.explain_assert(kernel.name, kernel_line)

    # -- kernels and launches -----------------------------------------------------------------

    def take_launch(self, launch: Launch, *, chosen: bool = True) -> None:
        """Make a launch the current one and stay where the cursor is."""
        self.session.change(launch=launch, launch_chosen=chosen)

    def take_kernel(self, name: str) -> None:
        """Make a kernel the current one, with the launch that the failure or the wrapper has of
        it first, and stay where the cursor is."""
        state = self.session.state
        if state.incident is None or name not in state.incident.index.kernels:
            return
        launches = state.incident.index.launches_of(name)
        failing = state.failure.launches if state.failure is not None else ()
        launch = next((la for la in launches if la in failing), None)
        self.session.change(
            kernel=state.incident.index.kernels[name],
            launch=launch or (launches[0] if launches else None),
            launch_chosen=True,
        )

    def show_kernel(self, name: str, *, remember: bool = True) -> None:
        """Make a kernel and its first launch current, and go to its source."""
        state = self.session.state
        if state.incident is None or name not in state.incident.index.kernels:
            return
        kernel = state.incident.index.kernels[name]
        launches = state.incident.index.launches_of(name)
        if remember:
            self.session.leave()
        self.session.change(
            kernel=kernel, launch=launches[0] if launches else None, launch_chosen=True
        )
        asserts = state.incident.kernel_program(name).asserts if kernel.has_source else ()
        self.session.go_kernel_line(name, asserts[0].line if asserts else 1, remember=False)

    def choose(self, entry: Entry) -> None:
        """Go to what an entry stands for."""
        incident = self.session.state.incident
        kind, *rest = entry.key if isinstance(entry.key, tuple) else ("",)
        if kind in self.choices:
            self.choices[kind](int(rest[0]))
        elif kind == "line":
            self.session.go_source_line(str(rest[0]), int(rest[1]))
        elif kind == "failure":
            self.show_failure(int(rest[0]))
        elif kind == "kernel":
            self.show_kernel(str(rest[0]))
        elif kind == "breakpoint":
            self.session.go_source_line(str(rest[0]), int(rest[1]))
        elif kind == "temporary":
            self.session.go_kernel_line(str(rest[0]), int(rest[1]), entry.label)
        elif kind == "launch" and incident is not None:
            launch = incident.index.launch(LaunchId(int(rest[0])))
            if launch is not None:
                self.session.leave()
                self.take_launch(launch)
                path = self.session.path_of_file(launch.site.file)
                self.session.go(Place(launch.line, path=path or ""), remember=False)
        else:
            self.session.go_line(entry.line, entry.label)

    # -- names and where they come from -------------------------------------------------------

    def trace(self, line: int, name: str) -> ProvenanceNode | None:
        incident = self.session.state.incident
        return incident.trace(line, name) if incident is not None and name else None

    def follow(self, line: int, name: str) -> None:
        """Show where a name comes from, and go one step towards it."""
        node = self.trace(line, name)
        if node is None and self.session.document.is_script:
            self.session.say(
                f"{name or 'This line'} has no value yet: choose a launch in the navigator (5), "
                "c records a program of it."
            )
            return
        if node is None:
            self.session.say(
                f"Nothing is known of {name or 'this line'}: it is no name of the model."
            )
            return
        target = node.children[0] if node.line == line and node.children else node
        self.session.go_line(target.line, target.name)
        self.session.change(chain=Shown(f"{name} at :{line}", (node,)))
        self.session.say(step_words(target))

    def follow_node(self, node: ProvenanceNode) -> None:
        """Go to the line of a step of a chain."""
        if node.kernel is not None and node.kernel_line is not None:
            self.session.go_kernel_line(node.kernel, node.kernel_line, node.name)
        elif node.line is not None:
            self.session.go_line(node.line, node.name)
        else:
            self.session.say(f"{step_words(node)}: there is no line to go to.")
