"""Streams, events and graphs of a GPU that does everything at once, in order."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any

from .devices import CUDA


class Stream:
    """Work on it is done when the call returns."""

    cuda_stream = 0
    stream_id = 0
    device_type = 1
    device = CUDA
    device_index = 0
    priority = 0

    def __init__(self, *_: Any, **__: Any) -> None:
        self._outer: Any = None

    def query(self) -> bool:
        return True

    def is_capturing(self) -> bool:
        return False

    def synchronize(self) -> None: ...

    def wait_stream(self, stream: Any) -> None: ...

    def wait_event(self, event: Any) -> None: ...

    def record_event(self, event: Any = None) -> Any:
        event = event if event is not None else Event()
        event.record(self)
        return event

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None: ...


class Event:
    """Knows when it was recorded, so that elapsed_time tells the CPU's time."""

    cuda_event = 0
    device = CUDA

    def __init__(self, *_: Any, **__: Any) -> None:
        self._at = 0.0

    def record(self, stream: Any = None) -> None:
        self._at = time.perf_counter()

    def wait(self, stream: Any = None) -> None: ...

    def query(self) -> bool:
        return True

    def synchronize(self) -> None: ...

    def elapsed_time(self, end: Any) -> float:
        """Milliseconds from this event to another."""
        return float((end._at - self._at) * 1000)

    def ipc_handle(self) -> bytes:
        raise RuntimeError("an event cannot be shared: aoti-tui stands in for the GPU")


class CUDAGraph:
    """What is captured runs once, as it is written; the first replay is that run."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self._replays = 0

    def capture_begin(self, *_: Any, **__: Any) -> None:
        self._replays = 0

    def capture_end(self) -> None: ...

    def replay(self) -> None:
        self._replays += 1
        if self._replays > 1:
            raise RuntimeError(
                "a CUDA graph is replayed a second time, which aoti-tui cannot do: it runs the "
                "captured code once, when it is captured. Call the function without a graph"
            )

    def reset(self) -> None:
        self._replays = 0

    def pool(self) -> tuple[int, int]:
        return (0, 0)

    def debug_dump(self, *_: Any, **__: Any) -> None: ...

    def enable_debug_mode(self) -> None: ...


@contextlib.contextmanager
def graph(captured: CUDAGraph, *_: Any, **__: Any) -> Iterator[None]:
    captured.capture_begin()
    yield
    captured.capture_end()


def make_graphed_callables(callables: Any, *_: Any, **__: Any) -> Any:
    """They run without a graph."""
    return callables
