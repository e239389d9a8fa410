"""Running the events that a launch needs, in order, with real values where there are any."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from aoti_tui.flow.events import Event
from aoti_tui.index.expression import Expr
from aoti_tui.index.model import (
    Argument,
    Buffer,
    ExternCall,
    Launch,
    RuntimeCheck,
    Scope,
    Symbol,
)
from aoti_tui.kernel.model import KernelProgram
from aoti_tui.replay.client import Progress, Reply
from aoti_tui.replay.data.externs import NotReplayed, made_how, replay_op
from aoti_tui.replay.data.held_tensors import Held, weakest
from aoti_tui.replay.data.live_tensors import TensorTable
from aoti_tui.replay.data.madeup import index_bounds
from aoti_tui.replay.data.setup import Setup
from aoti_tui.replay.data.symbols import SymbolTable
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.model import Gate
from aoti_tui.replay.plan.launching import Prepared, prepare, written_sources
from aoti_tui.replay.plan.walk import Reached, Walker

OnLaunch = Callable[[Launch, Prepared | None, Reply | ReplayError], bool]
"""Called after every launch that is replayed, with the worker's answer (or why there is none);
True ends the run."""


class Execution:
    """One run of (a slice of) a wrapper's function in the worker. Used once."""

    def __init__(
        self,
        setup: Setup,
        symbols: SymbolTable,
        prefix: str,
    ) -> None:
        """``prefix`` starts the names of all that the run puts into the worker."""
        self.index = setup.index
        self.flow = setup.flow
        self.client = setup.client
        self.kernels = setup.kernels
        self.sources = setup.sources
        self.symbols = symbols
        self.doing = setup.doing
        self.notes: list[str] = []
        self.gates: dict[Scope, Gate] = {}
        """Branches and loops that were come to, each as the values of its last time decided."""
        self.failed_before: list[str] = []
        """Launches whose asserts fired on the way, on real data."""
        self.faults_before: list[tuple[Launch, Mapping[str, Any]]] = []
        """Accesses outside of their tensors on the way, on real data, as the worker says them."""
        self.tensors = TensorTable(setup, symbols, prefix, self.notes)
        self._failed_checks: list[Gate] = []
        self._on_launch: OnLaunch | None = None
        self._progress: Progress | None = None
        self._done = 0
        self._total = 0
        self._calls = 0
        self._bounds: dict[str, int] | None = None
        self.sources.bound_of = self._bound_of

    @property
    def broken_checks(self) -> list[str]:
        """Checks of the wrapper itself that do not hold: it would have stopped there."""
        return [gate.words for gate in self._failed_checks]

    @property
    def handles(self) -> list[str]:
        return self.tensors.handles

    def run(
        self,
        events: Sequence[Event],
        target: Event | None,
        progress: Progress | None = None,
        on_launch: OnLaunch | None = None,
    ) -> bool:
        """Run ``events`` up to ``target`` (which is not run); True when it was reached."""
        self._progress = progress
        self._on_launch = on_launch
        self._done, self._total = 0, len(events)
        ordered = list(events)
        if target is not None:
            ordered.append(target)
            ordered.sort(key=lambda e: e.number)
        return self._walker().walk(ordered, target)

    def run_until(
        self,
        events: Sequence[Event],
        target: Event,
        stop_here: Callable[[], bool],
        progress: Progress | None = None,
    ) -> bool:
        """Run ``events``, ``target`` among them, until ``stop_here`` says so at the target; False
        when it never did."""
        self._progress = progress
        self._on_launch = None
        self._done, self._total = 0, len(events)
        return self._walker().walk(events, target, stop_here)

    def _walker(self) -> Walker:
        return Walker(
            self.symbols,
            self.notes,
            self.gates,
            self._do,
            self._condition_source,
            self.index.bodies,
        )

    def gates_of(self, launch: Launch) -> tuple[Gate, ...]:
        """What decided whether ``launch`` runs: scopes around it, then checks that failed."""
        around = (self.gates[scope] for scope in launch.scopes if scope in self.gates)
        return (*around, *self._failed_checks)

    def _condition_source(self, condition: Expr) -> str:
        """How far the value of a condition can be trusted; it may read a tensor in place."""
        tensors = (self.tensors.get(name) for name in condition.names())
        read = {held.storage.source for held in tensors if held is not None}
        return weakest({self.symbols.source_of(condition), *read})

    def prepared(self, launch: Launch) -> Prepared:
        """Arguments, blocks and grid of a launch with the values of this moment."""
        self.tensors.function = launch.function
        return prepare(launch, self.kernels, self.symbols, self.tensors.view, self._value_of)

    def _value_of(self, held: Held) -> int | float:
        value = self.client.request("item", name=held.handle)["value"]
        return float(value) if isinstance(value, str) else value

    def _bound_of(self, name: str) -> int | None:
        """What a made-up integer tensor must stay below, so that no assert fires for nothing."""
        if self._bounds is None:
            self._bounds = index_bounds(self._launches(), self._program, self._number)
        return self._bounds.get(name)

    def _launches(self) -> tuple[Launch, ...]:
        """Launches of the function that runs: another one's buffers can have the same names."""
        return tuple(la for la in self.index.launches if la.function == self.tensors.function)

    def _program(self, kernel: str) -> KernelProgram | None:
        return self.kernels.program(kernel) if kernel in self.index.kernels else None

    def _number(self, argument: Argument) -> int | float | None:
        if argument.value is None:
            return None
        try:
            return self.symbols.number(argument.value)
        except ReplayError:
            return None

    def _do(self, event: Event) -> None:
        self._done += 1
        if self._progress is not None:
            self._progress(min(self._done, self._total), self._total)
        fact = event.fact
        if not isinstance(fact, RuntimeCheck):
            self.tensors.function = fact.function
        if isinstance(fact, Symbol):
            self.define_symbol(fact)
        elif isinstance(fact, Buffer):
            self.tensors.define(fact)
        elif isinstance(fact, ExternCall):
            self._extern(fact)
        elif isinstance(fact, Launch):
            self._launch(fact)
        else:
            self._check(fact)

    # -- symbols and checks -------------------------------------------------------------------

    def define_symbol(self, symbol: Symbol) -> None:
        """Give a symbol its value. Raises ReplayError when it cannot be worked out."""
        if self.symbols.is_set(symbol.name):
            return
        if symbol.kind == "input_dim" and symbol.position is not None and symbol.dim is not None:
            self._input_dim(symbol, symbol.position, symbol.dim)
        elif symbol.kind == "item" and symbol.tensor is not None:
            self._item(symbol, self.tensors[symbol.tensor])
        elif symbol.kind == "item" and symbol.position is not None:
            self._input_number(symbol, symbol.position)
        elif symbol.kind == "buffer_dim" and symbol.tensor is not None:
            self._buffer_dim(symbol, self.tensors[symbol.tensor], symbol.dim or 0)
        else:
            self.symbols.expression(symbol)

    def _input_dim(self, symbol: Symbol, position: int, dim: int) -> None:
        known = self.symbols.values.get(symbol.name)
        if known is not None and known.source in ("captured", "gpu"):
            return
        held = self.sources.input_held(position)
        how = f"{symbol.tensor or self.index.inputs[position].name}.size({dim})"
        if held is None:
            self._passed_number(symbol)
        elif dim < len(held.shape):
            self.symbols.define(symbol.name, held.shape[dim], "input", how)

    def _passed_number(self, symbol: Symbol) -> None:
        """A size that is given as a number of its own, or made up."""
        if symbol.number is not None:
            self._input_number(symbol, symbol.number)
        else:
            self.symbols.make_up(symbol)

    def _input_number(self, symbol: Symbol, position: int) -> None:
        """An input that is itself a number."""
        given = self.symbols.given
        value = given[position].value if position < len(given) else None
        if value is None:
            self.symbols.make_up(symbol)
        else:
            self.symbols.define(symbol.name, value, "input", f"input {position}")

    def _item(self, symbol: Symbol, held: Held) -> None:
        storage = held.storage
        if storage.source == "made-up" and storage.input_position is not None:
            # Nothing is known: choose what the wrapper accepts, and let the tensor agree with it.
            value = self.symbols.make_up(symbol)
            self.client.request("write", name=held.handle, element=0, value=value)
            return
        reply = self.client.request("item", name=held.handle, doing=f"reading {symbol.name}")
        known = ("made-up", "input", "constant", "captured", "gpu")
        source = storage.source if storage.source in known else "replayed"
        self.symbols.define(symbol.name, reply["value"], source, f"value of {symbol.tensor}")

    def _buffer_dim(self, symbol: Symbol, held: Held, dim: int) -> None:
        if dim >= len(held.shape):
            raise ReplayError(
                "unknown",
                f"{symbol.name} cannot be worked out",
                f"{symbol.tensor} has {len(held.shape)} dimensions, not {dim + 1}",
                f"Set it with --set {symbol.name}=VALUE",
            )
        source = "made-up" if held.storage.source == "made-up" else "replayed"
        self.symbols.define(symbol.name, held.shape[dim], source, f"{symbol.tensor}.size({dim})")

    def _check(self, check: RuntimeCheck) -> None:
        if check.layout is not None or check.condition.problem:
            return
        try:
            holds = bool(self.symbols.number(check.condition))
        except ReplayError as error:
            if error.kind != "unknown":
                raise
            return
        if not holds:
            made_up = self._condition_source(check.condition) == "made-up"
            gate = Gate("check", check.line, check.condition, False, made_up)
            self._failed_checks.append(gate)

    # -- launches and ops ---------------------------------------------------------------------

    def _launch(self, launch: Launch) -> None:
        """Replay a launch for good: its outputs are what later events read."""
        try:
            prepared, reply = self._scan(launch)
        except ReplayError as error:
            if not error.stops_one_launch:
                raise
            self._stand_in(launch, error)
            if self._on_launch is not None and self._on_launch(launch, None, error):
                raise Reached from error
            return
        if self._on_launch is not None:
            if self._on_launch(launch, prepared, reply):
                raise Reached
        else:
            self._note_failures(launch, prepared, reply)
        how = f"{launch.kernel} (:{launch.line})"
        for parameter, source in written_sources(launch, prepared, self.kernels).items():
            self._wrote(prepared.held[parameter], source, how)

    def _scan(self, launch: Launch) -> tuple[Prepared, Reply]:
        doing = f"replaying {launch.kernel} (:{launch.line})"
        self.kernels.compiled(launch.kernel, self.doing)
        self.doing(doing)
        prepared = self.prepared(launch)
        if 0 in prepared.grid:
            return prepared, Reply({}, ())
        reply = self.client.request(
            "scan",
            doing=doing,
            kernel=self.kernels.key(launch.kernel),
            args=prepared.request_args,
            blocks=prepared.blocks.sizes,
            grid=list(prepared.grid),
            mode="big",
            stop_at_first=False,
            write=True,
        )
        return prepared, reply

    def _stand_in(self, launch: Launch, error: ReplayError) -> None:
        """Made-up outputs for a launch that cannot be replayed; they say so."""
        why = f"{launch.kernel} (:{launch.line}) is not replayed"
        self.notes.append(f"{why}, what it writes is made up: {error.why}")
        writes = self.flow.access(launch).writes
        for argument in launch.arguments:
            if argument.tensor is not None and argument.parameter in writes:
                self.tensors.invent(argument.tensor.base, f"made up: {why}")

    def _note_failures(self, launch: Launch, prepared: Prepared, reply: Reply) -> None:
        invented = any(a.source == "made-up" for a in prepared.arguments)
        if reply.get("asserts") and not invented:
            self.failed_before.append(f"{launch.kernel} (:{launch.line})")
        for found in reply.get("asserts", ()):
            self.notes.append(
                f"upstream {launch.kernel} (:{launch.line}) already fails: {found['message']} in "
                f"{len(found['programs'])} programs; on the GPU nothing after it counts"
            )
        for fault in reply.get("faults", ()):
            if not invented:
                self.faults_before.append((launch, fault))
            self.notes.append(
                f"upstream {launch.kernel} (:{launch.line}) already accesses element "
                f"{fault['element']} of {fault['argument']}, which has {fault['size']}"
            )

    def _wrote(self, held: Held, source: str, how: str) -> None:
        storage = held.storage
        if storage.written and storage.source == "made-up":
            # Only a part may have been overwritten; the rest stays invented.
            source = "made-up"
        storage.source = source
        storage.how = made_how(source, how)
        storage.written = True
        if storage.input_position is not None and not held.handle.startswith(self.tensors.prefix):
            self.sources.spoiled = True

    def _extern(self, extern: ExternCall) -> None:
        self.doing(f"replaying {extern.op} (:{extern.line})")
        self._calls += 1
        prefix, view = f"{self.tensors.prefix}call{self._calls}:", self.tensors.view
        try:
            result = replay_op(extern, self.client, prefix, view, self.symbols.number)
        except NotReplayed as error:
            self.notes.append(
                f"{extern.op} (:{extern.line}) is not replayed, its result is made up: {error}"
            )
            for written in extern.writes:
                self.tensors.invent(
                    written.base, f"made up: {extern.op} (:{extern.line}) is not replayed"
                )
            return
        for name, held in result.made.items():
            self.tensors.put(name, held)
        for written in extern.writes:
            if written.base not in result.made:
                self._wrote(view(written), result.source, f"{extern.op} (:{extern.line})")
