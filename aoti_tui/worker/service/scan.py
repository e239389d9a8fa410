"""`scan` and `who_wrote`: run a launch's programs on copies and tell what they did."""

from __future__ import annotations

from typing import Any

from ..engine.findings.writes import MOST_LISTED, Watch
from ..engine.numbers.dtypes import BY_NAME, Number
from ..engine.numbers.stored import decode
from ..engine.programs.execution import Execution, Progress
from ..engine.programs.launch import Launch
from ..engine.values.arguments import Argument
from ..protocol.encode import number_json
from ..protocol.problems import bad_request
from ..protocol.reports import asserts_report, faults_report, flags_report, write_json
from .binding import bind
from .kernels import SentKernel
from .session_tensors import SessionTensors, short_name

MAX_PROGRAMS = 1 << 31


def scan(
    sent: SentKernel, request: dict[str, Any], tensors: SessionTensors, progress: Progress
) -> dict[str, Any]:
    """The protocol's `scan` result. Tensors keep their values unless `write` is set."""
    launch = bind(sent, request, tensors)
    execution = launch.execution()
    stop = bool(request.get("stop_at_first"))
    together = (request.get("mode") or "full") == "big"
    ran, mode = _run_grid(launch, execution, together, progress, stop)
    for parameter, name in (request.get("keep") or {}).items():
        held = (request.get("args") or {}).get(parameter) or {}
        if parameter not in launch.arguments:
            raise bad_request(f"{parameter} is no tensor argument of {sent.kernel.name}")
        tensors.keep(name, held["tensor"], launch.arguments[parameter].storage.data)
    if request.get("write"):
        launch.commit()
    findings = execution.run.findings
    return {
        "asserts": asserts_report(findings),
        "faults": faults_report(findings),
        "flags": flags_report(findings),
        "programs": ran,
        "mode": mode,
    }


def who_wrote(
    sent: SentKernel, request: dict[str, Any], tensors: SessionTensors, progress: Progress
) -> dict[str, Any]:
    """The protocol's `who_wrote` result; changes nothing."""
    launch = bind(sent, request, tensors)
    name, element = str(request["argument"]), int(request["element"])
    argument = launch.arguments.get(name)
    if argument is None:
        raise bad_request(f"{name} is no tensor argument of {sent.kernel.name}")
    number = BY_NAME.get(short_name(tensors.get(request["args"][name]["tensor"]).dtype))
    if number is None:
        raise bad_request(f"the type of {name} is not replayed")
    count = argument.count(number.size)
    if not 0 <= element < count:
        raise bad_request(f"{name} has elements 0..{count - 1}, not {element}")
    execution = launch.execution()
    by_program = not sent.kernel.facts.cooperative
    execution.run.watch = Watch(argument, element, number.size, by_program)
    before = _value(argument, element, number)
    together = (request.get("mode") or "big") == "big"
    ran, mode = _run_grid(launch, execution, together, progress)
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


def _run_grid(
    launch: Launch, execution: Execution, together: bool, progress: Progress, stop: bool = False
) -> tuple[int, str]:
    x, y, z = launch.grid
    if x * y * z >= MAX_PROGRAMS:
        raise bad_request(f"a grid of {x * y * z} programs is too large to run")
    ran, at_once = launch.whole_grid(execution, together, progress, stop)
    return ran, "big" if at_once else "full"


def _value(argument: Argument, element: int, number: Number) -> Any:
    at = element + argument.before(number.size)
    return number_json(decode(argument.view(number.stored)[at : at + 1], number)[0])
