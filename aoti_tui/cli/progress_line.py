"""What runs and how far it is, on one line of a terminal that is gone when the answer comes."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType

from aoti_tui.answer.incident import Workshop
from aoti_tui.cli.terminal_text import PlainOutput, without_orders

_EVERY_SECONDS = 0.2
_CLEAR = "\r\x1b[K"


class ProgressLine:
    """While it is open (``with``), a thread tells on standard error what the worker does; nothing
    where that is no terminal."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop
        # The program's own stream writes no orders to the terminal, which this line needs.
        self._stream = sys.__stderr__
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self._turn = threading.Lock()
        self._shown = ""

    def __enter__(self) -> ProgressLine:
        if self._stream is not None and self._stream.isatty():
            self._thread = threading.Thread(target=self._tell, daemon=True)
            self._thread.start()
            self._before_output(self.clear)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()
            self._before_output(None)
            self.clear()

    @staticmethod
    def _before_output(do: Callable[[], None] | None) -> None:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, PlainOutput):
                stream.before = do

    def clear(self) -> None:
        """Take the line away."""
        with self._turn:
            if self._shown and self._stream is not None:
                self._stream.write(_CLEAR)
                self._stream.flush()
                self._shown = ""

    def _tell(self) -> None:
        while not self._over.wait(_EVERY_SECONDS):
            session = self._workshop.session
            running = session.client.running if session is not None else None
            if session is None or running is None:
                continue
            width = shutil.get_terminal_size().columns - 1
            text = without_orders(running.words(session.doing, time.monotonic()))[:width]
            with self._turn:
                if text != self._shown and self._stream is not None:
                    self._stream.write(_CLEAR + text)
                    self._stream.flush()
                    self._shown = text
