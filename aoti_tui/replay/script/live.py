"""A script that runs while the user looks on: what it tells and prints, and what it is asked."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from aoti_tui.replay.client import Progress, Reply, reply_error
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.script.command import ScriptCommand, standard_input
from aoti_tui.replay.script.gathering import Gathering
from aoti_tui.replay.script.model import STOPS, ScriptRun
from aoti_tui.replay.script.process import Connection, ScriptProcess

NEWS_SECONDS = 0.1
"""At most so often is told of news: a script can launch thousands of kernels a second."""


class LiveScript:
    """Runs a script and gathers what its processes tell. ``changed`` is called, from another
    thread, when there is news, which :meth:`run` gives. Thread-safe."""

    def __init__(self, command: ScriptCommand, title: str, stdin: Path | None = None) -> None:
        self.title = title
        self.changed: Callable[[], None] = lambda: None
        self._stdin = stdin
        # It stops at what is wrong, and can be asked about its launches after its end.
        settings = {**command.settings, "stop_at": list(STOPS), "stay": True}
        self._process = ScriptProcess(replace(command, settings=settings), self._event)
        self._gathering = Gathering(title)
        self._lock = threading.Lock()
        self._news = threading.Event()
        self._stale = False
        self._latest = self._gathering.run()
        self._connections: dict[int, Connection] = {}
        self._lines: tuple[tuple[str, int], ...] = ()
        self._closed = False

    # -- the process --------------------------------------------------------------------------

    def start(self) -> None:
        """Start the script. Raises ReplayError when its Python cannot be started or its standard
        input cannot be read."""
        with standard_input(self._stdin or Path(os.devnull)) as stdin:
            # One pipe: what was printed first is shown first.
            self._process.start(stdin, subprocess.PIPE, subprocess.STDOUT, apart=True)
        for work in (self._read_output, self._tell_news):
            threading.Thread(target=work, name="script", daemon=True).start()

    def close(self) -> None:
        """End the script and all that it started."""
        self._closed = True
        self._news.set()
        for connection in list(self._connections.values()):
            connection.tell("bye")
        self._process.close()

    @property
    def alive(self) -> bool:
        """Whether there is a process to ask."""
        process = self._process.process
        return process is not None and process.poll() is None

    # -- what is heard ------------------------------------------------------------------------

    def run(self) -> ScriptRun:
        """All that is known by now; the very same as before when there is no news."""
        with self._lock:
            if self._stale:
                self._latest, self._stale = self._gathering.run(), False
            return self._latest

    def _take(self, news: Callable[[Gathering], None]) -> None:
        with self._lock:
            news(self._gathering)
            self._stale = True
        self._news.set()

    def _tell_news(self) -> None:
        while not self._closed:
            self._news.wait()
            self._news.clear()
            if not self._closed:
                self.changed()
                time.sleep(NEWS_SECONDS)

    def _event(self, connection: Connection, event: Reply) -> None:
        if event.get("event") == "hello":
            self._connections[connection.pid] = connection
            self._send_stops(connection)
        try:
            self._take(lambda gathering: gathering.take(event, connection.pid))
        except (KeyError, TypeError, ValueError, IndexError) as error:
            told = f"what the script's process says is not understood: {error!r}"
            self._take(lambda gathering: gathering.fail(told))

    def _read_output(self) -> None:
        process = self._process.process
        assert process is not None
        assert process.stdout is not None
        stream = process.stdout.fileno()
        with contextlib.suppress(OSError):
            while data := os.read(stream, 65536):
                self._print(data.decode("utf-8", "replace"))
        code = process.wait()
        self._take(lambda gathering: gathering.left(code))

    def _print(self, text: str) -> None:
        self._take(lambda gathering: gathering.print(text))

    # -- what is asked ------------------------------------------------------------------------

    def request(
        self,
        process: int,
        do: str,
        *,
        doing: str = "",
        progress: Progress | None = None,
        **fields: Any,
    ) -> Reply:
        """Ask a process, and wait for its answer. Raises ReplayError."""
        connection = self._connections.get(process)
        if connection is None or not self.alive:
            raise ReplayError(
                "died",
                f"The script's process ended{f' before {doing}' if doing else ''}",
                "its launches live as long as it does",
                "Run the script again",
            )
        reply = connection.ask(do, progress, **fields)
        if reply.get("event") == "error":
            raise reply_error(reply, doing or do)
        return reply

    def go_on(self, process: int) -> None:
        """Let a process that stands go on."""
        self._take(lambda gathering: gathering.went_on(process))
        connection = self._connections.get(process)
        if connection is not None:
            connection.tell("continue")

    def pause(self) -> None:
        """Have every process stop at its next launch."""
        for connection in list(self._connections.values()):
            connection.tell("pause")

    def stop_at_lines(self, lines: Sequence[tuple[str, int]]) -> None:
        """Have launches stop whose source has a breakpoint on one of these lines of files."""
        if tuple(lines) != self._lines:
            self._lines = tuple(lines)
            for connection in list(self._connections.values()):
                self._send_stops(connection)

    def _send_stops(self, connection: Connection) -> None:
        lines = [list(at) for at in self._lines]
        connection.tell("stop_at", kinds=list(STOPS), lines=lines)
