"""What run pane and source margin show at a position of a replay."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from aoti_tui.answer.incident import Incident
from aoti_tui.replay.model import Block, Recording
from aoti_tui.session import words
from aoti_tui.session.source.document import SourceDocument
from aoti_tui.session.values.lanes import LaneView, Words, changed_lanes, projected
from aoti_tui.session.values.masks import masking
from aoti_tui.session.values.temporaries import (
    Temporary,
    failing_count,
    inline_values,
    marked_positions,
    relevant_assert,
    substituted,
    temporaries,
)
from aoti_tui.session.values.watches import evaluator, one_lane, watched
from aoti_tui.tui.panes.run import RunView
from aoti_tui.tui.panes.source import Marks

if TYPE_CHECKING:
    from aoti_tui.tui.replaying import Replaying


def run_view(replaying: Replaying) -> RunView:
    """The run pane: what to press before a replay, what it found and holds after."""
    outcome, position, lane = replaying.outcome, replaying.position, replaying.lane
    if outcome is None or not replaying.recorded:
        return RunView(words.idle(replaying.kernel, replaying.launch, replaying.screen.given))
    recording = outcome.recording
    failing, asserts = marked_positions(recording)
    watches = watched(recording, position, lane, replaying.stops.watches)
    shown = (*watches, *temporaries(recording, position, lane))
    selected = next((t for t in shown if t.name == replaying.selected), None)
    expression = ""
    if replaying.explained >= 0:
        expression = substituted(recording, outcome.program, replaying.explained, lane)
        line = recording.steps[replaying.explained].kernel_line
        expression += words.flags_at(recording, line)
    elif selected is not None and selected.watch:
        expression = f"{selected.watch} = {selected.value}"
    return RunView(
        status=words.status(outcome, position),
        message=words.found(outcome),
        bad=bool(outcome.result.asserts or outcome.result.faults),
        expression=expression,
        temporaries=shown,
        selected=replaying.selected,
        lanes=_lane_view(replaying, recording, selected),
        locked=replaying.locked,
        recording=recording,
        count=len(recording.steps),
        position=position,
        failing=failing,
        asserts=asserts,
        stops=replaying.stops.positions(recording),
    )


def _lane_view(
    replaying: Replaying, recording: Recording, selected: Temporary | None
) -> LaneView | None:
    if selected is None or (selected.block is None and selected.raw is None):
        return None
    position = replaying.position
    made_for = (id(recording), position, selected.position, selected.name)
    if replaying.lanes_shown is None or replaying.lanes_shown[0] != made_for:
        # Worked out once a step: marks of a large block take longer than moving over its lanes.
        replaying.lanes_shown = (made_for, _made_lane_view(recording, position, selected))
    shown = replaying.lanes_shown[1]
    return replace(shown, lane=replaying.lane) if shown is not None else None


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


def marks_for(replaying: Replaying, document: SourceDocument, line: int) -> Marks:
    """What stands beside the lines of a document while the cursor is on ``line``."""
    incident = replaying.screen.browsing.incident
    marks = Marks(breakpoints=replaying.stops.lines(document))
    if incident is not None:
        marks = replace(
            marks,
            failing=_failing_lines(incident, document),
            asserts=_assert_lines(incident, document, line),
        )
    recording, outcome, position = replaying.recording, replaying.outcome, replaying.position
    if recording is None or outcome is None or position < 0:
        return marks
    values = inline_values(recording, outcome.program, position, replaying.lane)
    places = {at: document.line_of(recording.kernel, at) for at in values}
    return replace(
        marks,
        step=document.line_of(recording.kernel, recording.steps[position].kernel_line),
        inline={place: values[at] for at, place in places.items() if place is not None},
    )


def _failing_lines(incident: Incident, document: SourceDocument) -> frozenset[int]:
    places = (document.line_of(f.kernel, f.kernel_line) for f in incident.failures)
    return frozenset(place for place in places if place is not None)


def _assert_lines(incident: Incident, document: SourceDocument, line: int) -> frozenset[int]:
    """Asserts of the kernel under the cursor; all kernels would have to be parsed for more."""
    kernel = document.kernel_at(line)
    if kernel is None:
        return frozenset()
    asserts = incident.kernel_program(kernel.name).asserts
    places = (kernel.wrapper_line(found.line) for found in asserts if not found.disabled)
    return frozenset(place for place in places if place is not None)
