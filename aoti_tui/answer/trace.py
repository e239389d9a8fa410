"""From a failing lane to the element of an input that its index was loaded from, unchanged.

The recording says which element each lane loaded. Where that element is of a buffer, the launch
that wrote it is asked who did, and the writer's recording is followed the same way.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from aoti_tui.answer.upstream import Upstream, find_upstream
from aoti_tui.artifacts.strides import index_of
from aoti_tui.failure.model import BadAccess
from aoti_tui.flow.dataflow import DataFlow
from aoti_tui.index.model import Argument, Launch
from aoti_tui.kernel.addresses import copied
from aoti_tui.kernel.model import KernelProgram
from aoti_tui.kernel.parse import names_read
from aoti_tui.replay.data.held_tensors import Held
from aoti_tui.replay.model import Block, Program, Recording, Step
from aoti_tui.replay.questions.writers import record_writer
from aoti_tui.replay.recorded.blocks import Number, value_at
from aoti_tui.replay.recorded.recording import failing_lanes, lane_value, last_step
from aoti_tui.replay.session import ReplaySession

_MOST_NAMES = 64
"""Temporaries that are looked at on the way from an address to what was loaded."""
MOST_PROGRAMS = 4
MOST_LANES = 4096
MOST_UPSTREAM = 3
"""Elements that are followed through the launches before, and launches that each may cross."""


@dataclass(frozen=True, slots=True)
class TracedElement:
    """An element of an input or constant whose value a failing lane has as its raw index."""

    name: str
    """Input name in the wrapper, or the constant's FQN."""
    position: int | None
    shape: tuple[int, ...]
    index: tuple[int, ...]
    element: int
    """Counted from the tensor's data pointer."""
    value: int


@dataclass(frozen=True, slots=True)
class SeenIndex:
    """The raw index of one failing lane, and what it was loaded from where that is known."""

    value: Number
    program: Program
    lane: tuple[int, ...]
    loaded: str = ""
    """``buf0[3]``: element of the launch's argument, counted in memory."""
    computed_by: str = ""
    """``triton_red_fused_cumsum_0 (:1092)``."""


@dataclass(frozen=True, slots=True)
class Traced:
    """``elements`` are distinct; empty when the index of some failing lane is no element's value
    unchanged. ``first`` is the first failing lane; ``complete`` when every failing lane was
    followed."""

    elements: tuple[TracedElement, ...] = ()
    first: SeenIndex | None = None
    complete: bool = False


@dataclass(frozen=True, slots=True)
class _Asked:
    """Who answers: the replay, and what the wrapper says of its memory."""

    session: ReplaySession
    flow: DataFlow


@dataclass(frozen=True, slots=True)
class _Place:
    """An element of a launch's argument, counted from the argument's data pointer."""

    launch: Launch
    argument: Argument
    element: int


def trace_failing(
    session: ReplaySession,
    flow: DataFlow,
    launch: Launch,
    assert_line: int,
    raw: str,
    programs: Sequence[Program],
) -> Traced:
    """Where the raw index of the failing lanes comes from. Raises ReplayError."""
    kernel = session.kernels.program(launch.kernel)
    asked = _Asked(session, flow)
    places: dict[_Place, int] = {}
    first: SeenIndex | None = None
    lanes = 0
    for program in programs[:MOST_PROGRAMS]:
        recording = session.record(launch, program)
        for step in recording.steps:
            if step.kind != "assert" or step.kernel_line != assert_line:
                continue
            for lane in failing_lanes(step):
                lanes += 1
                value = _value(recording, raw, step, lane)
                place = _loaded(recording, kernel, launch, raw, step, lane)
                if first is None and value is not None:
                    first = SeenIndex(value, program, lane, _said(place))
                if place is None or not isinstance(value, int) or lanes > MOST_LANES:
                    return _unknown(asked, place, first)
                places[place] = value
    found: dict[tuple[str, int], TracedElement] = {}
    crossings = MOST_UPSTREAM if len(places) <= MOST_UPSTREAM else 0
    for place, value in places.items():
        traced = _followed(asked, place, value, crossings)
        if traced is None:
            return _unknown(asked, place, first)
        found[(traced.name, traced.element)] = traced
    if len({one.name for one in found.values()}) != 1:
        return Traced((), first)
    ordered = sorted(found.values(), key=lambda one: one.index)
    return Traced(tuple(ordered), first, len(programs) <= MOST_PROGRAMS)


