"""One worker for all tests of a process that do not care which: importing torch takes seconds."""

from __future__ import annotations

from functools import cache

from aoti_tui.replay.client import WorkerClient


@cache
def shared_worker() -> WorkerClient:
    """The worker; it starts with its first question. Sessions on it do not see each other."""
    return WorkerClient()
