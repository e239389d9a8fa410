"""A recorded program: decoding it, stepping both ways, asking who made a value and who uses it.

Everything here is a pure query on :class:`aoti_tui.replay.model.Recording`; a position is the
index of a step, and "at a position" means just after that step ran.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aoti_tui.artifacts.strides import lane_of
from aoti_tui.index.model import LaunchId, Site
from aoti_tui.kernel.model import KernelProgram
from aoti_tui.replay.model import (
    ArgumentValue,
    Block,
    Flag,
    LoadedFrom,
    Recording,
    Step,
    SymbolValue,
)
from aoti_tui.replay.recorded.blocks import (
    Number,
    decode_block,
    decode_fault,
    decode_summary,
    program_of,
    value_at,
)
from aoti_tui.replay.recorded.lines import call_operands, reads_at


def decode(
    reply: Mapping[str, Any],
    blobs: Sequence[memoryview],
    *,
    kernel: str,
    launch: LaunchId,
    site: Site,
    arguments: tuple[ArgumentValue, ...],
    symbols: tuple[SymbolValue, ...],
) -> Recording:
    """The recording in a ``record`` reply of the worker."""
    steps = tuple(
        _step(position, raw, blobs) for position, raw in enumerate(reply.get("steps", ()))
    )
    scalars: dict[str, Number] = {a.name: a.value for a in arguments if a.value is not None}
    return Recording(
        kernel=kernel,
        file=str(reply["file"]),
        launch=launch,
        site=site,
        program=program_of(reply["program"]),
        grid=program_of(reply["grid"]),
        blocks={str(k): int(v) for k, v in reply.get("blocks", {}).items()},
        steps=steps,
        arguments=arguments,
        symbols=symbols,
        flags=decode_flags(reply.get("flags", ())),
        scalars=scalars,
    )


def decode_flags(flags: Sequence[Mapping[str, Any]]) -> tuple[Flag, ...]:
    return tuple(
        Flag(str(f["file"] or ""), int(f["kernel_line"] or 0), str(f["text"])) for f in flags
    )


def _step(position: int, raw: Mapping[str, Any], blobs: Sequence[memoryview]) -> Step:
    def block(key: str) -> Block | None:
        packed = raw.get(key)
        return decode_block(packed, blobs) if packed else None

    return Step(
        position=position,
        file=str(raw["file"]),
        kernel_line=int(raw["kernel_line"]),
        name=str(raw.get("name") or ""),
        function=str(raw.get("function") or ""),
        depth=int(raw.get("depth", 0)),
        iteration=tuple(raw.get("iteration") or ()),
        kind=str(raw.get("kind", "assign")),
        value=_value(raw.get("value"), blobs),
        summary=decode_summary(raw.get("summary")),
        changed=bool(raw.get("changed", False)),
        failing=block("failing"),
        active=block("active"),
        loads=tuple(_place(load, blobs) for load in raw.get("loads", ())),
        faults=tuple(decode_fault(fault) for fault in raw.get("faults", ())),
        target=_place(raw["target"], blobs) if raw.get("target") else None,
    )


def _place(raw: Mapping[str, Any], blobs: Sequence[memoryview]) -> LoadedFrom:
    return LoadedFrom(str(raw["argument"]), decode_block(raw["elements"], blobs))


def _value(raw: Any, blobs: Sequence[memoryview]) -> Block | Number | str | None:
    if raw is None:
        return None
    if "number" in raw:
        number = raw["number"]
        # Infinities and NaN travel as text: JSON has none.
        return float(number) if isinstance(number, str) else number
    if "text" in raw:
        return str(raw["text"])
    if raw.get("omitted"):
        shape = " × ".join(map(str, raw["shape"]))
        return f"{raw['dtype']} {shape}, too large to send"
    return decode_block(raw, blobs)


def failing_lanes(step: Step) -> Iterator[tuple[int, ...]]:
    """Lanes of an assert's step that fail, in order."""
    if step.failing is None:
        return
    for flat, fails in enumerate(step.failing.values):
        if fails:
            yield lane_of(step.failing.shape, flat)


def fails(step: Step) -> bool:
    return step.failing is not None and any(step.failing.values)


