"""Text of files, made safe to show: nothing is markup, nothing moves the cursor.

Sources, logs and names come from somewhere else. A control character in them must neither
reach the terminal nor vanish, so each becomes a visible sign of the same meaning.
"""

from __future__ import annotations

import unicodedata

from rich.cells import cell_len, set_cell_size
from rich.text import Text

TAB_WIDTH = 4
ZERO_WIDTH_JOINER = "\u200d"


def _sign(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if character in (" ", "\u3000", ZERO_WIDTH_JOINER) or character.isprintable():
        return character
    if unicodedata.category(character) == "Zs":
        return " "
    return f"⟨U+{code:04X}⟩"


def visible(text: str) -> str:
    """``text`` as one line that can be shown: tabs expanded, control characters as signs.

    ``\\x1b`` becomes ``␛``, a newline ``␊``, a bidirectional override ``⟨U+202E⟩``. Emoji
    sequences and wide characters stay as they are.
    """
    if text.isprintable():
        return text
    shown: list[str] = []
    column = 0
    for character in text:
        sign = " " * (TAB_WIDTH - column % TAB_WIDTH) if character == "\t" else _sign(character)
        shown.append(sign)
        column += len(sign)
    return "".join(shown)


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


def number(value: object, digits: int = 6) -> str:
    """A value as the user would type it: ``0``, ``-1``, ``1.5``, ``True``, ``nan``."""
    if isinstance(value, float):
        return f"{value:.{digits}g}"
    return visible(str(value))


def plural(count: int, one: str, many: str = "") -> str:
    """``1 lane``, ``2 lanes``."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def shape(sizes: tuple[int, ...]) -> str:
    """``[8, 1024]``; ``scalar`` for a value without dimensions."""
    return f"[{', '.join(str(size) for size in sizes)}]" if sizes else "scalar"
