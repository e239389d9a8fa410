"""Lets the script's torch operations be seen, on every thread that it starts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from .writers import Operations, Writers


def seeing(
    writers: Writers,
    changing: Callable[[int], None],
    outer: Callable[[], AbstractContextManager[Any]],
) -> Callable[[], AbstractContextManager[Any]]:
    """A context for the script's code: within `outer`, its operations seen.

    `changing` is told of each storage that is about to be overwritten, by its address.
    """

    @contextmanager
    def calls() -> Iterator[None]:
        with outer(), Operations(writers, changing):
            yield

    run = threading.Thread.run

    def run_seen(self: threading.Thread) -> None:
        # Modes of dispatch are a thread's own.
        with Operations(writers, changing):
            run(self)

    threading.Thread.run = run_seen  # type: ignore[method-assign]
    return calls
