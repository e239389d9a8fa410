"""A blocking client of the worker process (the protocol is worker/PROTOCOL.md)."""

from __future__ import annotations

import collections
import itertools
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, get_args

from aoti_tui.artifacts.given import LAUNCH_SECONDS
from aoti_tui.replay.errors import Kind, ReplayError
from aoti_tui.replay.frames import SMALL, Ended, Nonsense, Pipes, Room, TooLate
from aoti_tui.replay.worker_process import NoFolder, Process, end_of, spawned

Progress = Callable[[int, int], None]
"""Called with (done, total) programs while a request runs."""

STDERR_LINES = 40
STDERR_LINE_BYTES = 1000
HELLO_SECONDS = 30.0
IMPORT_SECONDS = 600.0
"""What importing torch may take, from a cold disk of another machine too."""
CANCEL_GRACE_SECONDS = 5.0
"""How long a request may go on after SIGINT before the process is killed. A single numpy
operation on a very large block cannot be interrupted by a signal handler of Python."""

CANCEL_EVERY_SECONDS = 0.25
PATIENCE_SECONDS = 5.0
"""From then on it is said how long a request has taken, and what it may take."""

_DO = {
    "unavailable": "Install torch and triton for this Python, or name another with --python",
    "refused": "Only kernels as Inductor writes them are run; look at the line that is named",
    "unsupported": "The rest of the model can still be replayed; values here stay unknown",
    "cancelled": "Run it again when you want it",
    "timeout": "Give it more time with --timeout SECONDS (0 for no limit)",
    "python": "Look at the kernel line that is named; the other kernels can still be replayed",
    "bad-request": "This is a fault of aoti-tui: please report it with the wrapper",
}


_KINDS: dict[str, Kind] = {kind: kind for kind in get_args(Kind)}


class Reply(dict[str, Any]):
    """The fields of a result, with :attr:`blobs` beside them."""

    def __init__(self, fields: Mapping[str, Any], blobs: Sequence[memoryview]) -> None:
        super().__init__(fields)
        self.blobs: tuple[memoryview, ...] = tuple(blobs)


@dataclass(slots=True, eq=False)
class Running:
    """A request that was sent: what it does, since when (of :func:`time.monotonic`), the seconds
    it may take (0 for any), and how many of its programs are done."""

    doing: str
    since: float
    limit: float
    done: int = 0
    total: int = 0

    def words(self, doing: str, now: float) -> str:
        """``scanning k (:42) … 45%, 12 s of 120 s``; ``doing`` is what it is a part of, if
        anything."""
        said = [f"{self.done / self.total:.0%}"] if self.done and self.total else []
        taken = now - self.since
        if taken >= PATIENCE_SECONDS:
            said.append(f"{taken:.0f} s" + (f" of {self.limit:g} s" if self.limit else ""))
        return f"{doing or self.doing} … {', '.join(said)}".replace("\n", " ").rstrip()


