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
from aoti_tui.cli.json_output import VERSION, warning_json
from aoti_tui.cli.opening import opened_from
from aoti_tui.cli.replay_every import replay_every_launch
from aoti_tui.cli.replay_results import result_json, result_lines
from aoti_tui.cli.replay_writers import ask_writers, writers_json, writers_lines
from aoti_tui.index.model import Launch
from aoti_tui.replay.model import ReplayResult
from aoti_tui.replay.questions.script import write_script
from aoti_tui.replay.questions.sweep import SweepPoint, sweep
from aoti_tui.replay.questions.truncated import truncated_symbols, truncation_warning


def replay(argv: list[str]) -> int:
    """Runs the command. Raises ArtifactError or ReplayError for what cannot be run."""
    arguments = replay_arguments(argv)
    with opened_from(arguments) as incident:
        if arguments.all:
            return replay_every_launch(incident, as_json=arguments.json)
        if incident.log is not None and arguments.kernel is None:
            return _from_log(incident, arguments)
        return _one(incident, _chosen(incident, arguments), arguments)


def _from_log(incident: Incident, arguments: argparse.Namespace) -> int:
    """The failing launch of the log: where several fit, the first that agrees with it."""
    if not incident.failures:
        print("\n".join(incident.notes), file=sys.stderr)
        launch = _faulty(incident) if arguments.launch is None else None
        return NOTHING_MATCHES if launch is None else _one(incident, launch, arguments)
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


def _faulty(incident: Incident) -> Launch | None:
    """The launch with the bad access that the log reports without saying whose it was; None where
    the call's own data is not there to tell."""
    given = incident.given
    if not incident.only_memory_faults or (given.inputs is None and given.core is None):
        return None
    failure = incident.find_fault()
    return None if failure is None else failure.launch


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
    truncated = truncated_symbols(incident.index, result.symbols)
    answer = ask_writers(incident.session(), launch, arguments)
    if arguments.json:
        found = result_json(result, judged, incident.session().input_problems())
        found["warnings"] = [warning_json(one) for one in truncated]
        if points:
            found["sweep"] = [_point_json(p) for p in points]
        if answer is not None:
            found |= writers_json(answer)
        json.dump({"version": VERSION, **found}, sys.stdout, indent=2, ensure_ascii=False)
        print()
    else:
        print("\n".join(result_lines(result, judged, incident.session().input_problems())))
        for one in truncated:
            print(f"warning: {truncation_warning(one)}")
        for point in points:
            print(_point_text(arguments.sweep, point))
        if answer is not None:
            print("\n".join(writers_lines(answer)))
    return ANSWERED


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
