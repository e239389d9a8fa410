"""``aoti-tui explain``: the answer for every failure of a log, as text, JSON or a report."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from aoti_tui.answer.at_hand import is_log
from aoti_tui.answer.incident import Incident
from aoti_tui.answer.traced_fault import traced_headline
from aoti_tui.artifacts.bundle import is_bundle
from aoti_tui.artifacts.core_dump.reading import is_dump
from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.written import write_whole
from aoti_tui.cli.arguments import explain_parser
from aoti_tui.cli.exit_codes import ANSWERED, NOTHING_MATCHES
from aoti_tui.cli.json_output import explain_json
from aoti_tui.cli.opening import opened_from
from aoti_tui.cli.wrapped_text import print_explanation
from aoti_tui.failure.log.loading import LOADING_HEADLINE
from aoti_tui.failure.model import Failure
from aoti_tui.failure.prose.report import report
from aoti_tui.failure.prose.text import explanation
from aoti_tui.replay.errors import ReplayError


def explain(argv: list[str]) -> int:
    """Runs the command. Raises ArtifactError for unusable input."""
    parser = explain_parser()
    arguments = parser.parse_args(argv)
    told = arguments.log is not None or arguments.core is not None
    holds = arguments.wrapper is not None and (
        is_log(arguments.wrapper) or is_dump(arguments.wrapper) or is_bundle(arguments.wrapper)
    )
    if not told and not holds and arguments.inputs is None:
        raise _no_log()
    with opened_from(arguments) as incident:
        if not told and not holds and not incident.truncated:
            raise _no_log()
        failures = answered(incident, replay=not arguments.no_replay)
        if arguments.report is not None:
            _write(arguments.report, report(failures, incident.source.name, incident.notes))
        if arguments.json:
            json.dump(explain_json(incident, failures), sys.stdout, indent=2, ensure_ascii=False)
            print()
        else:
            print_explanation(as_text(incident, failures))
    return ANSWERED if failures else NOTHING_MATCHES


def _no_log() -> ArtifactError:
    return ArtifactError(
        "no log was given",
        "explain answers for the failed asserts of a log",
        "Add --log FILE, or --log - for standard input, or give the log alone; --core FILE "
        "takes a GPU core dump instead; "
        "`aoti-tui WRAPPER` browses without.",
    )


def answered(incident: Incident, *, replay: bool) -> tuple[Failure, ...]:
    """The incident's failures, each judged by a replay where there are inputs to replay with.

    A replay that cannot run leaves the failure as the wrapper and the inputs' sizes explain it,
    with a note that says why.
    """
    if not replay or not incident.can_diagnose:
        return incident.failures
    if incident.only_memory_faults:
        return _fault(incident)
    found: list[Failure] = []
    for failure in incident.failures:
        try:
            found.append(incident.judge(failure).failure)
        except ReplayError as error:
            found.append(incident.with_note(failure, f"no replay: {error}"))
    return tuple(found)


def _fault(incident: Incident) -> tuple[Failure, ...]:
    """What the memory fault of the log came from, if a replay of the model finds it."""
    try:
        failure = incident.find_fault()
    except ReplayError as error:
        print(f"no replay: {error}", file=sys.stderr)
        return ()
    return (failure,) if failure is not None else ()


def as_text(incident: Incident, failures: tuple[Failure, ...]) -> str:
    """The explanation of all failures, the log's oddities and the gaps, for people."""
    name = incident.source.name
    parts = [explanation(failure, name) for failure in failures]
    if not failures:
        parts.append(f"{name}: {_no_failure(incident)}")
    notes = [f"note   {note}" for note in incident.notes]
    if incident.index.gaps:
        first = incident.index.gaps[0]
        notes.append(
            f"note   gaps in what is known of the wrapper: {len(incident.index.gaps)} (first "
            f":{first.line}, {first.reason}); `aoti-tui index` lists them"
        )
    if notes:
        parts.append("\n".join(notes))
    return "\n\n".join(parts)


def _no_failure(incident: Incident) -> str:
    """Why there is nothing to explain."""
    if incident.log is None:
        return "no log was given, but the inputs make a size come out wrong, which fails no assert"
    if incident.only_memory_faults and incident.traced:
        return traced_headline(incident.traced)
    if incident.loading_error is not None:
        return LOADING_HEADLINE
    return "no failure of the log matches a kernel of this wrapper"


def _write(path: Path, text: str) -> None:
    try:
        write_whole(path, text)
    except OSError as error:
        raise ArtifactError(
            f"the report {path} cannot be written",
            error.strerror or str(error),
            "Name a file in a folder that exists and is yours.",
        ) from error