def first_failing(recording: Recording) -> Step | None:
    """The first step at which an assert fails or an access is outside its tensor."""
    return next((s for s in recording.steps if fails(s) or s.faults), None)


def steps_of(recording: Recording, name: str) -> tuple[Step, ...]:
    """Every assignment of ``name``, in execution order."""
    return tuple(s for s in recording.steps if s.name == name and s.kind == "assign")


def next_step(recording: Recording, position: int, how: str = "into") -> int | None:
    """Position after ``position``, or None at the end; -1 is before the first step.

    ``how``: ``into`` (every step, also of helpers), ``over`` (same or shallower depth), ``out``
    (the first step of the caller).
    """
    return _move(recording, position, how, 1)


def previous_step(recording: Recording, position: int, how: str = "into") -> int | None:
    """As :func:`next_step`, backwards."""
    return _move(recording, position, how, -1)


def _move(recording: Recording, position: int, how: str, direction: int) -> int | None:
    steps = recording.steps
    # Before the first step one stands in the kernel itself.
    depth = steps[position].depth if 0 <= position < len(steps) else 0
    limit = {"into": None, "over": depth, "out": depth - 1}[how]
    at = position + direction
    while 0 <= at < len(steps):
        if limit is None or steps[at].depth <= limit:
            return at
        at += direction
    return None


@dataclass(frozen=True, slots=True)
class Variable:
    """The latest value of a name at a position."""

    name: str
    step: Step
    changed: bool
    """Assigned by the very step of the position, with another value than before."""


def state(recording: Recording, position: int) -> tuple[Variable, ...]:
    """Names of the function that runs at ``position`` with their latest values, newest last."""
    if not recording.steps or position < 0:
        return ()
    here = recording.steps[min(position, len(recording.steps) - 1)]
    latest: dict[str, Step] = {}
    for step in reversed(recording.steps[: here.position + 1]):
        if step.depth < here.depth:
            # The call of this helper began here: older steps of it belong to another call.
            break
        if step.kind == "assign" and step.name not in latest and _same_frame(step, here):
            latest[step.name] = step
    ordered = sorted(latest.values(), key=lambda s: s.position)
    return tuple(Variable(s.name, s, s.position == here.position and s.changed) for s in ordered)


@dataclass(frozen=True, slots=True)
class Operand:
    """A name that an assignment read, with its value in the lane."""

    name: str
    value: Number | str | None
    step: Step | None
    """The step that made it; None for a kernel parameter."""
    argument: ArgumentValue | None = None


@dataclass(frozen=True, slots=True)
class LaneLoad:
    """One load of one lane: ``element`` counts from the argument's data pointer."""

    argument: str
    element: int
    in_bounds: bool


@dataclass(frozen=True, slots=True)
class Made:
    """Where the value of one lane of one step comes from: one step of the trail."""

    step: Step
    lane: tuple[int, ...]
    value: Number | str | None
    operands: tuple[Operand, ...]
    loads: tuple[LaneLoad, ...]


def who_made(
    recording: Recording, program: KernelProgram, position: int, lane: Sequence[int]
) -> Made:
    """The assignment at ``position`` for ``lane``, its operands and its loads.

    Asking again with an operand's ``step.position`` goes one further, down to loads.
    """
    step = recording.steps[position]
    operands = []
    for name in _reads(recording, program, step):
        operands.append(_operand(recording, program, step, name, lane))
    loads = []
    for load in step.loads:
        element = value_at(load.elements, lane)
        if element is not None:
            bad = any(f.argument == load.argument and f.element == element for f in step.faults)
            loads.append(LaneLoad(load.argument, int(element), not bad))
    return Made(step, tuple(lane), lane_value(step, lane), tuple(operands), tuple(loads))


def trail(
    recording: Recording,
    program: KernelProgram,
    position: int,
    lane: Sequence[int],
    limit: int = 64,
) -> tuple[Made, ...]:
    """:func:`who_made` followed through all operands down to loads, nearest first.

    At most ``limit`` steps, each once.
    """
    found: list[Made] = []
    queue, seen = [position], {position}
    while queue and len(found) < limit:
        made = who_made(recording, program, queue.pop(0), lane)
        found.append(made)
        for operand in made.operands:
            if operand.step is not None and operand.step.position not in seen:
                seen.add(operand.step.position)
                queue.append(operand.step.position)
    return tuple(found)


