"""What the user opened and all that is concluded from it: one object for both front ends.

An incident is a wrapper, perhaps with a log and model inputs. It never changes; bringing a log or
inputs later gives a new one that shares the index.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from aoti_tui.answer.judge import judge
from aoti_tui.answer.upstream import Upstream, find_upstream
from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.kernel_files import kernel_files, kernel_files_beside
from aoti_tui.artifacts.saved_tensors import read_saved
from aoti_tui.artifacts.wrapper_file import WrapperText, open_wrapper
from aoti_tui.failure.cause.runtime_checks import check_of, check_words
from aoti_tui.failure.explain import Explainer
from aoti_tui.failure.log.asserts import read_log
from aoti_tui.failure.model import Failure, LogReading, ProvenanceNode, Source
from aoti_tui.failure.prose.headline import headline
from aoti_tui.failure.provenance.known import known_from_inputs
from aoti_tui.failure.provenance.names import trace_name
from aoti_tui.failure.provenance.tree import InputData, Known, walk
from aoti_tui.index.cpp.reader import read_wrapper
from aoti_tui.index.model import Launch, WrapperIndex
from aoti_tui.index.python.kernel_sources import KernelSource, find_kernel_sources
from aoti_tui.index.recognise import ArtifactKind, describe_artifact
from aoti_tui.kernel.model import KernelProgram
from aoti_tui.kernel.parse import parse_kernel
from aoti_tui.replay.data.inputs import check_given, decode_given
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.model import GivenInput, ReplayResult, SymbolValue
from aoti_tui.replay.questions.facts import truncated_symbols, truncation_words
from aoti_tui.replay.session import ReplaySession

Progress = Callable[[str, float], None]


@dataclass(frozen=True, slots=True)
class Given:
    """Files and settings beside the wrapper, as the user gave them."""

    inputs: Path | None = None
    settings: Mapping[str, float] = field(default_factory=dict)
    python: str | None = None
    constants: Path | None = None
    tensors: Path | None = None
    kernels: Path | None = None
    model: str | None = None
    seed: int = 0


class _Workshop:
    """What is made once per wrapper and kept: parsed kernels, the explainer, the session."""

    def __init__(self, index: WrapperIndex, given: Given) -> None:
        self.index = index
        self.given = given
        self.programs: dict[str, KernelProgram] = {}
        self.explainer = Explainer(index, self.program)
        self.session: ReplaySession | None = None

    def program(self, name: str) -> KernelProgram:
        found = self.programs.get(name)
        if found is None:
            kernel = self.index.kernels.get(name)
            if kernel is None:
                found = parse_kernel("", name)
            else:
                pointers = [p.name for p in kernel.parameters if p.is_pointer]
                found = parse_kernel(kernel.source, kernel.function, pointers or None)
            self.programs[name] = found
        return found


@dataclass(frozen=True)
class Incident:
    """A wrapper with what came with it. See :func:`open_incident`."""

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
    workshop: _Workshop

    def kernel_program(self, name: str) -> KernelProgram:
        """One kernel's program, parsed at the first call."""
        return self.workshop.program(name)

    def explain_assert(self, kernel: str, kernel_line: int) -> Failure | None:
        """The failure that an assert would be; None where no assert stands."""
        return self.workshop.explainer.explain_assert(kernel, kernel_line, self.known)

    def sources_of_failure(self, result: ReplayResult) -> tuple[Source, ...]:
        """Where the index of a replay's first assert, or else of its first bad access, comes
        from."""
        if result.asserts:
            first = min(result.asserts, key=lambda a: a.order)
            failure = self.explain_assert(result.kernel, first.kernel_line)
            return failure.index.sources if failure is not None else ()
        if result.faults:
            fault = result.faults[0]
            return self.workshop.explainer.access_sources(
                result.kernel, fault.kernel_line, fault.argument, result.launch
            )
        return ()

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
        memory = self.workshop.explainer.memory
        return find_upstream(self.index, memory, self.session(), launch, argument, element)

    def headline(self, failure: Failure) -> tuple[str, ...]:
        return headline(failure)

    def session(self) -> ReplaySession:
        """The replay session of this wrapper; its worker starts with the first question."""
        if self.workshop.session is None:
            given = self.given
            self.workshop.session = ReplaySession(
                self.index,
                python=given.python,
                inputs=given.inputs,
                settings=given.settings,
                constants=given.constants,
                tensors=given.tensors,
                seed=given.seed,
            )
        return self.workshop.session

    @property
    def can_diagnose(self) -> bool:
        """Whether there are inputs or captured tensors, without which a replay confirms nothing."""
        return self.given.inputs is not None or self.given.tensors is not None

    def with_note(self, failure: Failure, note: str) -> Failure:
        return replace(failure, notes=(*failure.notes, note))

    def close(self) -> None:
        if self.workshop.session is not None:
            self.workshop.session.close()

    def with_log(self, text: str, name: str) -> Incident:
        """The same wrapper with a log brought later."""
        reading = read_log(text)
        failures = self.workshop.explainer.failures(reading, self.known)
        notes = (*self._own_notes(), *log_notes(reading, failures, self.index))
        return replace(self, log=reading, log_name=name, failures=failures, notes=notes)

    def with_inputs(self, path: Path) -> Incident:
        """The same wrapper with other inputs; raises like :func:`open_incident`."""
        self.close()
        given = replace(self.given, inputs=path)
        workshop = _Workshop(self.index, given)
        known, inputs, notes = _known(self.index, given)
        changed = replace(
            self, given=given, workshop=workshop, known=known, inputs=inputs, notes=notes
        )
        if self.log is None:
            return changed
        failures = workshop.explainer.failures(self.log, known)
        return replace(
            changed,
            failures=failures,
            notes=(*notes, *log_notes(self.log, failures, self.index)),
        )

    def _own_notes(self) -> tuple[str, ...]:
        return _known(self.index, self.given)[2]

    def diagnose(self, failure: Failure, progress: Progress | None = None) -> Failure:
        """The failure judged by a replay: which candidate fired, with which values, and why.

        Slow (a worker starts and kernels run): call it off the interface's thread. Raises
        ReplayError when nothing could be replayed.
        """
        judged = judge(
            self.session(),
            self.workshop.explainer.memory,
            self.kernel_program,
            failure,
            progress=progress,
        )
        if judged is None:
            return failure
        known = replace(self.known, names=judged.evidence.values)
        explained = self.workshop.explainer.explain(
            judged.candidate,
            failure.candidates,
            failure.logged,
            known,
            judged.evidence,
            judged.launch.id,
        )
        return replace(
            explained,
            programs=failure.programs,
            threads=failure.threads,
            notes=(*explained.notes, *judged.notes),
        )


