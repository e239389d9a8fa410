"""`record`, `scan`, `who_wrote` and `read` of a launch of the script, on memory of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.findings.recorder import Recorder
from ...engine.findings.writes import MOST_LISTED, Watch
from ...engine.language.language import Language
from ...engine.numbers.dtypes import Number
from ...engine.numbers.floats import Array
from ...engine.numbers.stored import decode
from ...engine.programs.execution import Execution, Progress
from ...engine.programs.launch import Launch
from ...engine.programs.recording import record_program
from ...engine.values.arguments import Argument
from ...protocol import encode
from ...protocol.frames import Blobs
from ...protocol.problems import bad_request
from ...protocol.reports import asserts_report, faults_report, flags_report, write_json
from ...protocol.steps import Steps
from ..binding.arguments import number_of_type
from ..keeping.held import HeldTensor
from ..keeping.kept import Keeping, KeptLaunch

DEFAULT_LIMIT = 1 << 20


class Replays:
    """Runs kept launches again; nothing of the script changes."""

    def __init__(self, keeping: Keeping, language: Language) -> None:
        self.keeping = keeping
        self.language = language

    def kept(self, request: dict[str, Any]) -> KeptLaunch:
        """The launch of a request."""
        identity = int(request["launch"])
        found = self.keeping.launches.get(identity)
        if found is None:
            known = identity < self.keeping.let_go
            raise bad_request(
                f"what launch {identity} was given was let go of, to save memory: run the script "
                "again up to it"
                if known
                else f"there is no launch {identity}"
            )
        return found

    def record(self, request: dict[str, Any], progress: Progress, blobs: Blobs) -> dict[str, Any]:
        """One program with every value it made."""
        kept = self.kept(request)
        launch = kept.launch(self.language)
        x, y, z = (int(n) for n in request["program"])
        if not all(0 <= at < size for at, size in zip((x, y, z), launch.grid)):
            raise bad_request(f"program {[x, y, z]} is outside the grid {list(launch.grid)}")
        recorder = Recorder(self.language.values.settle, (x, y, z))
        findings = record_program(launch, recorder, progress)
        limit = int(request.get("lanes_limit") or DEFAULT_LIMIT)
        return {
            "file": kept.kernel.function.file,
            "program": [x, y, z],
            "blocks": {},
            "grid": list(launch.grid),
            "steps": Steps(blobs, limit).build(recorder.notes),
            "asserts": asserts_report(findings),
            "faults": faults_report(findings),
            "flags": flags_report(findings),
        }

    def scan(self, request: dict[str, Any], progress: Progress) -> dict[str, Any]:
        """Every program of the launch."""
        launch = self.kept(request).launch(self.language)
        execution = launch.execution()
        ran, mode = _whole(launch, execution, progress, bool(request.get("stop_at_first")))
        findings = execution.run.findings
        return {
            "asserts": asserts_report(findings),
            "faults": faults_report(findings),
            "flags": flags_report(findings),
            "programs": ran,
            "mode": mode,
        }

    def who_wrote(self, request: dict[str, Any], progress: Progress) -> dict[str, Any]:
        """Who wrote an element in the launch, and who had written it before."""
        kept = self.kept(request)
        name, element = str(request["argument"]), int(request["element"])
        held = _tensor(kept, name)
        writes = self._writes(kept, name, element, progress)
        number = number_of(held)
        at = held.offset * held.dtype.itemsize + element * number.size
        return {**writes, "before_by": self._earlier(kept, held, at, number.size, progress)}

    def _writes(
        self, kept: KeptLaunch, name: str, element: int, progress: Progress
    ) -> dict[str, Any]:
        launch = kept.launch(self.language)
        argument = launch.arguments[name]
        number = number_of(_tensor(kept, name))
        count = argument.count(number.size)
        if not -argument.before(number.size) <= element < count:
            raise bad_request(f"{name} has elements 0..{count - 1}, not {element}")
        execution = launch.execution()
        by_program = not kept.kernel.kernel.facts.cooperative
        execution.run.watch = Watch(argument, element, number.size, by_program)
        before = _value(argument, element, number)
        ran, mode = _whole(launch, execution, progress, False)
        findings = execution.run.findings
        ordered = findings.writes.ordered()
        return {
            "writes": [write_json(write) for write in ordered[:MOST_LISTED]],
            "count": findings.writes.count,
            "last": write_json(ordered[-1]) if ordered else None,
            "before": before,
            "after": _value(argument, element, number),
            "flags": flags_report(findings),
            "programs": ran,
            "mode": mode,
        }

    def _earlier(
        self, kept: KeptLaunch, held: HeldTensor, at: int, size: int, progress: Progress
    ) -> dict[str, Any] | None:
        """Who wrote some bytes of a storage last before the launch."""
        while (writer := kept.before_by.get(id(held.state))) is not None:
            if writer.launch is None:
                return {"op": writer.op, "file": writer.file, "line": writer.line}
            earlier = self.keeping.launches.get(writer.launch)
            if earlier is None:
                return {"launch": writer.launch, "program": None, "lane": None}
            found = _same_storage(earlier, held)
            if found is None:
                return None
            name, theirs = found
            element = (at - theirs.offset * theirs.dtype.itemsize) // number_of(theirs).size
            last = self._writes(earlier, name, element, progress)["last"]
            if last is not None:
                keys = ("program", "lane", "file", "kernel_line", "argument", "element", "value")
                return {"launch": earlier.id, **{key: last[key] for key in keys}}
            kept, held = earlier, theirs
        return None

    def read(self, request: dict[str, Any], blobs: Blobs) -> dict[str, Any]:
        """Values of a tensor argument before or after the launch.

        `elements` count within the storage; `start` and `count` in the tensor's own order.
        """
        kept = self.kept(request)
        held = _tensor(kept, str(request["argument"]))
        state = held.state
        if request.get("when") == "after":
            state = kept.after.get(id(state), state)
        number = number_of(held)
        data = state.bytes()
        whole = data[: len(data) // number.size * number.size].view(number.stored)
        elements = request.get("elements")
        if elements is not None:
            at = np.asarray(elements, dtype=np.int64)
            if len(at) and (at.min() < 0 or at.max() >= len(whole)):
                raise bad_request(f"the storage has elements 0..{len(whole) - 1}")
            chosen = whole[at]
        else:
            first = int(request.get("start") or 0)
            chosen = _in_order(whole, held, first, request.get("count"))
        return encode.block(decode(chosen, number), number.name, blobs)


def _in_order(whole: Array, held: HeldTensor, first: int, count: int | None) -> Array:
    size = whole.itemsize
    viewed = np.lib.stride_tricks.as_strided(
        whole[held.offset :], held.shape, tuple(step * size for step in held.stride)
    )
    flat = viewed.reshape(-1) if viewed.flags.c_contiguous else viewed.flat
    last = viewed.size if count is None else min(first + count, viewed.size)
    chosen: Array = np.asarray(flat[first:last])
    return chosen


def number_of(held: HeldTensor) -> Number:
    """The type of the elements, as the kernel takes them."""
    return number_of_type(held.dtype if held.wrapped is None else held.wrapped)


def _tensor(kept: KeptLaunch, name: str) -> HeldTensor:
    found = kept.tensors.get(name)
    if found is None:
        raise bad_request(f"{name} is no tensor argument of {kept.kernel.kernel.name}")
    return found


def _same_storage(kept: KeptLaunch, held: HeldTensor) -> tuple[str, HeldTensor] | None:
    """The argument of an earlier launch that led to the same storage."""
    for name, one in kept.tensors.items():
        if one.state.memory is held.state.memory:
            return name, one
    return None


def _whole(launch: Launch, execution: Execution, progress: Progress, stop: bool) -> tuple[int, str]:
    ran, together = launch.whole_grid(execution, True, progress, stop)
    return ran, "big" if together else "full"


def _value(argument: Argument, element: int, number: Number) -> Any:
    at = element + argument.before(number.size)
    return encode.number_json(decode(argument.view(number.stored)[at : at + 1], number)[0])
