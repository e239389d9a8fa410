"""Opening the interface, or saying why it cannot be and answering as text instead."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.log_file import LogText, open_log
from aoti_tui.cli.arguments import interface_parser
from aoti_tui.cli.exit_codes import ANSWERED, NOTHING_MATCHES
from aoti_tui.cli.importing import importing
from aoti_tui.cli.opening import (
    DEMO_INPUTS,
    DEMO_LOG,
    DEMO_WRAPPER,
    demo_file,
    given_of,
    opened_from,
)
from aoti_tui.replay.script.command import ScriptCommand


def open_interface(argv: list[str]) -> int:
    """Runs the interface; without a terminal, prints the explanation and says so.

    Raises ArtifactError when there is nothing to show.
    """
    parser = interface_parser()
    arguments = parser.parse_args(argv)
    if arguments.demo:
        arguments.wrapper = demo_file(DEMO_WRAPPER)
        arguments.log = arguments.log or str(demo_file(DEMO_LOG))
        arguments.inputs = arguments.inputs or demo_file(DEMO_INPUTS)
    arguments.wrapper = arguments.wrapper or arguments.core
    if arguments.wrapper is None and arguments.log not in (None, "-"):
        arguments.wrapper = Path(arguments.log)
    if arguments.wrapper is None and arguments.log is None:
        parser.print_usage(sys.stderr)
        raise ArtifactError(
            "no wrapper was given",
            "there is nothing to open",
            "Give a *.wrapper.cpp, a .pt2 package or a folder, or try `aoti-tui --demo`.",
        )
    log_text = open_log("-") if arguments.log == "-" else None
    if not has_terminal(from_stdin=arguments.log == "-"):
        return _print_instead(arguments, log_text)
    if arguments.wrapper is None:
        raise ArtifactError(
            "no wrapper was given",
            "the interface opens a log that it can read again",
            "Give the log as a file: aoti-tui FILE.",
        )
    if arguments.log == "-":
        _take_terminal_as_input()
    return _run(arguments, log_text)


def _run(arguments: argparse.Namespace, log_text: LogText | None) -> int:
    # The interface is only imported when it opens: the headless commands do without it.
    with importing():
        from aoti_tui.tui.app import OpenRequest, run_app

    return run_app(
        OpenRequest(
            wrapper=arguments.wrapper,
            log=Path(arguments.log) if arguments.log not in (None, "-") else None,
            log_text=log_text,
            given=given_of(arguments),
        )
    )


def look_on(command: ScriptCommand, stdin: Path | None) -> int:
    """Runs a script with the interface open on it; gives the script's exit code."""
    with importing():
        from aoti_tui.tui.app import RunRequest, run_app

    if stdin is not None and not stdin.is_file():
        raise ArtifactError(f"{stdin} cannot be read", "it is no file", "Name one with --stdin.")
    return run_app(RunRequest(command, stdin))


def has_terminal(*, from_stdin: bool) -> bool:
    """Whether a person can see the screen and type; a log on stdin needs /dev/tty for that."""
    if not sys.stdout.isatty() or os.environ.get("TERM") == "dumb":
        return False
    if not from_stdin:
        return sys.stdin.isatty()
    try:
        os.close(os.open("/dev/tty", os.O_RDWR))
    except OSError:
        return False
    return True


def _take_terminal_as_input() -> None:
    """The log has used standard input up; keys come from the terminal itself."""
    terminal = os.open("/dev/tty", os.O_RDWR)
    os.dup2(terminal, 0)
    os.close(terminal)


def _print_instead(arguments: argparse.Namespace, log_text: LogText | None) -> int:
    print(
        "aoti-tui: the interface needs a terminal and there is none (a pipe or a job); "
        "here is the explanation as text",
        file=sys.stderr,
    )
    from aoti_tui.cli.explain_command import answered, as_text

    with opened_from(arguments, log_text) as incident:
        failures = answered(incident, replay=True)
        print(as_text(incident, failures))
    if incident.log is None:
        return ANSWERED
    return ANSWERED if failures else NOTHING_MATCHES
