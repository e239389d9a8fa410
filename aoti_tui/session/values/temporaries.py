"""What the run pane shows at a position of a recording, worked out from it alone.

Nothing here knows Textual: given a recording, a position and a lane, these functions say which
temporaries there are, what they hold, which lanes fail or are masked out, and how the assignment
reads with its operands' values put in.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from aoti_tui.artifacts.strides import lane_of, place_of
from aoti_tui.failure.prose.words import plural
from aoti_tui.index.expression import ExpressionError
from aoti_tui.index.python.expression import parse_python
from aoti_tui.kernel.model import KernelAssert, KernelProgram
from aoti_tui.replay.model import Block, Recording, Step
from aoti_tui.replay.recorded.blocks import Number
from aoti_tui.replay.recorded.recording import Made, Operand, fails, lane_value, state, who_made
from aoti_tui.session.text import NAME, number, shape
from aoti_tui.session.values.lanes import Lane
from aoti_tui.session.values.masks import Statistics, masking

NO_ERRORS: Mapping[int, float] = {}
DIGITS = 6
"""Of a float, where there is room for them."""


@dataclass(frozen=True, slots=True)
class Temporary:
    """One name with its latest value, or a watch expression with its value now."""

    name: str
    dtype: str
    shape: str
    value: str
    """That of the selected lane, or in words why there is none."""
    summary: str
    """Of all lanes that hold data."""
    changed: bool
    position: int
    """The step that assigned it."""
    masked: bool = False
    """The selected lane is masked out."""
    block: Block | None = None
    raw: object = None
    """The value of the selected lane as a number; None where there is none."""
    statistics: Statistics = field(default_factory=lambda: Statistics(None))
    out: Sequence[bool] = ()
    """Which lanes are masked out; empty for none."""
    watch: str = ""
    """The expression, for a watch."""
    error: float | None = None
    """How far it is from what float64 gives, where that was asked for."""


def temporaries(
    recording: Recording, position: int, lane: Lane, errors: Mapping[int, float] = NO_ERRORS
) -> tuple[Temporary, ...]:
    """The names of the running function at ``position``, oldest assignment first; ``errors`` by
    the position of their step."""
    masks = masking(recording)
    made = []
    for variable in state(recording, position):
        step = variable.step
        block = step.value if isinstance(step.value, Block) else None
        raw = lane_value(step, lane)
        found = masks.statistics(step, position)
        out = masks.out(step, position, block.shape) if block is not None else ()
        made.append(
            Temporary(
                name=variable.name,
                dtype=block.dtype if block is not None else type(step.value).__name__,
                shape=shape(block.shape) if block is not None else "scalar",
                value=_shown(raw),
                summary=summary_text(found),
                changed=variable.changed,
                position=step.position,
                masked=is_out(out, block, lane),
                block=block,
                raw=raw,
                statistics=found,
                out=out,
                error=errors.get(step.position),
            )
        )
    return tuple(made)


def is_out(out: Sequence[bool], block: Block | None, lane: Lane) -> bool:
    place = place_of(block.shape, lane) if block is not None and out else None
    return place is not None and bool(out[place])


def _shown(value: object) -> str:
    return "–" if value is None else number(value)


def summary_text(found: Statistics, digits: int = DIGITS) -> str:
    """``-1 … 5  6 distinct``; NaNs are named when there are any, and of bools the true ones:
    ``12 True of 64``, ``all False``."""
    summary = found.summary
    if summary is None:
        return ""
    if summary.count == 0:
        return "all masked"
    if found.true is not None:
        if found.true in (0, summary.count):
            return f"all {found.true > 0}"
        return f"{found.true} True of {summary.count}"
    if summary.min is None or summary.max is None:
        ends = f"{summary.nan} NaN" if summary.nan else ""
    elif summary.min == summary.max:
        ends = f"all {number(summary.min, digits)}" if not summary.nan else number(summary.min)
    else:
        ends = f"{number(summary.min, digits)} … {number(summary.max, digits)}"
    parts = [ends]
    if summary.nan and summary.min is not None:
        parts.append(f"{summary.nan} NaN")
    if summary.distinct is not None and summary.distinct > 1:
        parts.append(f"{summary.distinct} distinct")
    return ("  " if digits == DIGITS else " ").join(part for part in parts if part)


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
        if name not in values:
            return name
        said = f"{name}={number(values[name])}"
        # `4*ks0=8` would read as an equation that does not hold.
        before, after = text[: match.start()].rstrip()[-1:], text[match.end() :].lstrip()[:1]
        return said if before in "([,=" and after in ")],:" else f"({said})"

    asserted = program.assert_at(step.kernel_line) if step.kind == "assert" else None
    if asserted is None:
        text = NAME.sub(put, text)
    else:
        text += f" with {_asserted(asserted, values)}"
    loads = ", ".join(
        f"{load.argument}[{load.element}]{'' if load.in_bounds else ' OUT OF BOUNDS'}"
        for load in made.loads
    )
    if step.kind == "assert":
        count = failing_count(step)
        of = plural(len(step.failing or ()), "lane")
        result = f" → fails in {count} of {of}" if count else " → holds"
    elif made.value is None or isinstance(made.value, str):
        result = ""
    else:
        result = f" → {number(made.value)}"
    name = f"{step.name} = " if step.kind == "assign" and step.name else ""
    if step.kind in ("store", "atomic"):
        result = ""
    return f"{name}{text}{result}" + (f"   reads {loads}" if loads else "")


def operand_to_follow(made: Made, program: KernelProgram) -> Operand | None:
    """The operand that decided a value: what ``where`` chose, or the condition that made it choose
    a number which the source writes down; what a load's pointer adds up; of several the one that
    is no finite number, and never a mask while there is another. None when no operand was computed
    in the kernel."""
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
                condition, expression = expression.args[0], expression.args[1 if chosen else 2]
                if _is_written_down(expression, program):
                    expression = condition
        elif called.endswith("load"):
            expression = expression.args[0]
    names = [node.id for node in ast.walk(expression) if isinstance(node, ast.Name)]
    fitting = [o for o in made.operands if o.step is not None and o.name in names]
    fitting.sort(
        key=lambda o: (o.name.endswith("mask"), _is_finite(o.value), not o.name.startswith("tmp"))
    )
    return fitting[0] if fitting else None


def _is_written_down(node: ast.expr, program: KernelProgram) -> bool:
    """Whether a value is a number of the source, such as what fills the rows without a match."""
    if not isinstance(node, ast.Name):
        return not any(isinstance(part, ast.Name) for part in ast.walk(node))
    made = program.by_name.get(node.id, ())
    sizes = set(program.constexprs)
    return len(made) == 1 and not made[0].loads and sizes.issuperset(made[0].reads)


def _is_finite(value: object) -> bool:
    return not isinstance(value, float) or math.isfinite(value)


def bound_value(found: KernelAssert, values: Mapping[str, object]) -> Number | None:
    """The value of an assert's bound where it is computed (``4*ks0``); None where a name or a
    number says it all."""
    if found.upper is None or found.upper.isidentifier() or _is_number(found.upper):
        return None
    known = {n: v for n, v in values.items() if isinstance(v, int | float)}
    try:
        return parse_python(found.upper).evaluate(known)
    except ExpressionError:
        return None


def _is_number(text: str) -> bool:
    return text.strip("()-").isdigit()


def _asserted(found: KernelAssert, values: Mapping[str, object]) -> str:
    """``tmp4 = 44, 4*ks0 = 32, ks0 = 8``: what an assert compares, and what that is made of."""
    bound = bound_value(found, values)
    texts = [found.index or "", found.lower or "", found.upper or ""]
    names = dict.fromkeys(name for text in texts for name in NAME.findall(text))
    said = [f"{name} = {number(values[name])}" for name in names if name in values]
    if bound is not None:
        said.insert(1 if found.index in values else 0, f"{found.upper} = {number(bound)}")
    return ", ".join(said)


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
        told = f"✗ in {plural(count, 'lane')}" if fails(here) else "holds"
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
                found.append(lane_of(step.failing.shape, flat))
    found.extend(fault.lane for fault in step.faults if fault.lane not in found)
    return tuple(found)


def marked_positions(recording: Recording) -> tuple[frozenset[int], frozenset[int]]:
    """Positions of asserts (or accesses) that fail, and of asserts that hold."""
    failing = frozenset(s.position for s in recording.steps if fails(s) or s.faults)
    asserts = frozenset(s.position for s in recording.steps if s.kind == "assert")
    return failing, asserts - failing


def position_at_line(recording: Recording, source: str, line: int, after: int) -> int | None:
    """The next position past ``after`` on a line of a source, else the first one anywhere."""
    wanted = (source, line)
    hits = [s.position for s in recording.steps if (s.file, s.kernel_line) == wanted]
    return next((p for p in hits if p > after), hits[0] if hits else None)