def open_incident(
    wrapper: Path,
    *,
    log: str | None = None,
    log_name: str = "",
    given: Given | None = None,
    progress: Progress | None = None,
    browse: bool = False,
) -> Incident:
    """Opens a wrapper (file, package or folder) with what came with it.

    ``log`` is the log's text. ``progress`` gets what is being done and its share from 0 to 1.
    ``browse`` takes a CPU wrapper too, which has nothing to debug but can be listed.
    Raises :class:`~aoti_tui.artifacts.errors.ArtifactError` when nothing can be shown.
    """
    given = given or Given()
    say = progress or (lambda doing, share: None)
    say("reading the wrapper", 0.0)
    source = open_wrapper(wrapper, given.model)
    _check_kind(source, browse)
    sources = _kernel_sources(source, given.kernels)
    index = read_wrapper(
        source.text,
        str(source.path),
        kernel_sources=sources,
        progress=lambda share: say("indexing the wrapper", share),
    )
    _check_content(source, index)
    workshop = _Workshop(index, given)
    known, inputs, notes = _known(index, given)
    incident = Incident(
        source=source,
        index=index,
        given=given,
        log=None,
        log_name="",
        failures=(),
        known=known,
        inputs=inputs,
        notes=notes,
        workshop=workshop,
    )
    if log is None:
        return incident
    say("reading the log", 0.0)
    return incident.with_log(log, log_name)


def _check_kind(source: WrapperText, browse: bool) -> None:
    described = describe_artifact(source.text)
    if described.is_wrapper:
        if described.kind is ArtifactKind.CPU_WRAPPER and not browse:
            raise ArtifactError(
                f"{source.name} is a CPU-only wrapper",
                f"{described.reason}: it holds no Triton kernel, so no GPU assert can come from it",
                "Give the wrapper of the model compiled for the GPU.",
            )
        return
    raise ArtifactError(
        f"{source.name} is not an AOTInductor wrapper",
        f"expected the generated *.wrapper.cpp, found {described.kind.value} ({described.reason})",
        "Give the *.wrapper.cpp that the compiler wrote, the .pt2 package, or its folder.",
    )


