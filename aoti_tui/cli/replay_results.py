"""One launch's replay as JSON and as lines of text."""

from __future__ import annotations

from typing import Any

from aoti_tui.answer.judge import Judged
from aoti_tui.cli.json_output import rival_json
from aoti_tui.replay.model import FiredAssert, MemoryFault, ReplayResult

_SHOWN_PROGRAMS = 8
_SOURCES = {"fixed": "constant", "set": "input"}
"""The five sources of the JSON: a literal of the wrapper is constant, a symbol that the user set is
an input of theirs (``how`` tells it apart)."""


def result_json(
    result: ReplayResult, judged: Judged | None, problems: tuple[str, ...] = ()
) -> dict[str, Any]:
    """One launch's replay, as `aoti-tui help json` describes it."""
    return {
        "kernel": result.kernel,
        "launch_line": result.site.line,
        "grid": list(result.grid),
        "blocks": dict(result.blocks),
        "mode": result.mode,
        "symbols": [
            {"name": s.name, "value": s.value, "source": s.source, "how": s.how}
            for s in result.symbols
        ],
        "arguments": [
            {
                "name": a.name,
                "expression": a.expression,
                "source": _SOURCES.get(a.source, a.source),
                "dtype": a.dtype,
                "shape": list(a.shape),
                "value": a.value,
                "how": a.how,
            }
            for a in result.arguments
        ],
        "asserts": [_assert_json(a) for a in result.asserts],
        "memory": [_fault_json(f) for f in result.faults],
        "agrees_with_log": judged.agrees if judged is not None else None,
        "not_reached": next((gate.words for gate in result.gates if gate.closed), None),
        "contradictions": list(judged.evidence.contradictions) if judged is not None else [],
        "rivals": [rival_json(r) for r in judged.rivals] if judged is not None else [],
        "flags": [{"kernel_line": f.kernel_line, "text": f.text} for f in result.flags],
        "notes": [*result.notes, *problems],
    }


def _assert_json(fired: FiredAssert) -> dict[str, Any]:
    return {
        "message": fired.message,
        "kernel_line": fired.kernel_line,
        "programs": [list(p) for p in fired.programs],
        "failing_lanes": fired.failing_lanes,
        "order": fired.order,
        "first": {
            "program": list(fired.first_program),
            "lane": list(fired.first_lane),
            "values": dict(fired.values),
        },
        "depends_on_made_up": fired.depends_on_made_up,
    }


def _fault_json(fault: MemoryFault) -> dict[str, Any]:
    return {
        "argument": fault.argument,
        "element": fault.element,
        "size": fault.size,
        "program": list(fault.program),
        "lane": list(fault.lane),
        "kernel_line": fault.kernel_line,
        "access": fault.access,
        "count": fault.count,
    }


def result_lines(
    result: ReplayResult, judged: Judged | None, problems: tuple[str, ...]
) -> list[str]:
    grid = "×".join(map(str, result.grid))
    blocks = " ".join(f"{name}={size}" for name, size in result.blocks.items())
    lines = [f"{result.kernel} (:{result.site.line})  grid {grid}  {blocks}"]
    for argument in result.arguments:
        value = f" = {argument.value}" if argument.value is not None else ""
        shape = f" {argument.dtype}{list(argument.shape)}" if argument.value is None else ""
        lines.append(
            f"  {argument.name:<12} {argument.expression}{value}{shape}"
            f"  [{argument.source}] {argument.how}".rstrip()
        )
    if not result.asserts and not result.faults:
        lines.append("no assert fired and every access was inside its tensor")
    for fired in result.asserts:
        shown = " ".join(f"({x},{y},{z})" for x, y, z in fired.programs[:_SHOWN_PROGRAMS])
        more = " …" if len(fired.programs) > _SHOWN_PROGRAMS else ""
        values = "  ".join(f"{name} = {value}" for name, value in fired.values.items())
        made_up = "  rests on made-up data" if fired.depends_on_made_up else ""
        first = "fired first" if fired.order == 0 else f"fired as number {fired.order + 1}"
        lines += [
            f"assert on kernel line {fired.kernel_line}: {fired.message}{made_up}",
            f"  {len(fired.programs)} programs, {fired.failing_lanes} lanes, {first}: "
            f"{shown}{more}",
            f"  first: program {fired.first_program}, lane {fired.first_lane}: {values}",
        ]
    for fault in result.faults:
        lines.append(
            f"bad {fault.access} on kernel line {fault.kernel_line}: element {fault.element} of "
            f"{fault.argument}, which has {fault.size}; program {fault.program}, lane {fault.lane}"
            f" ({fault.count} lanes)"
        )
    if judged is not None:
        lines.append(
            "the programs of the log fail here too"
            if judged.agrees
            else "this does not agree with the log"
        )
        lines += [f"against it: {said}" for said in judged.evidence.contradictions]
        lines += [f"fits too: {r.kernel} (:{r.launch.line}): {r.decided_by}" for r in judged.rivals]
    lines += [f"kernel line {f.kernel_line}: {f.text}" for f in result.flags]
    lines += [f"note: {note}" for note in (*result.notes, *problems)]
    return lines
