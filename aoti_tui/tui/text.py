"""Texts fitted into cells of the screen; nothing in them is markup."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from aoti_tui.session.text import visible


def plain(text: str, style: str = "") -> Text:
    """``text`` as a rich Text without markup, each line made visible."""
    lines = [visible(line) for line in text.split("\n")]
    return Text("\n".join(lines), style=style, end="")


def fit(text: str, width: int) -> str:
    """``text`` padded or cut to ``width`` cells; a cut ends in ``…``."""
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(text, max(0, width - 1)) + "…" if width > 0 else ""


def fit_words(text: str, width: int) -> str:
    """``text`` cut to ``width`` cells between two words, with ``…``; a single long word is cut in
    its middle, and left out where too little of it would remain."""
    if cell_len(text) <= width:
        return text
    shown = ""
    for word in text.split():
        longer = f"{shown} {word}".strip()
        if cell_len(longer) > width - 1:
            break
        shown = longer
    shown = shown.rstrip(",;:=(")
    if shown:
        return shown.rstrip() + "…"
    return shorten_middle(text.split()[0], width) if width >= 10 else ""


def shorten_middle(text: str, width: int) -> str:
    """``text`` cut in the middle, so that both the family and the number of a kernel's name
    (``triton_poi_fused_…_index_4``) stay readable."""
    if cell_len(text) <= width or width < 5:
        return text if cell_len(text) <= width else fit(text, width)
    tail = (width - 1) // 2
    return text[: width - 1 - tail] + "…" + text[-tail:]
