"""Starts a script and listens to it and to every process that it makes."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

from aoti_tui.replay.client import Reply
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.script.command import ScriptCommand

OnEvent = Callable[["Connection", Reply], None]
_REPLIES = ("result", "error", "progress")


class Connection:
    """One process of the script: its events arrive, and it can be asked while it waits."""

    def __init__(self, connected: socket.socket) -> None:
        self.pid = 0
        self._socket = connected
        self._input = connected.makefile("rb")
        self._output = connected.makefile("wb")
        self._write = threading.Lock()
        self._answers: queue.SimpleQueue[Reply | None] = queue.SimpleQueue()
        self._turn = threading.Lock()
        self._ids = 0

    def read(self, on_event: OnEvent) -> None:
        """Pass every event on until the process closes its end."""
        try:
            while (frame := self._frame()) is not None:
                if frame.get("event") in _REPLIES and "id" in frame and "do" not in frame:
                    self._answers.put(frame)
                    continue
                self.pid = int(frame.get("pid") or self.pid)
                on_event(self, frame)
        finally:
            self._answers.put(None)

    def _frame(self) -> Reply | None:
        try:
            line = self._input.readline()
            if not line.endswith(b"\n"):
                return None
            header = json.loads(line)
            blobs = [memoryview(self._input.read(n)) for n in header.get("blobs", ())]
        except (OSError, ValueError):
            return None
        return Reply(header, blobs)

    def tell(self, do: str, **fields: Any) -> None:
        """A request that has no answer (``continue``, ``bye``)."""
        with self._write, contextlib.suppress(OSError, ValueError):
            self._output.write(json.dumps({"do": do, **fields}).encode() + b"\n")
            self._output.flush()

    def ask(
        self, do: str, progress: Callable[[int, int], None] | None = None, **fields: Any
    ) -> Reply:
        """The reply to a request, ``result`` or ``error``. Raises ReplayError when the process
        ends first."""
        with self._turn:
            self._ids += 1
            self.tell(do, id=self._ids, **fields)
            while (reply := self._answers.get()) is not None:
                if reply.get("id") != self._ids:
                    continue
                if reply.get("event") != "progress":
                    return reply
                if progress is not None:
                    progress(int(reply.get("done", 0)), int(reply.get("total", 0)))
            self._answers.put(None)
        raise ReplayError(
            "died",
            f"The script's process ended while asked to {do}",
            "nothing more can be asked of it",
            "Run the script again",
        )

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


class ScriptProcess:
    """A running script. ``on_event`` is called from the threads that listen, one at a time."""

    def __init__(self, command: ScriptCommand, on_event: OnEvent) -> None:
        self.command = command
        self._on_event = on_event
        self._one = threading.Lock()
        self._folder = tempfile.mkdtemp(prefix="aoti-tui-run-")
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.connections: list[Connection] = []
        self._readers: list[threading.Thread] = []
        self.process: subprocess.Popen[bytes] | None = None
        self._apart = False

    def start(
        self,
        stdin: int | IO[Any] | None = None,
        stdout: int | IO[Any] | None = None,
        stderr: int | IO[Any] | None = None,
        folder: Path | None = None,
        *,
        apart: bool = False,
    ) -> None:
        """Start the script; its streams and its folder are ours unless others are given. Raises
        ReplayError.

        ``apart``: no terminal is its own, what it prints comes at once, and all that it has
        started ends with it.
        """
        self._apart = apart
        address = os.path.join(self._folder, "events")
        self._listener.bind(address)
        self._listener.listen()
        threading.Thread(target=self._accept, name="script-listener", daemon=True).start()
        try:
            self.process = subprocess.Popen(
                self.command.line,
                env={
                    **self.command.environment(address),
                    **({"PYTHONUNBUFFERED": "1"} if apart else {}),
                },
                start_new_session=apart,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                cwd=folder,
            )
        except OSError as error:
            self.close()
            raise ReplayError(
                "unavailable",
                f"{self.command.python} could not be started as the Python that runs the script",
                error.strerror or str(error),
                "Name a Python that has torch and triton with --python",
            ) from error

    def _accept(self) -> None:
        while True:
            try:
                connected, _ = self._listener.accept()
            except OSError:
                return
            connection = Connection(connected)
            self.connections.append(connection)
            reader = threading.Thread(
                target=connection.read, args=(self._event,), name="script-events", daemon=True
            )
            self._readers.append(reader)
            reader.start()

    def _event(self, connection: Connection, event: Reply) -> None:
        with self._one:
            self._on_event(connection, event)

    def on_left(self, call: Callable[[], None]) -> None:
        """Have something called, from a thread of its own, once the script's process has ended."""
        process = self.process
        assert process is not None

        def watch() -> None:
            process.wait()
            call()

        threading.Thread(target=watch, name="script-end", daemon=True).start()

    def wait(self) -> int:
        """The exit status, when the script has ended and all that it sent has been passed on.

        A process that a signal ended has the negative number of that signal.
        """
        assert self.process is not None
        while True:
            try:
                code = self.process.wait()
                break
            except KeyboardInterrupt:
                # The terminal sent it to the script too, which decides what it means.
                continue
        for reader in self._readers:
            reader.join(timeout=5)
        return code

    def close(self) -> None:
        """End the script if it still runs, and leave nothing behind."""
        if self.process is not None and self._apart:
            with contextlib.suppress(OSError):
                # A session of its own: its group has its number and nothing else of ours.
                os.killpg(self.process.pid, signal.SIGKILL)
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._listener.close()
        for connection in self.connections:
            connection.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def exit_code(status: int) -> int:
    """What a shell makes of an exit status."""
    return 128 - status if status < 0 else status


def only(event: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """These fields of an event, None where it lacks one."""
    return {name: event.get(name) for name in names}
