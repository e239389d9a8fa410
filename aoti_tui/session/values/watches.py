"""Watch expressions: their values over a recording, as rows like those of temporaries."""

from __future__ import annotations

import difflib
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aoti_tui.replay.model import Block, Recording, Step
from aoti_tui.replay.recorded.blocks import Number, value_at
from aoti_tui.replay.recorded.conditions import Condition, ConditionError, Lanes, parse_condition
from aoti_tui.replay.recorded.recording import last_step, state
from aoti_tui.session.text import number, shape
from aoti_tui.session.values.lanes import Lane, differing
from aoti_tui.session.values.masks import Statistics, masking, statistics
from aoti_tui.session.values.temporaries import Temporary, is_out, summary_text

SIGN = "≔ "
"""Tells the row of a watch from that of a temporary of the same name."""
KEPT = 64


@dataclass(frozen=True, slots=True)
class Found:
    """The value of an expression at a position, or in words why it has none."""

    value: Block | Number | None
    problem: str = ""


class Evaluator:
    """Values of expressions over one recording, each worked out once while its operands stay."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self._parsed: dict[str, Condition] = {}
        self._found: dict[tuple[str, tuple[int, ...]], Found] = {}
        self._sums: dict[int, tuple[Block, Sequence[bool], Statistics]] = {}

    def at(self, text: str, position: int) -> Found:
        """Its value just after the step at ``position``."""
        try:
            condition = self._condition(text)
        except ConditionError as error:
            return Found(None, str(error))
        steps = {v.name: v.step for v in state(self.recording, position)}
        reason = self._missing(condition, steps, position)
        if reason:
            return Found(None, reason)
        names = condition.names()
        key = (text, tuple(steps[name].position for name in names if name in steps))
        if key not in self._found:
            for oldest in list(self._found)[: 1 - KEPT]:
                del self._found[oldest]
            self._found[key] = self._evaluate(condition, steps)
        return self._found[key]

    def _condition(self, text: str) -> Condition:
        if text not in self._parsed:
            self._parsed[text] = parse_condition(text)
        return self._parsed[text]

    def _evaluate(self, condition: Condition, steps: Mapping[str, Step]) -> Found:
        values: dict[str, Block | Number | None] = {
            **self.recording.blocks,
            **self.recording.scalars,
        }
        for name in condition.names():
            value = steps[name].value if name in steps else None
            if value is not None and not isinstance(value, str):
                values[name] = value
        try:
            found = condition.evaluate(values)
        except ConditionError as error:
            return Found(None, str(error))
        if not isinstance(found, Lanes):
            return Found(found)
        whole = values.get(condition.text)
        return Found(whole if isinstance(whole, Block) else _block(found))

    def _missing(self, condition: Condition, steps: Mapping[str, Step], position: int) -> str:
        """Why a name has no value there; ``""`` when all have one."""
        for name in condition.names():
            if name in steps:
                value = steps[name].value
                if isinstance(value, str):
                    return f"{name} is {value}"
            elif name not in self.recording.scalars and name not in self.recording.blocks:
                return self._why_missing(name, position)
        return ""

    def _why_missing(self, name: str, position: int) -> str:
        steps = self.recording.steps
        here = steps[position]
        made = [s for s in steps if s.kind == "assign" and s.name == name]
        near = [s for s in made if (s.depth, s.function) == (here.depth, here.function)]
        later = next((s for s in near if s.position > position), None)
        if later is not None:
            return (
                f"no value yet: {name} is assigned at step {later.position + 1} "
                f"(kernel line {later.kernel_line})"
            )
        if made:
            return f"no value inside {here.function}: {name} belongs to {made[0].function}"
        return f"no value: there is no {name} in {self.recording.kernel}"

    def changed(self, text: str, position: int) -> tuple[bool, Sequence[bool]]:
        """Whether the step at ``position`` gave it another value, and in which lanes."""
        step = self.recording.steps[position]
        if position == 0 or step.kind != "assign" or not step.changed:
            return False, ()
        now = self.at(text, position)
        if now.value is None or step.name not in self._condition(text).names():
            return False, ()
        # A helper that was called meanwhile has names of its own: its caller's step counts.
        last = last_step(self.recording, step.name, position, step)
        before = self.at(text, position - 1) if last is not None else Found(None)
        lanes = differing(before.value, now.value)
        same = any(lanes) is False if lanes else before.value == now.value
        return not same, lanes

    def sums(self, block: Block, out: Sequence[bool]) -> Statistics:
        """Statistics of a block's lanes that are not masked out."""
        kept = self._sums.get(id(block))
        if kept is None or kept[0] is not block or kept[1] is not out:
            for oldest in list(self._sums)[: 1 - KEPT]:
                del self._sums[oldest]
            kept = self._sums[id(block)] = (block, out, statistics(block, out))
        return kept[2]

    def unknown(self, text: str) -> str:
        """Which name of an expression means nothing in this program, with one that is like it."""
        known = {s.name for s in self.recording.steps if s.kind == "assign" and s.name}
        known |= self.recording.scalars.keys() | self.recording.blocks.keys()
        for name in parse_condition(text).names():
            if name in known:
                continue
            if any(argument.name == name for argument in self.recording.arguments):
                return f"{name} is a pointer: it has no number to watch. v shows its elements."
            close = difflib.get_close_matches(name, sorted(known), n=3, cutoff=0.5)
            hint = f" There is {', '.join(close)}." if close else ""
            return f"{self.recording.kernel} has no {name}.{hint}"
        return ""


