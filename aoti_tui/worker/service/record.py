"""`record`: one program of a launch with every value it made, on copies of the tensors."""

from __future__ import annotations

from typing import Any

from ..engine.findings.recorder import Recorder
from ..engine.programs.execution import Progress
from ..engine.programs.recording import record_program
from ..protocol.frames import Blobs
from ..protocol.problems import bad_request
from ..protocol.reports import asserts_report, faults_report, flags_report
from ..protocol.steps import Steps
from .binding import bind, blocks_of
from .kernels import SentKernel
from .session_tensors import SessionTensors

DEFAULT_LIMIT = 1 << 20


def record(
    sent: SentKernel,
    request: dict[str, Any],
    tensors: SessionTensors,
    progress: Progress,
    blobs: Blobs,
) -> dict[str, Any]:
    """The protocol's `record` result."""
    launch = bind(sent, request, tensors)
    x, y, z = (int(n) for n in request["program"])
    if not all(0 <= at < size for at, size in zip((x, y, z), launch.grid)):
        raise bad_request(f"program {[x, y, z]} is outside the grid {list(launch.grid)}")
    recorder = Recorder(launch.language.values.settle, (x, y, z))
    findings = record_program(launch, recorder, progress)
    limit = int(request.get("lanes_limit") or DEFAULT_LIMIT)
    return {
        "file": sent.kernel.function.file,
        "program": [x, y, z],
        "blocks": blocks_of(request),
        "grid": list(launch.grid),
        "steps": Steps(blobs, limit).build(recorder.notes),
        "asserts": asserts_report(findings),
        "faults": faults_report(findings),
        "flags": flags_report(findings),
    }
