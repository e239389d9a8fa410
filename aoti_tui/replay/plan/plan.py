"""What has to be replayed before a launch, as a list that a user can read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aoti_tui.flow.dataflow import DataFlow
from aoti_tui.flow.events import Event
from aoti_tui.flow.slicing import needed_events
from aoti_tui.index.model import Buffer, ExternCall, Launch, Symbol
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.plan.walk import condition_names


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """A launch or op that is replayed first; ``reads`` and ``writes`` are tensor names."""

    line: int
    what: str
    """Kernel or op."""
    kind: str
    """``launch`` or ``extern``."""
    reads: tuple[str, ...]
    writes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """Everything that a launch needs, in order.

    ``events`` are what is run (allocations, views and symbols among them), ``steps`` only the
    launches and ops of it; ``inputs`` and ``constants`` are names whose data take part.
    """

    launch: Launch
    target: Event
    events: tuple[Event, ...]
    steps: tuple[PlannedStep, ...]
    inputs: tuple[str, ...]
    constants: tuple[str, ...]


class Planner:
    """Plans of one wrapper's launches."""

    def __init__(self, flow: DataFlow) -> None:
        self.index = flow.index
        self._flow = flow

    def plan(self, launch: Launch, only: frozenset[str] | None = None) -> LaunchPlan:
        """The plan of a launch.

        ``only`` names parameters whose data matter (the slice of one assert); all others are
        allocated but not computed. Raises ReplayError for a launch of another wrapper.
        """
        target = self._flow.event(launch)
        if target is None:
            raise ReplayError(
                "bad-request",
                f"No launch of {launch.kernel} at wrapper line {launch.line}",
                "the wrapper has no such launch",
                "Choose one of the launches that the navigator lists",
            )
        data = None
        if only is not None:
            data = frozenset(
                a.tensor.base
                for a in launch.arguments
                if a.tensor is not None and a.parameter in only and a.tensor.base in target.reads
            )
        return self._planned(launch, target, data)

    def plan_symbol(self, symbol: Symbol) -> tuple[Event, tuple[Event, ...]]:
        """The event that defines a symbol, and what must run before it."""
        target = self._flow.event(symbol)
        assert target is not None
        return target, self._before(self._flow.events(symbol.function), target, None)

    def _planned(self, launch: Launch, target: Event, data: frozenset[str] | None) -> LaunchPlan:
        needed = self._before(self._flow.events(launch.function), target, data)
        steps = tuple(_step(event) for event in needed if event.kind in ("launch", "extern"))
        read = {n for e in (*needed, target) for n in e.reads}
        read |= {e.fact.of for e in needed if isinstance(e.fact, Buffer) and e.fact.of is not None}
        return LaunchPlan(
            launch=launch,
            target=target,
            events=needed,
            steps=steps,
            inputs=tuple(i.name for i in self.index.inputs if i.name in read),
            constants=tuple(c.name for c in self.index.constants if c.name in read),
        )

    def _before(
        self, events: Sequence[Event], target: Event, data: frozenset[str] | None
    ) -> tuple[Event, ...]:
        needed = needed_events(events, target, data, conditions=condition_names)
        # Sizes of inputs cost nothing and are what a user wants to see first; the wrapper's own
        # checks tell when it would not even have come here.
        taken = {e.number for e in needed}
        cheap = [
            e
            for e in events
            if e.number < target.number
            and e.number not in taken
            and (
                (isinstance(e.fact, Symbol) and e.fact.kind == "input_dim")
                or (e.kind == "check" and not e.scopes)
            )
        ]
        return tuple(sorted((*needed, *cheap), key=lambda e: e.number))


def _step(event: Event) -> PlannedStep:
    fact = event.fact
    assert isinstance(fact, Launch | ExternCall)
    return PlannedStep(
        event.line,
        fact.kernel if isinstance(fact, Launch) else fact.op,
        event.kind,
        tuple(sorted(event.reads)),
        tuple(sorted(event.writes)),
    )
