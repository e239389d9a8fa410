"""``aoti-tui help [TOPIC]``: the manual."""

from __future__ import annotations

from difflib import get_close_matches

from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.cli.arguments import help_parser
from aoti_tui.cli.exit_codes import ANSWERED
from aoti_tui.help import page, topics


def show_help(argv: list[str]) -> int:
    """Runs the command. Raises ArtifactError for a topic that there is not."""
    arguments = help_parser().parse_args(argv)
    if arguments.topic is None:
        print("aoti-tui help TOPIC, where TOPIC is one of\n")
        for name, title in topics().items():
            print(f"  {name:<14} {title}")
        print("\n`aoti-tui --help` lists the commands, and each command has its own --help.")
        return ANSWERED
    try:
        print(page(arguments.topic), end="")
    except KeyError:
        known = list(topics())
        near = get_close_matches(arguments.topic, known, 1)
        raise ArtifactError(
            f"there is no help on {arguments.topic!r}",
            f"the topics are {', '.join(known)}",
            f"Did you mean `aoti-tui help {near[0]}`?" if near else "Give one of them.",
        ) from None
    return ANSWERED