def trace_address(
    session: ReplaySession,
    flow: DataFlow,
    launch: Launch,
    access: BadAccess,
    names: Sequence[str],
) -> tuple[tuple[TracedElement, ...], tuple[str, ...]]:
    """Elements of inputs and constants that make the address of a bad access, as far as their
    values reach it unchanged or through the kernel's own arithmetic; ``names`` are those of its
    offset. Beside them what else was loaded for it (``i[77] = 5``). Raises ReplayError."""
    kernel = session.kernels.program(launch.kernel)
    recording = session.record(launch, access.program)
    step = next((s for s in recording.steps if _does(s, access)), None)
    if step is None:
        return (), ()
    found: dict[tuple[str, int], TracedElement] = {}
    loaded: list[str] = []
    seen: set[str] = set()
    pending = list(names)
    while pending and len(seen) < _MOST_NAMES:
        name = pending.pop(0)
        made = last_step(recording, name, step.position, step)
        assignment = kernel.assignment_at(made.kernel_line) if made is not None else None
        if name in seen or made is None or assignment is None:
            continue
        seen.add(name)
        place = _loaded(recording, kernel, launch, name, step, access.lane)
        if place is None:
            pending.extend(names_read(assignment.value))
            continue
        value = _value(recording, name, step, access.lane)
        asked = _Asked(session, flow)
        traced = _followed(asked, place, value, MOST_UPSTREAM) if isinstance(value, int) else None
        if traced is not None:
            found[(traced.name, traced.element)] = traced
        elif value is not None and _said(place):
            loaded.append(f"{_said(place)} = {value}")
    return tuple(found.values()), tuple(loaded)


def _does(step: Step, access: BadAccess) -> bool:
    """Whether a step is the access, in the lane in which it leaves its tensor."""
    places = [*step.loads, *([step.target] if step.target is not None else [])]
    return step.kernel_line == access.kernel_line and any(
        place.argument == access.parameter
        and value_at(place.elements, access.lane) == access.element
        for place in places
    )


def _unknown(asked: _Asked, place: _Place | None, first: SeenIndex | None) -> Traced:
    """What is left to say when an index is no element's value: who computed what was loaded."""
    if first is None or place is None or _said(place) != first.loaded:
        return Traced((), first)
    launch = _written_before(asked, place).launch
    if launch is not None:
        by = f"{launch.kernel} (:{launch.line})"
        first = SeenIndex(first.value, first.program, first.lane, first.loaded, by)
    return Traced((), first)


def _said(place: _Place | None) -> str:
    if place is None or place.argument.tensor is None:
        return ""
    return f"{place.argument.tensor.base}[{place.element}]"


# -- inside of one program ------------------------------------------------------------------------


def _value(recording: Recording, name: str, step: Step, lane: tuple[int, ...]) -> Number | None:
    made = last_step(recording, name, step.position, step)
    value = lane_value(made, lane) if made is not None else None
    return None if isinstance(value, str) else value


