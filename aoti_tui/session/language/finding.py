"""All programs of a launch at once: where a condition holds, and a temporary as a small picture.

Each program is recorded and asked; the recordings are not kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from aoti_tui.answer.incident import Incident
from aoti_tui.artifacts.strides import lane_of
from aoti_tui.failure.prose.words import plural
from aoti_tui.index.model import Launch
from aoti_tui.replay.model import Block, Program, Recording
from aoti_tui.replay.recorded.breakpoints import values_at
from aoti_tui.replay.recorded.conditions import (
    Condition,
    ConditionError,
    Lanes,
    parse_condition,
)
from aoti_tui.session import words
from aoti_tui.session.language.parts import Parts
from aoti_tui.session.language.reading import plain
from aoti_tui.session.session import Tell
from aoti_tui.session.text import number
from aoti_tui.session.values.lanes import GLYPHS, Scale
from aoti_tui.session.values.masks import masking

MOST = 512
"""Programs that are looked at: each is run for it."""
SHOWN = 12
LISTED = 1000
COLUMNS = 64
BINS = 8


@dataclass(frozen=True, slots=True)
class Place:
    """A program and step at which a condition holds, and the lanes in which it does."""

    program: Program
    position: int
    lanes: tuple[tuple[int, ...], ...]
    count: int
    first: int | float | bool | None


@dataclass(frozen=True, slots=True)
class Looked:
    places: tuple[Place, ...]
    programs: int
    of: int


class Finding:
    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self._found: tuple[Place, ...] = ()
        self._at = -1

    def handlers(self) -> dict[str, Callable[[str], str]]:
        return {"find": self._find, "plot": self._plot}

    # -- where it holds -----------------------------------------------------------------------

    def _find(self, text: str) -> str:
        if text in ("", "next", "previous"):
            return self._walk(-1 if text == "previous" else 1)
        problem = self.parts.watches.unknown(text)
        incident, launch = self.parts.incident, self.parts.state.launch
        if problem or launch is None:
            return problem or "No launch is chosen: launch LINE chooses one."
        condition = parse_condition(text)
        names = condition.names()
        if not names:
            return "Name a temporary: find tmp4 >= ks0."
        self.parts.session.front.start(
            "ask", lambda tell: look(incident, launch, condition, tell), self._looked(text)
        )
        return ""

    def _looked(self, text: str) -> Callable[[Looked], None]:
        def take(found: Looked) -> None:
            self._found, self._at = found.places, -1
            programs = {one.program for one in found.places}
            lanes = sum(one.count for one in found.places)
            of = f"{found.programs} of {plural(found.of, 'program')}"
            looked = of if found.programs < found.of else plural(found.of, "program")
            if not found.places:
                self.parts.tell(
                    f"{text} holds in no lane of {looked}.", {"programs": found.programs}
                )
                return
            lines = [
                f"{text} holds in {plural(lanes, 'lane')} of {plural(len(programs), 'program')}; "
                f"{looked} looked at. find next goes there."
            ]
            lines += [_line(one) for one in found.places[:SHOWN]]
            if len(found.places) > SHOWN:
                lines.append(f"and {len(found.places) - SHOWN} more")
            self.parts.tell("\n".join(lines), *map(_values, found.places[:LISTED]))

        return take

    def _walk(self, direction: int) -> str:
        if not self._found:
            return "find looks for a condition in all programs: find tmp4 >= ks0."
        self._at = (self._at + direction) % len(self._found)
        one = self._found[self._at]
        told = f"{self._at + 1} of {len(self._found)}: {_line(one)}"
        recording = self.parts.state.recording

        def stand() -> None:
            lane = one.lanes[0] if one.lanes else ()
            self.parts.replays.stand_at(one.position, lane, told)

        if recording is not None and recording.program == one.program:
            stand()
        else:
            self.parts.replays.start(one.program, stand)
        return ""

    # -- a picture ----------------------------------------------------------------------------

    def _plot(self, text: str) -> str:
        problem = self.parts.watches.unknown(text) if text else "plot draws a name: plot tmp4."
        incident, launch = self.parts.incident, self.parts.state.launch
        if problem or launch is None:
            return problem or "No launch is chosen: launch LINE chooses one."
        condition = parse_condition(text)

        def draw(tell: Tell) -> list[tuple[Program, list[float]]]:
            return [
                (one.program, _last(one, condition)) for one, _ in recorded(incident, launch, tell)
            ]

        def drawn(found: list[tuple[Program, list[float]]]) -> None:
            self.parts.tell("\n".join(picture(text, found)), *(_range(*one) for one in found))

        self.parts.session.front.start("ask", draw, drawn)
        return ""


def recorded(incident: Incident, launch: Launch, tell: Tell) -> Iterator[tuple[Recording, int]]:
    """A recording of each program of a launch, up to :data:`MOST`, with how many there are."""
    replayer = incident.replayer()
    first = replayer.record(launch, (0, 0, 0))
    grid = first.grid
    count = grid[0] * grid[1] * grid[2]
    yield first, count
    for at in range(1, min(count, MOST)):
        tell(f"recording program {at + 1} of {min(count, MOST)}", at / min(count, MOST))
        x, rest = at % grid[0], at // grid[0]
        yield replayer.record(launch, (x, rest % grid[1], rest // grid[1])), count


def look(incident: Incident, launch: Launch, condition: Condition, tell: Tell) -> Looked:
    """Where a condition holds in a launch. Lanes that are masked out do not count. Raises
    ReplayError."""
    places: list[Place] = []
    programs = of = 0
    for recording, of in recorded(incident, launch, tell):  # noqa: B007 (the last one counts)
        programs += 1
        places += _places(recording, condition)
    return Looked(tuple(places), programs, of)


def _places(recording: Recording, condition: Condition) -> Iterator[Place]:
    names = set(condition.names())
    for step in recording.steps:
        if step.kind != "assign" or step.name not in names:
            continue
        try:
            found = condition.evaluate(values_at(recording, step.position))
        except ConditionError:
            continue  # another of its names has no value yet
        if not isinstance(found, Lanes):
            if found:
                yield Place(recording.program, step.position, (), 1, found)
            continue
        out = masking(recording).out(step, step.position, found.shape)
        flat = [n for n, v in enumerate(found.values) if v and not (out and out[n])]
        if flat:
            value = step.value
            same = isinstance(value, Block) and value.shape == found.shape
            first = value.values[flat[0]] if same and isinstance(value, Block) else None
            lanes = tuple(lane_of(found.shape, n) for n in flat[:64])
            yield Place(recording.program, step.position, lanes, len(flat), first)


def _line(one: Place) -> str:
    lanes = ", ".join(words.lane(lane) for lane in one.lanes[:4])
    more = " …" if one.count > 4 else ""
    value = f", first value {number(one.first)}" if one.first is not None else ""
    where = f": {lanes}{more}" if lanes else ""
    return (
        f"program {words.program(one.program)}, step {one.position + 1}, "
        f"{plural(max(one.count, 1), 'lane')}{where}{value}"
    )


def _values(one: Place) -> dict[str, Any]:
    return {
        "program": list(one.program),
        "step": one.position + 1,
        "lanes": [list(lane) for lane in one.lanes],
        "count": one.count,
        "first": plain(one.first),
    }


def _last(recording: Recording, condition: Condition) -> list[float]:
    """The values that an expression has at the end of a program."""
    for position in range(len(recording.steps) - 1, -1, -1):
        step = recording.steps[position]
        if step.kind != "assign" or step.name not in condition.names():
            continue
        try:
            found = condition.evaluate(values_at(recording, position))
        except ConditionError:
            continue
        if not isinstance(found, Lanes):
            return [float(found)]
        out = masking(recording).out(step, position, found.shape)
        return [float(v) for n, v in enumerate(found.values) if not (out and out[n])]
    return []


def _range(program: Program, values: Sequence[float]) -> dict[str, Any]:
    finite = [value for value in values if math.isfinite(value)]
    return {
        "program": list(program),
        "count": len(values),
        "min": min(finite, default=None),
        "max": max(finite, default=None),
        "nan": sum(1 for value in values if math.isnan(value)),
    }


def picture(name: str, found: Sequence[tuple[Program, Sequence[float]]]) -> Iterator[str]:
    """A cell a program (its largest value, N where there is a NaN), then a histogram of all."""
    finite = [v for _, values in found for v in values if math.isfinite(v)]
    if not finite:
        yield f"{name} has no finite value in {plural(len(found), 'program')}."
        return
    low, high = min(finite), max(finite)
    scale = Scale(low, high)
    yield f"{name} over {plural(len(found), 'program')}, the largest of each: {_ends(low, high)}"
    cells = [
        "N" if any(map(math.isnan, v)) else scale.glyph(max(v)) if v else "·" for _, v in found
    ]
    for first in range(0, len(cells), COLUMNS):
        yield f"  {first:>6} {''.join(cells[first : first + COLUMNS])}"
    bins = [0] * BINS
    for value in finite:
        bins[min(BINS - 1, int((value - low) / (high - low) * BINS)) if high > low else 0] += 1
    most = max(bins)
    for at, count in enumerate(bins if high > low else bins[:1]):
        start = low + (high - low) * at / BINS
        yield f"  {number(start, 4):>10} {GLYPHS[-1] * math.ceil(32 * count / most)} {count}"


def _cell(values: Sequence[float], scale: Scale) -> str:
    """A program's largest value; ``N`` where there is a NaN, ``·`` where nothing holds data."""
    if any(map(math.isnan, values)):
        return "N"
    return scale.glyph(max(values)) if values else "·"


def _ends(low: float, high: float) -> str:
    return f"▁ {number(low, 4)} … █ {number(high, 4)}"
