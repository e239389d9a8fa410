"""Walking events through the wrapper's branches and loops, with the values of the moment."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from aoti_tui.flow.events import Event, names_of
from aoti_tui.index.expression import Expr
from aoti_tui.index.model import Body, Scope
from aoti_tui.replay.data.symbols import SymbolTable
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.model import Gate

MAX_ITERATIONS = 10_000
"""Iterations of while loops, of those inside of others too, before one is taken for endless."""


class Reached(Exception):
    """The target has been reached: nothing after it runs."""


class Walker:
    """Calls ``do`` for every event that the wrapper would come to, in its order."""

    def __init__(
        self,
        symbols: SymbolTable,
        notes: list[str],
        gates: dict[Scope, Gate],
        do: Callable[[Event], None],
        source_of: Callable[[Expr], str],
        bodies: Sequence[Body] = (),
    ) -> None:
        """``bodies`` are the calls of the wrapper's own functions, of which some come again."""
        self._symbols = symbols
        self._notes = notes
        self._gates = gates
        self._do = do
        self._source_of = source_of
        self._target: Event | None = None
        self._stop_here: Callable[[], bool] | None = None
        self._rounds = 0
        self._bodies = bodies
        self._all: Sequence[Event] = ()

    def walk(
        self,
        events: Sequence[Event],
        target: Event | None,
        stop_here: Callable[[], bool] | None = None,
    ) -> bool:
        """Walk ``events`` up to ``target``; True when it was reached.

        In a loop the target comes again and again: ``stop_here`` is asked each time, and where it
        says no the target is carried out as any other event.
        """
        self._target = target
        self._stop_here = stop_here
        self._all = events
        try:
            self._walk(events, 0)
        except Reached:
            return True
        return False

    def _walk(self, events: Sequence[Event], depth: int) -> None:
        at = 0
        while at < len(events):
            event = events[at]
            if len(event.scopes) <= depth:
                if event is self._target and (self._stop_here is None or self._stop_here()):
                    raise Reached
                self._do(event)
                at += 1
                continue
            scope = event.scopes[depth]
            end = at
            while end < len(events) and is_inside(events[end], scope, depth):
                end += 1
            self._enter(scope, events[at:end], depth)
            at = end

    def _enter(self, scope: Scope, events: Sequence[Event], depth: int) -> None:
        if scope.kind == "while":
            self._loop(scope, events, depth)
            return
        if scope.kind in ("if", "else"):
            holds = self._holds(scope)
            enter = (holds is not False) is (scope.kind == "if")
            self._decided(scope, scope.condition, None if holds is None else enter)
            if not enter and any(event is self._target for event in events):
                self._notes.append(
                    f"with these values the wrapper does not enter the branch of line "
                    f"{scope.line} ({scope.kind} {_said(scope)}): replayed all the same"
                )
                enter = True
            if not enter:
                return
        self._walk(events, depth + 1)

    def _decided(self, scope: Scope, condition: Expr | None, opens: bool | None) -> None:
        made_up = condition is not None and self._source_of(condition) == "made-up"
        self._gates[scope] = Gate(scope.kind, scope.line, condition, opens, made_up)

    def _holds(self, scope: Scope) -> bool | None:
        if scope.condition is None:
            return None
        try:
            return bool(self._symbols.number(scope.condition))
        except ReplayError as error:
            if error.kind != "unknown":
                raise
            self._notes.append(
                f"the condition of line {scope.line} ({_said(scope)}) is not known: "
                "its first branch was taken"
            )
            return None

    def _loop(self, scope: Scope, events: Sequence[Event], depth: int) -> None:
        leaving = scope.exit
        again = self._asked_again(scope, events) if leaving is None else None
        if again is not None:
            self._while(scope, events, depth, again)
            return
        if leaving is None:
            self._notes.append(
                f"how the loop of line {scope.line} ends is not understood: one iteration was run"
            )
            self._decided(scope, scope.condition, None)
            self._walk(events, depth + 1)
            return
        before = [e for e in events if e.line <= leaving.line]
        after = [e for e in events if e.line > leaving.line]
        inside = any(e is self._target for e in after)
        for iteration in itertools.count():
            if self._rounds >= MAX_ITERATIONS:
                break
            self._rounds += 1
            self._walk(before, depth + 1)
            leave = not self._symbols.number(leaving.condition)
            if iteration == 0:
                for part in {event.scopes[depth] for event in after}:
                    self._decided(part, leaving.condition, not leave)
            if leave and inside and iteration == 0:
                self._notes.append(
                    f"with these values the loop of line {scope.line} does not run once: "
                    "replayed all the same"
                )
                leave = False
            if leave:
                return
            self._walk(after, depth + 1)
        self._notes.append(f"the loop of line {scope.line} was left after {MAX_ITERATIONS} rounds")

    def _asked_again(self, scope: Scope, events: Sequence[Event]) -> Body | None:
        """The call inside of a loop that works its condition out for the next round (torch 2.6 and
        later in Python: ``while should_loop:``); None where there is none."""
        last = max((event.line for event in events), default=scope.line)
        seen: set[int] = set()
        for body in self._bodies:
            if body.first in seen and scope.line < body.called_at <= last:
                return body
            seen.add(body.first)
        return None

    def _while(self, scope: Scope, events: Sequence[Event], depth: int, again: Body) -> None:
        assert scope.condition is not None
        before = [e for e in events if e.line < again.called_at]
        after = [e for e in events if e.line >= again.called_at]
        condition = [e for e in self._all if again.first <= e.line <= again.last]
        inside = any(e is self._target for e in before)
        for iteration in itertools.count():
            if self._rounds >= MAX_ITERATIONS:
                break
            self._rounds += 1
            runs = bool(self._symbols.number(scope.condition))
            if iteration == 0:
                self._decided(scope, scope.condition, runs)
                if not runs and inside:
                    self._notes.append(
                        f"with these values the loop of line {scope.line} does not run once: "
                        "replayed all the same"
                    )
                    runs = True
            if not runs:
                return
            self._walk(before, depth + 1)
            self._walk(condition, depth + 1)
            self._walk(after, depth + 1)
        self._notes.append(f"the loop of line {scope.line} was left after {MAX_ITERATIONS} rounds")


def is_inside(event: Event, scope: Scope, depth: int) -> bool:
    """Whether an event belongs to the block of ``scope``.

    A loop's condition and body are two subgraphs, and so two scopes, of one block.
    """
    if len(event.scopes) <= depth:
        return False
    other = event.scopes[depth]
    return (other.kind, other.line) == (scope.kind, scope.line)


def condition_names(scope: Scope) -> frozenset[str]:
    """Names that decide whether a scope runs (again)."""
    conditions = [scope.condition, scope.exit.condition if scope.exit is not None else None]
    return names_of(c for c in conditions if c is not None)


def _said(scope: Scope) -> str:
    return scope.condition.written if scope.condition is not None else ""
