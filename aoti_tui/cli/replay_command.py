"""``aoti-tui replay``: run a launch of the wrapper on the CPU and say what fails, where."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from aoti_tui.answer.incident import Incident
from aoti_tui.answer.judge import Judged
from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.cli.arguments import replay_arguments
from aoti_tui.cli.exit_codes import ANSWERED, NOTHING_MATCHES
from aoti_tui.cli.json_output import VERSION, rival_json, source_json
from aoti_tui.cli.opening import open_from
from aoti_tui.cli.replay_writers import ask_writers, writers_json, writers_lines
from aoti_tui.failure.prose.words import source_words
from aoti_tui.index.model import Launch
from aoti_tui.replay.model import FiredAssert, MemoryFault, ReplayResult
from aoti_tui.replay.questions.all_launches import AllLaunches, replay_all
from aoti_tui.replay.questions.script import write_script
from aoti_tui.replay.questions.sweep import SweepPoint, sweep

_SHOWN_PROGRAMS = 8
_SOURCES = {"fixed": "constant", "set": "input"}
"""The five sources of the JSON: a literal of the wrapper is constant, a symbol that the user set is
an input of theirs (``how`` tells it apart)."""


def replay(argv: list[str]) -> int:
    """Runs the command. Raises ArtifactError or ReplayError for what cannot be run."""
    arguments = replay_arguments(argv)
    incident = open_from(arguments)
    try:
        if arguments.all:
            return _all(incident, arguments)
        if arguments.log is not None and arguments.kernel is None:
            return _from_log(incident, arguments)
        return _one(incident, _chosen(incident, arguments), arguments)
    finally:
        incident.close()


def _from_log(incident: Incident, arguments: argparse.Namespace) -> int:
    """The failing launch of the log: where several fit, the first that agrees with it."""
    if not incident.failures:
        print("\n".join(incident.notes), file=sys.stderr)
        return NOTHING_MATCHES
    failure = incident.failures[0]
    only = None
    if arguments.launch is not None:
        fitting = [la for one in failure.candidates for la in one.launches]
        only = frozenset(la.id for la in fitting if la.line == arguments.launch)
        if not only:
            lines = ", ".join(f":{la.line}" for la in failure.launches) or "no line"
            raise ArtifactError(
                f"no launch of {failure.kernel} stands on line {arguments.launch}",
                f"it is launched on {lines}",
                "Choose one of these with --launch LINE.",
            )
    judged = incident.judge(failure, only=only).judged
    if judged is None:
        raise ArtifactError(
            f"{failure.kernel} is never launched in this wrapper",
            "nothing that fits the log is launched",
            "Give the wrapper of the model that failed.",
        )
    result = judged.result
    if result is None or arguments.program is not None:
        result = incident.session().run(judged.launch, program=arguments.program)
    return _report(incident, judged.launch, result, judged, arguments)


def _chosen(incident: Incident, arguments: argparse.Namespace) -> Launch:
    """The launch that ``--kernel`` and ``--launch`` name."""
    index = incident.index
    if arguments.kernel is None and arguments.launch is None:
        raise ArtifactError(
            "nothing says what to run",
            "neither a log nor a kernel was given",
            "Add --log LOG, --kernel NAME, --launch LINE, or --all for every launch.",
        )
    if arguments.kernel is None:
        launch = index.launch_at(arguments.launch)
        if launch is None:
            raise ArtifactError(
                f"no launch stands on line {arguments.launch}",
                f"the wrapper launches on {', '.join(f':{la.line}' for la in index.launches[:20])}",
                "Choose one of these with --launch LINE.",
            )
        return launch
    launches = index.launches_of(arguments.kernel)
    if not launches:
        near = [name for name in index.kernels if arguments.kernel in name]
        names = near or list(index.kernels)
        raise ArtifactError(
            f"no kernel called {arguments.kernel} is launched",
            "the wrapper has " + ", ".join(names[:8]) + (" …" if len(names) > 8 else ""),
            "Name one of these with --kernel NAME.",
        )
    wanted = [la for la in launches if arguments.launch in (None, la.line)]
    if not wanted:
        raise ArtifactError(
            f"{arguments.kernel} is not launched on line {arguments.launch}",
            f"it is launched on {', '.join(f':{la.line}' for la in launches)}",
            "Choose one of these with --launch LINE.",
        )
    return wanted[0]


def _one(incident: Incident, launch: Launch, arguments: argparse.Namespace) -> int:
    result = incident.session().run(launch, program=arguments.program)
    return _report(incident, launch, result, None, arguments)


def _report(
    incident: Incident,
    launch: Launch,
    result: ReplayResult,
    judged: Judged | None,
    arguments: argparse.Namespace,
) -> int:
    points: tuple[SweepPoint, ...] = ()
    if arguments.sweep is not None:
        points = sweep(incident.session(), launch, arguments.sweep)
    if arguments.script is not None:
        written = write_script(incident.session(), launch, arguments.script)
        print(f"wrote {', '.join(str(p) for p in written)}", file=sys.stderr)
    answer = ask_writers(incident.session(), launch, arguments)
    if arguments.json:
        found = result_json(result, judged, incident.session().input_problems())
        if points:
            found["sweep"] = [_point_json(p) for p in points]
        if answer is not None:
            found |= writers_json(answer)
        json.dump({"version": VERSION, **found}, sys.stdout, indent=2, ensure_ascii=False)
        print()
    else:
        print("\n".join(_lines(result, judged, incident.session().input_problems())))
        for point in points:
            print(_point_text(arguments.sweep, point))
        if answer is not None:
            print("\n".join(writers_lines(answer)))
    return ANSWERED


def result_json(
    result: ReplayResult, judged: Judged | None, problems: tuple[str, ...] = ()
) -> dict[str, Any]:
    """One launch's replay, as the README describes it."""
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


