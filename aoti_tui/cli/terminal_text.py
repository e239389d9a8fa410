"""Text that reaches a terminal or a pipe: nothing in it can be a command to the terminal.

What a wrapper, a log or a file name says is printed by every command. A terminal takes control
characters as orders: to set the clipboard, to move the cursor over what was said before.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import TextIO

_ORDERS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Controls of 7 and 8 bits but tab and newline, what turns the direction of writing around, and
halves of a character, which no encoding can write."""


def without_orders(text: str) -> str:
    """Each control character as ``\\u001b``, which JSON reads as the character it was."""
    return _ORDERS.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


class PlainOutput:
    """A stream of text on which control characters are written out (``with`` puts it in place).

    >>> with PlainOutput("stdout"), PlainOutput("stderr"): ...
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._stream: TextIO | None = None
        self.before: Callable[[], None] | None = None
        """Called before anything is written."""

    def __enter__(self) -> PlainOutput:
        self._stream = getattr(sys, self._name)
        setattr(sys, self._name, self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        setattr(sys, self._name, self._stream)

    @property
    def raw(self) -> TextIO | None:
        """The stream itself: for text without orders that gets colours of ours."""
        return self._stream

    def write(self, text: str) -> int:
        assert self._stream is not None
        if self.before is not None:
            self.before()
        self._stream.write(without_orders(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)
