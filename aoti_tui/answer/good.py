"""Good against bad: the same model with two inputs, up to where they part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from aoti_tui.answer.incident import Incident, Progress, Workshop
from aoti_tui.artifacts.strides import lane_of
from aoti_tui.failure.prose.words import plural, program_words
from aoti_tui.index.model import Launch
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.model import Block, Program, Recording, Step
from aoti_tui.replay.questions.all_launches import AllLaunches, replay_all

LANES = 16
MOST = 40
"""Launches that are recorded in search of the first that differs."""
Value = int | float | bool | str | None


@dataclass(frozen=True, slots=True)
class Parted:
    """A temporary whose values differ: in which launch, program and lanes, with both values."""

    launch: Launch
    program: Program
    name: str
    kernel_line: int
    position: int
    lanes: tuple[tuple[int, ...], ...]
    count: int
    bad: Value
    good: Value


@dataclass(frozen=True, slots=True)
class Compared:
    """Two runs beside each other. ``symbols``: name, bad, good. ``first``: where they part at all;
    ``failing``: where they part in the launch that fails for the bad inputs alone."""

    symbols: tuple[tuple[str, Value, Value], ...]
    fails: str
    good_fails: str
    first: Parted | None
    failing: Parted | None

    @property
    def lines(self) -> tuple[str, ...]:
        told = [f"bad: {self.fails}", f"good: {self.good_fails}"]
        told += [f"symbol {name}: bad {bad}, good {good}" for name, bad, good in self.symbols]
        if self.first is None:
            told.append("No temporary differs in the programs that were compared.")
        else:
            told.append(f"they part first in {_words(self.first)}")
        if self.failing is not None and self.failing != self.first:
            told.append(f"in the launch that fails they part in {_words(self.failing)}")
        return tuple(told)


def _words(one: Parted) -> str:
    lanes = ", ".join(str(list(lane)) for lane in one.lanes[:4])
    more = " …" if one.count > 4 else ""
    return (
        f"{one.launch.kernel} (:{one.launch.line}), program {program_words(one.program)}, "
        f"k{one.kernel_line} {one.name}: bad {one.bad}, good {one.good}"
        + (f", in {plural(one.count, 'lane')}: {lanes}{more}" if lanes else "")
    )


def beside(incident: Incident, path: Path) -> Incident:
    """The same model with other inputs, in the same worker; the incident itself stays as it is.
    Raises ArtifactError for unusable ones."""
    given = replace(incident.given, inputs=path)
    client = incident.session().client
    workshop = Workshop(incident.index, given, client)
    return replace(incident, given=given, workshop=workshop, log=None, failures=()).with_known()


def compared(incident: Incident, path: Path, progress: Progress | None = None) -> Compared:
    """The incident's run beside that with the good inputs of ``path``. Raises ReplayError,
    ArtifactError."""
    say = progress or (lambda text, share: None)
    good = beside(incident, path)
    try:
        say("replaying the bad inputs", 0.1)
        bad_run = replay_all(incident.session())
        say("replaying the good inputs", 0.3)
        good_run = replay_all(good.session())
        symbols = _symbols(incident, good)
        order = [one.launch for one in bad_run.outcomes if one.status != "skipped"][:MOST]
        failing = bad_run.first.launch if bad_run.first is not None else None
        first = last = None
        for number, launch in enumerate(order):
            say(f"comparing {launch.kernel} (:{launch.line})", 0.5 + number / len(order) / 2)
            program = _program(bad_run) if launch is failing else (0, 0, 0)
            found = _parted(incident, good, launch, program)
            first = first or found
            if launch is failing:
                last = found
            if first is not None and failing is None:
                break
        return Compared(symbols, _outcome(bad_run), _outcome(good_run), first, last)
    finally:
        good.close()


def _program(run: AllLaunches) -> Program:
    result = run.first.result if run.first is not None else None
    fired = min(result.asserts, key=lambda a: a.order, default=None) if result else None
    if fired is not None:
        return fired.first_program
    return result.faults[0].program if result is not None and result.faults else (0, 0, 0)


def _outcome(run: AllLaunches) -> str:
    first = run.first
    if first is None:
        return f"all {plural(len(run.outcomes), 'launch', 'launches')} run clean"
    fired = first.result.asserts[0].message if first.result and first.result.asserts else ""
    return f"{first.launch.kernel} (:{first.launch.line}) fails: {fired or 'a bad access'}"


def _symbols(bad: Incident, good: Incident) -> tuple[tuple[str, Value, Value], ...]:
    theirs = {s.name: s.value for s in good.session().symbols()}
    own = bad.session().symbols()
    return tuple(
        (s.name, s.value, theirs[s.name])
        for s in own
        if s.name in theirs and theirs[s.name] != s.value
    )


def _parted(bad: Incident, good: Incident, launch: Launch, program: Program) -> Parted | None:
    try:
        own = bad.session().record(launch, program)
        try:
            other = good.session().record(launch, program)
        except ReplayError:
            # The good grid may be smaller.
            other = good.session().record(launch, (0, 0, 0))
    except ReplayError:
        return None
    for step, theirs in _aligned(own, other):
        found = _difference(step, theirs)
        if found is not None:
            lanes, bad_value, good_value = found
            shown = tuple(lanes[:LANES])
            return Parted(
                launch, own.program, step.name, step.kernel_line, step.position, shown, len(lanes),
                bad_value, good_value,
            )  # fmt: skip
    return None


def _aligned(own: Recording, other: Recording) -> Iterator[tuple[Step, Step]]:
    """Assignments of the same name, line and round of the loops."""
    theirs: dict[tuple[object, ...], list[Step]] = {}
    for step in other.steps:
        theirs.setdefault(_key(step), []).append(step)
    for step in own.steps:
        same = theirs.get(_key(step))
        if step.kind == "assign" and same:
            yield step, same.pop(0)


def _key(step: Step) -> tuple[object, ...]:
    return step.kind, step.file, step.kernel_line, step.name, step.function, step.iteration


def _difference(step: Step, other: Step) -> tuple[list[tuple[int, ...]], Value, Value] | None:
    """Lanes in which two values differ, with both in the first of them; None for the same."""
    one, two = step.value, other.value
    if isinstance(one, Block) and isinstance(two, Block):
        if one.argument is not None:
            return None  # where a pointer points says nothing of the data
        if one.shape != two.shape:
            return [], f"shape {list(one.shape)}", f"shape {list(two.shape)}"
        flat = [
            n
            for n, (a, b) in enumerate(zip(one.values, two.values, strict=True))
            if a != b and (a == a or b == b)
        ]
        if not flat:
            return None
        return [lane_of(one.shape, n) for n in flat], one.values[flat[0]], two.values[flat[0]]
    if isinstance(one, Block) or isinstance(two, Block) or one == two:
        return None
    return [], one, two