def _block(lanes: Lanes) -> Block:
    """Lanes of an expression; Python's numbers have types of their own."""
    values, kinds = lanes.values, set(map(type, lanes.values))
    if kinds <= {bool}:
        packed = memoryview(bytes(map(bool, values)))
        return Block("bool", lanes.shape, packed.cast("?"))  # type: ignore[arg-type]
    if float not in kinds:
        try:
            return Block("int", lanes.shape, memoryview(array("q", map(int, values))))
        except OverflowError:
            pass  # Python's integers have no end; a float says about how large they are.
    return Block("float", lanes.shape, memoryview(array("d", map(float, values))))


def one_lane(value: object) -> Block | None:
    """A number as a block of one lane; None for anything else."""
    if isinstance(value, int | float):
        return _block(Lanes((), [value]))
    return None


_latest: list[Evaluator] = []


def evaluator(recording: Recording) -> Evaluator:
    """The evaluator of the recording that is on the screen: only one is at a time."""
    if not _latest or _latest[0].recording is not recording:
        _latest[:] = [Evaluator(recording)]
    return _latest[0]


def watched(
    recording: Recording, position: int, lane: Lane, expressions: Sequence[str]
) -> tuple[Temporary, ...]:
    """Watch expressions at a position, as rows like those of temporaries; where one has no value
    the row says why."""
    if not 0 <= position < len(recording.steps):
        return ()
    return tuple(_row(evaluator(recording), position, lane, text) for text in expressions)


def _row(values: Evaluator, position: int, lane: Lane, text: str) -> Temporary:
    found = values.at(text, position)
    if found.value is None:
        return Temporary(f"{SIGN}{text}", "", "", found.problem, "", False, position, watch=text)
    changed, _ = values.changed(text, position)
    if not isinstance(found.value, Block):
        return Temporary(
            name=f"{SIGN}{text}",
            dtype=type(found.value).__name__,
            shape="scalar",
            value=number(found.value),
            summary="",
            changed=changed,
            position=position,
            raw=found.value,
            watch=text,
        )
    block = found.value
    out = masking(values.recording).out(values.recording.steps[position], position, block.shape)
    sums = values.sums(block, out)
    raw = value_at(block, lane)
    return Temporary(
        name=f"{SIGN}{text}",
        dtype=block.dtype,
        shape=shape(block.shape),
        value="–" if raw is None else number(raw),
        summary=summary_text(sums),
        changed=changed,
        position=position,
        masked=is_out(out, block, lane),
        block=block,
        raw=raw,
        statistics=sums,
        out=out,
        watch=text,
    )