class WorkerClient:
    """Starts the worker when it is needed, asks it one thing at a time, survives its death.

    Thread-safe: requests of several threads queue up, :meth:`cancel` may be called from any
    thread at any time. :attr:`generation` grows with every start, so that a caller notices that
    the tensors it had put into the process are gone.
    """

    def __init__(self, python: str | None = None, limit: float = LAUNCH_SECONDS) -> None:
        """``limit``: seconds that one request may take, 0 for as long as it wants."""
        self.python = python or sys.executable
        self.limit = limit
        self.generation = 0
        self._process: Process | None = None
        self._pipes: Pipes | None = None
        self._turn = threading.RLock()
        self._state = threading.Lock()
        self._ids = itertools.count(1)
        self._spaces = itertools.count(1)
        self._running: Running | None = None
        self._warm = False
        self._cancelled = False
        self._timed_out = False
        self._stderr: collections.deque[str] = collections.deque(maxlen=STDERR_LINES)
        self._stderr_thread: threading.Thread | None = None
        self._keeper: threading.Thread | None = None
        self._closed = False

    def namespace(self) -> str:
        """A prefix for names of tensors and kernels that nobody else who shares this worker has."""
        return f"{next(self._spaces)}/"

    @property
    def running(self) -> Running | None:
        """What the worker does; None when it waits."""
        return self._running

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def request(
        self, do: str, *, doing: str = "", progress: Progress | None = None, **fields: Any
    ) -> Reply:
        """Ask for ``do`` and wait for the result.

        ``doing`` says it in the user's words ("replaying kernel … (:1367)"), for the message when
        the worker dies meanwhile. Raises ReplayError.
        """
        with self._turn:
            process = self._started()
            if not self._warm:
                # Apart from what it is imported for: that has less time.
                words = "importing torch and triton"
                warmed = self._ask(process, "warm", words, None, IMPORT_SECONDS, {})
                self._warm = True
                if do == "warm":
                    return warmed
            return self._ask(process, do, doing or do, progress, self.limit, fields)

    def cancel(self) -> bool:
        """Stop the request that is running; False when none is.

        The worker answers ``cancelled`` and keeps its tensors; when it does not react it is killed.
        """
        with self._state:
            process, running = self._process, self._running
            if process is None or running is None or process.poll() is not None:
                return False
            self._cancelled = True
        self._interrupt_aside(process, running)
        return True

    def _interrupt_aside(self, process: Process, running: Running) -> None:
        """End a request that runs, in a thread."""
        threading.Thread(
            target=self._interrupt, args=(process, running), name="cancel", daemon=True
        ).start()

    def _interrupt(self, process: Process, running: Running) -> None:
        """Ask until the request ends: a signal that comes before the worker has begun with it is
        ignored there."""
        deadline = time.monotonic() + CANCEL_GRACE_SECONDS
        while time.monotonic() < deadline:
            with self._state:
                if self._running is not running or process.poll() is not None:
                    return
                process.send_signal(signal.SIGINT)
            time.sleep(CANCEL_EVERY_SECONDS)
        self._kill_if_running(process, running)

    def close(self) -> None:
        """End the worker. The client cannot be used afterwards."""
        self._closed = True
        process = self._process
        if process is None:
            return
        if self._running is not None:
            process.kill()
        elif process.stdin is not None:
            try:
                process.stdin.close()
            except OSError:
                process.kill()
        try:
            process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self._release(process)

    def _started(self) -> Process:
        if self._closed:
            raise ReplayError(
                "cancelled", "The replay was closed", "the session has ended", "Open it again"
            )
        if self._process is not None:
            if self._process.poll() is None:
                return self._process
            self._release(self._process)
        self._process = self._start()
        self._warm = False
        self.generation += 1
        return self._process

    def _start(self) -> Process:
        self._check_python()
        self._stderr = collections.deque(maxlen=STDERR_LINES)
        try:
            process, self._keeper = spawned(self.python)
        except NoFolder as error:
            raise ReplayError(
                "unavailable",
                "The worker has no folder to work in",
                str(error),
                "Set TMPDIR to a folder that can be written and has room",
            ) from error
        except OSError as error:
            raise self._bad_python(error.strerror or str(error)) from error
        self._pipes = Pipes(process)
        assert process.stderr is not None
        self._stderr_thread = threading.Thread(
            target=_keep_lines, args=(process.stderr, self._stderr), daemon=True
        )
        self._stderr_thread.start()
        return process

    def _check_python(self) -> None:
        path = Path(self.python)
        if path.is_dir():
            inside = path / "bin" / "python"
            hint = f"Name the program itself: --python {inside}" if inside.exists() else None
            raise self._bad_python("it is a folder", hint)

    def _bad_python(self, why: str, do: str | None = None) -> ReplayError:
        return ReplayError(
            "unavailable",
            f"{self.python} could not be started as the Python that replays kernels",
            why,
            do or "Name a Python that has torch and triton with --python",
        )

    def hello(self) -> Reply:
        """What the worker's Python has; answers before torch is imported."""
        with self._turn:
            process = self._started()
            try:
                return self._ask(
                    process, "hello", "starting the worker", _none, HELLO_SECONDS, {}, SMALL
                )
            except ReplayError as error:
                if self._timed_out:
                    why = f"it has said nothing for {HELLO_SECONDS:g} s"
                    raise self._bad_python(why) from error
                if error.kind in ("died", "bad-request"):
                    raise self._bad_python(error.why) from error
                raise

    def _ask(
        self,
        process: Process,
        do: str,
        doing: str,
        progress: Progress | None,
        limit: float,
        fields: Mapping[str, Any],
        room: Room | None = None,
    ) -> Reply:
        assert self._pipes is not None
        request = {"id": next(self._ids), "do": do, **fields}
        running = Running(doing, time.monotonic(), limit)
        with self._state:
            self._running = running
            self._cancelled = self._timed_out = False
        finished = False
        try:
            self._pipes.write(request)
            reply = self._answer(process, running, request["id"], progress, room or Room())
            finished = True
        except Ended as error:
            finished = True
            raise self._died(process, doing, limit, str(error)) from error
        except Nonsense as error:
            raise ReplayError(
                "bad-request",
                f"The worker's answer while {doing} is not understood",
                str(error),
                _DO["bad-request"],
            ) from error
        finally:
            with self._state:
                self._running = None
            if not finished:
                # Whatever follows on the pipe has no meaning.
                process.kill()
        if reply.get("event") == "error":
            late = self._timed_out and reply.get("kind") == "cancelled"
            raise _too_long(doing, limit) if late else reply_error(reply, doing)
        return reply

    def _answer(
        self,
        process: Process,
        running: Running,
        identity: int,
        progress: Progress | None,
        room: Room,
    ) -> Reply:
        assert self._pipes is not None
        deadline = running.since + running.limit if running.limit else None
        while True:
            try:
                header, blobs = self._pipes.read(deadline, room)
            except TooLate:
                deadline, self._timed_out = None, True
                self._interrupt_aside(process, running)
                continue
            event = header.get("event")
            if header.get("id") != identity:
                raise Nonsense(f"it answers {str(header.get('id'))[:40]}, not {identity}")
            if event in ("result", "error"):
                return Reply(header, blobs)
            done, total = header.get("done"), header.get("total")
            if event != "progress" or not isinstance(done, int) or not isinstance(total, int):
                raise Nonsense(f"it begins with {str(header)[:80]}")
            running.done, running.total = done, total
            if progress is not None:
                progress(done, total)

    def _died(self, process: Process, doing: str, limit: float, seen: str) -> ReplayError:
        try:
            process.wait(timeout=0.5 if seen else 2)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        else:
            seen = ""
        if self._stderr_thread is not None:
            self._stderr_thread.join(timeout=1)
        if self._timed_out:
            return _too_long(doing, limit, ended=True)
        if self._cancelled:
            return ReplayError(
                "cancelled",
                f"Cancelled while {doing}",
                "the worker did not stop by itself and was ended",
                "Run it again: the worker starts anew by itself",
            )
        why = seen or end_of(process.returncode)
        last = [line for line in self._stderr if line.strip()][-6:]
        if last:
            why += "; its last lines: " + " | ".join(last)
        return ReplayError(
            "died",
            f"The worker process ended while {doing}",
            why,
            "The interface is not affected: run it again, the worker starts anew by itself",
        )

    def _kill_if_running(self, process: Process, running: Running) -> None:
        with self._state:
            if self._running is running and process.poll() is None:
                process.kill()

    def _release(self, process: Process) -> None:
        if self._keeper is not None:
            # This program may end next, and the worker's folder must not be left.
            self._keeper.join(timeout=2)
        reading = self._stderr_thread
        if reading is not None:
            reading.join(timeout=1)
        pipes = [process.stdin, process.stdout]
        if reading is None or not reading.is_alive():
            # Closing it would wait for whoever reads, and a child may hold the other end.
            pipes.append(process.stderr)
        for pipe in pipes:
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue
        self._process = self._pipes = None


