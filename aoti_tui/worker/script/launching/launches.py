"""Runs every launch of the script, and tells of it."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from types import FrameType
from typing import Any

import torch

from ...engine.errors import Hanging
from ...engine.findings.findings import Findings
from ...engine.language.language import Language
from ...engine.programs.launch import Launch
from ...engine.run import Run
from ..binding.arguments import Binder
from ..binding.kernels import Kernels, ScriptKernel
from ..binding.parameters import given, grid_of
from ..checks.launch_checks import Checks, LaunchChecks, watch_views
from ..checks.lints import lints_of
from ..checks.rerun import Again
from ..checks.unwritten import Unwritten
from ..findings import finding_json
from ..host import Host
from ..keeping.kept import Keeping, KeptLaunch
from ..keeping.writers import Writers
from ..stops import Stops
from .call_site import CallSite, call_site
from .compiled import Compiled
from .described import described
from .pointed import Pointed, Tensors
from .storages import LiveStorage

AT_ONCE, ONE_BY_ONE = "many at once", "one by one"


@dataclass
class Launched:
    """One launch that happened; `id` counts within the process."""

    id: int
    kernel: ScriptKernel
    site: CallSite
    grid: tuple[int, int, int]
    findings: int = 0


class Launches:
    """Takes triton's place: binds, runs, reports. Raises what the kernel's Python raises."""

    def __init__(self, language: Language, host: Host) -> None:
        self.language = language
        self.host = host
        self.kernels = Kernels(language)
        # Replaced where there are stand-ins for a GPU.
        self.on_cuda: Callable[[Any], bool] = lambda tensor: False
        self.engine_calls: Callable[[], AbstractContextManager[Any]] = nullcontext
        self.checks = Checks()
        self.unwritten = Unwritten()
        self.keeping = Keeping(Writers())
        self.tensors = Tensors()
        self.stops = Stops()
        self.stop: Callable[..., None] = lambda **_: None
        # Whether what this process does at the moment is ours, but for the kernel's own lines.
        self.is_busy = False
        self._running: tuple[Launched, Run] | None = None
        self._ids = itertools.count()
        # One engine for all threads of the script.
        self._turn = threading.RLock()

    def run(
        self, jit: Any, args: tuple[Any, ...], grid: Any, warmup: bool, kwargs: dict[str, Any]
    ) -> Any:
        """What JITFunction.run does: a kernel that was "compiled", and has run unless `warmup`."""
        for hook in getattr(jit, "pre_run_hooks", ()):
            hook(*args, **kwargs)
        values = given(jit, args, kwargs)
        compiled = Compiled(jit, values)
        if not warmup:
            size = grid_of(grid, values.values)
            with self.quiet():
                self._launch(jit, values.values, size, int(values.options.get("num_warps") or 4))
        return compiled

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """A context in which the engine is this thread's, and torch's calls are our own."""
        with self._turn, self.engine_calls(), torch._C._DisableTorchDispatch():
            outer, self.is_busy = self.is_busy, True
            try:
                yield
            finally:
                self.is_busy = outer

    @contextmanager
    def aside(self) -> Iterator[None]:
        """A context for replays while the script waits, perhaps in the middle of a launch."""
        if self._running is None:
            with self.quiet():
                yield
            return
        # The launch has the engine; its programs may be threads of their own.
        run = self.language.builder.run
        try:
            with self.engine_calls(), torch._C._DisableTorchDispatch():
                yield
        finally:
            self.language.builder.run = run

    @property
    def is_live(self) -> bool:
        """Whether what runs at the moment is the script's launch, and no replay of one."""
        running = self._running
        return running is not None and running[1] is self.language.builder.run

    def stop_in_kernel(self, frame: FrameType) -> None:
        """Stop where the kernel itself asks for it."""
        assert self._running is not None
        launched, run = self._running
        self.stop(
            why="breakpoint-call",
            launch=launched.id,
            file=frame.f_code.co_filename,
            line=frame.f_lineno,
            program=[int(n) for n in run.programs[0]],
        )

    def _launch(
        self, jit: Any, values: dict[str, Any], grid: tuple[int, int, int], num_warps: int
    ) -> None:
        new = len(self.kernels.by_key)
        kernel = self.kernels.of(jit)
        if len(self.kernels.by_key) > new:
            self.host.send("kernel", **kernel.described())
            self._lint(kernel, values)
        launched = Launched(next(self._ids), kernel, call_site(), grid)
        constexprs = kernel.kernel.constexprs
        arguments = described(values, constexprs, launched.site, self.on_cuda)
        self.host.send("launch", **self._begun(launched, arguments))
        poisoned = self.unwritten.numbers()
        kept = self.keeping.begin(launched.id, kernel, grid, num_warps, values, poisoned)
        binder = Binder(
            self.language,
            values,
            constexprs,
            kernel.annotated,
            poisoned,
            lambda untyped, data: LiveStorage(data, kept.memories[untyped.data_ptr()]),
        )
        watch_views(binder.arguments, binder.views)
        bound, live = binder.values, binder.arguments
        launch = Launch(kernel.kernel, grid, bound, live, self.language, num_warps)
        pointed = Pointed(self.tensors, live, self.keeping, kept, values, poisoned)
        try:
            self._run(launched, launch, kept, pointed)
        finally:
            self.keeping.end(kept)
        if launched.findings and self.stops.at("finding"):
            self.stop(why="finding", launch=launched.id)

    def _lint(self, kernel: ScriptKernel, values: dict[str, Any]) -> None:
        constexprs = kernel.kernel.constexprs
        for one in lints_of(kernel.function, kernel.helpers, values, constexprs):
            place, name = one.place, kernel.kernel.name
            self.host.send("lint", kernel=name, file=place.file, line=place.line, text=one.text)

    def _run(self, launched: Launched, launch: Launch, kept: KeptLaunch, pointed: Pointed) -> None:
        execution = launch.execution()
        execution.run.pointed = pointed
        checks = self.checks.of(launch)
        execution.run.onlooker = checks.onlooker
        execution.run.printed = lambda one: print(one.text)
        self._running = (launched, execution.run)
        start = time.perf_counter()
        state, together = "failed", False
        try:
            _, together = launch.whole_grid(execution, True, lambda done, total: None)
            state = "done"
        except Hanging as endless:
            checks.endless = endless
            raise
        finally:
            seconds = time.perf_counter() - start
            execution.run.onlooker = execution.run.pointed = None
            self._running = None
            self._found(launched, checks, execution.run.findings, self._again(kept))
            self._ended(launched, state, AT_ONCE if together else ONE_BY_ONE, seconds)

    def _again(self, kept: KeptLaunch) -> Again | None:
        """The launch on memory as it was, if all that it overwrote is still known."""
        if any(one.state.lost for one in kept.tensors.values()):
            return None
        return lambda: kept.launch(self.language)

    @staticmethod
    def _begun(launched: Launched, arguments: list[dict[str, Any]]) -> dict[str, Any]:
        site = launched.site
        x, y, z = launched.grid
        return {
            "id": launched.id,
            "kernel": launched.kernel.key,
            "name": launched.kernel.kernel.name,
            "call_file": site.file,
            "call_line": site.line,
            "call_end_line": site.end_line,
            "stack": list(site.stack),
            "grid": [x, y, z],
            "programs": x * y * z,
            "arguments": arguments,
            "state": "running",
        }

    def _found(
        self, launched: Launched, checks: LaunchChecks, findings: Findings, again: Again | None
    ) -> None:
        name = launched.kernel.kernel.name
        for one in self.checks.results(checks, findings, again):
            launched.findings += 1
            self.host.send("finding", **finding_json(one, name, launched.id))
        for place, text in findings.flags:
            self.host.send("flag", file=place.file, line=place.line, text=text, launch=launched.id)

    def _ended(self, launched: Launched, state: str, mode: str, seconds: float) -> None:
        self.host.send(
            "launch",
            id=launched.id,
            state=state,
            mode=mode,
            seconds=round(seconds, 6),
            findings=launched.findings,
        )
