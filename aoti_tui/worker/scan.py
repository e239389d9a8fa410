"""`scan` and `who_wrote`: run a launch's programs on copies and tell what they did."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arguments import Argument
from .dtypes import BY_NAME, Number
from .kernel import Kernel
from .launch import Launch, bind
from .memory import decode
from .problems import bad_request
from .run import LANES_AT_ONCE, Execution, Progress
from .tensors import Tensors, short_name
from .writes import MOST_LISTED, Watch, number_json, write_json

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
    stop = bool(request.get("stop_at_first"))
    ran, mode = _run_grid(launch, execution, request.get("mode") or "full", progress, stop)
    for parameter, name in (request.get("keep") or {}).items():
        held = (request.get("args") or {}).get(parameter) or {}
        if parameter not in launch.arguments:
            raise bad_request(f"{parameter} is no tensor argument of {kernel.name}")
        tensors.keep(name, held["tensor"], launch.arguments[parameter].storage.data)
    if request.get("write"):
        launch.commit()
    findings = execution.run.findings
    return {
        "asserts": findings.asserts_report(),
        "faults": findings.faults_report(),
        "flags": findings.flags_report(),
        "programs": ran,
        "mode": mode,
    }


def who_wrote(
    kernel: Kernel,
    request: dict[str, Any],
    tensors: Tensors,
    progress: Progress,
) -> dict[str, Any]:
    """The protocol's `who_wrote` result; changes nothing."""
    blocks = {name: int(value) for name, value in (request.get("blocks") or {}).items()}
    given = request.get("args") or {}
    launch = bind(kernel, given, blocks, request["grid"], tensors)
    name, element = str(request["argument"]), int(request["element"])
    argument = launch.arguments.get(name)
    if argument is None:
        raise bad_request(f"{name} is no tensor argument of {kernel.name}")
    number = BY_NAME.get(short_name(tensors.get(given[name]["tensor"]).dtype))
    if number is None:
        raise bad_request(f"the type of {name} is not replayed")
    count = argument.count(number.size)
    if not 0 <= element < count:
        raise bad_request(f"{name} has elements 0..{count - 1}, not {element}")
    execution = launch.execution(kernel.plain)
    watch = Watch(argument, element, number.size, by_program=not kernel.cooperative)
    execution.run.watch = watch
    before = _value(argument, element, number)
    ran, mode = _run_grid(launch, execution, request.get("mode") or "big", progress, False)
    findings = execution.run.findings
    ordered = findings.writes.ordered()
    return {
        "writes": [write_json(write) for write in ordered[:MOST_LISTED]],
        "count": findings.writes.count,
        "last": write_json(ordered[-1]) if ordered else None,
        "before": before,
        "after": _value(argument, element, number),
        "flags": findings.flags_report(),
        "programs": ran,
        "mode": mode,
    }


def _value(argument: Argument, element: int, number: Number) -> Any:
    at = element + argument.before(number.size)
    return number_json(decode(argument.view(number.stored)[at : at + 1], number)[0])


def _run_grid(
    launch: Launch, execution: Execution, mode: str, progress: Progress, stop: bool
) -> tuple[int, str]:
    """Run every program; how many ran, and in which mode that could be done."""
    kernel = launch.kernel
    programs = launch.programs()
    if kernel.cooperative:
        return int(execution.cooperating(programs, progress)), "full"
    if mode == "big" and not kernel.ordered and len(programs):
        size = max(LANES_AT_ONCE // lanes_per_program(launch), 1)
        return execution.in_batches(programs, size, kernel.branches, progress, stop), "big"
    return execution.one_by_one(programs, progress, stop), "full"


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
