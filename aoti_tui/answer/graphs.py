"""Which of several graphs of torch.compile a log is of, and what of the others fits it as well.

Triton shares the compiled kernel between graphs whose kernels have the same function text, so the
file that a log names may be another graph's: a traceback decides, then the inputs that only one
graph takes; else all that fit are told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from aoti_tui.artifacts.graphs.kernel_names import (
    base_name,
    code_file_name,
    function_text,
    is_code_file_name,
    kernel_texts,
)
from aoti_tui.artifacts.wrapper_file import WrapperText
from aoti_tui.failure.log.match import match_assert
from aoti_tui.failure.model import (
    Candidate,
    Failure,
    Frame,
    GraphCandidate,
    LogReading,
)
from aoti_tui.flow.access import program_of_kernel
from aoti_tui.index.model import Launch, WrapperIndex
from aoti_tui.kernel.model import KernelProgram

_MOST_NAMED = 6


@dataclass(frozen=True, slots=True)
class Graphs:
    """All graphs at hand. ``kernels`` are the texts of kernel files by the names that they have;
    ``notes`` say where the graphs were found."""

    sources: tuple[WrapperText, ...]
    kernels: Mapping[str, str]
    notes: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ()
    """Graphs as dynamo made them, out of logs and traces: they name the arguments."""


@dataclass(frozen=True, slots=True)
class GraphChoice:
    """The graph that a log is of."""

    source: WrapperText
    index: WrapperIndex
    others: tuple[tuple[GraphFit, str], ...]
    """The others that fit; with what rules each of them out, or ``""``."""
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GraphFit:
    """A graph with the kernels in it that fit an assert of the log."""

    source: WrapperText
    index: WrapperIndex
    fits: Mapping[str, tuple[Candidate, ...]]
    """By the message of the assert."""
    named: bool
    """Whether it holds the very file that the log names."""
    frame: Frame | None
    """A frame of a traceback in it."""
    takes_inputs: bool | None
    """Whether it takes the given inputs; None where none are given."""


def choose_graph(
    graphs: Graphs,
    reading: LogReading,
    index_of: Callable[[WrapperText], WrapperIndex],
    takes: Callable[[WrapperIndex], bool | None],
) -> GraphChoice | None:
    """The graph that ``reading`` is of; None when no kernel of any fits it.

    ``takes`` says whether a graph takes the given inputs.
    """
    fits = [f for f in (_fit(graphs, s, reading, index_of, takes) for s in graphs.sources) if f]
    if not fits:
        return None
    traced = [f for f in fits if f.frame is not None]
    left = [f for f in fits if f.takes_inputs is not False] or fits
    chosen = traced[-1] if traced else min(left, key=lambda f: not f.named)
    others = tuple((f, _ruled_out(f, chosen)) for f in fits if f is not chosen)
    return GraphChoice(
        chosen.source, chosen.index, others, tuple(_named_notes(graphs, reading, chosen))
    )


def _ruled_out(other: GraphFit, chosen: GraphFit) -> str:
    """Why it is not the graph that ran; ``""`` where nothing says so."""
    if chosen.frame is not None and other.frame is None:
        name = chosen.index.graph or chosen.source.name
        return f"the traceback names graph {name} (:{chosen.frame.line})"
    if other.takes_inputs is False and chosen.takes_inputs is not False:
        return "it does not take the given inputs"
    return ""


def launch_in_traceback(
    index: WrapperIndex, source: WrapperText, reading: LogReading
) -> tuple[Launch, ...]:
    """The launches that a traceback of the log names in this wrapper."""
    frames = frames_in(source, reading)
    return tuple(la for frame in frames for la in index.launches_at(frame.line))


def frames_in(source: WrapperText, reading: LogReading) -> list[Frame]:
    """The frames of the log's tracebacks that are in a wrapper: by the name of its file, or by the
    very line that a traceback shows."""
    names, lines = _file_names(source), source.text.split("\n")
    return [
        frame
        for frame in reading.frames
        if base_name(frame.path) in names
        or (
            ".run(" in frame.code
            and frame.line <= len(lines)
            and lines[frame.line - 1].strip() == frame.code
        )
    ]


def with_other_graphs(failure: Failure, others: Sequence[tuple[GraphFit, str]]) -> Failure:
    """A failure with the kernels of other graphs that fit the log as well."""
    message = failure.logged.message if failure.logged is not None else failure.message
    found = []
    open_names = []
    decided = dict.fromkeys(why for _, why in others if why)
    for fit, why in others:
        for one in fit.fits.get(message, ()):
            if not why:
                open_names.append(f"{one.kernel} of graph {fit.index.graph or fit.source.name}")
            found.append(
                GraphCandidate(
                    graph=fit.index.graph,
                    wrapper=str(fit.source.path),
                    kernel=one.kernel,
                    kernel_line=one.kernel_line,
                    wrapper_line=one.wrapper_line,
                    launch_lines=tuple(la.line for la in one.launches),
                    reason=f"{one.reason}; but {why}" if why else one.reason,
                )
            )
    if not found:
        return failure
    notes = failure.notes
    if open_names:
        notes = (*notes, _ambiguous(open_names))
    elif decided:
        names = ", ".join(dict.fromkeys(c.graph or c.wrapper for c in found))
        notes = (*notes, f"graph {names} has a kernel with the same text; {'; '.join(decided)}")
    return replace(failure, other_graphs=tuple(found), notes=notes)


def _ambiguous(names: Sequence[str]) -> str:
    return (
        f"{len(names) + 1} kernels with the same text fit the log, in several graphs (Triton "
        "compiles such kernels once, and the log names the first one's file): also "
        f"{', '.join(names[:_MOST_NAMED])}. CUDA_LAUNCH_BLOCKING=1 decides, or --inputs that only "
        "one of the graphs takes"
    )


def _fit(
    graphs: Graphs,
    source: WrapperText,
    reading: LogReading,
    index_of: Callable[[WrapperText], WrapperIndex],
    takes: Callable[[WrapperIndex], bool | None],
) -> GraphFit | None:
    frames = frames_in(source, reading)
    messages = [a for a in reading.asserts if _may_hold(source.text, a.message)]
    if reading.asserts and not messages:
        return None
    index = index_of(source)
    if not reading.asserts and not frames and not takes(index):
        return None
    texts = {code_file_name(text): function_text(text) for text in kernel_texts(source.text)}
    programs: dict[str, KernelProgram] = {}

    def program_of(name: str) -> KernelProgram:
        if name not in programs:
            programs[name] = program_of_kernel(index.kernels[name])
        return programs[name]

    fits: dict[str, tuple[Candidate, ...]] = {}
    named = False
    for logged in messages:
        name = base_name(logged.path)
        named = named or name in texts
        wanted = graphs.kernels.get(name)
        found = match_assert(index, program_of, logged)
        if wanted is not None:
            same = function_text(wanted)
            found = tuple(c for c in found if _has_function(index, c, same))
        if found:
            fits[logged.message] = found
    if reading.asserts and not fits:
        return None
    return GraphFit(source, index, fits, named, frames[-1] if frames else None, takes(index))


def _may_hold(text: str, message: str) -> bool:
    """Whether a wrapper's text has an assert's message at all; wrapped logs lose spaces."""
    return message in text or "".join(message.split()) in "".join(text.split())


def _has_function(index: WrapperIndex, candidate: Candidate, wanted: str) -> bool:
    kernel = index.kernels[candidate.kernel]
    return function_text("\n".join(kernel.lines[1:-1])) == wanted


def _file_names(source: WrapperText) -> set[str]:
    """The names by which a traceback can call a wrapper, moved or not."""
    written = base_name(source.model) if is_code_file_name(base_name(source.model)) else ""
    return {source.path.name, code_file_name(source.text), written} - {""}


def _named_notes(graphs: Graphs, reading: LogReading, chosen: GraphFit) -> list[str]:
    """What is to be said where the file that the log names is in none of the graphs."""
    notes = []
    for logged in reading.asserts:
        name = base_name(logged.path)
        if is_code_file_name(name) and name not in graphs.kernels and logged.message in chosen.fits:
            notes.append(
                f"no kernel at hand has the text of the file that the log names "
                f"({name[1:3]}/{name}): this is the code of another run or compilation, and its "
                "kernels may differ (a template's file is named otherwise, too)"
            )
    return notes
