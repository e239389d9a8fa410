"""Watches: expressions of temporaries that keep their rows above them."""

from __future__ import annotations

import difflib
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aoti_tui.replay.model import Block, Recording, Step
from aoti_tui.replay.recorded.blocks import Number, value_at
from aoti_tui.replay.recorded.conditions import Condition, ConditionError, Lanes, parse_condition
from aoti_tui.replay.recorded.recording import last_step, state
from aoti_tui.tui import telling
from aoti_tui.tui.dialogs.ask import Ask
from aoti_tui.tui.lane_view import Lane, differing, flat_of
from aoti_tui.tui.masking import Statistics, masking, statistics
from aoti_tui.tui.stepping import Temporary, summary_text
from aoti_tui.tui.text import number, shape

if TYPE_CHECKING:
    from aoti_tui.tui.main_screen import MainScreen

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
        masked=bool(out and raw is not None and out[flat_of(lane, block.shape)]),
        block=block,
        raw=raw,
        statistics=sums,
        out=out,
        watch=text,
    )


class Watching:
    """Adding, changing and removing watches."""

    def __init__(self, screen: MainScreen) -> None:
        self.screen = screen
        self.replaying = screen.replaying

    def handlers(self) -> dict[str, Callable[[], None]]:
        return {"watch": self.ask}

    def ask(self, old: str = "") -> None:
        """Ask for an expression, or for another one instead of ``old``."""

        def typed(text: str | None) -> None:
            text = text.strip() if text is not None else old
            if text == old:
                return
            if not text:
                self.remove(old)
                return
            problem = self.replaying.stops.replace_watch(old, text)
            if self.replaying.selected == SIGN + old:
                self.replaying.selected = SIGN + text
            self.replaying.show()
            self.screen.say(problem or self._told(text), bad=bool(problem))

        end = "Empty: removes it." if old else "Enter on its row changes it, delete removes it."
        self.screen.app.push_screen(
            Ask(
                "Watch which expression?",
                "Of temporaries, size parameters and block sizes: tmp10 - ks0, max(tmp6), "
                f"count(tmp4 < 0). Its row stays above the temporaries. {end}",
                value=old,
                check=lambda text: self._problem(text.strip(), old),
            ),
            typed,
        )

    def add(self, text: str) -> str:
        """Add a watch; a sentence when it cannot be."""
        problem = self._problem(text, "") if text else "display shows an expression: display tmp4."
        problem = problem or self.replaying.stops.replace_watch("", text)
        if not problem:
            self.replaying.show()
            self.screen.say(self._told(text))
        return problem

    def _problem(self, text: str, old: str) -> str:
        """Why an expression cannot be watched, or ``""``."""
        if not text or text == old:
            return ""
        if text in self.replaying.stops.watches:
            return "This is watched already."
        recording = self.replaying.recording if self.replaying.recorded else None
        try:
            parse_condition(text)
            return evaluator(recording).unknown(text) if recording is not None else ""
        except ConditionError as error:
            return str(error)

    def _told(self, text: str) -> str:
        """``Watching tmp0 + ks0 = -1 in lane [0, 0].``"""
        recording, lane = self.replaying.recording, self.replaying.lane
        if recording is None or not self.replaying.recorded:
            return f"Watching {text} once the kernel has run (c)."
        rows = watched(recording, self.replaying.position, lane, (text,))
        if not rows or (rows[0].raw is None and rows[0].block is None):
            why = f": {rows[0].value}" if rows else ""
            return f"Watching {text}{why}."
        where = f" in lane {telling.lane(lane)}" if rows[0].block is not None else ""
        masked = ", which is masked out" if rows[0].masked else ""
        return f"Watching {text} = {rows[0].value}{where}{masked}."

    def remove(self, text: str) -> None:
        """Forget a watch."""
        problem = self.replaying.stops.replace_watch(text, "")
        if self.replaying.selected == SIGN + text:
            recording, at = self.replaying.recording, self.replaying.position
            self.replaying.selected = recording.steps[at].name if recording is not None else ""
        self.replaying.show()
        self.screen.say(problem or f"No longer watching {text}; e adds a watch.", bad=bool(problem))