def who_uses(recording: Recording, program: KernelProgram, position: int) -> tuple[Step, ...]:
    """Steps that read the value assigned at ``position``, until its name is assigned again."""
    made = recording.steps[position]
    users: list[Step] = []
    for step in recording.steps[position + 1 :]:
        if step.depth < made.depth:
            break
        if not _same_frame(step, made):
            continue
        if made.name in _reads(recording, program, step):
            users.append(step)
        if step.kind == "assign" and step.name == made.name:
            break
    return tuple(users)


def lane_value(step: Step, lane: Sequence[int]) -> Number | str | None:
    """What a step's value is in a lane; a scalar is the same in all lanes."""
    if isinstance(step.value, Block):
        return value_at(step.value, lane)
    return step.value


def stores_to(
    recording: Recording, argument: str, element: int
) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Position and lane of every write of the program to an element, in order.

    ``element`` counts from the data pointer of ``argument``, through which it is written.
    """
    found = []
    for step in recording.steps:
        target, active = step.target, step.active
        if target is None or target.argument != argument:
            continue
        for flat, reached in enumerate(target.elements.values):
            lane = lane_of(target.elements.shape, flat) if reached == element else None
            if lane is not None and (active is None or value_at(active, lane)):
                found.append((step.position, lane))
    return tuple(found)


def elements_read(recording: Recording, argument: str, before: int) -> Iterator[LoadedFrom]:
    """What the program's loads read of an argument, lane by lane, up to a position."""
    for step in recording.steps[:before]:
        for load in step.loads:
            if load.argument == argument:
                yield load


def store_step(
    recording: Recording, argument: str, element: int, lane: Sequence[int] | None = None
) -> int | None:
    """Position of the step that wrote an element last (in ``lane``, if given); None: none did."""
    found = [
        position
        for position, writer in stores_to(recording, argument, element)
        if lane is None or writer == tuple(lane)
    ]
    return found[-1] if found else None


def last_step(
    recording: Recording, name: str, before: int, like: Step | None = None
) -> Step | None:
    """The last assignment of ``name`` before position ``before`` (in ``like``'s frame)."""
    for step in reversed(recording.steps[:before]):
        if like is not None and step.depth < like.depth:
            return None
        if (
            step.kind == "assign"
            and step.name == name
            and (like is None or _same_frame(step, like))
        ):
            return step
    return None


def _reads(recording: Recording, program: KernelProgram, step: Step) -> tuple[str, ...]:
    """Names that a step's statement reads; none where ``program`` is not of the step's file."""
    if step.file != program.helper_files.get(step.function, recording.file):
        return ()
    return reads_at(program, step.function, step.kernel_line)


def _operand(
    recording: Recording, program: KernelProgram, step: Step, name: str, lane: Sequence[int]
) -> Operand:
    made = last_step(recording, name, step.position, step)
    if made is not None:
        return Operand(name, lane_value(made, lane), made)
    if step.depth > 0:
        return _from_caller(recording, program, step, name, lane)
    argument = next((a for a in recording.arguments if a.name == name), None)
    value: Number | str | None = recording.scalars.get(name, recording.blocks.get(name))
    return Operand(name, value, None, argument)


def _from_caller(
    recording: Recording, program: KernelProgram, step: Step, name: str, lane: Sequence[int]
) -> Operand:
    """A helper's parameter is what its caller put there."""
    caller = next((s for s in recording.steps[step.position :] if s.depth == step.depth - 1), None)
    if caller is None:
        return Operand(name, None, None)
    if caller.file != program.helper_files.get(caller.function, recording.file):
        return Operand(name, None, None)
    passed = call_operands(program, caller.function, caller.kernel_line, step.function, name)
    for outer in passed:
        found = _operand(recording, program, caller, outer, lane)
        if found.step is not None or found.value is not None:
            return Operand(name, found.value if len(passed) == 1 else None, found.step)
    return Operand(name, None, None)


def _same_frame(one: Step, other: Step) -> bool:
    return (one.depth, one.file, one.function) == (other.depth, other.file, other.function)
