"""Comparing replayed launches with what the GPU wrote, out of captured tensors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from aoti_tui.index.model import Argument, Launch, Symbol
from aoti_tui.replay.client import Progress
from aoti_tui.replay.data.captured_contents import CapturedContents
from aoti_tui.replay.data.captured_files import Captured, CapturedTensors
from aoti_tui.replay.data.held_tensors import Held, Storage, contiguous
from aoti_tui.replay.data.passed import dtype_in_launches
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.plan.execution import Execution
from aoti_tui.replay.session import ReplaySession

TOLERANCES = {
    "float64": 1e-10,
    "float32": 1e-5,
    "bfloat16": 1e-2,
    "float16": 2e-3,
    "float8_e4m3fn": 0.13,
    "float8_e5m2": 0.26,
}
"""Largest max|error| / max|reference| that passes, by dtype; all others must be equal. For the
8-bit floats it is one step of their mantissa."""
_SCRATCH = re.compile(r"(?:workspace|semaphores)_.*")


@dataclass(frozen=True, slots=True)
class CheckedLaunch:
    """``status``: ``pass``, ``mismatch``, ``no-data`` or ``unsupported``; ``detail`` says what is
    missing, why, or which element is the worst. ``max_rel`` is max|error| / max|reference| over
    all outputs (the worst of them), None when nothing was compared."""

    launch: Launch
    status: str
    max_abs: float | None = None
    max_rel: float | None = None
    bit_equal: bool | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class CheckReport:
    launches: tuple[CheckedLaunch, ...]
    totals: Mapping[str, int]


class _NoData(Exception):
    """Something that the check needs was not captured; ``str()`` says what."""


def check(
    session: ReplaySession,
    progress: Progress | None = None,
    on_launch: Callable[[CheckedLaunch], None] | None = None,
) -> CheckReport:
    """Replay every launch whose tensors were captured, from what it got, and compare.

    The session must have been given a folder of captured tensors. Raises ReplayError when there
    is none, when it is cancelled or when the worker dies.
    """
    captured = session.sources.captured
    if captured is None:
        raise ReplayError(
            "bad-inputs",
            "There is nothing to compare with",
            "no folder of captured tensors was given",
            "Name it with --tensors DIR",
        )
    checked: list[CheckedLaunch] = []
    launches = session.index.launches
    for number, launch in enumerate(launches):
        with session.whole_run() as execution:
            one = _checked(session, execution, captured, launch)
        checked.append(one)
        if on_launch is not None:
            on_launch(one)
        if progress is not None:
            progress(number + 1, len(launches))
    return CheckReport(tuple(checked), totals_of(checked))


def totals_of(checked: Iterable[CheckedLaunch]) -> dict[str, int]:
    """How many launches there are of each status."""
    totals = dict.fromkeys(("pass", "mismatch", "no-data", "unsupported"), 0)
    for one in checked:
        totals[one.status] += 1
    return totals


def _checked(
    session: ReplaySession, execution: Execution, captured: CapturedTensors, launch: Launch
) -> CheckedLaunch:
    try:
        return _Check(session, execution, captured, launch).run()
    except _NoData as error:
        return CheckedLaunch(launch, "no-data", detail=str(error))
    except ReplayError as error:
        if error.ends_run:
            raise
        status = "no-data" if error.kind in ("unknown", "bad-inputs") else "unsupported"
        return CheckedLaunch(launch, status, detail=f"{error.what}: {error.why}")


class _Check:
    """The check of one launch."""

    def __init__(
        self,
        session: ReplaySession,
        execution: Execution,
        captured: CapturedTensors,
        launch: Launch,
    ) -> None:
        self.session = session
        self.index = session.index
        self.client = session.client
        self.execution = execution
        self.launch = launch
        if launch.kernel not in self.index.kernels:
            raise _NoData("the wrapper does not define this kernel")
        self.access = session.flow.access(launch)
        self.contents = CapturedContents(session.flow, captured)

    def run(self) -> CheckedLaunch:
        # Compiling first: a kernel that cannot run is unsupported, whatever was captured.
        self.session.kernels.compiled(self.launch.kernel, lambda _: None)
        written = [a for a in self._tensors() if a.parameter in self.access.writes]
        references: dict[str, Held] = {}
        for argument in written:
            if not self._is_scratch(argument):
                references[argument.parameter] = self._reference(argument)
        if not references:
            raise _NoData("it writes nothing that was captured")
        self._put_arguments()
        self._find_symbols()
        worst = self._compare(references, poisoned=True)
        if worst.status == "mismatch" and self._put_before(written):
            # Only a part of an output may be this launch's to write.
            again = self._compare(references, poisoned=False)
            if again.status == "pass" and self._changes_something(written, references):
                return again
        return worst

    def _tensors(self) -> list[Argument]:
        return [a for a in self.launch.arguments if a.tensor is not None]

    def _is_scratch(self, argument: Argument) -> bool:
        assert argument.tensor is not None
        return _SCRATCH.fullmatch(argument.tensor.base) is not None

    def _reference(self, argument: Argument) -> Held:
        assert argument.tensor is not None
        base = argument.tensor.base
        path = self._saved(base, after=True)
        if path is None:
            raise _NoData(f"what the GPU wrote to {base} was not saved")
        return self._load(path, f"after:{base}")

    def _saved(self, base: str, *, after: bool) -> Captured | None:
        return self.contents.path(base, self.launch, after=after)

    def _put_arguments(self) -> None:
        for argument in self._tensors():
            assert argument.tensor is not None
            base = argument.tensor.base
            if self.execution.tensors.get(base) is not None:
                continue
            if self._is_scratch(argument):
                self._put_scratch(base)
            elif argument.parameter in self.access.matters:
                self._put_read(base)
            else:
                path = self._saved(base, after=True)
                if path is None:
                    raise _NoData(f"what the GPU wrote to {base} was not saved")
                self._put_poisoned(base, self._load(path, f"like:{base}"))

    def _put_read(self, base: str) -> None:
        path = self._saved(base, after=False)
        if path is not None:
            self.execution.tensors.put(base, self._load(path, f"before:{base}"))
        elif not self._is_given(base):
            raise _NoData(f"{base} was not saved before the launch")

    def _is_given(self, base: str) -> bool:
        one = self.index.input_named(base)
        if one is not None:
            return self.session.sources.input_held(one.position) is not None
        constant = self.index.constant_named(base)
        if constant is None or self._is_ever_written(base):
            return False
        return self.session.sources.constant(constant).storage.source != "made-up"

    def _is_ever_written(self, base: str) -> bool:
        return any(base in event.writes for event in self.session.flow.events(self.index.main))

    def _put_scratch(self, base: str) -> None:
        handle = f"{self.execution.tensors.prefix}{base}"
        shape, dtype = self._scratch_shape(base)
        strides = contiguous(shape)
        self.client.request(
            "zeros", name=handle, shape=list(shape), stride=list(strides), dtype=dtype
        )
        storage = Storage("captured", "scratch memory", written=True)
        self.execution.tensors.put(base, Held(handle, dtype, shape, strides, 0, storage))

    def _scratch_shape(self, base: str) -> tuple[tuple[int, ...], str]:
        name: str | None = base
        while name is not None:
            buffer = next((b for b in self.index.buffers if b.name == name), None)
            if buffer is None:
                break
            if buffer.sizes is not None:
                return self.execution.tensors.sizes(buffer.sizes), buffer.dtype or "uint8"
            name = buffer.of
        return (1 << 20,), dtype_in_launches(self.index, base, self.launch.function) or "uint8"

    def _put_poisoned(self, base: str, like: Held) -> None:
        handle = f"{self.execution.tensors.prefix}{base}"
        self.client.request(
            "empty",
            name=handle,
            shape=list(like.shape),
            stride=list(like.stride),
            dtype=like.dtype,
            poison=True,
        )
        storage = Storage("captured", "poisoned output", written=True)
        held = Held(handle, like.dtype, like.shape, like.stride, 0, storage)
        self.execution.tensors.put(base, held)

    def _put_before(self, written: list[Argument]) -> bool:
        """Start the outputs from what the GPU had there; False when that was not saved."""
        paths: dict[str, Captured] = {}
        for argument in written:
            assert argument.tensor is not None
            base = argument.tensor.base
            if self._is_scratch(argument):
                continue
            path = self._saved(base, after=False)
            if path is None:
                return False
            paths[base] = path
        for base, path in paths.items():
            self.execution.tensors.put(base, self._load(path, f"again:{base}"))
        return True

    def _changes_something(self, written: list[Argument], references: dict[str, Held]) -> bool:
        """Whether the GPU changed its outputs at all: else doing nothing would pass."""
        for argument in written:
            assert argument.tensor is not None
            path = self._saved(argument.tensor.base, after=False)
            reference = references.get(argument.parameter)
            if path is None or reference is None:
                continue
            before = self._load(path, f"unchanged:{argument.tensor.base}")
            if not self._compare_one(before, reference).get("bit_equal", False):
                return True
        return False

    # -- symbols ------------------------------------------------------------------------------

    def _find_symbols(self) -> None:
        """All symbols up to the launch, as far as they can be worked out."""
        at = self.session.flow.before(self.launch)
        for event in self.session.flow.events(at.function)[: at.number]:
            if not isinstance(event.fact, Symbol):
                continue
            known = self.execution.symbols.values.get(event.fact.name)
            if known is not None and known.source == "captured":
                continue
            try:
                self.execution.define_symbol(event.fact)
            except ReplayError as error:
                # What the launch does not need may stay unknown.
                if error.kind != "unknown":
                    raise

    # -- running ------------------------------------------------------------------------------

    def _compare(self, references: dict[str, Held], *, poisoned: bool) -> CheckedLaunch:
        prepared = self.execution.prepared(self.launch)
        reply = self.client.request(
            "scan",
            doing=f"replaying {self.launch.kernel} (:{self.launch.line})",
            kernel=self.session.kernels.key(self.launch.kernel),
            args=prepared.request_args,
            blocks=prepared.blocks.sizes,
            grid=list(prepared.grid),
            mode="big",
            stop_at_first=False,
            write=True,
        )
        details: list[str] = []
        max_abs = max_rel = 0.0
        equal, bits = True, True
        for parameter, reference in references.items():
            one = self._compare_one(prepared.held[parameter], reference)
            max_abs = max(max_abs, finite(one.get("max_abs")))
            max_rel = max(max_rel, finite(one.get("max_rel")))
            bits = bits and bool(one.get("bit_equal"))
            if not passes(one, reference.dtype):
                equal = False
                details.append(
                    f"{parameter}: {one.get('different')} elements differ, the worst is element "
                    f"{one.get('worst')}"
                )
        for fault in reply.get("faults", ()):
            details.append(f"{fault['access']} outside of {fault['argument']}")
        return CheckedLaunch(
            self.launch,
            "pass" if equal else "mismatch",
            max_abs,
            max_rel,
            bits,
            "; ".join(details),
        )

    def _compare_one(self, held: Held, reference: Held) -> Any:
        fields: dict[str, Any] = {
            "name": held.handle,
            "with": reference.handle,
            "rtol": TOLERANCES.get(reference.dtype, 0.0),
            "atol": 0.0,
        }
        return self.client.request("compare", **fields)

    def _load(self, path: Captured, name: str) -> Held:
        handle = f"{self.execution.tensors.prefix}{name}"
        held = self.session.sources.load_captured(path, handle)
        self.execution.tensors.handles.append(handle)
        return held


def passes(compared: Mapping[str, Any], dtype: str) -> bool:
    """Whether the worker's answer to ``compare`` is within the tolerance of a dtype."""
    if compared.get("bit_equal"):
        return True
    tolerance = TOLERANCES.get(dtype)
    if tolerance is None:
        return bool(compared.get("equal"))
    rel = compared.get("max_rel")
    return rel is not None and finite(rel) <= tolerance


def finite(value: Any) -> float:
    """An error as a number; what is no number is beyond any."""
    if value is None:
        return 0.0
    number = float(value)
    return float("inf") if number != number else number
