"""``aoti-tui run``: a user's own script under our engine."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.written import write_whole
from aoti_tui.cli.exit_codes import FOUND, UNUSABLE
from aoti_tui.cli.interface import has_terminal, look_on
from aoti_tui.cli.run_arguments import run_arguments
from aoti_tui.replay.client import Reply
from aoti_tui.replay.script.command import ScriptCommand, standard_input
from aoti_tui.replay.script.process import Connection, ScriptProcess, exit_code
from aoti_tui.replay.script.reference import Comparing, Reference, read_reference
from aoti_tui.replay.script.report import RunReport


def run_script(argv: list[str]) -> int:
    """Runs the command: the script's own exit code, or 4 when it was 0 and something was found."""
    arguments = run_arguments(argv)
    references = tuple(_reference(text) for text in arguments.reference)
    settings = {"config": arguments.config, "device": arguments.device}
    if references:
        # It is asked once it has ended.
        settings["stay"] = True
    command = ScriptCommand(arguments.python or sys.executable, tuple(arguments.script), settings)
    told_only = arguments.check or arguments.json is not None or bool(references)
    if not told_only and has_terminal(from_stdin=False):
        return look_on(command, arguments.stdin)
    return _check(command, arguments, references)


def _reference(text: str) -> Reference:
    try:
        return read_reference(text)
    except ValueError as error:
        raise ArtifactError(
            str(error),
            "a reference says what a name of a kernel should be",
            "For example: --reference 'm = torch.max(x, 1)'",
        ) from None


def _check(
    command: ScriptCommand, arguments: argparse.Namespace, references: tuple[Reference, ...]
) -> int:
    report = RunReport()
    comparing = Comparing(references, report)
    ended: SimpleQueue[Connection | None] = SimpleQueue()

    def on_event(connection: Connection, event: Reply) -> None:
        report.on_event(connection, event)
        if event.get("event") == "exit":
            ended.put(connection)

    script = ScriptProcess(command, on_event)
    try:
        if arguments.stdin is None:
            script.start()
        else:
            with standard_input(arguments.stdin) as given:
                script.start(stdin=given)
        if references:
            script.on_left(lambda: ended.put(None))
            stands = ended.get()
            if stands is not None:
                comparing.ask(stands)
                stands.tell("bye")
        code = exit_code(script.wait())
    finally:
        script.close()
    code = FOUND if code == 0 and report.wrong else code
    _say(report)
    for reference, why in comparing.nowhere():
        print(f"aoti-tui: {reference.text} was compared nowhere: {why}", file=sys.stderr)
        code = code or UNUSABLE
    if arguments.json is not None:
        _write(arguments.json, report.json(code))
    return code


def _write(path: Path, found: dict[str, Any]) -> None:
    text = json.dumps(found, indent=2, ensure_ascii=False) + "\n"
    if str(path) == "-":
        sys.stdout.write(text)
    else:
        try:
            write_whole(path, text)
        except OSError as error:
            raise ArtifactError(
                f"the results {path} cannot be written",
                error.strerror or str(error),
                "Name a file in a folder that exists and is yours, or - for standard output.",
            ) from error


def _say(report: RunReport) -> None:
    """Findings, failed checks and lint on stderr: stdout is the script's."""
    for found in report.findings:
        print(f"aoti-tui: {_place(found)}{found['text']}{_who(found)}", file=sys.stderr)
    for found in report.differences:
        print(f"aoti-tui: {_place(found)}{found['text']}", file=sys.stderr)
    for found in report.lint:
        print(f"aoti-tui: warning: {_place(found)}{found['text']}", file=sys.stderr)


def _place(found: dict[str, Any]) -> str:
    return f"{found['file']}:{found['line']}: " if found.get("line") else ""


def _who(found: dict[str, Any]) -> str:
    parts = [f"{found['kind']} in {found['kernel']}"]
    if found.get("program") is not None:
        parts.append(f"program {tuple(found['program'])}")
    if found.get("lane"):
        parts.append(f"lane {found['lane']}")
    if (found.get("count") or 0) > 1:
        parts.append(f"{found['count']} lanes")
    return f" ({', '.join(parts)})"
