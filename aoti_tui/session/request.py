"""What the user asked to open."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from aoti_tui.artifacts.given import Given
from aoti_tui.artifacts.log_file import LogText


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """A wrapper, perhaps a log, and what was given beside them.

    ``log_text`` is a log that was read already (``--log -``); ``log`` names a file.
    """

    wrapper: Path
    log: Path | None = None
    log_text: LogText | None = None
    given: Given = field(default_factory=Given)
    warm_up: bool = True
    """Let the worker import torch and triton while the user reads: no kernel runs by it."""
