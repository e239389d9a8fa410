"""``aoti-tui debug``: commands without a screen, for a shell, an editor, a CI job or an agent."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.log_file import open_log
from aoti_tui.cli.arguments import debug_parser
from aoti_tui.cli.exit_codes import ANSWERED, UNUSABLE
from aoti_tui.cli.opening import DEMO_INPUTS, DEMO_LOG, DEMO_WRAPPER, demo_file, given_of
from aoti_tui.replay.script.command import ScriptCommand
from aoti_tui.session.headless import Headless
from aoti_tui.session.kept.config import Config, init_file, load, save_memory
from aoti_tui.session.language.answer import Answer
from aoti_tui.session.language.interpreter import commands_of
from aoti_tui.session.request import OpenRequest, RunRequest

PROMPT = "(aoti) "


def debug(argv: list[str]) -> int:
    """Runs the command. Raises ArtifactError or ReplayError when nothing can be opened."""
    arguments = debug_parser().parse_args(argv)
    session = Headless(_request(arguments), None if arguments.no_init else init_file())
    try:
        opened = session.open()
        if arguments.good is not None:
            arguments.steps = [("", f"good {arguments.good}"), *(arguments.steps or ())]
        if arguments.serve:
            _serve(session, sys.stdin, opened)
            return ANSWERED
        if arguments.steps is None:
            return _ask(session, opened, as_json=arguments.json)
        done = [_tell(one, arguments.json) for one in _answers(session, arguments.steps)]
        return ANSWERED if all(done) else UNUSABLE
    finally:
        session.close()


def _request(arguments: argparse.Namespace) -> OpenRequest | RunRequest:
    if arguments.script is not None:
        if not arguments.script:
            debug_parser().error("--script names the script to debug")
        python = arguments.python or sys.executable
        return RunRequest(ScriptCommand(python, tuple(arguments.script), {}))
    log = arguments.log
    if arguments.demo:
        arguments.wrapper = demo_file(DEMO_WRAPPER)
        log = log or str(demo_file(DEMO_LOG))
        arguments.inputs = arguments.inputs or demo_file(DEMO_INPUTS)
    arguments.wrapper = arguments.wrapper or arguments.core
    if arguments.wrapper is None and log not in (None, "-"):
        arguments.wrapper = Path(log)
    if arguments.wrapper is None:
        raise ArtifactError(
            "no wrapper was given",
            "there is nothing to debug",
            "Give a wrapper, a package, a folder or a log, --script FILE.py, or --demo.",
        )
    if log == "-" and (arguments.serve or arguments.steps is None):
        raise ArtifactError(
            "the log cannot be read from standard input",
            "the commands come from there",
            "Give the log as a file, or the commands with -ex.",
        )
    return OpenRequest(
        wrapper=arguments.wrapper,
        log=Path(log) if log not in (None, "-") else None,
        log_text=open_log("-") if log == "-" else None,
        given=given_of(arguments),
        warm_up=False,
    )


# -- commands that were given -------------------------------------------------------------------


def _answers(session: Headless, steps: Iterable[tuple[str, str]]) -> Iterator[Answer]:
    for kind, text in steps:
        commands = _lines_of(Path(text)) if kind == "source" else [text]
        for command in commands:
            yield session.do(command)
            if session.ended:
                return


def _lines_of(path: Path) -> list[str]:
    try:
        return commands_of(path)
    except OSError as error:
        raise ArtifactError(
            f"the commands of {path} cannot be read",
            error.strerror or str(error),
            "Name a text file with a command a line.",
        ) from error


def _tell(answer: Answer, as_json: bool) -> bool:
    if as_json:
        _write(answer.json())
    elif answer.text:
        print(answer.text if answer.ok else f"✗ {answer.text}", flush=True)
    return answer.ok


def _write(found: dict[str, Any]) -> None:
    print(json.dumps(found, ensure_ascii=False), flush=True)


# -- commands that are asked for ----------------------------------------------------------------


def _ask(session: Headless, opened: Answer, *, as_json: bool) -> int:
    """Read commands from standard input; with a prompt where a person types."""
    if sys.stdin.isatty():
        return _talk(session, opened, as_json=as_json)
    fine = True
    while not session.ended and (line := sys.stdin.readline()):
        if line.strip():
            fine = _tell(session.do(line.strip()), as_json) and fine
    return ANSWERED if fine else UNUSABLE


def _talk(session: Headless, opened: Answer, *, as_json: bool) -> int:
    """Read commands as they are typed, with history and completion; an empty line is the last
    command again."""
    kept = load(frozenset())
    readline = _line_editor(session, kept)
    if not as_json:
        print(opened.text)
    last = ""
    while not session.ended:
        try:
            line = input(PROMPT).strip()
        except EOFError:
            break
        except KeyboardInterrupt:
            print()
            continue
        last = line or last
        if last:
            _tell(session.do(last), as_json)
    if readline is not None:
        count = readline.get_current_history_length()
        items = [readline.get_history_item(at) for at in range(1, count + 1)]
        kept.history = [item for item in items if item]
        save_memory(kept)
    return ANSWERED


def _line_editor(session: Headless, kept: Config) -> Any:
    """readline with the kept history and completion; None where Python has none."""
    try:
        import readline
    except ImportError:
        return None

    def complete(text: str, state: int) -> str | None:
        line = readline.get_line_buffer()[: readline.get_endidx()]
        found = session.completions(line)
        # readline replaces the last word alone.
        return found[state][readline.get_begidx() :] if state < len(found) else None

    for text in kept.history:
        readline.add_history(text)
    readline.set_completer(complete)
    readline.set_completer_delims(" \t")
    readline.parse_and_bind("tab: complete")
    return readline


def _serve(session: Headless, requests: Iterable[str], opened: Answer) -> None:
    """Answer each line of JSON with one; the first line says what was opened."""
    _write({"id": None, **opened.json(), "asked": None})
    for line in requests:
        if not line.strip():
            continue
        identity, command, problem = _request_of(line)
        if problem:
            refused = Answer(command, False, problem, session.where())
            _write({"id": identity, **refused.json()})
            continue
        _write({"id": identity, **session.do(command).json()})
        if session.ended:
            return


def _request_of(line: str) -> tuple[Any, str, str]:
    """Id, command and what is wrong with a request."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        return None, line.strip()[:200], f"The request is no JSON: {error}."
    if isinstance(found, str):
        return None, found, ""
    if not isinstance(found, dict) or not isinstance(found.get("command"), str):
        identity = found.get("id") if isinstance(found, dict) else None
        return identity, "", 'A request is {"command": "p tmp4"}, with an "id" if you like.'
    return found.get("id"), found["command"], ""