def _keep_lines(pipe: IO[bytes], lines: collections.deque[str]) -> None:
    try:
        while raw := pipe.readline(STDERR_LINE_BYTES):
            lines.append(raw.decode("utf-8", "replace").rstrip("\n"))
    except (OSError, ValueError):
        return


def _none(done: int, total: int) -> None:
    """The progress of what has none."""
    raise Nonsense(f"it tells a progress of {done} of {total}")


def _too_long(doing: str, limit: float, *, ended: bool = False) -> ReplayError:
    """``ended``: the process had to be killed, and all that stood in it is gone."""
    why = f"no answer came within {limit:g} s (--timeout)"
    if ended:
        why += ", and it had to be killed"
    return ReplayError(
        "died" if ended else "timeout", f"Stopped while {doing}", why, _DO["timeout"]
    )


def reply_error(reply: Reply, doing: str) -> ReplayError:
    """What an ``error`` of a worker says, in our order."""
    kind = _KINDS.get(str(reply.get("kind")), "bad-request")
    message = str(reply.get("message", ""))
    reason = str(reply.get("reason", ""))
    missing = reply.get("missing")
    line = reply.get("kernel_line")
    why = message if not reason or reason in message else f"{message}: {reason}".lstrip(": ")
    if missing:
        names = missing if isinstance(missing, str) else ", ".join(str(m) for m in missing)
        why = f"{why} (missing: {names})" if why else f"missing: {names}"
    where = f" at kernel line {line}" if line else ""
    what = {
        "cancelled": f"Cancelled while {doing}",
        "unavailable": "This Python cannot replay kernels",
    }.get(kind, f"Stopped while {doing}{where}")
    return ReplayError(
        kind,
        what,
        why.rstrip(".") or "no reason was given",
        _DO.get(kind, _DO["bad-request"]),
        file=reply.get("file"),
        kernel_line=int(line) if line else None,
    )
