"""``aoti-tui help [TOPIC]``: the manual."""

from __future__ import annotations

from difflib import get_close_matches

from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.cli.arguments import help_parser
from aoti_tui.cli.exit_codes import ANSWERED
from aoti_tui.help import page, topics

COMMANDS_TITLE = "Commands: typed after :, given with -ex, sent as JSON"


def _commands() -> str:
    """Every command with its arguments and what its answer holds, as the engine knows them."""
    from aoti_tui.session.language.table import listing

    return (
        f"# {COMMANDS_TITLE}\n\n"
        "The same in the interface (after `:`), in `aoti-tui debug WRAPPER -ex COMMAND` and in "
        '`aoti-tui debug\nWRAPPER --serve`, where a line `{"id": 1, "command": "c"}` is '
        "answered by one with `id`, `asked`, `ok`,\n`where` (kernel, launch, program, step, line, "
        "lanes), `values` and `text`. `k46` is line 46 of the kernel,\n`1344` line 1344 of the "
        "wrapper or script, `[3,1]` a lane. A name or a line alone goes there.\n"
        + "\n".join(listing())
        + "\n"
    )


def show_help(argv: list[str]) -> int:
    """Runs the command. Raises ArtifactError for a topic that there is not."""
    arguments = help_parser().parse_args(argv)
    if arguments.topic is None:
        print("aoti-tui help TOPIC, where TOPIC is one of\n")
        for name, title in sorted({**topics(), "commands": COMMANDS_TITLE}.items()):
            print(f"  {name:<14} {title}")
        print("\n`aoti-tui --help` lists the commands, and each command has its own --help.")
        return ANSWERED
    try:
        print(_commands() if arguments.topic == "commands" else page(arguments.topic), end="")
    except KeyError:
        known = sorted([*topics(), "commands"])
        near = get_close_matches(arguments.topic, known, 1)
        raise ArtifactError(
            f"there is no help on {arguments.topic!r}",
            f"the topics are {', '.join(known)}",
            f"Did you mean `aoti-tui help {near[0]}`?" if near else "Give one of them.",
        ) from None
    return ANSWERED
