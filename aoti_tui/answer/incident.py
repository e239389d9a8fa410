"""What the user opened and all that is concluded from it: one object for both front ends.

An incident is a wrapper, perhaps with a log and model inputs. It never changes; bringing a log or
inputs later gives a new one that shares the index.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from aoti_tui.answer.bad_access import assert_left_out, beside_the_log, first_bad_access
from aoti_tui.answer.core import Core, at_launches, core_of, with_blocks
from aoti_tui.answer.graphs import (
    GraphChoice,
    Graphs,
    choose_graph,
    launch_in_traceback,
    with_other_graphs,
)
from aoti_tui.answer.indexing import indexed
from aoti_tui.answer.judge import Judged, Search, judge
from aoti_tui.answer.known import known_of, takes_inputs, truncated_of, ways_to_bind
from aoti_tui.answer.log_notes import log_notes
from aoti_tui.answer.traced_fault import traced_fault_notes
from aoti_tui.answer.unreplayed import unreplayed
from aoti_tui.answer.upstream import Upstream, find_upstream
from aoti_tui.answer.user_terms import named_arguments
from aoti_tui.artifacts.bundle import Bundle, BundledCall
from aoti_tui.artifacts.given import Given
from aoti_tui.artifacts.log_file import LogText
from aoti_tui.artifacts.wrapper_file import WrapperText
from aoti_tui.failure.explain import Explainer
from aoti_tui.failure.log.asserts import read_log
from aoti_tui.failure.model import Failure, LoadingError, LogReading, ProvenanceNode
from aoti_tui.failure.names import trace_name
from aoti_tui.failure.provenance.known import Known
from aoti_tui.failure.provenance.tree import walk
from aoti_tui.flow.access import program_of_kernel
from aoti_tui.index.model import Launch, LaunchId, WrapperIndex
from aoti_tui.kernel.model import KernelProgram
from aoti_tui.kernel.parse import parse_kernel
from aoti_tui.replay.client import WorkerClient
from aoti_tui.replay.core_dump.passed_types import with_passed_types
from aoti_tui.replay.model import ArgumentValue, GivenInput, ReplayResult
from aoti_tui.replay.questions.all_launches import AllLaunches, replay_all, replay_one
from aoti_tui.replay.questions.elements import TensorElements, element_by_hand, read_argument
from aoti_tui.replay.questions.truncated import TruncatedSymbol
from aoti_tui.replay.questions.writers import WrittenElement, written_element
from aoti_tui.replay.replayer import Replayer
from aoti_tui.replay.session import ReplaySession

Progress = Callable[[str, float], None]


class Workshop:
    """What is made once per wrapper and kept: parsed kernels, the explainer, the session."""

    def __init__(
        self,
        index: WrapperIndex,
        given: Given,
        client: WorkerClient | None = None,
        core: Core | None = None,
    ) -> None:
        if core is not None:
            index = with_passed_types(index, core.dump)
        self.core = core_of(core, index) if core is not None else None
        """What a core dump says of this wrapper."""
        self.index = index = with_blocks(index, self.core.found if self.core is not None else None)
        self.given = given
        self.client = client
        """A worker that others share; None for one of its own."""
        self.programs: dict[str, KernelProgram] = {}
        self.explainer = Explainer(index, self.program)
        self.session: ReplaySession | None = None

    def program(self, name: str) -> KernelProgram:
        found = self.programs.get(name)
        if found is None:
            kernel = self.index.kernels.get(name)
            found = program_of_kernel(kernel) if kernel is not None else parse_kernel("", name)
            self.programs[name] = found
        return found


@dataclass(frozen=True, slots=True)
class Verdict:
    """A failure explained with what a replay showed; ``judged`` is None where nothing that fits
    is launched."""

    failure: Failure
    judged: Judged | None


@dataclass(frozen=True)
class Incident:
    """A wrapper with what came with it. See :func:`~aoti_tui.answer.opening.open_incident`."""

    source: WrapperText
    index: WrapperIndex
    given: Given
    log: LogReading | None
    log_name: str
    failures: tuple[Failure, ...]
    known: Known
    inputs: tuple[GivenInput, ...]
    notes: tuple[str, ...]
    """Look-alikes of the log, problems of the inputs, whatever the user should know."""
    workshop: Workshop
    graphs: Graphs
    """All graphs that are at hand; ``source`` is one of them."""
    input_notes: tuple[str, ...] = ()
    """Those of ``notes`` that are of the inputs."""
    recorded: tuple[Bundle, BundledCall] | None = None
    """The recording that it is of, which keeps its files, and the call."""
    choice: GraphChoice | None = None
    """Which graph the log chose, and what fits it in others."""
    edited: str = ""
    """What of the inputs was changed to try something, in words."""

    @property
    def only_memory_faults(self) -> bool:
        """Whether the log reports a bad address, and no assert that it could have come from."""
        return self.log is not None and bool(self.log.faults) and not self.log.asserts

    @property
    def loading_error(self) -> LoadingError | None:
        """That generated code could not be loaded, where the log reports that and no failure."""
        log = self.log
        return log.loading if log is not None and not (log.asserts or log.faults) else None

    @property
    def traced(self) -> tuple[Launch, ...]:
        """The launches of kernels that a traceback of the log names."""
        if self.log is None:
            return ()
        named = launch_in_traceback(self.index, self.source, self.log)
        return tuple({la.id: la for la in named if la.kernel in self.index.kernels}.values())

    @property
    def truncated(self) -> tuple[TruncatedSymbol, ...]:
        """Sizes that the given inputs make come out wrong, assert or not."""
        return truncated_of(self.index, self.known) if self.inputs else ()

    def kernel_program(self, name: str) -> KernelProgram:
        """One kernel's program, parsed at the first call."""
        return self.workshop.program(name)

    def program_at(self, source: str, line: int) -> KernelProgram | None:
        """The program that a line of a source can run in; None for no such source."""
        return self.kernel_program(source) if source in self.index.kernels else None

    def text_of(self, source: str, line: int) -> str:
        """A line of a source; ``""`` where there is none."""
        lines = self.index.kernels[source].lines if source in self.index.kernels else ()
        return lines[line - 1] if 1 <= line <= len(lines) else ""

    def lines_of(self, file: str) -> tuple[str, ...] | None:
        """The lines of another file that can be looked at; a wrapper has none."""
        return None

    def explain_assert(self, kernel: str, kernel_line: int) -> Failure | None:
        """The failure that an assert would be; None where no assert stands."""
        return self.workshop.explainer.explain_assert(kernel, kernel_line, self.known)

    def failure_of(self, done: AllLaunches) -> Failure | None:
        """The first failure of a whole replay, explained: an assert, or an access outside of its
        tensor. None when nothing failed. Raises ReplayError."""
        result = done.first.result if done.first is not None else None
        if result is None:
            return None
        if result.asserts:
            first = min(result.asserts, key=lambda a: a.order)
            return self.explain_assert(result.kernel, first.kernel_line)
        return first_bad_access(self.session(), self.workshop.explainer, self.known, done)

    def find_fault(self, progress: Progress | None = None) -> Failure | None:
        """What a memory fault came from: the model's first bad access, or an assert that fires
        before any. Slow, as :meth:`judge`. Raises ReplayError."""

        def told(done: int, total: int) -> None:
            if progress is not None:
                progress("replaying the model", done / max(total, 1))

        core = self.workshop.core
        if core is not None and core.found is not None and self.given.inputs is None:
            done = replay_one(self.session(), core.found.launch, progress=told)
        else:
            done = replay_all(self.session(), progress=told)
        failure = self.failure_of(done)
        if failure is None:
            return None
        if failure.access is None:
            assert done.first is not None
            judged = self.judge(failure, progress, scanned=done.first.result).failure
            failure = self.with_note(judged, assert_left_out(self.index.device))
        faults = self.log.faults if self.log is not None else ()
        return beside_the_log(failure, faults, self.index, self.traced)

    def trace(self, line: int, name: str) -> ProvenanceNode | None:
        """Provenance of the name that stands on a wrapper line; None when it is no name known."""
        return trace_name(self.index, self.workshop.explainer, self.known, line, name)

    def first_input(self, node: ProvenanceNode) -> ProvenanceNode | None:
        """The model input (or else the constant) at the end of a chain."""
        ends = [n for n in walk(node) if n.source is not None]
        for kind in ("input", "constant"):
            for end in ends:
                if end.kind == kind:
                    return end
        return None

    def upstream(self, launch: Launch, argument: str, element: int) -> Upstream:
        """Who put an element there that a launch has read. Raises ReplayError."""
        flow = self.workshop.explainer.flow
        return find_upstream(self.index, flow, self.session(), launch, argument, element)

    def writer_of(self, launch: Launch, text: str) -> WrittenElement:
        """Who wrote an element of an output (``out_ptr0[3,7]``). Raises ReplayError."""
        session = self.session()
        argument, element = element_by_hand(session, launch, text)
        return written_element(session, launch, argument, element)

    def elements_of(self, launch: Launch, parameter: str, start: int) -> TensorElements:
        """Elements of an argument as a launch gets it. Raises ReplayError."""
        return read_argument(self.session(), launch, parameter, start)

    def given_to(self, launch: Launch) -> tuple[ArgumentValue, ...]:
        """What a launch is given, where that is known without running anything."""
        return ()

    def session(self) -> ReplaySession:
        """The replay session of this wrapper; its worker starts with the first question."""
        if self.workshop.session is None:
            self.workshop.session = ReplaySession(
                self.index,
                self.given,
                client=self.workshop.client,
                flow=self.workshop.explainer.flow,
                captured=self.workshop.core.captured if self.workshop.core is not None else None,
            )
        return self.workshop.session

    def replayer(self) -> Replayer:
        """What runs launches again."""
        return self.session()

    @property
    def bad_lines(self) -> tuple[tuple[str, int], ...]:
        """Lines that something went wrong on, each with its source."""
        return tuple((one.kernel, one.kernel_line) for one in self.failures)

    @property
    def data_words(self) -> str:
        """Where the data of a launch comes from before anything was run."""
        if self.given.inputs is None:
            return "MADE-UP, no inputs are given (O reads them from a .pt file)"
        return f"inputs of {self.given.inputs.name}"

    @property
    def stands(self) -> bool:
        """Whether something waits to go on; a wrapper's launches only run when they are asked."""
        return False

    @property
    def can_diagnose(self) -> bool:
        """Whether there are inputs or data of the GPU, without which a replay confirms nothing."""
        core = self.workshop.core
        dumped = core is not None and core.captured is not None and bool(core.captured.files)
        return self.given.inputs is not None or self.given.tensors is not None or dumped

    def with_note(self, failure: Failure, note: str) -> Failure:
        return replace(failure, notes=(*failure.notes, note))

    def close(self) -> None:
        if self.workshop.session is not None:
            self.workshop.session.close()

    def with_log(self, text: LogText, name: str) -> Incident:
        """The same wrapper with a log brought later."""
        return self.with_reading(read_log(text), name)

    def with_reading(self, reading: LogReading, name: str) -> Incident:
        """The same with a log that was read; of several graphs, the one that it is of. Raises
        ArtifactError for inputs that this one does not take."""
        chosen = self._graph_of(reading)
        return replace(chosen, log=reading, log_name=name).with_known()

    def with_known(self) -> Incident:
        """With what the inputs tell of this graph, bound to its arguments as the log has it.
        Raises ArtifactError for unusable ones."""
        first = self._bound(0)
        if self.log is None or not first.failures or first.explains_all:
            return first
        # Values decide where sizes do not: the bad index stands in the inputs as they were bound.
        for which in range(1, ways_to_bind(self.index, self.given)):
            other = self._bound(which)
            if other.explains_all:
                return other
        return first

    @property
    def explains_all(self) -> bool:
        """Whether the inputs hold, for each failure, elements that the assert fails for."""
        return all(failure.bad is not None for failure in self.failures)

    def _bound(self, which: int) -> Incident:
        if which != self.given.binding:
            self.close()
            given = replace(self.given, binding=which)
            workshop = Workshop(self.index, given, self.workshop.client, self._core)
            return replace(self, given=given, workshop=workshop)._knowing()
        return self._knowing()

    def _knowing(self) -> Incident:
        core = self.workshop.core
        known, inputs, notes = known_of(
            self.index,
            self.given,
            core.symbols if core is not None else None,
            named_arguments(self.graphs, self.source, self.index) if self.index.graph else None,
        )
        notes = (*(core.notes if core is not None else ()), *notes)
        found = replace(self, known=known, inputs=inputs, input_notes=notes)
        return replace(found, notes=(*self.graphs.notes, *notes))._explained()

    def with_inputs(self, path: Path, edited: str = "") -> Incident:
        """The same wrapper with other inputs; ``edited`` says what was changed in them to try
        something. Raises ArtifactError for unusable ones."""
        self.close()
        given = replace(self.given, inputs=path)
        workshop = Workshop(self.index, given, self.workshop.client, self._core)
        changed = replace(self, given=given, workshop=workshop, edited=edited)
        if self.log is not None and len(self.graphs.sources) > 1:
            return changed.with_reading(self.log, self.log_name)
        return changed.with_known()

    def of_graph(self, source: WrapperText) -> Incident:
        """Another of the graphs at hand, with the same log and inputs, whatever these say. Raises
        ArtifactError for inputs that it does not take."""
        index = indexed(source, self.given.kernels)
        changed = self._with_graph(source, index)
        return replace(changed, choice=None).with_known()

    def _with_graph(self, source: WrapperText, index: WrapperIndex) -> Incident:
        if source is self.source:
            return self
        self.close()
        workshop = Workshop(index, self.given, self.workshop.client, self._core)
        return replace(self, source=source, index=workshop.index, workshop=workshop, failures=())

    @property
    def _core(self) -> Core | None:
        return self.workshop.core.core if self.workshop.core is not None else None

    def _graph_of(self, reading: LogReading) -> Incident:
        """The graph that a log is of, where several are at hand."""
        if len(self.graphs.sources) < 2:
            return self

        def index_of(source: WrapperText) -> WrapperIndex:
            return self.index if source is self.source else indexed(source, self.given.kernels)

        choice = choose_graph(
            self.graphs, reading, index_of, lambda index: takes_inputs(index, self.given)
        )
        if choice is None:
            return self
        return replace(self._with_graph(choice.source, choice.index), choice=choice)

    def _explained(self) -> Incident:
        """With the failures of the log, as far as they can be told before anything runs."""
        if self.log is None:
            return self
        explainer = self.workshop.explainer
        traced = self.traced
        core = self.workshop.core
        log = at_launches(self.log, core) if core is not None else self.log
        found = explainer.failures(log, self.known, traced)
        failures = unreplayed(explainer, found, self.known, self.inputs, self.log.autotuning)
        others = self.choice.others if self.choice is not None else ()
        failures = tuple(with_other_graphs(failure, others) for failure in failures)
        given = bool(self.inputs)
        notes = (
            *self.notes,
            *log_notes(self.log, failures, self.index, given=given or bool(traced)),
        )
        if self.only_memory_faults:
            notes += traced_fault_notes(self.index, explainer.program_of, traced, given=given)
        chosen = self.choice.notes if self.choice is not None else ()
        return replace(self, failures=failures, notes=(*chosen, *notes))

    def judge(
        self,
        failure: Failure,
        progress: Progress | None = None,
        *,
        scanned: ReplayResult | None = None,
        only: frozenset[LaunchId] | None = None,
    ) -> Verdict:
        """The failure judged by a replay: which launch fired, with which values, and why.

        ``scanned`` is a whole-grid result at hand, so that its launch is not run again; ``only``
        limits the search to some launches. Slow (a worker starts and kernels run): call it off
        the interface's thread. Raises ReplayError when nothing could be replayed.
        """
        if failure.access is not None:
            # It was found by a replay, and there is no other launch that it could be of.
            return Verdict(failure, None)
        explainer = self.workshop.explainer
        known_results = {scanned.launch: scanned} if scanned is not None else {}
        search = Search(
            self.session(),
            explainer,
            failure,
            only,
            progress,
            self.inputs,
            self.log.autotuning if self.log is not None else None,
            tuple(f for f in self.failures if f.kernel_line != failure.kernel_line),
            known_results,
        )
        judged = judge(search, self.known)
        if judged is None:
            return Verdict(failure, None)
        known = replace(self.known, names=judged.evidence.values)
        explained = explainer.explain(
            judged.candidate,
            failure.candidates,
            failure.logged,
            known,
            judged.evidence,
            judged.launch.id,
        )
        explained = replace(
            explained,
            programs=failure.programs,
            threads=failure.threads,
            rivals=judged.rivals,
            other_graphs=failure.other_graphs,
            fired=judged.evidence.programs if judged.result is not None else None,
            notes=(*explained.notes, *judged.notes),
        )
        return Verdict(explained, judged)
