"""The first rows of the run pane, cut so that the values below them keep their room."""

from __future__ import annotations

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from aoti_tui.session.text import visible
from aoti_tui.tui.text import fit, plain

HINT = " … (M: all)"
LEAST, LOW, HIGH = 16, 20, 34
"""Heights of the pane under which there is room for the expression alone, under which words are
kept short, and above which they need not be."""


def most_rows(height: int) -> tuple[int, int, int]:
    """Rows for the status, the message and the expression, in a pane of ``height`` rows."""
    if height < LEAST:
        return 0, 0, 1
    if height < LOW:
        return 1, 1 if height < LOW - 2 else 2, 1
    return (2, height // 4, 3) if height >= HIGH else (2, 3, 2)


def short_status(text: str, width: int) -> str:
    """The status, without the versions at its end where one row does not hold it: what the data
    is must stay in sight."""
    parts = text.split(" · ")
    if cell_len(visible(text)) <= width or len(parts) < 2:
        return text
    return " · ".join((*parts[:-1], "… (M)"))


def cut(text: str, rows: int, width: int, console: Console) -> Text:
    """``text`` wrapped at ``width`` in at most ``rows`` rows; says where the rest is."""
    lines = plain(text).wrap(console, max(10, width))
    if len(lines) <= rows:
        return Text("\n", end="").join(list(lines))
    if rows == 1:
        # One row is filled to its end: words that are cut say more than a gap.
        first = visible(text.split("\n", 1)[0]) + " …"
        shown = Text(fit(first, max(10, width - len(HINT) + 1)).rstrip().rstrip("… "), end="")
    else:
        lines = plain(text).wrap(console, max(10, width - len(HINT)))
        shown = Text("\n", end="").join(list(lines[:rows]))
        shown.rstrip()
    return shown.append(HINT, "bold")
