"""How a script is started: under which Python, with which settings."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from aoti_tui.artifacts.pipes import open_to_read
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.worker_process import WORKER

CONFIG = "AOTI_TUI_RUN"
"""The environment variable that tells the script's process what is wanted (worker/script/main)."""


@dataclass(frozen=True)
class ScriptCommand:
    """``arguments``: ``SCRIPT ARGS…`` or ``-m MODULE ARGS…``; ``settings``: what the script's
    process is told beside the address to connect to."""

    python: str
    arguments: tuple[str, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def line(self) -> list[str]:
        return [self.python, str(WORKER), *self.arguments]

    def environment(self, address: str) -> dict[str, str]:
        """The user's own environment, with what our side of the process needs."""
        config = {"address": address, **self.settings}
        return {**os.environ, CONFIG: json.dumps(config)}


def standard_input(path: Path) -> IO[bytes]:
    """What a script is to read on its standard input. Raises ReplayError."""
    try:
        return open_to_read(str(path), devices=True)
    except OSError as error:
        raise ReplayError(
            "bad-inputs",
            f"the standard input {path} cannot be read",
            error.strerror or str(error),
            "Name a file, or a pipe that something writes to, with --stdin",
        ) from error
