"""Runs every launch of the script, and tells of it."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from ...engine.findings.findings import Findings
from ...engine.language.language import Language
from ...engine.programs.launch import Launch
from ..findings import found
from ..frames_of_ours import without_ours
from ..host import Host
from .binding import Binder
from .call_site import CallSite, call_site
from .compiled import Compiled
from .described import described
from .kernels import Kernels, ScriptKernel
from .parameters import given, grid_of
from .storages import LiveStorage

AT_ONCE, ONE_BY_ONE = "many at once", "one by one"


@dataclass
class Launched:
    """One launch that happened; `id` counts within the process."""

    id: int
    kernel: ScriptKernel
    site: CallSite
    grid: tuple[int, int, int]


class Launches:
    """Takes triton's place: binds, runs, reports. Raises what the kernel's Python raises."""

    def __init__(self, language: Language, host: Host) -> None:
        self.language = language
        self.host = host
        self.kernels = Kernels(language)
        # Replaced where there are stand-ins for a GPU.
        self.on_cuda: Callable[[Any], bool] = lambda tensor: False
        self.engine_calls: Callable[[], AbstractContextManager[Any]] = nullcontext
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
            with self._turn, self.engine_calls():
                self._launch(jit, values.values, size)
        return compiled

    def _launch(self, jit: Any, values: dict[str, Any], grid: tuple[int, int, int]) -> None:
        new = len(self.kernels.by_key)
        kernel = self.kernels.of(jit)
        if len(self.kernels.by_key) > new:
            self.host.send("kernel", **kernel.described())
        launched = Launched(next(self._ids), kernel, call_site(), grid)
        constexprs = kernel.kernel.constexprs
        arguments = described(values, constexprs, launched.site, self.on_cuda)
        self.host.send("launch", **self._begun(launched, arguments))
        binder = Binder(
            self.language,
            values,
            constexprs,
            kernel.annotated,
            lambda _, data: LiveStorage(data),
        )
        launch = Launch(kernel.kernel, grid, {}, binder.values, binder.arguments, self.language)
        self._run(launched, launch)

    def _run(self, launched: Launched, launch: Launch) -> None:
        execution = launch.execution()
        start = time.perf_counter()
        try:
            _, together = launch.whole_grid(execution, True, lambda done, total: None)
        except BaseException as error:
            self._ended(launched, "failed", ONE_BY_ONE, start, execution.run.findings)
            without_ours(error)
            raise
        mode = AT_ONCE if together else ONE_BY_ONE
        self._ended(launched, "done", mode, start, execution.run.findings)

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

    def _ended(
        self, launched: Launched, state: str, mode: str, start: float, findings: Findings
    ) -> None:
        results = found(findings, launched.kernel.kernel.name, launched.id)
        for one in results:
            self.host.send("finding", **one)
        for place, text in findings.flags:
            self.host.send("flag", file=place.file, line=place.line, text=text, launch=launched.id)
        self.host.send(
            "launch",
            id=launched.id,
            state=state,
            mode=mode,
            seconds=round(time.perf_counter() - start, 6),
            findings=len(results),
        )
