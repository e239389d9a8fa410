"""Who writes a buffer, which memory a name stands for, and what happens before what.

The one answer to these questions for failure and replay: through reuse, views, aliases, pools,
branches and loops of each function of a wrapper.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from aoti_tui.flow.access import (
    KernelAccess,
    access_by_name,
    kernel_access,
    program_of_kernel,
)
from aoti_tui.flow.events import Event, Fact, events_of
from aoti_tui.flow.scopes import always_runs_with, exclude_each_other, loop_around
from aoti_tui.flow.sharing import sharing
from aoti_tui.index.arguments import TensorView
from aoti_tui.index.expression import Expr, number
from aoti_tui.index.model import (
    Argument,
    Buffer,
    ExternCall,
    Function,
    Launch,
    RuntimeCheck,
    Scope,
    Symbol,
    WrapperIndex,
)
from aoti_tui.kernel.model import KernelProgram

Layout = tuple[tuple[Expr, ...], tuple[Expr, ...]]
"""Sizes and strides in elements."""

# Ops that change only part of their target, so that what stood there before still counts.
_PARTIAL_OPS = ("index_put", "scatter", "index_add", "index_copy", "index_fill", "masked_")
_LONGEST_CHAIN = 64


@dataclass(frozen=True, slots=True)
class Moment:
    """Just before event ``number`` of a function, inside of ``scopes``."""

    function: Function
    number: int
    scopes: tuple[Scope, ...] = ()
    line: int = 0
    """Where that stands in the wrapper; only ever shown."""

    @classmethod
    def of(cls, function: Function, event: Event) -> Moment:
        return cls(function, event.number, event.scopes, event.line)


@dataclass(frozen=True, slots=True)
class Storage:
    """A piece of memory, by the name that got it first.

    ``defined`` is the event that did; None for an input, a constant, or a name of which the
    wrapper does not say where it comes from.
    """

    name: str
    function: Function
    defined: Event | None

    @property
    def line(self) -> int | None:
        return self.defined.line if self.defined is not None else None

    @property
    def buffer(self) -> Buffer | None:
        fact = self.defined.fact if self.defined is not None else None
        return fact if isinstance(fact, Buffer) else None


@dataclass(frozen=True, slots=True)
class Writer:
    """A launch (through one of its arguments) or an op that writes to a storage."""

    event: Event
    view: TensorView
    argument: Argument | None
    """Set for a launch."""
    covers: bool
    """Whether it overwrites the whole storage."""
    earlier: bool
    """Else it comes later in a loop around the reader, and wrote in the round before."""
    certain: bool
    """Whether it ran whenever the reader runs: it stands in no branch that the reader is not in."""

    @property
    def launch(self) -> Launch | None:
        return self.event.fact if isinstance(self.event.fact, Launch) else None

    @property
    def extern(self) -> ExternCall | None:
        return self.event.fact if isinstance(self.event.fact, ExternCall) else None

    @property
    def settles(self) -> bool:
        """Whether nothing that was written before it can still be there."""
        return self.covers and self.earlier and self.certain


@dataclass(frozen=True, slots=True)
class _Touch:
    event: Event
    view: TensorView
    argument: Argument | None


class DataFlow:
    """Answers for one wrapper. Each function is walked once, when it is first asked about."""

    def __init__(
        self,
        index: WrapperIndex,
        program_of: Callable[[str], KernelProgram] | None = None,
    ) -> None:
        """``program_of`` gives kernels that are understood already, by name."""
        self.index = index
        self._program_of = program_of
        self._programs: dict[str, KernelProgram] = {}
        self._accesses: dict[str, KernelAccess] = {}
        self._functions: dict[Function, _FunctionFlow] = {}

    # -- kernels ------------------------------------------------------------------------------

    def program(self, kernel: str) -> KernelProgram:
        """The source of a kernel of the wrapper, understood."""
        if kernel not in self._programs:
            given = self._program_of
            self._programs[kernel] = (
                given(kernel) if given else program_of_kernel(self.index.kernels[kernel])
            )
        return self._programs[kernel]

    def access(self, launch: Launch) -> KernelAccess:
        """What a launch's kernel does with its parameters; out of their names for a kernel that
        the wrapper does not define."""
        known = self._accesses.get(launch.kernel)
        if known is None:
            kernel = self.index.kernels.get(launch.kernel)
            if kernel is None:
                return access_by_name(a.parameter for a in launch.arguments if a.tensor is not None)
            known = kernel_access(kernel, self.program(launch.kernel))
            self._accesses[launch.kernel] = known
        return known

    def written_parameters(self, launch: Launch) -> tuple[str, ...]:
        """Tensor parameters of a launch that its kernel writes, in order."""
        writes = self.access(launch).writes
        return tuple(
            a.parameter for a in launch.arguments if a.tensor is not None and a.parameter in writes
        )

    # -- order --------------------------------------------------------------------------------

    def events(self, function: Function) -> tuple[Event, ...]:
        """What a function does, in order."""
        return self._flow(function).events

    def event(self, fact: Fact) -> Event | None:
        """The event that a fact of the index is; None for one of another wrapper."""
        return self._flow(self._function_of(fact)).event(fact)

    def before(self, fact: Fact) -> Moment:
        """The moment just before a launch, an op, or a definition."""
        event = self._flow(self._function_of(fact)).event(fact)
        if event is None:
            raise LookupError(f"the wrapper does nothing of the kind: {fact!r}")
        return Moment.of(self._function_of(fact), event)

    def end(self, function: Function) -> Moment:
        """The moment when a function has done all that it does."""
        events = self.events(function)
        return Moment(function, len(events), line=events[-1].line if events else 0)

    def at_line(self, function: Function, line: int) -> Moment:
        """The moment after all that stands up to a line of the wrapper."""
        events = self.events(function)
        here = next((e.scopes for e in events if e.line == line), ())
        last = max((e.number for e in events if e.line <= line), default=-1)
        return Moment(function, last + 1, here, line)

    def _function_of(self, fact: Fact) -> Function:
        return self.index.main if isinstance(fact, RuntimeCheck) else fact.function

    def symbol(self, name: str, at: Moment) -> Symbol | None:
        """The last definition of a symbol before a moment."""
        for event in reversed(self.events(at.function)[: at.number]):
            if isinstance(event.fact, Symbol) and event.fact.name == name:
                return event.fact
        return None

    # -- memory -------------------------------------------------------------------------------

    def definitions(self, name: str, at: Moment) -> list[Buffer]:
        """Definitions of a name that can reach a moment, the newest first: the last one and,
        where that stands in a branch, those before it; in a loop also those that follow, which the
        round before made."""
        events = self._flow(at.function).reaching(name, at)
        return [e.fact for e in events if isinstance(e.fact, Buffer)]

    def defined_at(self, name: str, at: Moment) -> int | None:
        """The line of a name's newest definition; None for what the wrapper does not define."""
        return next((buffer.line for buffer in self.definitions(name, at)), None)

    def storages(self, name: str, at: Moment) -> list[Storage]:
        """The pieces of memory that a name can stand for at a moment."""
        flow = self._flow(at.function)
        found: dict[Storage, None] = {}
        pending = [(name, at)]
        seen: set[tuple[str, int]] = set()
        while pending:
            current, moment = pending.pop()
            if (current, moment.number) in seen:
                continue
            seen.add((current, moment.number))
            definitions = flow.reaching(current, moment)
            if not definitions:
                found[Storage(current, at.function, None)] = None
            for event in definitions:
                shared = sharing(event.fact)
                if shared is not None:
                    before = Moment.of(at.function, event)
                    pending.append((shared.base, before))
                else:
                    found[Storage(current, at.function, event)] = None
        return list(found)

    def offset_in(self, name: str, at: Moment) -> tuple[str, tuple[Expr, ...]] | None:
        """The input or constant that a name is (a view of), and the offsets of the views; None
        where it is anything else, or can be several."""
        offsets: list[Expr] = []
        flow = self._flow(at.function)
        for _ in range(_LONGEST_CHAIN):
            definitions = flow.reaching(name, at)
            if not definitions:
                return name, tuple(offsets)
            shared = sharing(definitions[0].fact)
            if len(definitions) > 1 or shared is None:
                return None
            offsets.append(shared.offset)
            name = shared.base
            at = Moment.of(at.function, definitions[0])
        return None

    def writers(self, storage: Storage, at: Moment) -> list[Writer]:
        """What wrote to a storage before a moment, the newest first, then what comes later in a
        loop around it. What stands in the other branch of an ``if`` is left out."""
        flow = self._flow(at.function)
        loop = loop_around(at.scopes)
        found: list[Writer] = []
        for touch in flow.touching(storage.name):
            event = touch.event
            if exclude_each_other(at.scopes, event.scopes):
                continue
            earlier = event.number < at.number
            if not earlier and (loop is None or loop_around(event.scopes, loop) is None):
                continue
            there = Moment.of(at.function, event)
            if storage not in self.storages(touch.view.base, there):
                continue
            # Last, since it may have to understand a kernel that nobody has asked about yet.
            if not flow.writes(touch):
                continue
            found.append(
                Writer(
                    event,
                    touch.view,
                    touch.argument,
                    covers=flow.covers(touch) and not self._is_part(touch, storage, there),
                    earlier=earlier,
                    certain=always_runs_with(event.scopes, at.scopes),
                )
            )
        return sorted(
            found, key=lambda w: (not w.earlier, -w.event.number if w.earlier else w.event.number)
        )

    # -- layouts ------------------------------------------------------------------------------

    def sizes_of(self, view: TensorView, at: Moment) -> Layout | None:
        """Sizes and strides of a tensor argument; None where the wrapper does not say."""
        if view.sizes is not None and view.strides is not None:
            return view.sizes, view.strides
        name = view.base
        flow = self._flow(at.function)
        for _ in range(_LONGEST_CHAIN):
            definitions = flow.reaching(name, at)
            if not definitions:
                return self._constant_layout(name)
            buffer = definitions[0].fact
            assert isinstance(buffer, Buffer)
            if buffer.sizes is not None and buffer.strides is not None:
                return buffer.sizes, buffer.strides
            if buffer.of is None:
                return None
            name = buffer.of
            at = Moment.of(at.function, definitions[0])
        return None

    def _constant_layout(self, name: str) -> Layout | None:
        constant = self.index.constant_named(name)
        if constant is None:
            return None
        return tuple(map(number, constant.shape)), tuple(map(number, constant.stride))

    def views_of(self, name: str, function: Function) -> tuple[TensorView, ...]:
        """All that a function does with a tensor under this name, as views of it."""
        return self._flow(function).views_of(name)

    def _is_part(self, touch: _Touch, storage: Storage, at: Moment) -> bool:
        """Whether a view is smaller than the storage."""
        view = touch.view
        if view.offset.literal != 0:
            return True
        definition = storage.buffer
        if definition is None or definition.sizes is None:
            return False
        own = self.sizes_of(view, at)
        if own is None or (view.base == storage.name and view.sizes is None):
            return False
        if self._has_offset(view.base, at):
            return True
        return _product(own[0]) != _product(definition.sizes)

    def _has_offset(self, name: str, at: Moment) -> bool:
        flow = self._flow(at.function)
        for _ in range(_LONGEST_CHAIN):
            definitions = flow.reaching(name, at)
            shared = sharing(definitions[0].fact) if definitions else None
            if shared is None:
                return False
            if shared.offset.literal != 0:
                return True
            name = shared.base
            at = Moment.of(at.function, definitions[0])
        return False

    def _flow(self, function: Function) -> _FunctionFlow:
        if function not in self._functions:
            events = events_of(self.index, function, self.access)
            self._functions[function] = _FunctionFlow(events, self.access)
        return self._functions[function]


