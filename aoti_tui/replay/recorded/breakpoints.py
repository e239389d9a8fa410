"""Breakpoints on kernel lines and temporaries, and running to the next stop, both ways."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from aoti_tui.kernel.model import KernelProgram
from aoti_tui.replay.model import Block, Recording, Step
from aoti_tui.replay.recorded.blocks import Number
from aoti_tui.replay.recorded.conditions import (
    Condition,
    ConditionError,
    Lanes,
    Value,
    parse_condition,
)
from aoti_tui.replay.recorded.recording import fails, state


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """Stops where ``kernel_line`` of a file runs, or where ``name`` is assigned.

    One of the two is set. Without a ``file`` it is the kernel's own; the lines of another file
    (a helper's) may run in many kernels.

    ``ignore`` is how many hits are let pass first. With ``log``, an expression, it does not stop:
    it writes down the expression's value.
    """

    kernel_line: int | None = None
    name: str | None = None
    condition: str = ""
    enabled: bool = True
    ignore: int = 0
    log: str = ""
    file: str = ""
    once: bool = False
    """Gone after its first stop."""

    def is_on(self, recording: Recording, step: Step) -> bool:
        """Whether its line is the one that a step runs."""
        here = step.file == (self.file or recording.file)
        return here and step.kernel_line == self.kernel_line

    def describe(self) -> str:
        where = f"line {self.kernel_line}" if self.kernel_line is not None else str(self.name)
        parts = [where]
        if self.condition:
            parts.append(f"if {self.condition}")
        if self.ignore:
            parts.append(f"after {self.ignore} hits")
        if self.log:
            parts.append(f"log {self.log}")
        if self.once:
            parts.append("once")
        return " ".join(parts)


@dataclass(frozen=True, slots=True)
class Stop:
    """Where running ended: ``position`` is that of a step (-1: before the first).

    ``reason`` is ``breakpoint``, ``watchpoint``, ``assert``, ``fault``, ``start`` or ``end``.
    """

    position: int
    reason: str
    text: str
    breakpoint: Breakpoint | None = None
    logged: tuple[str, ...] = ()


def why_not(program: KernelProgram, breakpoint: Breakpoint) -> str | None:
    """Why a breakpoint cannot be set in this kernel, with the nearest place that can; or None."""
    problem = condition_problem(breakpoint)
    if problem is not None:
        return problem
    if breakpoint.name is not None:
        if breakpoint.name in program.by_name:
            return None
        if breakpoint.name in program.parameters:
            return f"{breakpoint.name} is a parameter: it has its value from the start"
        if breakpoint.name in _helper_lines(program)[1]:
            return None
        return f"{breakpoint.name} is assigned nowhere in {program.function}"
    line = breakpoint.kernel_line
    if line is None:
        return "a breakpoint needs a line or a temporary"
    stops = breakable_lines(program)
    if line in stops:
        return None
    disabled = next((a for a in program.asserts if a.line == line and a.disabled), None)
    if disabled is not None:
        return f"the assert of line {line} is commented out: it never runs"
    loop = next((lo for lo in program.loops if lo.line == line), None)
    what = "it is the head of a loop" if loop is not None else "nothing is assigned on it"
    if not stops:
        return f"line {line} cannot stop: {what}, and neither can any other"
    nearest = min(stops, key=lambda s: (abs(s - line), s < line))
    return f"line {line} cannot stop: {what}; the nearest that can is line {nearest}"


def unknown_names(program: KernelProgram, breakpoint: Breakpoint) -> str:
    """Which name of its condition, or of what it writes down, the kernel does not know; ``""``
    when it knows all of them."""
    known = {*program.by_name, *program.parameters, *program.constexprs}
    known |= _helper_lines(program)[1]
    for node in program.helper_nodes.values():
        if isinstance(node, ast.FunctionDef):
            known |= {one.arg for one in node.args.args}
    for text in (breakpoint.condition, breakpoint.log):
        names = parse_condition(text).names() if text else ()
        for name in names:
            if name not in known:
                near = get_close_matches(name, sorted(known), 3, 0.5)
                hint = f"; there is {', '.join(near)}" if near else ""
                return f"{program.function} has no {name}{hint}"
    return ""


def breakable_lines(program: KernelProgram) -> frozenset[int]:
    """Kernel lines of assignments, stores and asserts, of helpers too."""
    lines = {a.line for a in program.assignments}
    lines |= {s.line for s in program.stores}
    lines |= {a.line for a in program.asserts if not a.disabled}
    return frozenset(lines | _helper_lines(program)[0])


def continue_from(
    recording: Recording,
    position: int,
    breakpoints: Sequence[Breakpoint],
    direction: int = 1,
    watches: Sequence[str] = (),
) -> Stop:
    """Run from ``position`` (-1: before the first step) to the next stop.

    ``direction`` is 1 or -1. Stops at an enabled breakpoint whose condition holds, at a failing
    assert and at an access outside of its tensor, where one of the expressions ``watches`` has
    changed its value, else at the end (or the start).
    """
    watched = [parse_condition(text) for text in watches]
    armed = [_Armed(b, _parsed(b.condition), _parsed(b.log)) for b in breakpoints if b.enabled]
    logged: list[str] = []
    steps = recording.steps
    at = position + direction
    while 0 <= at < len(steps):
        step = steps[at]
        hit = next((one for one in armed if one.log is None and one.hits(recording, at)), None)
        for one in armed:
            if one.log is not None and one.hits(recording, at):
                logged.append(f"line {step.kernel_line}: {_logged(one.log, recording, at)}")
        if hit is not None:
            text = f"breakpoint {hit.breakpoint.describe()}"
            return Stop(at, "breakpoint", text, hit.breakpoint, tuple(logged))
        changed = next((one for one in watched if _has_changed(one, recording, at)), None)
        if changed is not None:
            told = _change(changed, recording, at)
            return Stop(at, "watchpoint", f"watchpoint {told}", None, tuple(logged))
        if fails(step):
            text = f"assert of line {step.kernel_line} fails"
            return Stop(at, "assert", text, None, tuple(logged))
        if step.faults:
            fault = step.faults[0]
            text = (
                f"{fault.access} of element {fault.element} of {fault.argument}, "
                f"which has {fault.size}"
            )
            return Stop(at, "fault", text, None, tuple(logged))
        at += direction
    if direction > 0:
        return Stop(len(steps) - 1, "end", "the program has ended", None, tuple(logged))
    return Stop(-1, "start", "the program has not begun", None, tuple(logged))


def _has_changed(condition: Condition, recording: Recording, at: int) -> bool:
    """Whether the step at a position gave an expression another value in any lane."""
    step = recording.steps[at]
    if step.kind != "assign" or step.name not in condition.names():
        return False
    after = _evaluated(condition, recording, at)
    return after is not None and not _same(after, _evaluated(condition, recording, at - 1))


def _same(one: Value, other: Value | None) -> bool:
    if isinstance(one, Lanes) and isinstance(other, Lanes):
        pairs = zip(one.values, other.values, strict=False)
        # NaN is no change of NaN.
        same = all(a == b or (a != a and b != b) for a, b in pairs)
        return one.shape == other.shape and same
    return type(one) is type(other) and one == other


def _evaluated(condition: Condition, recording: Recording, at: int) -> Value | None:
    if at < 0:
        return None
    try:
        return condition.evaluate(values_at(recording, at))
    except ConditionError:
        return None


def _change(condition: Condition, recording: Recording, at: int) -> str:
    """``tmp4: [0, 1] (2) → [0, 2] (2)``."""
    before, after = (_evaluated(condition, recording, at - 1), _evaluated(condition, recording, at))
    assert after is not None
    old = "no value" if before is None else show_value(before)
    return f"{condition.text}: {old} → {show_value(after)}"


def hits(recording: Recording, breakpoint: Breakpoint, positions: range) -> list[int]:
    """Those of ``positions`` where the breakpoint's line runs and its condition holds; hits that
    it lets pass count."""
    armed = _Armed(breakpoint, _parsed(breakpoint.condition), None)
    return [at for at in positions if armed.matches(recording, at)]


@dataclass(frozen=True, slots=True)
class _Armed:
    breakpoint: Breakpoint
    condition: Condition | None
    log: Condition | None

    def hits(self, recording: Recording, position: int) -> bool:
        if not self.matches(recording, position):
            return False
        ignore = self.breakpoint.ignore
        if ignore == 0:
            return True
        # Counted from the program's start, so that running back and forth stops at the same hits.
        earlier = sum(1 for at in range(position) if self.matches(recording, at))
        return earlier >= ignore

    def matches(self, recording: Recording, position: int) -> bool:
        return _matches(self.breakpoint, recording, position) and _holds(
            self.condition, recording, position
        )


def values_at(recording: Recording, position: int) -> dict[str, Block | Number | None]:
    """What an expression can speak of at a position: temporaries, size parameters, blocks."""
    values: dict[str, Block | Number | None] = {}
    values.update(recording.blocks)
    values.update(recording.scalars)
    for variable in state(recording, position):
        value = variable.step.value
        if value is not None and not isinstance(value, str):
            values[variable.name] = value
    return values


def show_value(value: Value, limit: int = 8) -> str:
    """A value as text: ``[-1, 3, 3, …] (64)`` for lanes."""
    if not isinstance(value, Lanes):
        return str(value)
    shown = ", ".join(str(v) for v in list(value.values[:limit]))
    if len(value.values) > limit:
        shown += ", …"
    return f"[{shown}] ({'×'.join(map(str, value.shape)) or 1})"


def toggled(breakpoint: Breakpoint) -> Breakpoint:
    return replace(breakpoint, enabled=not breakpoint.enabled)


def condition_problem(breakpoint: Breakpoint) -> str | None:
    """Why its condition or what it writes down is no expression, or None."""
    for text in (breakpoint.condition, breakpoint.log):
        if text:
            try:
                parse_condition(text)
            except ConditionError as error:
                return str(error)
    return None


def _helper_lines(program: KernelProgram) -> tuple[frozenset[int], frozenset[str]]:
    lines: set[int] = set()
    names: set[str] = set()
    for name, node in program.helper_nodes.items():
        if name in program.helper_files:
            continue
        for statement in ast.walk(node):
            if isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Return):
                lines.add(statement.lineno)
            if isinstance(statement, ast.Assign):
                names |= {t.id for t in statement.targets if isinstance(t, ast.Name)}
    return frozenset(lines), frozenset(names)


def _matches(breakpoint: Breakpoint, recording: Recording, position: int) -> bool:
    step = recording.steps[position]
    if breakpoint.name is not None:
        return step.kind == "assign" and step.name == breakpoint.name
    return breakpoint.is_on(recording, step)


def _parsed(text: str) -> Condition | None:
    return parse_condition(text) if text else None


def _holds(condition: Condition | None, recording: Recording, position: int) -> bool:
    if condition is None:
        return True
    try:
        return condition.holds(values_at(recording, position))
    except ConditionError:
        # A name without a value yet: the condition cannot hold before it is assigned.
        return False


def _logged(condition: Condition, recording: Recording, position: int) -> str:
    try:
        value = condition.evaluate(values_at(recording, position))
    except ConditionError as error:
        return str(error)
    return f"{condition.text} = {show_value(value)}"