def _check_content(source: WrapperText, index: WrapperIndex) -> None:
    if not index.kernels and not index.launches and not index.inputs:
        raise ArtifactError(
            f"{source.name} holds nothing that could be read",
            "no kernel, no launch and no input was found in it",
            "Is the file cut off? Copy it again.",
        )


def _kernel_sources(source: WrapperText, path: Path | None) -> dict[str, KernelSource]:
    """Kernel sources outside of the wrapper: those given, else those that lie beside it."""
    if path is not None:
        files = kernel_files(path)
    elif "async_compile.triton(" in source.text or source.member:
        return {}
    else:
        files = kernel_files_beside(source.path)
    found: dict[str, KernelSource] = {}
    for name, text in files:
        for kernel, kernel_source in find_kernel_sources(text, name).items():
            found.setdefault(kernel, kernel_source)
    return found


def _known(
    index: WrapperIndex, given: Given
) -> tuple[Known, tuple[GivenInput, ...], tuple[str, ...]]:
    """What inputs and settings make known, the inputs, and what is odd about them."""
    if given.inputs is None:
        return known_from_inputs(index, {}, {}, given.settings), (), ()
    saved = read_saved(given.inputs)
    if saved is None:
        note = f"{given.inputs} is read when a replay starts: only torch can load what it holds"
        return known_from_inputs(index, {}, {}, given.settings), (), (note,)
    decoded = decode_given(index, [value.as_reply() for value in saved])
    try:
        problems = check_given(index, decoded, str(given.inputs))
    except ReplayError as error:
        raise ArtifactError(error.what, error.why, error.do) from error
    dims: dict[tuple[int, int], int] = {}
    values: dict[int, int | float] = {}
    words: dict[int, str] = {}
    ranges: dict[str, tuple[int, int]] = {}
    data: dict[str, InputData] = {}
    inputs: list[GivenInput] = []
    for one, value in zip(decoded, saved, strict=True):
        dims.update({(one.position, dim): size for dim, size in enumerate(one.shape)})
        if value.value is not None:
            values[one.position] = value.value
        words[one.position] = value.words
        # Arithmetic on 8 and 16 bits wraps, which intervals do not follow.
        if value.span is not None and one.dtype in ("int32", "int64"):
            ranges[one.name] = value.span
        if value.elements is not None:
            data[one.name] = InputData(
                one.name, one.position, one.shape, one.stride, value.elements
            )
        inputs.append(replace(one, summary=value.words))
    known = known_from_inputs(index, dims, values, given.settings, words, ranges)
    symbols = tuple(SymbolValue(n, v, "input", "") for n, v in known.symbols.items())
    known = replace(
        known,
        data=data,
        strides={one.position: one.stride for one in decoded},
        truncated={s.name: truncation_words(s) for s in truncated_symbols(index, symbols)},
    )
    return known, tuple(inputs), problems


def log_notes(
    reading: LogReading, failures: tuple[Failure, ...], index: WrapperIndex
) -> tuple[str, ...]:
    """What the user should know of a log: no assert, another model's, look-alikes."""
    notes = [f"log line {a.log_line}: {a.explanation} ({a.text})" for a in reading.look_alikes[:8]]
    checks = [check_of(index, a.text) for a in reading.look_alikes if a.kind == "guard"]
    notes.extend(check_words(index, check) for check in checks if check is not None)
    notes.extend(reading.notes)
    explained = {"".join(f.message.split()) for f in failures}
    for logged in reading.asserts:
        if "".join(logged.message.split()) not in explained:
            place = f"{logged.path}:{logged.line}" if logged.line else logged.path or "unknown"
            notes.append(
                f"no kernel of this wrapper has the assert `{logged.message}` ({place}, log line "
                f"{logged.log_line}): is the log of another model, or of another compilation?"
            )
    if not reading.asserts and not any(checks):
        notes.append(
            f"no Triton assert is in the log ({reading.lines} lines): expected a line such as "
            "`….py:46: unknown: block: [0,0,0], thread: [0,0,0] Assertion `…` failed.`; "
            "give the standard error of the failed process"
        )
    return tuple(notes)
