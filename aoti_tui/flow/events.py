"""What a function of a wrapper does, as one sequence of events in the order in which it does it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Literal

from aoti_tui.flow.access import KernelAccess, LaunchAccess, launch_access
from aoti_tui.index.arguments import NumberList, TensorView
from aoti_tui.index.expression import Expr
from aoti_tui.index.model import (
    Buffer,
    ExternCall,
    Function,
    Launch,
    RuntimeCheck,
    Scope,
    Symbol,
    WrapperIndex,
)

EventKind = Literal["buffer", "symbol", "extern", "launch", "check"]
Fact = Buffer | Symbol | ExternCall | Launch | RuntimeCheck


def _nothing() -> LaunchAccess:
    return LaunchAccess(frozenset(), frozenset())


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happens, written at ``line``.

    ``number`` is its place among its function's events: what comes before what is told by it and
    not by lines, which other files count for themselves. ``defines`` are names it binds,
    ``reads`` and ``writes`` tensor names by data, ``scalars`` names of symbols and locals its
    expressions use, ``shapes`` tensor names of which only the memory is needed.
    """

    line: int
    kind: EventKind
    fact: Fact
    scopes: tuple[Scope, ...] = ()
    defines: frozenset[str] = frozenset()
    tensors: Callable[[], LaunchAccess] = _nothing
    """What a launch does is only known when its kernel is understood, which takes milliseconds
    each: order and definitions are asked for without it."""
    shapes: frozenset[str] = frozenset()
    scalars: frozenset[str] = frozenset()
    number: int = 0

    @property
    def reads(self) -> frozenset[str]:
        return self.tensors().reads

    @property
    def writes(self) -> frozenset[str]:
        return self.tensors().writes


def events_of(
    index: WrapperIndex, function: Function, access: Callable[[Launch], KernelAccess]
) -> tuple[Event, ...]:
    """Events of one function of the wrapper.

    ``access`` tells what a launch's kernel does with its parameters.
    """
    events: list[Event] = []
    for symbol in index.symbols:
        if symbol.function == function:
            events.append(_symbol(symbol))
    for buffer in index.buffers:
        if buffer.function == function:
            events.append(_buffer(buffer))
    for extern in index.externs:
        if extern.function == function:
            events.append(_extern(extern))
    for launch in index.launches:
        if launch.function == function:
            events.append(_launch(launch, access))
    if function.is_main:
        for check in index.checks:
            names = names_of([check.condition])
            events.append(Event(check.line, "check", check, scalars=names))
    calls = [event for event in events if event.kind == "extern"]
    order = {"symbol": 0, "buffer": 1, "extern": 2, "launch": 3, "check": 4}
    events.sort(key=lambda e: (index.place(_stands(e, calls)), order[e.kind]))
    return tuple(replace(event, number=number) for number, event in enumerate(events))


def _stands(event: Event, calls: Sequence[Event]) -> int:
    """The line that an event is ordered by. An op's result is named on a line after the call, but
    is there for the call to write to."""
    fact = event.fact
    if isinstance(fact, Buffer) and fact.kind == "result":
        lines = [e.line for e in calls if fact.name in e.writes and e.line <= fact.line]
        return max(lines, default=fact.line)
    return event.line


def names_of(expressions: Iterable[Expr]) -> frozenset[str]:
    """Symbols, locals and tensors that stand in expressions."""
    return frozenset(name for expression in expressions for name in expression.names())


def _symbol(symbol: Symbol) -> Event:
    reads = frozenset({symbol.tensor} if symbol.tensor and symbol.kind == "item" else ())
    shapes = frozenset({symbol.tensor} if symbol.tensor and symbol.kind == "buffer_dim" else ())
    return Event(
        symbol.line,
        "symbol",
        symbol,
        symbol.scopes,
        defines=frozenset({symbol.name}),
        tensors=partial(LaunchAccess, reads, frozenset()),
        shapes=shapes,
        scalars=names_of([symbol.expression]) if symbol.kind == "expression" else frozenset(),
    )


def _buffer(buffer: Buffer) -> Event:
    layout = [*(buffer.sizes or ()), *(buffer.strides or ()), buffer.offset]
    return Event(
        buffer.line,
        "buffer",
        buffer,
        buffer.scopes,
        defines=frozenset({buffer.name}),
        shapes=frozenset({buffer.of} if buffer.of else ()),
        scalars=names_of(layout),
    )


def _extern(extern: ExternCall) -> Event:
    views = (*extern.reads, *extern.writes)
    reads = frozenset(v.base for v in extern.reads)
    writes = frozenset(v.base for v in extern.writes)
    return Event(
        extern.line,
        "extern",
        extern,
        extern.scopes,
        tensors=partial(LaunchAccess, reads, writes),
        shapes=frozenset(v.base for v in views),
        scalars=names_of([*_numbers(extern), *_layouts(views)]),
    )


def _launch(launch: Launch, access: Callable[[Launch], KernelAccess]) -> Event:
    views = [a.tensor for a in launch.arguments if a.tensor is not None]
    scalars = [a.value for a in launch.arguments if a.value is not None]
    return Event(
        launch.line,
        "launch",
        launch,
        launch.scopes,
        tensors=cache(lambda: launch_access(launch, access(launch))),
        shapes=frozenset(v.base for v in views),
        scalars=names_of([*scalars, *launch.grid, *_layouts(views)]),
    )


def _layouts(views: Iterable[TensorView]) -> list[Expr]:
    return [e for v in views for e in (*(v.sizes or ()), *(v.strides or ()), v.offset)]


def _numbers(extern: ExternCall) -> list[Expr]:
    found: list[Expr] = []
    for argument in extern.arguments:
        if isinstance(argument, Expr):
            found.append(argument)
        elif isinstance(argument, NumberList):
            found.extend(argument.values)
    return found