def _lines(result: ReplayResult, judged: Judged | None, problems: tuple[str, ...]) -> list[str]:
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


def _point_json(point: SweepPoint) -> dict[str, Any]:
    asserts = point.result.asserts if point.result is not None else ()
    return {
        "value": point.value,
        "why": point.why,
        "fires": point.fires,
        "asserts": [a.message for a in asserts],
        "problem": point.problem,
    }


def _point_text(name: str, point: SweepPoint) -> str:
    said = f"{name} = {point.value} ({point.why}): "
    if point.problem:
        return f"{said}not run: {point.problem}"
    if not point.fires or point.result is None:
        return f"{said}no assert fires"
    return said + "; ".join(
        [a.message for a in point.result.asserts]
        + [f"bad {f.access} of {f.argument}" for f in point.result.faults]
    )


def _all(incident: Incident, arguments: argparse.Namespace) -> int:
    session = incident.session()
    done: AllLaunches = replay_all(session)
    if arguments.json:
        found = {
            "version": VERSION,
            "launches": [
                {
                    "kernel": o.launch.kernel,
                    "launch_line": o.launch.line,
                    "status": o.status,
                    "detail": o.detail,
                }
                for o in done.outcomes
            ],
            "first": _first_json(incident, done),
            "notes": [*done.notes, *done.checks, *session.input_problems()],
        }
        json.dump(found, sys.stdout, indent=2, ensure_ascii=False)
        print()
        return ANSWERED
    for outcome in done.outcomes:
        detail = f"  {outcome.detail}" if outcome.detail else ""
        print(f"{outcome.status:<11} :{outcome.launch.line:<6} {outcome.launch.kernel}{detail}")
    if done.first is not None and done.first.result is not None:
        print("\nfirst failure:")
        print("\n".join(_lines(done.first.result, None, session.input_problems())))
        ends = incident.sources_of_failure(done.first.result)
        if ends:
            print(f"the index comes from {'; '.join(source_words(s) for s in ends)}")
    elif not done.first:
        print("nothing failed")
    for note in (*done.checks, *done.notes):
        print(f"note: {note}")
    return ANSWERED


def _first_json(incident: Incident, done: AllLaunches) -> dict[str, Any] | None:
    """The first failing launch, with where its index comes from; None when nothing failed."""
    if done.first is None or done.first.result is None:
        return None
    ends = incident.sources_of_failure(done.first.result)
    return {
        **result_json(done.first.result, None),
        "index_sources": [source_json(source) for source in ends],
    }
