"""The connection to whoever started the script: events out, requests in (RUN.md's frames)."""

from __future__ import annotations

import os
import socket
import threading
from typing import Any, BinaryIO

from ..protocol.frames import Blobs, FrameError, read_frame, write_frame


class Host:
    """One connection a process; a forked child opens its own. Without a listener all is silent."""

    def __init__(self, address: str | None) -> None:
        self.address = address
        self._lock = threading.RLock()
        self._output: BinaryIO | None = None
        self._input: BinaryIO | None = None
        self._hello: dict[str, Any] = {}

    def connect(self, hello: dict[str, Any]) -> None:
        """Say who this process is."""
        self._hello = hello
        self._open()
        os.register_at_fork(
            before=lambda: self._lock.acquire(),
            after_in_parent=lambda: self._lock.release(),
            after_in_child=self._forked,
        )

    def _open(self) -> None:
        if self.address is None:
            return
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(self.address)
        except OSError:
            # Nobody listens any more: the script runs on without.
            return
        self._output = connection.makefile("wb")
        self._input = connection.makefile("rb")
        self.send("hello", **self._hello)

    def _forked(self) -> None:
        # The parent's connection is not ours; nothing is unsent, since fork waits for the lock.
        self._output = self._input = None
        self._lock = threading.RLock()
        self._open()

    def send(self, event: str, blobs: Blobs | None = None, **fields: Any) -> None:
        """One event or reply."""
        if self._output is None:
            return
        with self._lock:
            try:
                write_frame(self._output, {"event": event, "pid": os.getpid(), **fields}, blobs)
            except (OSError, ValueError):
                self._output = None

    def gone(self) -> None:
        """Nobody is there any more."""
        self._output = self._input = None

    def request(self) -> dict[str, Any] | None:
        """The next request; None when there will be none."""
        if self._input is None:
            return None
        try:
            frame = read_frame(self._input)
        except (OSError, FrameError):
            return None
        return frame[0] if frame is not None else None
