"""The worker ends with the process that started it, whatever it is doing."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time

from .kernel_calls import NotOffered, die_with_parent

_EVERY_SECONDS = 0.5


def end_with_parent() -> None:
    """By a signal where the kernel sends one, and by a thread that looks."""
    parent = os.getppid()
    # Windows has no such signal; what follows is for all.
    with contextlib.suppress(NotOffered, AttributeError):
        die_with_parent(signal.SIGKILL)
    threading.Thread(target=_watch, args=(parent,), name="parent", daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_EVERY_SECONDS)
    os._exit(1)