def _loaded(
    recording: Recording,
    kernel: KernelProgram,
    launch: Launch,
    name: str,
    step: Step,
    lane: tuple[int, ...],
) -> _Place | None:
    """The element that a name's value was loaded from in a lane, unchanged, as ``step`` reads it;
    None where it was computed, or where that lane loaded nothing."""
    rank: int | None = None
    for _ in range(16):
        made = last_step(recording, name, step.position, step)
        if made is None:
            return None
        if isinstance(made.value, Block):
            # A reshape moves values to other lanes.
            if rank is not None and len(made.value.shape) != rank:
                return None
            rank = len(made.value.shape)
        assignment = kernel.assignment_at(made.kernel_line)
        if assignment is None or assignment.names != (name,):
            return None
        node = _taken(recording, copied(assignment.value), made, lane)
        if isinstance(node, ast.Name):
            name, step = node.id, made
            continue
        if not any(load.node is node for load in assignment.loads) or len(made.loads) != 1:
            return None
        if made.active is not None and not value_at(made.active, lane):
            return None
        element = value_at(made.loads[0].elements, lane)
        argument = next(
            (a for a in launch.arguments if a.parameter == made.loads[0].argument), None
        )
        if element is None or argument is None or argument.tensor is None:
            return None
        return _Place(launch, argument, int(element))
    return None


def _taken(
    recording: Recording, node: ast.expr, step: Step, lane: tuple[int, ...]
) -> ast.expr | None:
    """The side of a ``tl.where`` that a lane took; any other expression as it is, and None where
    it is not known which side that was."""
    if not (isinstance(node, ast.Call) and ast.unparse(node.func) == "tl.where"):
        return node
    if len(node.args) != 3 or not isinstance(node.args[0], ast.Name):
        return None
    decided = _value(recording, node.args[0].id, step, lane)
    return None if decided is None else copied(node.args[1 if decided else 2])


# -- from launch to launch ------------------------------------------------------------------------


def _followed(asked: _Asked, place: _Place, value: int, crossings: int) -> TracedElement | None:
    """The input's or constant's element behind a place; None where a launch changes the value."""
    session = asked.session
    with session.in_turn():
        held = session.prepared(place.launch).held.get(place.argument.parameter)
        if held is None or held.storage.source not in ("input", "constant", "replayed"):
            return None
        if held.storage.source != "replayed":
            return _at_source(session, place, held, value)
    if crossings <= 0:
        return None
    before = _copied_from(asked, place, value)
    return _followed(asked, before, value, crossings - 1) if before is not None else None


def _at_source(
    session: ReplaySession, place: _Place, held: Held, value: int
) -> TracedElement | None:
    position = held.storage.input_position
    base: Held | None
    if held.storage.source == "input" and position is not None:
        base, name = session.sources.input_held(position), session.index.inputs[position].name
    else:
        view = place.argument.tensor
        constant = session.index.constant_named(view.base) if view is not None else None
        if constant is None:
            return None
        base, position, name = session.sources.constant(constant), None, constant.fqn
    if base is None or base.dtype != held.dtype or not held.dtype.startswith(("int", "uint")):
        return None
    element = place.element + held.offset - base.offset
    index = index_of(base.shape, base.stride, element)
    if index is None:
        return None
    return TracedElement(name, position, base.shape, index, element, value)


def _written_before(asked: _Asked, place: _Place) -> Upstream:
    return find_upstream(
        asked.session.index,
        asked.flow,
        asked.session,
        place.launch,
        place.argument.parameter,
        place.element,
    )


def _copied_from(asked: _Asked, place: _Place, value: int) -> _Place | None:
    """The place that a launch before copied the element from; None when it computed it, or when
    the two launches stand in different branches or rounds."""
    found = _written_before(asked, place)
    launch, written = found.launch, found.written
    if launch is None or written is None or launch.scopes != place.launch.scopes:
        return None
    last = written.last
    looped = any(scope.kind == "while" for scope in launch.scopes)
    if last is None or last.access != "store" or last.value != value or written.made_up or looped:
        return None
    recording, position = record_writer(asked.session, launch, last)
    if position is None:
        return None
    kernel = asked.session.kernels.program(launch.kernel)
    step = recording.steps[position]
    stores = [s for s in kernel.stores if s.line == step.kernel_line and s.value is not None]
    values = [copied(s.value) for s in stores if s.value is not None]
    names = [node.id for node in values if isinstance(node, ast.Name)]
    if len(stores) != 1 or len(names) != 1:
        return None
    return _loaded(recording, kernel, launch, names[0], step, last.lane)
