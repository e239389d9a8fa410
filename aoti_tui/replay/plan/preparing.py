"""Bringing a launch's arguments into the worker: replayed, given, captured or made up."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

from aoti_tui.index.model import Launch
from aoti_tui.replay.client import Progress
from aoti_tui.replay.data.captured_contents import CapturedContents, solve_symbols
from aoti_tui.replay.data.captured_files import Captured, CapturedMemory
from aoti_tui.replay.data.setup import Setup
from aoti_tui.replay.data.symbols import SymbolTable
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.plan.execution import Execution
from aoti_tui.replay.plan.launching import Prepared
from aoti_tui.replay.plan.plan import LaunchPlan, Planner


@dataclass(frozen=True, slots=True)
class Ready:
    """A launch whose arguments stand in the worker."""

    key: tuple[object, ...]
    execution: Execution
    prepared: Prepared


class Preparing:
    """Makes launches ready, and keeps the last one: scanning and recording it costs no replay."""

    def __init__(
        self,
        setup: Setup,
        planner: Planner,
    ) -> None:
        self._setup = setup
        self._flow = setup.flow
        self._client = setup.client
        self._kernels = setup.kernels
        self._planner = planner
        self._sources = setup.sources
        self._doing = setup.doing
        self._captured_shapes: dict[str, tuple[int, ...] | None] = {}
        self._ready: Ready | None = None
        self._epochs = itertools.count(1)

    def ready(
        self, launch: Launch, only: frozenset[str] | None, progress: Progress | None
    ) -> Ready:
        """The launch with its arguments in place; ``only`` limits what is computed to these
        parameters. Raises ReplayError."""
        if self._ready is not None and self._ready.key == self._key(launch, only):
            return self._ready
        self.forget()
        saved = self._captured_arguments(launch)
        computed = only
        if saved and self._sources.inputs_path is None:
            # With no inputs to replay from, what the GPU had is the best there is.
            needed = only if only is not None else self._flow.access(launch).matters
            computed = needed - saved.keys()
        plan = self._planner.plan(launch, computed)
        failing = self._failing_round(launch, plan, progress)
        if failing is not None:
            self._ready = Ready(self._key(launch, only), *failing)
            return self._ready
        execution = self.execution()
        try:
            if not execution.run(plan.events, plan.target, progress):
                raise ReplayError(
                    "unknown",
                    f"{launch.kernel} (:{launch.line}) was not reached",
                    "the wrapper's branches lead past it",
                    "Choose other inputs or symbols",
                )
            self._kernels.compiled(launch.kernel, self._doing)
            prepared = self._with_captured(execution, launch, saved)
        except ReplayError:
            self.drop(execution)
            raise
        self._ready = Ready(self._key(launch, only), execution, prepared)
        return self._ready

    def _failing_round(
        self, launch: Launch, plan: LaunchPlan, progress: Progress | None
    ) -> tuple[Execution, Prepared] | None:
        """The first round of a loop in which the launch fails; None when it is in no loop, or
        fails in no round (the first is shown then)."""
        if not any(scope.kind == "while" for scope in launch.scopes):
            return None
        execution = self.execution()
        found: list[Prepared] = []
        rounds = 0

        def fails() -> bool:
            nonlocal rounds
            rounds += 1
            self._kernels.compiled(launch.kernel, self._doing)
            prepared = execution.prepared(launch)
            if 0 in prepared.grid:
                return False
            self._doing(f"scanning {launch.kernel} (:{launch.line}), round {rounds} of its loop")
            reply = self._client.request(
                "scan",
                kernel=self._kernels.key(launch.kernel),
                args=prepared.request_args,
                blocks=prepared.blocks.sizes,
                grid=list(prepared.grid),
                mode="big",
                stop_at_first=True,
                write=False,
            )
            if not (reply.get("asserts") or reply.get("faults")):
                return False
            found.append(prepared)
            return True

        try:
            events = self._flow.events(launch.function)
            reached = execution.run_until(events, plan.target, fails, progress)
        except ReplayError as error:
            self.drop(execution)
            if error.ends_run:
                raise
            return None
        if not reached:
            self.drop(execution)
            return None
        execution.notes.append(
            f"the launch stands in a loop: round {rounds} is shown, the first in which it fails"
        )
        return execution, found[0]

    def execution(self) -> Execution:
        """A fresh run of the wrapper, with the user's settings."""
        given = self._sources.given()
        symbols = SymbolTable(
            self._setup.index, self._setup.settings, self._sources.expected, given
        )
        captured = self._sources.captured
        if captured is not None and self._sources.inputs_path is None:
            for name, (value, how) in captured.symbols.items():
                symbols.define(name, value, captured.source, how)
            solve_symbols(self._setup.index, symbols, self._captured_shape)
        return Execution(self._setup, symbols, f"{self._setup.space}run{next(self._epochs)}:")

    def forget(self) -> None:
        """Drop the launch that is ready: a setting has changed, or memory is needed."""
        if self._ready is not None:
            old, self._ready = self._ready, None
            self.drop(old.execution)

    def drop(self, execution: Execution) -> None:
        """Take an execution's tensors out of the worker."""
        if execution.handles and self._client.alive:
            self._client.request("drop", names=execution.handles)

    def _key(self, launch: Launch, only: frozenset[str] | None) -> tuple[object, ...]:
        # A worker that has died took its tensors with it.
        generation = self._client.generation if self._client.alive else -1
        return (launch, only, tuple(sorted(self._setup.settings.items())), generation)

    def _with_captured(
        self, execution: Execution, launch: Launch, saved: Mapping[str, tuple[str, Captured]]
    ) -> Prepared:
        """Captured tensors in place of those arguments that would be made up."""
        prepared = execution.prepared(launch)
        invented = {a.name for a in prepared.arguments if a.source == "made-up"} & saved.keys()
        if not invented:
            return prepared
        for parameter in invented:
            base, path = saved[parameter]
            handle = f"{execution.tensors.prefix}captured:{base}"
            execution.tensors.put(base, self._sources.load_captured(path, handle))
        return execution.prepared(launch)

    def _captured_arguments(self, launch: Launch) -> dict[str, tuple[str, Captured]]:
        """``{parameter: (tensor, file)}`` of what the GPU had just before this launch."""
        if self._sources.captured is None:
            return {}
        contents = CapturedContents(self._flow, self._sources.captured)
        reads = self._flow.access(launch).matters
        found: dict[str, tuple[str, Captured]] = {}
        for argument in launch.arguments:
            if argument.tensor is None or argument.parameter not in reads:
                continue
            path = contents.path(argument.tensor.base, launch, after=False)
            if path is not None:
                found[argument.parameter] = (argument.tensor.base, path)
        return found

    def _captured_shape(self, name: str) -> tuple[int, ...] | None:
        captured = self._sources.captured
        if name not in self._captured_shapes and captured is not None:
            path = captured.of_name(name)
            shape = None
            if path is not None:
                if isinstance(path, CapturedMemory):
                    shape = None if path.guessed_size else path.shape
                else:
                    handle = f"{self._setup.space}shape"
                    shape = self._sources.load_captured(path, handle).shape
                    self._client.request("drop", names=[handle])
            self._captured_shapes[name] = shape
        return self._captured_shapes.get(name)
