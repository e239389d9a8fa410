"""What a launch was found to do wrong, as JSON (`finding` events, `run --check --json`)."""

from __future__ import annotations

from typing import Any

from ..engine.findings.findings import Fault, Findings, FiredAssert
from ..protocol.encode import number_json


def found(findings: Findings, kernel: str, launch: int) -> list[dict[str, Any]]:
    """Every finding of one launch, in the order of programs."""
    results = [_assert(fired) for fired in findings.asserts.values()]
    results += [_fault(fault) for fault in findings.faults.values()]
    results.sort(key=lambda one: (one["program"], one["line"]))
    return [{**one, "kernel": kernel, "launch": launch} for one in results]


def _assert(fired: FiredAssert) -> dict[str, Any]:
    return {
        "kind": "assert",
        "file": fired.place.file,
        "line": fired.place.line,
        "argument": None,
        "element": None,
        "program": list(fired.first_program),
        "lane": fired.lane,
        "count": fired.lanes,
        "text": f"assert failed: {fired.message}" if fired.message else "assert failed",
        "values": {name: number_json(value) for name, value in fired.values.items()},
    }


def _fault(fault: Fault) -> dict[str, Any]:
    what = {"load": "reads", "store": "writes", "atomic": "updates"}[fault.access]
    if fault.argument:
        where = f"{fault.argument}[{fault.element}], which has {fault.size} elements"
    else:
        where = f"the address {fault.element:#x}, which is in no tensor of the launch"
    return {
        "kind": "out-of-bounds",
        "file": fault.place.file,
        "line": fault.place.line,
        "argument": fault.argument or None,
        "element": fault.element,
        "program": list(fault.program),
        "lane": fault.lane,
        "count": fault.count,
        "text": f"{what} {where}",
    }
