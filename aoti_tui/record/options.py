"""What is recorded and where to, out of the environment: the same for ``aoti-tui record``, for
``install()`` and for C++."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

FOLDER = "AOTI_TUI_RECORD_FOLDER"
"""Where every process puts its ring; set by ``aoti-tui record`` for all that it starts."""
BUNDLE = "AOTI_TUI_RECORD"
"""The bundle to write, for processes that are not started by ``aoti-tui record``."""
_CALLS = "AOTI_TUI_RECORD_CALLS"
_DATA = "AOTI_TUI_RECORD_DATA"
_RING = "AOTI_TUI_RECORD_RING"
_CONSTANTS = "AOTI_TUI_RECORD_CONSTANTS"
_ON_EXIT = "AOTI_TUI_RECORD_ON_EXIT"
_LAUNCHES = "AOTI_TUI_RECORD_LAUNCHES"

SMALL = 1 << 20
"""Bytes of a tensor of floats that ``small`` keeps."""
CHOICES = ("none", "small", "all")


@dataclass(frozen=True)
class Options:
    """``calls`` kept; floats kept (one of :data:`CHOICES`); ``ring`` bytes of data in all; whether
    parameters are kept as well; whether a bundle is written although nothing failed; the names of
    kernels (with ``*``, separated by commas) whose launches are kept before and after."""

    calls: int = 8
    data: str = "small"
    ring: int = 64 << 20
    constants: bool = False
    on_exit: bool = False
    launches: str = ""

    def memory(self) -> int:
        """Bytes of data that a process keeps: launches have a ring of their own."""
        return self.ring * 2 if self.launches else self.ring

    def as_environment(self) -> dict[str, str]:
        """The variables that say the same to a process."""
        return {
            _CALLS: str(self.calls),
            _DATA: self.data,
            _RING: str(self.ring),
            _CONSTANTS: str(int(self.constants)),
            _ON_EXIT: str(int(self.on_exit)),
            _LAUNCHES: self.launches,
        }


def options_of(environment: Mapping[str, str] = os.environ) -> Options:
    """The options of an environment; a value that is none of theirs counts as not set."""
    data = environment.get(_DATA, "")
    return Options(
        calls=_number(environment.get(_CALLS), 8, 1, 256),
        data=data if data in CHOICES else "small",
        ring=_number(environment.get(_RING), 64 << 20, 1 << 16, 1 << 40),
        constants=environment.get(_CONSTANTS) == "1",
        on_exit=environment.get(_ON_EXIT) == "1",
        launches=environment.get(_LAUNCHES, ""),
    )


def _number(text: str | None, default: int, least: int, most: int) -> int:
    try:
        return min(max(int(text or ""), least), most)
    except ValueError:
        return default
