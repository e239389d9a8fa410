"""Frames on the pipes of a worker that cannot be trusted to be one (worker/PROTOCOL.md).

Whatever program was named as the worker's Python is at the other end. It may say nothing, stop in
the middle, or never stop: nothing here waits without an end or keeps more than a frame may have.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

STALL_SECONDS = 4.0
"""How long a frame may stand still once it has begun: a worker writes and reads one at a time."""
_LOOK_EVERY_SECONDS = 0.25
_PIECE = 1 << 16
_LATE_SECONDS = 0.5
"""What a process that has ended or reads no more can still have on the way."""


class Ended(Exception):
    """The stream ended, or nothing more can come; `str()` says what was seen, if anything."""


class Nonsense(Exception):
    """What came is no frame; `str()` says what it is."""


class TooLate(Exception):
    """The deadline passed before a frame began."""


@dataclass(frozen=True, slots=True)
class Room:
    """How large one frame may be."""

    header: int = 64 << 20
    blobs: int = 4 << 30


SMALL = Room(header=1 << 20, blobs=0)
"""For an answer without data."""


class Pipes:
    """Both pipes of one worker process, one thread at a time."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._in = process.stdin.fileno()
        self._out = process.stdout.fileno()
        self._got = bytearray()
        os.set_blocking(self._in, False)

    def write(self, header: Mapping[str, Any]) -> None:
        """Send a request. Raises Ended where the worker does not read it."""
        data = memoryview(json.dumps(header).encode() + b"\n")
        ready = select.poll()
        ready.register(self._in, select.POLLOUT)
        while data:
            if not ready.poll(STALL_SECONDS * 1000):
                raise Ended("it does not read what it is asked")
            try:
                data = data[os.write(self._in, data[:_PIECE]) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise Ended("it closed its standard input") from error

    def read(
        self, deadline: float | None, room: Room
    ) -> tuple[dict[str, Any], tuple[memoryview, ...]]:
        """The next frame: its header and its blobs.

        ``deadline`` (of :func:`time.monotonic`) is for its first byte; a frame that has begun is
        read to its end. Raises Ended, Nonsense,
        TooLate.
        """
        if deadline is not None and time.monotonic() >= deadline:
            raise TooLate
        if not self._got:
            self._more(deadline)
        line = self._line(room.header)
        try:
            header = json.loads(line)
            sizes = header.get("blobs", ())
            wrong = any(type(size) is not int or size < 0 for size in sizes)
        except (ValueError, AttributeError, TypeError, RecursionError) as error:
            raise Nonsense(f"it begins with {line[:80]!r}") from error
        if wrong or sum(sizes) > room.blobs:
            raise Nonsense(f"it announces blobs of impossible sizes: {str(sizes)[:80]}")
        return header, tuple(self._blob(size) for size in sizes)

    def _line(self, longest: int) -> bytes:
        looked = 0
        while (end := self._got.find(b"\n", looked)) < 0:
            looked = len(self._got)
            if looked > longest:
                raise Nonsense(f"its first line never ends: {bytes(self._got[:80])!r}")
            self._more_of_frame()
        line = bytes(self._got[:end])
        del self._got[: end + 1]
        return line

    def _blob(self, size: int) -> memoryview:
        while len(self._got) < size:
            self._more_of_frame()
        if len(self._got) == size:
            found, self._got = self._got, bytearray()
        else:
            found = self._got[:size]
            del self._got[:size]
        return memoryview(found).toreadonly()

    def _more_of_frame(self) -> None:
        try:
            self._more(time.monotonic() + STALL_SECONDS)
        except TooLate as error:
            raise Nonsense(f"it stops in the middle: {bytes(self._got[:80])!r}") from error

    def _more(self, deadline: float | None) -> None:
        """Take in what has come, at least one byte."""
        ready = select.poll()
        ready.register(self._out, select.POLLIN)
        # Nothing is asked of it but to say that nobody reads it any more.
        ready.register(self._in, 0)
        last_words = ""
        while True:
            events = dict(ready.poll(self._wait(deadline)))
            if self._out in events:
                data = os.read(self._out, _PIECE)
                if not data:
                    raise Ended(last_words)
                self._got += data
                return
            if deadline is not None and time.monotonic() >= deadline:
                raise Ended(last_words) if last_words else TooLate
            # A child can hold the pipe open when the process itself has ended.
            ended = self._process.poll() is not None
            if (self._in in events or ended) and not last_words:
                last_words = "it ended" if ended else "it closed its standard input"
                deadline = time.monotonic() + _LATE_SECONDS
            if self._in in events:
                ready.unregister(self._in)

    @staticmethod
    def _wait(deadline: float | None) -> float:
        """Milliseconds until something must be looked at."""
        left = _LOOK_EVERY_SECONDS
        if deadline is not None:
            left = min(left, max(deadline - time.monotonic(), 0))
        return left * 1000
