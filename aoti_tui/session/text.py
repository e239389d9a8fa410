"""Text of files and values as text, made safe to show: nothing moves the cursor.

Sources, logs and names come from somewhere else. A control character in them must neither
reach the terminal nor vanish, so each becomes a visible sign of the same meaning.
"""

from __future__ import annotations

import os
import re
import unicodedata

NAME = re.compile(r"[^\W\d]\w*")
"""A name, in any of the languages that are shown."""
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


def number(value: object, digits: int = 6) -> str:
    """A value as the user would type it: ``0``, ``-1``, ``1.5``, ``True``, ``nan``."""
    if isinstance(value, float):
        return f"{value:.{digits}g}"
    return visible(str(value))


def shape(sizes: tuple[int, ...]) -> str:
    """``[8, 1024]``; ``scalar`` for a value without dimensions."""
    return f"[{', '.join(str(size) for size in sizes)}]" if sizes else "scalar"


def line_words(source: str, line: int) -> str:
    """``kernel line 46`` of a source that belongs to one kernel and is called after it,
    ``line 24 of main.py`` of a file."""
    if os.path.isabs(source):
        return f"line {line} of {visible(os.path.basename(source))}"
    return f"kernel line {line}"
