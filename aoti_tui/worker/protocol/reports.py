"""What a run found, as the protocol has it."""

from __future__ import annotations

from typing import Any

from ..engine.findings.findings import Fault, Findings
from ..engine.findings.writes import Write
from .encode import number_json
from .problems import where


def asserts_report(findings: Findings) -> list[dict[str, Any]]:
    """`asserts`, in the order in which they fired."""
    ordered = sorted(findings.asserts.values(), key=lambda a: (a.first_program, a.first_moment))
    return [
        {
            **_place(fired),
            "message": fired.message,
            "programs": sorted(list(p) for p in fired.programs),
            "failing_lanes": fired.lanes,
            "order": order,
            "first": {
                "program": list(fired.first_program),
                "lane": fired.lane,
                "values": fired.values,
            },
        }
        for order, fired in enumerate(ordered)
    ]


def faults_report(findings: Findings) -> list[dict[str, Any]]:
    """`faults`, by program."""
    return [fault_json(f) for f in sorted(findings.faults.values(), key=lambda f: f.program)]


def flags_report(findings: Findings) -> list[dict[str, Any]]:
    """`flags`, by kernel line."""
    ordered = sorted(findings.flags, key=lambda flag: (flag[0].line, flag[0].file, flag[1]))
    return [{**where(place), "text": text} for place, text in ordered]


def fault_json(fault: Fault) -> dict[str, Any]:
    """One fault."""
    return {
        **_place(fault),
        "access": fault.access,
        "argument": fault.argument,
        "element": fault.element,
        "size": fault.size,
        "program": list(fault.program),
        "lane": fault.lane,
        "count": fault.count,
    }


def write_json(write: Write) -> dict[str, Any]:
    """One write."""
    return {
        **_place(write),
        "access": write.access,
        "argument": write.argument,
        "element": write.element,
        "program": list(write.program),
        "lane": list(write.lane),
        "value": number_json(write.value),
    }


def _place(found: Any) -> dict[str, Any]:
    return {"file": found.place.file, "kernel_line": found.place.line}
