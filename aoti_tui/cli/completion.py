"""Completion for shells, through argcomplete: ``aoti-tui completion bash`` prints what a shell
needs once, and the program answers the shell when ``_ARGCOMPLETE`` is set."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import Any

from aoti_tui.cli import arguments as parsers
from aoti_tui.cli.exit_codes import ANSWERED
from aoti_tui.cli.run_arguments import run_parser

SHELLS = ("bash", "zsh", "fish")
ASKED = "_ARGCOMPLETE"
"""Set by the shell that asks (argcomplete's own protocol)."""


def completion(argv: list[str]) -> int:
    """Prints what the shell of ``argv`` is to read: ``eval "$(aoti-tui completion bash)"``."""
    from argcomplete.shell_integration import shellcode

    shell = parsers.completion_parser().parse_args(argv).shell
    print(shellcode(["aoti-tui"], shell=shell))
    return ANSWERED


def answer_shell() -> None:
    """Answer a shell that asks what the command line can go on with; does not return then."""
    import argcomplete

    line, point = os.environ.get("COMP_LINE", ""), int(os.environ.get("COMP_POINT", "0"))
    words = line[:point].split()
    name = words[1] if len(words) > 1 and words[1] in parsers.COMMANDS else ""
    if name and not (words[-1] == name and not line[:point].endswith(" ")):
        # argcomplete reads the line itself: the parser of a command does not know its name.
        at = line.index(name, len(words[0]))
        os.environ["COMP_LINE"] = line[:at] + line[at + len(name) :].lstrip()
        os.environ["COMP_POINT"] = str(point - len(line) + len(os.environ["COMP_LINE"]))
        parser = _parser_of(name)
    else:
        parser = parsers.interface_parser()
        _complete(parser, "wrapper", _commands_and_files)
    _complete(parser, "steps", _debug_commands)
    _complete(parser, "topic", _topics)
    argcomplete.autocomplete(parser)


def _parser_of(name: str) -> argparse.ArgumentParser:
    if name == "run":
        return run_parser()
    made: dict[str, Callable[[], argparse.ArgumentParser]] = {
        "explain": parsers.explain_parser,
        "index": parsers.index_parser,
        "replay": parsers.replay_parser,
        "check": parsers.check_parser,
        "debug": parsers.debug_parser,
        "core": parsers.core_parser,
        "help": parsers.help_parser,
        "completion": parsers.completion_parser,
    }
    return made[name]() if name in made else parsers.interface_parser()


def _complete(
    parser: argparse.ArgumentParser, dest: str, completer: Callable[..., list[str]]
) -> None:
    for action in parser._actions:
        if action.dest == dest and "-x" not in action.option_strings:
            action.completer = completer  # type: ignore[attr-defined]


def _commands_and_files(prefix: str, **known: Any) -> list[str]:
    from argcomplete.completers import FilesCompleter

    files = FilesCompleter()(prefix, **known)
    return [*(one for one in parsers.COMMANDS if one.startswith(prefix)), *files]


def _debug_commands(prefix: str, **known: Any) -> list[str]:
    from aoti_tui.session.language.table import COMMANDS

    return [one.name for one in COMMANDS if one.name.startswith(prefix)]


def _topics(prefix: str, **known: Any) -> list[str]:
    from aoti_tui.help import topics

    return [name for name in (*topics(), "commands") if name.startswith(prefix)]
