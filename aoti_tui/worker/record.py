"""`record`: one program of a launch with every value it made, on copies of the tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from .frames import Blobs
from .kernel import Kernel
from .launch import bind
from .problems import bad_request
from .recorder import Recorder, Steps
from .run import Progress
from .tensors import Tensors

DEFAULT_LIMIT = 1 << 20


def record(
    kernel: Kernel,
    request: dict[str, Any],
    tensors: Tensors,
    progress: Progress,
    blobs: Blobs,
) -> dict[str, Any]:
    """The protocol's `record` result."""
    blocks = {name: int(value) for name, value in (request.get("blocks") or {}).items()}
    launch = bind(kernel, request.get("args") or {}, blocks, request["grid"], tensors)
    x, y, z = (int(n) for n in request["program"])
    if not all(0 <= at < size for at, size in zip((x, y, z), launch.grid)):
        raise bad_request(f"program {[x, y, z]} is outside the grid {list(launch.grid)}")
    recorder = Recorder(launch.language.settle, (x, y, z))
    function, sites = kernel.recording(recorder.hooks())
    program = np.array([[x, y, z]], dtype=np.int32)
    progress(0, 1)
    if kernel.cooperative:
        execution = launch.execution(_either(kernel.plain, function, recorder, launch))
        execution.run.recorder = recorder
        execution.cooperating(launch.programs(), progress, (x, y, z))
        # The whole row ran; only what the recorded program found belongs to the recording.
        findings = execution.run.findings.only((x, y, z))
    else:
        if kernel.ordered:
            position = (x * launch.grid[1] + y) * launch.grid[2] + z
            before = launch.execution(kernel.plain)
            before.one_by_one(launch.programs()[:position], progress)
        execution = launch.execution(function)
        execution.run.recorder = recorder
        execution.call(program)
        findings = execution.run.findings
    limit = int(request.get("lanes_limit") or DEFAULT_LIMIT)
    steps = Steps(sites, blobs, limit).build(recorder.notes)
    return {
        "program": [x, y, z],
        "blocks": blocks,
        "grid": list(launch.grid),
        "steps": steps,
        "asserts": findings.asserts_report(),
        "faults": findings.faults_report(),
        "flags": findings.flags_report(),
    }


def _either(plain: Any, recording: Any, recorder: Recorder, launch: Any) -> Any:
    """The recording function for the recorded program, the plain one for its row."""

    def call(**values: Any) -> Any:
        run = launch.language.builder.run
        chosen = recording if run.recorder is recorder else plain
        return chosen(**values)

    return call
