"""Walking events through the wrapper's branches and loops, with the values of the moment."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from aoti_tui.flow.events import Event, names_of
from aoti_tui.index.model import Scope, WrapperIndex
from aoti_tui.replay.data.symbols import SymbolTable
from aoti_tui.replay.errors import ReplayError

MAX_ITERATIONS = 10_000
"""Iterations of a while loop before it is taken for endless."""
_BREAK = re.compile(r"if\s*\((\s*!)?\s*\(?([\w.\[\]<>()]+?)\)?\s*\)\s*\{?\s*break\b")


class Reached(Exception):
    """The target has been reached: nothing after it runs."""


class Walker:
    """Calls ``do`` for every event that the wrapper would come to, in its order."""

    def __init__(
        self,
        index: WrapperIndex,
        symbols: SymbolTable,
        notes: list[str],
        do: Callable[[Event], None],
    ) -> None:
        self._index = index
        self._symbols = symbols
        self._notes = notes
        self._do = do
        self._target: Event | None = None
        self._stop_here: Callable[[], bool] | None = None

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
            enter = self._holds(scope) is (scope.kind == "if")
            if not enter and any(event is self._target for event in events):
                self._notes.append(
                    f"with these values the wrapper does not enter the branch of line "
                    f"{scope.line} ({scope.kind} {scope.condition}): replayed all the same"
                )
                enter = True
            if not enter:
                return
        self._walk(events, depth + 1)

    def _holds(self, scope: Scope) -> bool:
        try:
            return bool(self._symbols.number(scope.condition))
        except ReplayError as error:
            if error.kind != "unknown":
                raise
            self._notes.append(
                f"the condition of line {scope.line} ({scope.condition}) is not known: "
                "its first branch was taken"
            )
            return True

    def _loop(self, scope: Scope, events: Sequence[Event], depth: int) -> None:
        leaving = loop_exit(self._index, scope)
        if leaving is None:
            self._notes.append(
                f"how the loop of line {scope.line} ends is not understood: one iteration was run"
            )
            self._walk(events, depth + 1)
            return
        line, condition, negated = leaving
        before = [e for e in events if e.line <= line]
        after = [e for e in events if e.line > line]
        inside = any(e is self._target for e in after)
        for iteration in range(MAX_ITERATIONS):
            self._walk(before, depth + 1)
            leave = bool(self._symbols.number(condition)) is not negated
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


def is_inside(event: Event, scope: Scope, depth: int) -> bool:
    """Whether an event belongs to the block of ``scope``.

    A loop's condition and body are two subgraphs, and so two scopes, of one block.
    """
    if len(event.scopes) <= depth:
        return False
    other = event.scopes[depth]
    return (other.kind, other.line) == (scope.kind, scope.line)


def loop_exit(index: WrapperIndex, scope: Scope) -> tuple[int, str, bool] | None:
    """``(line, condition, negated)`` of ``if (!cond_scalar) break;`` in a while loop.

    Inductor writes it between the condition's and the body's subgraph (codegen_while_loop of
    torch/_inductor/codegen/cpp_wrapper_cpu.py). None for another form.
    """
    depth = 0
    for number in range(scope.line, len(index.lines) + 1):
        text = index.lines[number - 1]
        match = _BREAK.search(text)
        if match:
            return number, match[2], match[1] is not None
        depth += text.count("{") - text.count("}")
        if number > scope.line and depth <= 0:
            return None
    return None


def condition_names(index: WrapperIndex, scope: Scope) -> frozenset[str]:
    """Names that decide whether a scope runs (again)."""
    texts = [scope.condition]
    if scope.kind == "while":
        leaving = loop_exit(index, scope)
        if leaving is not None:
            texts.append(leaving[1])
    return names_of(texts)
