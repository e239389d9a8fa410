"""How a script is started: under which Python, with which settings."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

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
