"""What a state shows: the run, its lanes, and what stands beside the lines of a source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from aoti_tui.answer.incident import Incident
from aoti_tui.replay.model import Block, Recording
from aoti_tui.session import words
from aoti_tui.session.source.document import SourceDocument
from aoti_tui.session.state import State
from aoti_tui.session.values.lanes import LaneView, Words, changed_lanes, projected
from aoti_tui.session.values.masks import masking
from aoti_tui.session.values.temporaries import (
    NO_ERRORS,
    Temporary,
    failing_count,
    inline_values,
    marked_positions,
    relevant_assert,
    substituted,
    temporaries,
)
from aoti_tui.session.values.watches import evaluator, one_lane, watched


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
    locked: bool = False
    """Stepping does not change which temporary the lanes are of."""
    recording: Recording | None = None
    count: int = 0
    position: int = -1
    failing: frozenset[int] = field(default_factory=frozenset)
    asserts: frozenset[int] = field(default_factory=frozenset)
    stops: frozenset[int] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True)
class Marks:
    """What stands beside the lines of a document. Lines are the document's own numbers."""

    breakpoints: Mapping[int, bool] = field(default_factory=dict)
    """Line → whether the breakpoint is enabled."""
    asserts: frozenset[int] = frozenset()
    failing: frozenset[int] = frozenset()
    step: int | None = None
    """Line of the recording's position."""
    inline: Mapping[int, tuple[str, bool]] = field(default_factory=dict)
    """Line → value shown after the code, and whether it changed with the last step."""


def differing(one: Marks, other: Marks) -> set[int]:
    """Lines beside which two marks do not show the same."""
    lines = set(one.asserts ^ other.asserts) | (one.failing ^ other.failing)
    lines |= {line for line, _ in one.breakpoints.items() ^ other.breakpoints.items()}
    lines |= {line for line, _ in one.inline.items() ^ other.inline.items()}
    if one.step != other.step:
        lines |= {line for line in (one.step, other.step) if line is not None}
    return lines


def run_view(state: State, stops: frozenset[int]) -> RunView:
    """The run pane: what to press before a replay, what it found and holds after. ``stops``
    are the steps that breakpoints speak of."""
    outcome, position, lane = state.outcome, state.position, state.lane
    if outcome is None:
        given = state.incident.data_words if state.incident is not None else ""
        return RunView(words.idle(state.kernel, state.launch, given))
    recording = outcome.recording
    failing, asserts = marked_positions(recording)
    shown = _rows(state, recording)
    selected = next((t for t in shown if t.name == state.selected), None)
    expression = ""
    if state.explained >= 0:
        expression = substituted(recording, outcome.program, state.explained, lane)
        expression += words.flags_at(recording, recording.steps[state.explained])
    elif selected is not None and selected.watch:
        expression = f"{selected.watch} = {selected.value}"
    return RunView(
        status=words.status(outcome, position),
        message=words.found(outcome),
        bad=bool(outcome.result.asserts or outcome.result.faults),
        expression=expression,
        temporaries=shown,
        selected=state.selected,
        lanes=_lane_view(state, recording, selected),
        locked=state.locked,
        recording=recording,
        count=len(recording.steps),
        position=position,
        failing=failing,
        asserts=asserts,
        stops=stops,
    )


def _rows(state: State, recording: Recording) -> tuple[Temporary, ...]:
    watches = watched(recording, state.position, state.lane, state.watches)
    precision = state.precision
    known = precision is not None and precision.recording is recording
    errors = precision.errors if precision is not None and known else NO_ERRORS
    return (*watches, *temporaries(recording, state.position, state.lane, errors))


def shown_lanes(state: State) -> LaneView | None:
    """The lanes of what is selected; None where it has none now."""
    if state.recording is None:
        return None
    rows = _rows(state, state.recording)
    selected = next((row for row in rows if row.name == state.selected), None)
    return _lane_view(state, state.recording, selected)


_latest: list[tuple[Recording, tuple[object, ...], LaneView | None]] = []


def _lane_view(state: State, recording: Recording, selected: Temporary | None) -> LaneView | None:
    if selected is None or (selected.block is None and selected.raw is None):
        return None
    made_for = (state.position, selected.position, selected.name)
    if not _latest or _latest[0][0] is not recording or _latest[0][1] != made_for:
        # Worked out once a step: marks of a large block take longer than moving over its lanes.
        made = _made_lane_view(recording, state.position, selected)
        _latest[:] = [(recording, made_for, made)]
    shown = _latest[0][2]
    return replace(shown, lane=state.lane) if shown is not None else None


def _made_lane_view(recording: Recording, position: int, selected: Temporary) -> LaneView | None:
    if not isinstance(selected.block, Block):
        block = one_lane(selected.raw)
        words = Words(one="number, the same in every lane")
        return LaneView(selected.name, block, (), words=words) if block is not None else None
    block, step = selected.block, recording.steps[selected.position]
    asserted = relevant_assert(recording, position)
    masked = masking(recording).out(step, position, block.shape)
    failing = projected(asserted.failing if asserted else None, block.shape, any)
    if failing and masked:
        failing = [bad and not out for bad, out in zip(failing, masked, strict=True)]
    # One failing row is many lanes of a block with columns: they depend on it, no more.
    spread = asserted is not None and sum(failing) > failing_count(asserted)
    return LaneView(
        name=selected.name,
        block=block,
        lane=(),
        failing=failing,
        masked=masked,
        changed=(
            evaluator(recording).changed(selected.watch, position)[1]
            if selected.watch
            else changed_lanes(recording, step)
        ),
        summary=selected.statistics.summary,
        words=Words(failing="hang on a failing lane") if spread else Words(),
    )


def marks_for(state: State, document: SourceDocument, breakpoints: Mapping[int, bool]) -> Marks:
    """What stands beside the lines of a document; ``breakpoints`` are those on its lines."""
    incident = state.incident
    marks = Marks(breakpoints=breakpoints)
    if incident is not None:
        marks = replace(
            marks,
            failing=_failing_lines(incident, document),
            asserts=_assert_lines(incident, document, state.place.line),
        )
    recording, outcome, position = state.recording, state.outcome, state.position
    if recording is None or outcome is None or position < 0:
        return marks
    here = recording.steps[position]
    values = inline_values(recording, outcome.program, position, state.lane)
    places = {at: document.line_of(here.file, at) for at in values}
    return replace(
        marks,
        step=document.line_of(here.file, here.kernel_line),
        inline={place: values[at] for at, place in places.items() if place is not None},
    )


def _failing_lines(incident: Incident, document: SourceDocument) -> frozenset[int]:
    places = (document.line_of(*at) for at in incident.bad_lines)
    return frozenset(place for place in places if place is not None)


def _assert_lines(incident: Incident, document: SourceDocument, line: int) -> frozenset[int]:
    """Asserts of the kernel under the cursor; all kernels would have to be parsed for more."""
    kernel = document.kernel_at(line)
    if kernel is None:
        return frozenset()
    asserts = incident.kernel_program(kernel.name).asserts
    places = (kernel.file_line(found.line) for found in asserts if not found.disabled)
    return frozenset(place for place in places if place is not None)
