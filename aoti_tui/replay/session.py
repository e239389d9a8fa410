"""A replay session: one wrapper, one worker, the user's inputs and settings."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from aoti_tui.artifacts.given import Given
from aoti_tui.flow.dataflow import DataFlow
from aoti_tui.index.model import Launch, Symbol, WrapperIndex
from aoti_tui.replay.client import Progress, WorkerClient
from aoti_tui.replay.data.captured_files import CapturedTensors, read_folder
from aoti_tui.replay.data.inputs import summary_text
from aoti_tui.replay.data.setup import Setup
from aoti_tui.replay.data.sources import Sources
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.kernels import KernelBook
from aoti_tui.replay.model import (
    GivenInput,
    Program,
    Recording,
    ReplayResult,
    SymbolValue,
    WorkerInfo,
)
from aoti_tui.replay.plan.execution import Execution
from aoti_tui.replay.plan.launching import Prepared, need_grid
from aoti_tui.replay.plan.plan import LaunchPlan, Planner
from aoti_tui.replay.plan.preparing import Preparing
from aoti_tui.replay.recorded.blocks import decode_summary
from aoti_tui.replay.recorded.recording import decode
from aoti_tui.replay.recorded.results import decode_result

Number = int | float


class ReplaySession:
    """Replays launches of one wrapper.

    ``client`` is a worker that several sessions share (its ``python`` counts then), so that other
    inputs need no new process; ``flow`` is what is understood of the wrapper already, ``captured``
    data of the GPU that is no folder of files. Blocking,
    thread-safe (:meth:`cancel` from any thread); nothing runs before it is asked for, and the
    worker starts with the first question. All methods that run something raise
    :class:`~aoti_tui.replay.errors.ReplayError`; the session stays usable afterwards.
    """

    def __init__(
        self,
        index: WrapperIndex,
        given: Given | None = None,
        *,
        client: WorkerClient | None = None,
        flow: DataFlow | None = None,
        captured: CapturedTensors | None = None,
    ) -> None:
        given = given or Given()
        self.given = given
        self.index = index
        self.client = client if client is not None else WorkerClient(given.python, given.timeout)
        self._owns_client = client is None
        self._space = self.client.namespace()
        self.flow = flow if flow is not None else DataFlow(index)
        self.kernels = KernelBook(self.flow, self.client, self._space)
        self.planner = Planner(self.flow)
        self.settings: dict[str, Number] = {}
        for name, value in given.settings.items():
            self.set_symbol(name, value)
        if given.tensors is not None:
            captured = read_folder(given.tensors, index)
        self.sources = Sources(index, self.client, self._space, given, captured)
        self.doing = ""
        """What runs right now, in a user's words; for a status line."""
        self._turn = threading.RLock()
        self._cancelling = False
        setup = Setup(
            self.flow,
            self.client,
            self._space,
            self.kernels,
            self.sources,
            self.settings,
            self._say,
        )
        self._preparing = Preparing(setup, self.planner)

    # -- the worker ---------------------------------------------------------------------------

    def info(self) -> WorkerInfo:
        """What the worker's Python has; quick, torch is not imported for it."""
        reply = self.client.hello()
        contained = reply.get("contained") or {}
        return WorkerInfo(
            python=str(reply.get("python", "")),
            executable=str(reply.get("executable", self.client.python)),
            torch=reply.get("torch"),
            triton=reply.get("triton"),
            problems=tuple(str(p) for p in reply.get("problems", ())),
            contained=tuple(str(one) for one in contained.get("active", ())),
            not_contained=tuple(str(one) for one in contained.get("missing", ())),
        )

    def warm(self) -> None:
        """Import torch and triton in the worker, while the user reads."""
        self.client.request("warm", doing="importing torch and triton")

    def cancel(self) -> bool:
        """Stop what runs; False when nothing does. What was running raises ``cancelled``."""
        self._cancelling = True
        return self.client.cancel()

    def over(self, index: WrapperIndex) -> ReplaySession:
        """A session of its own over a changed wrapper, with the same worker, data and settings."""
        other = ReplaySession(index, self.given, client=self.client)
        other.settings.update(self.settings)
        return other

    def close(self) -> None:
        """End the worker, unless it was handed in (then only this session's runs are dropped)."""
        if self._owns_client:
            self.client.close()
        else:
            self._preparing.forget()

    def __enter__(self) -> ReplaySession:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- inputs and symbols -------------------------------------------------------------------

    def given_inputs(self) -> tuple[GivenInput, ...]:
        """The inputs file by position, with a summary of each tensor; empty without a file."""
        with self._turn:
            given = self.sources.given()
            found = []
            for one in given:
                summary = ""
                held = self.sources.input_held(one.position)
                if one.kind == "tensor" and held is not None:
                    reply = self.client.request("describe", name=held.handle)
                    summary = summary_text(decode_summary(reply.get("summary")))
                found.append(
                    GivenInput(
                        one.position,
                        one.name,
                        one.kind,
                        one.dtype,
                        one.shape,
                        one.stride,
                        one.value,
                        summary,
                    )
                )
            return tuple(found)

    def input_problems(self) -> tuple[str, ...]:
        """What is odd about the given inputs: violated guards, sizes and strides that differ."""
        with self._turn:
            self.sources.given()
            return self.sources.problems

    def set_symbol(self, name: str, value: Number) -> None:
        """What if ``name`` were ``value``? Holds until :meth:`unset_symbol`."""
        known = {s.name for s in self.index.symbols}
        if name not in known:
            shapes = sorted(n for n in known if not n.endswith("numel"))
            raise ReplayError(
                "bad-inputs",
                f"No symbol is called {name}",
                f"the wrapper knows {', '.join(shapes[:8]) or 'none'}",
                "Name one of them; size parameters such as ks0 belong to a kernel, their "
                "symbol stands beside them at the launch",
            )
        self.settings[name] = value

    def unset_symbol(self, name: str) -> None:
        self.settings.pop(name, None)

    def settings_for(self, launch: Launch) -> Mapping[str, Number]:
        """All that is set: a wrapper's symbols are the same for every launch."""
        return self.settings

    def set_for(self, launch: Launch, name: str, value: Number | None) -> None:
        """Set a symbol, whatever the launch, or with None take it back."""
        if value is None:
            self.unset_symbol(name)
        else:
            self.set_symbol(name, value)

    def symbols_of(self, launch: Launch | None) -> tuple[SymbolValue, ...]:
        """All symbols that need no replay: they are the wrapper's, not a launch's."""
        return self.symbols()

    def symbols(self, deep: bool = False) -> tuple[SymbolValue, ...]:
        """Values of the wrapper's symbols, in order.

        Those that can only be read from a computed tensor are left out unless ``deep``, which
        replays what they need.
        """
        with self._turn:
            self._begin()
            execution = self._preparing.execution()
            pending: list[Symbol] = []
            for event in self.flow.events(self.index.main):
                fact = event.fact
                if not isinstance(fact, Symbol) or event.scopes:
                    continue
                computed = fact.tensor is not None and self.index.input_named(fact.tensor) is None
                if computed and fact.kind in ("item", "buffer_dim"):
                    pending.append(fact)
                    continue
                try:
                    execution.run([event], None)
                except ReplayError as error:
                    if error.kind != "unknown":
                        raise
            found = dict(execution.symbols.values)
            self._preparing.drop(execution)
            for symbol in pending if deep else ():
                target, events = self.planner.plan_symbol(symbol)
                inner = self._preparing.execution()
                inner.run((*events, target), None)
                found.update(inner.symbols.values)
                self._preparing.drop(inner)
            order = {s.name: i for i, s in enumerate(self.index.symbols)}
            return tuple(sorted(found.values(), key=lambda v: order.get(v.name, -1)))

    # -- launches -----------------------------------------------------------------------------

    def plan(self, launch: Launch, only: frozenset[str] | None = None) -> LaunchPlan:
        """What has to be replayed before ``launch``; runs nothing."""
        return self.planner.plan(launch, only)

    def run(
        self,
        launch: Launch,
        *,
        program: Program | None = None,
        mode: str = "big",
        progress: Progress | None = None,
        only: frozenset[str] | None = None,
    ) -> ReplayResult:
        """Replay what ``launch`` needs, then scan its whole grid (or one program of it).

        ``mode``: ``big`` (very large blocks, failing elements mapped back) or ``full`` (program by
        program). Tensors keep their values: running it again gives the same.
        """
        with self._turn:
            self._begin()
            ready = self._preparing.ready(launch, only, progress)
            prepared = ready.prepared
            if 0 in prepared.grid:
                return decode_result({}, ready.execution, prepared, self.kernels, mode)
            doing = f"scanning {launch.kernel} (:{launch.line})"
            self._say(doing)
            fields = {
                "kernel": self.kernels.key(launch.kernel),
                "args": prepared.request_args,
                "blocks": prepared.blocks.sizes,
                "grid": list(prepared.grid),
            }
            if program is not None:
                self._check_program(program, prepared)
                reply = self.client.request(
                    "record", doing=doing, progress=progress, program=list(program), **fields
                )
            else:
                reply = self.client.request(
                    "scan",
                    doing=doing,
                    progress=progress,
                    mode=mode,
                    stop_at_first=False,
                    write=False,
                    **fields,
                )
            self._say("")
            return decode_result(reply, ready.execution, prepared, self.kernels, mode)

    def record(
        self,
        launch: Launch,
        program: Program = (0, 0, 0),
        progress: Progress | None = None,
        only: frozenset[str] | None = None,
    ) -> Recording:
        """Every assignment of one program of ``launch``, with values."""
        with self._turn:
            self._begin()
            ready = self._preparing.ready(launch, only, progress)
            prepared = ready.prepared
            need_grid(prepared.grid, launch)
            self._check_program(program, prepared)
            doing = f"recording program {program} of {launch.kernel} (:{launch.line})"
            self._say(doing)
            reply = self.client.request(
                "record",
                doing=doing,
                progress=progress,
                kernel=self.kernels.key(launch.kernel),
                args=prepared.request_args,
                blocks=prepared.blocks.sizes,
                grid=list(prepared.grid),
                program=list(program),
            )
            self._say("")
            return decode(
                reply,
                reply.blobs,
                kernel=launch.kernel,
                launch=launch.id,
                site=launch.site,
                arguments=prepared.arguments,
                symbols=tuple(ready.execution.symbols.values.values()),
            )

    def prepared(self, launch: Launch, progress: Progress | None = None) -> Prepared:
        """The launch's arguments, standing in the worker, with block sizes and grid."""
        with self._turn:
            self._begin()
            return self._preparing.ready(launch, None, progress).prepared

    @contextmanager
    def in_turn(self) -> Iterator[None]:
        """Several questions to the worker without anyone's turn between them."""
        with self._turn:
            yield

    @contextmanager
    def at_launch(
        self, launch: Launch, doing: str, progress: Progress | None = None
    ) -> Iterator[Prepared]:
        """The launch made ready for several questions, without anyone's turn between them."""
        with self._turn:
            self._begin()
            prepared = self._preparing.ready(launch, None, progress).prepared
            need_grid(prepared.grid, launch)
            self._say(doing)
            try:
                yield prepared
            finally:
                self.doing = ""

    @contextmanager
    def whole_run(self) -> Iterator[Execution]:
        """An execution for more than one launch; what it put into the worker goes with it."""
        with self._turn:
            self._begin()
            self._preparing.forget()
            execution = self._preparing.execution()
            try:
                yield execution
            finally:
                self._say("")
                self._preparing.drop(execution)

    # -- inside -------------------------------------------------------------------------------

    def _check_program(self, program: Program, prepared: Prepared) -> None:
        if any(not 0 <= p < size for p, size in zip(program, prepared.grid, strict=True)):
            raise ReplayError(
                "bad-inputs",
                f"There is no program {program[0]},{program[1]},{program[2]}",
                f"the grid is {prepared.grid[0]}×{prepared.grid[1]}×{prepared.grid[2]}",
                "Choose a program inside of it, counted from 0",
            )

    def _begin(self) -> None:
        self._cancelling = False

    def _say(self, doing: str) -> None:
        self.doing = doing
        if doing and self._cancelling:
            self._cancelling = False
            raise ReplayError(
                "cancelled", "Cancelled", "you asked for it", "Run it again when you want it"
            )
