"""An explanation on a terminal: wrapped to its width, indented under its labels, in colour.

A pipe gets the text as it is, a line each; ``NO_COLOR`` leaves the colours out.
"""

from __future__ import annotations

import os
import re
import sys

from aoti_tui.cli.terminal_text import PlainOutput, without_orders

_ROW = re.compile(r"(?P<label>[a-z]{0,6}) +(?P<indent> *)(?P<text>\S.*)")
_STYLES = {
    "why": "bold",
    "fix": "green",
    "data": "yellow",
    "but": "red",
    "rival": "red",
    "or": "yellow",
    "note": "dim",
}
LABEL = 7
"""Columns of a label."""
NARROWEST = 40


def print_explanation(text: str) -> None:
    """Print an explanation for whoever reads: a person at a terminal, or a program."""
    stream = sys.stdout.raw if isinstance(sys.stdout, PlainOutput) else sys.stdout
    if stream is None or not stream.isatty() or os.environ.get("TERM") == "dumb":
        print(text)
        return
    # Rich is only imported for a terminal.
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    plain = bool(os.environ.get("NO_COLOR"))
    console = Console(file=stream, highlight=False, color_system=None if plain else "auto")
    wide = console.width >= NARROWEST
    heading = True
    for line in without_orders(text).split("\n"):
        row = _ROW.fullmatch(line)
        label = row["label"] if row is not None else ""
        if row is None or len(line) - len(line.lstrip()) not in (0, LABEL) or not wide:
            style = "bold" if heading and line.strip() else ""
            console.print(Text(line, style=style), soft_wrap=not wide)
            heading = not line.strip()
            continue
        heading = False
        column = (
            LABEL + len(row["indent"]) if line[:LABEL].strip() else len(line) - len(line.lstrip())
        )
        said = Text(row["text"], style=_STYLES.get(label, ""))
        wrapped = said.wrap(console, max(10, console.width - column))
        first = Text(f"{label:<{LABEL}}".ljust(column), style="cyan")
        first.append_text(wrapped[0])
        console.print(first, soft_wrap=True)
        for more in list(wrapped)[1:]:
            console.print(Padding(more, (0, 0, 0, column)), soft_wrap=True)
