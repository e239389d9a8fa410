"""What the user asked to open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aoti_tui.artifacts.log_file import LogText


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """Files and settings of the command line, as the interface gets them.

    ``log_text`` is a log that was read already (``--log -``); ``log`` names a file.
    """

    wrapper: Path
    log: Path | None = None
    log_text: LogText | None = None
    inputs: Path | None = None
    settings: Mapping[str, float] = field(default_factory=dict)
    python: str | None = None
    constants: Path | None = None
    tensors: Path | None = None
    kernels: Path | None = None
    model: str | None = None
    seed: int = 0
    demo: bool = False
    warm_up: bool = True
    """Let the worker import torch and triton while the user reads: no kernel runs by it."""
