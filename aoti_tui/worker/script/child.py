"""The beginning of a process that the script spawned."""

from __future__ import annotations

import contextlib
import os
from typing import Any

from .main import install

# The modes that were entered hold as long as the process.
_ENTERED = contextlib.ExitStack()


def main(settings: dict[str, Any]) -> int:
    """Put the engine in place; the script's own code follows in this thread."""
    os.environ.pop("TRITON_INTERPRET", None)
    _ENTERED.enter_context(install(settings).script_calls())
    return 0
