"""``aoti-tui replay --all``: every launch in order, what fails first and what came out wrong."""

from __future__ import annotations

import json
import sys
from typing import Any

from aoti_tui.answer.incident import Incident
from aoti_tui.cli.exit_codes import ANSWERED
from aoti_tui.cli.json_output import VERSION, source_json, warning_json
from aoti_tui.cli.replay_results import result_json, result_lines
from aoti_tui.failure.model import Failure
from aoti_tui.failure.prose.words import source_words
from aoti_tui.replay.questions.all_launches import AllLaunches, replay_all
from aoti_tui.replay.questions.truncated import truncation_warning


def replay_every_launch(incident: Incident, *, as_json: bool) -> int:
    """Replays the model up to its first failure and says what was found."""
    session = incident.session()
    done = replay_all(session)
    problems = session.input_problems()
    if as_json:
        json.dump(_json(incident, done, problems), sys.stdout, indent=2, ensure_ascii=False)
        print()
        return ANSWERED
    print("\n".join(_lines(incident, done, problems)))
    return ANSWERED


def _json(incident: Incident, done: AllLaunches, problems: tuple[str, ...]) -> dict[str, Any]:
    failure = incident.failure_of(done)
    return {
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
        "first": _first(done, failure),
        "verdict": _verdict(failure),
        "warnings": [warning_json(one) for one in done.truncated],
        "notes": [*done.notes, *done.checks, *problems],
    }


def _first(done: AllLaunches, failure: Failure | None) -> dict[str, Any] | None:
    """The first failing launch, with where its index comes from; None when nothing failed."""
    if done.first is None or done.first.result is None:
        return None
    ends = failure.index.sources if failure is not None else ()
    return {
        **result_json(done.first.result, None),
        "index_sources": [source_json(source) for source in ends],
    }


def _verdict(failure: Failure | None) -> dict[str, Any] | None:
    """Of a bad access without an assert: what made its address."""
    if failure is None or failure.access is None:
        return None
    cause = failure.cause
    return {"code": cause.code, "text": cause.text, "confirmed": cause.confirmed}


def _lines(incident: Incident, done: AllLaunches, problems: tuple[str, ...]) -> list[str]:
    lines = []
    for outcome in done.outcomes:
        detail = f"  {outcome.detail}" if outcome.detail else ""
        lines.append(
            f"{outcome.status:<11} :{outcome.launch.line:<6} {outcome.launch.kernel}{detail}"
        )
    lines += [f"warning: {truncation_warning(one)}" for one in done.truncated]
    if done.first is not None and done.first.result is not None:
        lines += ["", "first failure:", *result_lines(done.first.result, None, problems)]
        failure = incident.failure_of(done)
        ends = failure.index.sources if failure is not None else ()
        if ends:
            lines.append(f"the index comes from {'; '.join(source_words(s) for s in ends)}")
        if failure is not None and failure.access is not None:
            how = "" if failure.cause.confirmed else ", not confirmed"
            lines.append(f"verdict: {failure.cause.text}    [{failure.cause.code}{how}]")
    elif done.first is None and done.truncated:
        lines.append("no assert fired and every access was inside its tensor, but see the warnings")
    elif done.first is None:
        lines.append("nothing failed")
    return [*lines, *(f"note: {note}" for note in (*done.checks, *done.notes))]
