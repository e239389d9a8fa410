"""What the values of a failing launch say about its cause."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from aoti_tui.index.model import Launch
from aoti_tui.kernel.model import KernelProgram
from aoti_tui.kernel.parse import names_read
from aoti_tui.replay.model import Block, Program, Recording, ReplayResult, Step
from aoti_tui.replay.questions.axes import Beyond, BeyondAxes
from aoti_tui.replay.questions.truncated import TruncatedSymbol, truncated_symbols
from aoti_tui.replay.recorded.blocks import Number, value_at
from aoti_tui.replay.recorded.fired import fired_in, number_at
from aoti_tui.replay.recorded.recording import failing_lanes, last_step, trail
from aoti_tui.replay.session import ReplaySession

MAX_PROGRAMS = 32
MAX_LANES = 200_000
SAMPLES = 16
# Integers that can be too narrow for an index: lowest and first too high value.
_NARROW = {
    **{f"int{bits}": (-(1 << bits - 1), 1 << bits - 1) for bits in (8, 16, 32)},
    **{f"uint{bits}": (0, 1 << bits) for bits in (8, 16, 32)},
}


@dataclass(frozen=True, slots=True)
class Overflow:
    """A 32-bit integer that is too small for its value in the first failing lane."""

    name: str
    kernel_line: int
    got: int
    exact: int


@dataclass(frozen=True, slots=True)
class ReplayFacts:
    """Values over the failing lanes of one assert; counts are of lanes.

    ``raw`` is the index before Inductor's negative wrap. Values outside of ``-bound..bound - 1``
    are the ones that an assert reports.
    """

    fired: bool
    made_up: bool
    bound: int | None = None
    failing_lanes: int = 0
    programs: tuple[Program, ...] = ()
    lanes_examined: int = 0
    programs_examined: int = 0
    complete: bool = True
    """Whether all failing lanes were examined."""
    raw_min: int | None = None
    raw_max: int | None = None
    raw_samples: tuple[int, ...] = ()
    index_min: int | None = None
    index_max: int | None = None
    at_bound: int = 0
    above_bound: int = 0
    too_negative: int = 0
    in_range: int = 0
    """Raw values that a wrapped index would have made valid."""
    valid: int = 0
    """Raw values that the bound allows, as far as it is one for all lanes: the kernel compares with
    another number than it says."""
    masked_from_accesses: bool | None = None
    """Whether every failing lane is masked out of all later loads and stores; None when the
    program has none."""
    beyond: tuple[Beyond, ...] = ()
    """Axes that every failing lane lies beyond: such lanes do nothing that is kept."""
    first_program: Program | None = None
    first_lane: tuple[int, ...] = ()
    first_values: Mapping[str, Number] | None = None
    truncated: tuple[TruncatedSymbol, ...] = ()
    overflows: tuple[Overflow, ...] = ()


def collect_facts(
    session: ReplaySession,
    launch: Launch,
    result: ReplayResult,
    assert_line: int,
    raw_name: str | None,
    index_name: str | None,
    bound_text: str | None,
    programs_limit: int = MAX_PROGRAMS,
    logged: tuple[Program, ...] = (),
) -> ReplayFacts:
    """Read the values of the failing lanes of ``launch``, whose scan gave ``result``.

    ``raw_name`` and ``index_name`` are names or expressions of the kernel (``tmp6``, ``x0``),
    ``bound_text`` the assert's upper bound (``(-1) + ks0``). The values of one lane are those of a
    program that the log names (``logged``), where one of these fails. Raises ReplayError.
    """
    fired = next((a for a in result.asserts if a.kernel_line == assert_line), None)
    truncated = truncated_symbols(session.index, result.symbols)
    if fired is None:
        return ReplayFacts(False, result.depends_on_made_up, truncated=truncated)
    program = session.kernels.program(launch.kernel)
    gathered = _Gathered()
    shown, there = fired.shown_in(logged), fired
    chosen = (shown, *(p for p in fired.programs if p != shown))[:programs_limit]
    overflows: tuple[Overflow, ...] = ()
    bound: int | None = None
    for number, place in enumerate(chosen):
        recording = session.record(launch, place)
        if place == shown:
            there = fired_in(fired, recording) or fired
        steps = [
            s
            for s in recording.steps
            if s.kind == "assert" and s.kernel_line == assert_line and s.failing is not None
        ]
        for step in steps:
            lanes = list(failing_lanes(step))
            if not lanes:
                continue
            if bound is None and bound_text is not None:
                found = number_at(recording, step, bound_text, lanes[0])
                bound = int(found) if found is not None else None
            gathered.take(recording, step, lanes, raw_name, index_name)
            if number == 0 and not overflows:
                overflows = _overflows(recording, program, step, index_name, lanes[0])
        if gathered.lanes >= MAX_LANES:
            chosen = chosen[: number + 1]
            break
    lowest = -(bound or 0) if raw_name != index_name else 0
    uniform = bound_text is not None and set(
        names_read(ast.parse(bound_text, mode="eval").body)
    ) <= set(program.parameters)
    return ReplayFacts(
        fired=True,
        made_up=fired.depends_on_made_up,
        bound=bound,
        failing_lanes=fired.failing_lanes,
        programs=fired.programs,
        lanes_examined=gathered.lanes,
        programs_examined=len(chosen),
        complete=len(chosen) == len(fired.programs),
        raw_min=min(gathered.raw, default=None),
        raw_max=max(gathered.raw, default=None),
        raw_samples=tuple(sorted(gathered.raw)[:SAMPLES]),
        index_min=min(gathered.index, default=None),
        index_max=max(gathered.index, default=None),
        at_bound=gathered.count(lambda v: bound is not None and v == bound),
        above_bound=gathered.count(lambda v: bound is not None and v > bound),
        too_negative=gathered.count(lambda v: bound is not None and v < -bound),
        in_range=gathered.count(lambda v: bound is not None and -bound <= v < bound),
        valid=gathered.count(lambda v: uniform and lowest <= v < (bound or 0)),
        masked_from_accesses=gathered.masked,
        beyond=gathered.beyond.found,
        first_program=there.first_program,
        first_lane=there.first_lane,
        first_values=there.values,
        truncated=truncated,
        overflows=overflows,
    )


class _Gathered:
    """Values over all failing lanes seen so far, counted by value."""

    def __init__(self) -> None:
        self.raw: dict[int, int] = {}
        self.index: dict[int, int] = {}
        self.lanes = 0
        self.masked: bool | None = None
        self.beyond = BeyondAxes(number_at)

    def take(
        self,
        recording: Recording,
        step: Step,
        lanes: list[tuple[int, ...]],
        raw_name: str | None,
        index_name: str | None,
    ) -> None:
        self.lanes += len(lanes)
        for name, counts in ((raw_name, self.raw), (index_name, self.index)):
            if name is None:
                continue
            for lane in lanes:
                value = number_at(recording, step, name, lane)
                if value is not None:
                    counts[int(value)] = counts.get(int(value), 0) + 1
        self.beyond.take(recording, step, lanes)
        masked = _masked_later(recording, step, lanes)
        if masked is not None:
            self.masked = masked if self.masked is None else self.masked and masked

    def count(self, holds: Callable[[int], bool]) -> int:
        return sum(times for value, times in self.raw.items() if holds(value))


def _masked_later(recording: Recording, step: Step, lanes: list[tuple[int, ...]]) -> bool | None:
    """Whether no load or store after the assert, in the same round, touches a failing lane."""
    seen = False
    for later in recording.steps[step.position + 1 :]:
        if later.iteration != step.iteration[: len(later.iteration)]:
            break
        if not (later.loads or later.kind in ("store", "atomic")):
            continue
        seen = True
        if later.active is None:
            return False
        for lane in lanes:
            if _lane_of_block(later.active, lane):
                return False
    return True if seen else None


def _lane_of_block(block: Block, lane: tuple[int, ...]) -> bool:
    return bool(value_at(block, lane))


# -- overflow ---------------------------------------------------------------------------------


def _overflows(
    recording: Recording,
    program: KernelProgram,
    step: Step,
    index_name: str | None,
    lane: tuple[int, ...],
) -> tuple[Overflow, ...]:
    """Assignments on the way to the index whose result of 32 bits or fewer differs from plain
    arithmetic."""
    start = last_step(recording, index_name, step.position, step) if index_name else None
    if start is None:
        return ()
    found = []
    for made in trail(recording, program, start.position, lane):
        block = made.step.value
        if not isinstance(block, Block) or block.dtype not in _NARROW:
            continue
        lowest, too_high = _NARROW[block.dtype]
        assignment = program.assignment_at(made.step.kernel_line)
        if assignment is None or not isinstance(made.value, int):
            continue
        operands = {o.name: o.value for o in made.operands if isinstance(o.value, int)}
        exact = _plain_arithmetic(assignment.value, operands)
        if exact is not None and exact != made.value and not lowest <= exact < too_high:
            found.append(Overflow(made.step.name, made.step.kernel_line, made.value, exact))
    return tuple(found)


def _plain_arithmetic(node: ast.expr, operands: Mapping[str, int]) -> int | None:
    """``tmp0 * 65536 + tmp1`` without any width; None for anything but + - *."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.Name):
        return operands.get(node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _plain_arithmetic(node.operand, operands)
        return None if inner is None else -inner
    if isinstance(node, ast.BinOp):
        left = _plain_arithmetic(node.left, operands)
        right = _plain_arithmetic(node.right, operands)
        if left is None or right is None:
            return None
        if isinstance(node.op, ast.Add):
            return left + right
        if isinstance(node.op, ast.Sub):
            return left - right
        if isinstance(node.op, ast.Mult):
            return left * right
    return None
