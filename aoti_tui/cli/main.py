"""The ``aoti-tui`` program: picks a command, and turns every expected error into a message."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Sequence

from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.cli.exit_codes import FAILED, UNUSABLE
from aoti_tui.cli.importing import importing
from aoti_tui.cli.terminal_text import PlainOutput
from aoti_tui.replay.errors import ReplayError

TRACEBACK = "AOTI_TUI_TRACEBACK"
"""Set to see the traceback of an error of ours."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the program and gives its exit code; never lets an expected error become a traceback."""
    if "_ARGCOMPLETE" in os.environ and argv is None:
        from aoti_tui.cli.completion import answer_shell

        answer_shell()
    arguments = list(sys.argv[1:] if argv is None else argv)
    with PlainOutput("stdout"), PlainOutput("stderr"):
        return _run(arguments)


def _run(arguments: list[str]) -> int:
    try:
        with importing():
            command = _command(arguments)
        return command(arguments[1:] if _is_command(arguments) else arguments)
    except ArtifactError as error:
        say_error(error.what, error.why, error.do)
        return UNUSABLE
    except ReplayError as error:
        say_error(error.what, error.why, error.do)
        return FAILED if error.kind in ("died", "timeout", "python", "bad-request") else UNUSABLE
    except BrokenPipeError:
        # The reader went away (`| head`): nothing is left to say, and nobody to say it to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        last = traceback.extract_tb(error.__traceback__)[-1]
        say_error(
            "something in aoti-tui itself broke",
            f"{type(error).__name__}: {error} ({os.path.basename(last.filename)}:{last.lineno})",
            f"Please report it, with what `{TRACEBACK}=1 aoti-tui …` prints.",
        )
        return FAILED
    except KeyboardInterrupt:
        print("aoti-tui: interrupted", file=sys.stderr)
        return 130


def say_error(what: str, why: str, do: str) -> None:
    """A message in our order: what happened, why, what to do next."""
    print(f"aoti-tui: {what}\n  {why}\n  {do}", file=sys.stderr)


def _is_command(arguments: list[str]) -> bool:
    from aoti_tui.cli.arguments import COMMANDS

    return bool(arguments) and arguments[0] in COMMANDS


def _command(arguments: list[str]) -> Callable[[list[str]], int]:
    """The function of a command, imported only when it is the one."""
    name = arguments[0] if _is_command(arguments) else ""
    if name == "explain":
        from aoti_tui.cli.explain_command import explain

        return explain
    if name == "index":
        from aoti_tui.cli.index_command import index

        return index
    if name == "replay":
        from aoti_tui.cli.replay_command import replay

        return replay
    if name == "check":
        from aoti_tui.cli.check_command import check_captured

        return check_captured
    if name == "run":
        from aoti_tui.cli.run_command import run_script

        return run_script
    if name == "debug":
        from aoti_tui.cli.debug_command import debug

        return debug
    if name == "completion":
        from aoti_tui.cli.completion import completion

        return completion
    if name == "help":
        from aoti_tui.cli.help_command import show_help

        return show_help
    if name == "core":
        from aoti_tui.cli.core_command import core

        return core
    if name == "bundle":
        from aoti_tui.cli.bundle_command import bundle

        return bundle
    if name == "record":
        from aoti_tui.cli.record_command import record

        return record
    from aoti_tui.cli.interface import open_interface

    return open_interface
