"""What the user gave beside the wrapper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

BEYOND_SYMBOLS = 2.0**63
"""The least number that no symbol can have."""
LAUNCH_SECONDS = 120.0
"""How long one launch may take unless the user says otherwise."""


@dataclass(frozen=True, slots=True)
class Given:
    """Files and settings beside the wrapper, as the user gave them: from the command line down to
    the replay they travel as this one object."""

    inputs: Path | None = None
    """The model's arguments, from ``torch.save``."""
    settings: Mapping[str, int | float] = field(default_factory=dict)
    """Symbols that the user set, by name."""
    python: str | None = None
    """The Python that has torch and triton; None for the one that runs now."""
    constants: Path | None = None
    """Weights by their names."""
    tensors: Path | None = None
    """Folder of tensors captured on the GPU."""
    core: Path | None = None
    """GPU core dump of the failed run."""
    kernels: Path | None = None
    """Where kernel sources are that do not stand in the wrapper."""
    model: str | None = None
    """Which model of a package or folder."""
    binding: int = 0
    """Which of the ways is taken in which the inputs can be a graph's arguments."""
    seed: int = 0
    """For data that is made up where nothing is known."""
    timeout: float = LAUNCH_SECONDS
    """Seconds that one launch may take; 0 for as long as it wants."""
