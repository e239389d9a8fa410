"""A source that is not run."""

from __future__ import annotations

from .place import Place


class Refused(Exception):
    """The source is not what a kernel is made of; `line` counts in its file, `place` adds that."""

    def __init__(self, reason: str, line: int | None, file: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.file = file

    @property
    def place(self) -> Place | None:
        return Place(self.file, self.line) if self.line else None
