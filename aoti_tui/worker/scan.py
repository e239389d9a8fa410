"""`scan`: run a launch's programs and tell which asserts fire and which accesses go wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from .kernel import Kernel
from .launch import Launch, bind
from .run import LANES_AT_ONCE, Progress
from .tensors import Tensors

# Lanes to expect of a kernel that names none of its sizes a block.
UNKNOWN_BLOCK = 1024


def scan(
    kernel: Kernel,
    request: dict[str, Any],
    tensors: Tensors,
    progress: Progress,
) -> dict[str, Any]:
    """The protocol's `scan` result. Tensors keep their values unless `write` is set."""
    blocks = {name: int(value) for name, value in (request.get("blocks") or {}).items()}
    launch = bind(kernel, request.get("args") or {}, blocks, request["grid"], tensors)
    execution = launch.execution(kernel.plain)
    mode = request.get("mode") or "full"
    stop = bool(request.get("stop_at_first"))
    programs = launch.programs()
    if kernel.cooperative:
        mode = "full"
        ran = execution.cooperating(programs, progress)
    elif mode == "big" and not kernel.ordered and len(programs):
        size = max(LANES_AT_ONCE // lanes_per_program(launch), 1)
        ran = execution.in_batches(programs, size, kernel.branches, progress, stop)
    else:
        mode = "full"
        ran = execution.one_by_one(programs, progress, stop)
    if request.get("write"):
        launch.commit()
    findings = execution.run.findings
    return {
        "asserts": findings.asserts_report(),
        "faults": findings.faults_report(),
        "flags": findings.flags_report(),
        "programs": int(ran),
        "mode": mode,
    }


def lanes_per_program(launch: Launch) -> int:
    """Lanes of the largest block a program is likely to have: the product of its block sizes."""
    sizes = {**launch.kernel.blocks, **launch.kernel.constants, **launch.blocks}
    lanes = 1
    for name, value in sizes.items():
        if "BLOCK" in name.upper() and isinstance(value, int) and value > 0:
            lanes *= value
    if lanes == 1:
        lanes = UNKNOWN_BLOCK
    return int(np.clip(lanes, 1, LANES_AT_ONCE))