class _FunctionFlow:
    """One function's events, by the names that they define and touch."""

    def __init__(self, events: tuple[Event, ...], access: Callable[[Launch], KernelAccess]) -> None:
        self.events = events
        self._access = access
        # Facts are compared by what they are, as long as the index holds them: launches have ids.
        self._events = {_key(event.fact): event for event in events}
        self._definitions: dict[str, list[Event]] = {}
        self._touches: dict[str, list[_Touch]] = {}
        self._views: dict[str, list[TensorView]] = {}
        for event in events:
            fact = event.fact
            if isinstance(fact, Buffer):
                self._definitions.setdefault(fact.name, []).append(event)
                if fact.of is not None:
                    view = TensorView(fact.of, fact.sizes, fact.strides, fact.offset)
                    self._views.setdefault(fact.of, []).append(view)
            elif isinstance(fact, Launch):
                for argument in fact.arguments:
                    if argument.tensor is not None:
                        self._touch(_Touch(event, argument.tensor, argument))
            elif isinstance(fact, ExternCall):
                for view in fact.reads:
                    self._views.setdefault(view.base, []).append(view)
                for view in fact.writes:
                    self._touch(_Touch(event, view, None))
        self._kin = _kin(events)

    def _touch(self, touch: _Touch) -> None:
        self._views.setdefault(touch.view.base, []).append(touch.view)
        self._touches.setdefault(touch.view.base, []).append(touch)

    def event(self, fact: Fact) -> Event | None:
        return self._events.get(_key(fact))

    def views_of(self, name: str) -> tuple[TensorView, ...]:
        return tuple(self._views.get(name, ()))

    def touching(self, name: str) -> list[_Touch]:
        """What has a name as an argument that can ever share memory with this one, and may write
        to it."""
        names = self._kin.get(name, frozenset({name}))
        return [t for one in names for t in self._touches.get(one, ())]

    def writes(self, touch: _Touch) -> bool:
        fact, argument = touch.event.fact, touch.argument
        if not isinstance(fact, Launch) or argument is None:
            return True
        return argument.parameter in self._access(fact).writes

    def covers(self, touch: _Touch) -> bool:
        """Whether a write leaves nothing of what its view reached."""
        fact, argument = touch.event.fact, touch.argument
        if isinstance(fact, Launch) and argument is not None:
            return argument.parameter in self._access(fact).covers
        return isinstance(fact, ExternCall) and not _is_partial(fact)

    def reaching(self, name: str, at: Moment) -> list[Event]:
        """Definitions of a name that can reach a moment, the newest first."""
        found: list[Event] = []
        loop = loop_around(at.scopes)
        definitions = self._definitions.get(name, [])
        for event in reversed(definitions):
            if event.number >= at.number or exclude_each_other(at.scopes, event.scopes):
                continue
            found.append(event)
            if always_runs_with(event.scopes, at.scopes):
                if loop is not None and loop_around(event.scopes, loop) is not None:
                    loop = None
                break
        if loop is not None:
            around = (e for e in definitions if e.number >= at.number)
            found += [e for e in around if loop_around(e.scopes, loop) is not None]
        # An empty handle is no memory: a branch or a call fills it.
        return [e for e in found if not _is_declaration(e)] or found


