"""Where something stands: a file and a line in it."""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """`file` is the name a source was compiled under; `line` counts from 1 (0: not known)."""

    file: str
    line: int


NOWHERE = Place("", 0)
