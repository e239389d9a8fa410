"""What the run pane shows at a position of a recording, worked out from it alone.

Nothing here knows Textual: given a recording, a position and a lane, these functions say which
temporaries there are, what they hold, which lanes fail or are masked out, and how the assignment
reads with its operands' values put in.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from aoti_tui.kernel.model import KernelProgram
from aoti_tui.replay.model import Block, Recording, Step, Summary
from aoti_tui.replay.recording import Made, Operand, fails, lane_value, state, who_made
from aoti_tui.tui.document import NAME
from aoti_tui.tui.lane_view import Lane, masks
from aoti_tui.tui.text import number, shape

LaneTest = Callable[[Lane], bool]


@dataclass(frozen=True, slots=True)
class Temporary:
    """One name with its latest value. ``value`` is that of the selected lane."""

    name: str
    dtype: str
    shape: str
    value: str
    summary: str
    changed: bool
    position: int
    masked: bool = False
    block: Block | None = None


def temporaries(recording: Recording, position: int, lane: Lane) -> tuple[Temporary, ...]:
    """The names of the running function at ``position``, oldest assignment first."""
    masked = masked_lanes(recording, position)
    made = []
    for variable in state(recording, position):
        step = variable.step
        block = step.value if isinstance(step.value, Block) else None
        made.append(
            Temporary(
                name=variable.name,
                dtype=block.dtype if block is not None else type(step.value).__name__,
                shape=shape(block.shape) if block is not None else "scalar",
                value=_shown(lane_value(step, lane)),
                summary=summary_text(step.summary),
                changed=variable.changed,
                position=step.position,
                masked=block is not None and masked(lane),
                block=block,
            )
        )
    return tuple(made)


def _shown(value: object) -> str:
    return "–" if value is None else number(value)


def summary_text(summary: Summary | None) -> str:
    """``-1 … 5  6 distinct``; NaNs are named when there are any."""
    if summary is None:
        return ""
    if summary.min is None or summary.max is None:
        ends = f"{summary.nan} NaN" if summary.nan else ""
    elif summary.min == summary.max:
        ends = f"all {number(summary.min)}"
    else:
        ends = f"{number(summary.min)} … {number(summary.max)}"
    parts = [ends]
    if summary.nan and summary.min is not None:
        parts.append(f"{summary.nan} NaN")
    if summary.distinct is not None and summary.distinct > 1:
        parts.append(f"{summary.distinct} distinct")
    return "  ".join(part for part in parts if part)


def value_in_lane(block: Block, lane: Lane) -> int | float | bool | None:
    """The block's value in a lane of a block of at least as many dimensions; None outside."""
    wanted = lane[len(lane) - len(block.shape) :] if len(lane) >= len(block.shape) else None
    if wanted is None:
        wanted = (0,) * (len(block.shape) - len(lane)) + lane
    flat = 0
    for size, at in zip(block.shape, wanted, strict=True):
        if size > 1 and at >= size:
            return None
        flat = flat * size + (at if size > 1 else 0)
    value: int | float | bool = block.values[flat]
    return value


def masked_lanes(recording: Recording, position: int) -> LaneTest:
    """Whether a lane is outside the data: some ``…mask`` of the running function is false there."""
    found = masks(recording, position)
    return lambda lane: any(value_in_lane(mask, lane) is False for mask in found)


def relevant_assert(recording: Recording, position: int) -> Step | None:
    """The assert whose failing lanes matter at ``position``: this step, else the next failing
    one, else the last failing one before."""
    steps = recording.steps
    if not steps:
        return None
    for step in steps[max(0, position) :]:
        if fails(step):
            return step
    return next((step for step in reversed(steps[: max(0, position)]) if fails(step)), None)


def substituted(recording: Recording, program: KernelProgram, position: int, lane: Lane) -> str:
    """The step's assignment with operand values: ``tmp10 = where(tmp9=True, tmp8=-1, tmp6=-1)``."""
    step = recording.steps[position]
    made = who_made(recording, program, position, lane)
    values = {o.name: o.value for o in made.operands if o.value is not None}
    source = _assignment_text(program, step)
    text = source.replace("tl.", "").replace("tl_math.", "").replace("libdevice.", "")

    def put(match: re.Match[str]) -> str:
        name = match.group()
        return f"{name}={number(values[name])}" if name in values else name

    text = NAME.sub(put, text)
    loads = ", ".join(
        f"{load.argument}[{load.element}]{'' if load.in_bounds else ' OUT OF BOUNDS'}"
        for load in made.loads
    )
    if step.kind == "assert":
        count = failing_count(step)
        result = f" → fails in {count} of {len(step.failing or ())} lanes" if count else " → holds"
    elif made.value is None or isinstance(made.value, str):
        result = ""
    else:
        result = f" → {number(made.value)}"
    name = f"{step.name} = " if step.kind == "assign" and step.name else ""
    if step.kind in ("store", "atomic"):
        result = ""
    return f"{name}{text}{result}" + (f"   reads {loads}" if loads else "")