def _kin(events: tuple[Event, ...]) -> dict[str, frozenset[str]]:
    """Names that can ever share memory, by name: those that reuse, view or alias each other."""
    groups: dict[str, set[str]] = {}
    for event in events:
        fact = event.fact
        if not isinstance(fact, Buffer) or fact.of is None:
            continue
        joined = groups.get(fact.name, {fact.name}) | groups.get(fact.of, {fact.of})
        for name in joined:
            groups[name] = joined
    return {name: frozenset(group) for name, group in groups.items()}


def _key(fact: Fact) -> tuple[str, int]:
    return ("launch", fact.id) if isinstance(fact, Launch) else ("fact", id(fact))


def _is_declaration(event: Event) -> bool:
    return isinstance(event.fact, Buffer) and event.fact.kind == "declaration"


def _is_partial(extern: ExternCall) -> bool:
    """Whether an op leaves part of its target as it was."""
    return any(part in extern.op for part in _PARTIAL_OPS)


def _product(sizes: tuple[Expr, ...]) -> tuple[int, tuple[str, ...]]:
    """A number of elements as a number times sorted factors, to compare shapes by."""
    parts = [size.factors() for size in sizes]
    return math.prod(n for n, _ in parts), tuple(sorted(f for _, fs in parts for f in fs))
