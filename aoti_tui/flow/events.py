"""What a function of a wrapper does, as one sequence of events in the order in which it does it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from aoti_tui.flow.access import KernelAccess, launch_access
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

CARRYING = ("view", "alias", "pool-view")


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happens at ``line``.

    ``defines`` are names it binds, ``reads`` and ``writes`` tensor names by data, ``scalars``
    names of symbols and locals its expressions use, ``shapes`` tensor names of which only the
    memory is needed.
    """

    line: int
    kind: str
    """``buffer``, ``symbol``, ``extern``, ``launch`` or ``check``."""
    fact: Buffer | Symbol | ExternCall | Launch | RuntimeCheck
    scopes: tuple[Scope, ...] = ()
    defines: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    shapes: frozenset[str] = frozenset()
    scalars: frozenset[str] = frozenset()


def events_of(
    index: WrapperIndex, function: Function, access: Callable[[str], KernelAccess | None]
) -> tuple[Event, ...]:
    """Events of one function of the wrapper.

    ``access`` tells by kernel name what a kernel does with its parameters.
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
            events.append(_launch(launch, access(launch.kernel)))
    if function.is_main:
        for check in index.checks:
            names = names_of([check.condition])
            events.append(Event(check.line, "check", check, scalars=names))
    # A line can both call an op and name its result: the call comes first, unless the result is
    # memory that the call writes into.
    order = {"symbol": 0, "buffer": 1, "extern": 2, "launch": 3, "check": 4}
    events.sort(key=lambda e: (e.line, order[e.kind]))
    return tuple(events)


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
        reads=reads,
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
    return Event(
        extern.line,
        "extern",
        extern,
        extern.scopes,
        reads=frozenset(v.base for v in extern.reads),
        writes=frozenset(v.base for v in extern.writes),
        shapes=frozenset(v.base for v in views),
        scalars=names_of([*_numbers(extern), *_layouts(views)]),
    )


def _launch(launch: Launch, access: KernelAccess | None) -> Event:
    views = [a.tensor for a in launch.arguments if a.tensor is not None]
    scalars = [a.value for a in launch.arguments if a.value is not None]
    if access is None:
        bases = frozenset(v.base for v in views)
        reads, writes = bases, bases
    else:
        tensors = launch_access(launch, access)
        reads, writes = frozenset(tensors.reads), frozenset(tensors.writes)
    return Event(
        launch.line,
        "launch",
        launch,
        launch.scopes,
        reads=reads,
        writes=writes,
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