def operand_to_follow(made: Made, program: KernelProgram) -> Operand | None:
    """The operand that decided a value: what ``where`` chose, what a load's pointer adds up;
    never a mask while there is another. None when no operand was computed in the kernel."""
    try:
        expression: ast.expr = ast.parse(_assignment_text(program, made.step), mode="eval").body
    except SyntaxError:
        return next((o for o in made.operands if o.step is not None), None)
    if isinstance(expression, ast.Call) and expression.args:
        called = ast.unparse(expression.func)
        if called.endswith("where") and len(expression.args) == 3:
            values = {o.name: o.value for o in made.operands}
            chosen = values.get(ast.unparse(expression.args[0]))
            if isinstance(chosen, bool | int):
                expression = expression.args[1 if chosen else 2]
        elif called.endswith("load"):
            expression = expression.args[0]
    names = [node.id for node in ast.walk(expression) if isinstance(node, ast.Name)]
    fitting = [o for o in made.operands if o.step is not None and o.name in names]
    fitting.sort(key=lambda o: (o.name.endswith("mask"), not o.name.startswith("tmp")))
    return fitting[0] if fitting else None


def _assignment_text(program: KernelProgram, step: Step) -> str:
    for assignment in program.assignments:
        if assignment.line <= step.kernel_line <= assignment.end_line:
            return assignment.text
    store = next((s for s in program.stores if s.line == step.kernel_line), None)
    if store is not None and store.value is not None:
        to = "/".join(store.pointers) or "?"
        at = f"[{ast.unparse(store.offset)}]" if store.offset is not None else ""
        return f"{store.atomic or 'store'} {to}{at} = {ast.unparse(store.value)}"
    found = program.assert_at(step.kernel_line)
    if found is not None:
        lower = f"{found.lower} <= " if found.lower is not None else ""
        upper = f" < {found.upper}" if found.upper is not None else ""
        return f"assert {lower}{found.index}{upper}"
    return step.kind


def inline_values(
    recording: Recording, program: KernelProgram, position: int, lane: Lane
) -> dict[int, tuple[str, bool]]:
    """Kernel line → value to show behind it and whether it changed, for lines already run.

    The name stands on the line itself, so the value alone is shown.
    """
    shown: dict[int, tuple[str, bool]] = {}
    for variable in state(recording, position):
        step = variable.step
        value = lane_value(step, lane)
        text = _shown(value)
        earlier = shown.get(step.kernel_line)
        if earlier is not None:
            text = f"{earlier[0]}, {text}"
        shown[step.kernel_line] = (text, variable.changed)
    here = recording.steps[position] if 0 <= position < len(recording.steps) else None
    if here is not None and here.kind == "assert":
        count = failing_count(here)
        told = f"✗ in {count} lane{'s' if count != 1 else ''}" if fails(here) else "holds"
        shown[here.kernel_line] = (told, False)
    return shown


def failing_count(step: Step) -> int:
    return sum(1 for value in step.failing.values if value) if step.failing is not None else 0


def lanes_of_interest(step: Step | None) -> tuple[Lane, ...]:
    """Failing lanes of an assert's step in order, and of its memory faults."""
    if step is None:
        return ()
    found: list[Lane] = []
    if step.failing is not None:
        for flat, value in enumerate(step.failing.values):
            if value:
                found.append(_unflatten(step.failing.shape, flat))
    found.extend(fault.lane for fault in step.faults if fault.lane not in found)
    return tuple(found)


def _unflatten(sizes: tuple[int, ...], flat: int) -> Lane:
    lane: list[int] = []
    for size in reversed(sizes):
        lane.append(flat % size)
        flat //= size
    return tuple(reversed(lane))


def marked_positions(recording: Recording) -> tuple[frozenset[int], frozenset[int]]:
    """Positions of asserts (or accesses) that fail, and of asserts that hold."""
    failing = frozenset(s.position for s in recording.steps if fails(s) or s.faults)
    asserts = frozenset(s.position for s in recording.steps if s.kind == "assert")
    return failing, asserts - failing


def position_at_line(
    recording: Recording, kernel_line: int, after: int, lines: Iterable[int] = ()
) -> int | None:
    """The next position past ``after`` on a kernel line, else the first one anywhere."""
    wanted = {kernel_line, *lines}
    hits = [step.position for step in recording.steps if step.kernel_line in wanted]
    return next((p for p in hits if p > after), hits[0] if hits else None)
