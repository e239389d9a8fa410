"""A blocking client of the worker process (the protocol is worker/PROTOCOL.md)."""

from __future__ import annotations

import collections
import contextlib
import itertools
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, get_args

from aoti_tui.replay.errors import Kind, ReplayError

Progress = Callable[[int, int], None]
"""Called with (done, total) programs while a request runs."""

WORKER = Path(__file__).resolve().parent.parent / "worker" / "__main__.py"
_KEPT = """
PATH LD_LIBRARY_PATH DYLD_LIBRARY_PATH PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE LANG TZ
CONDA_PREFIX VIRTUAL_ENV SYSTEMROOT
"""
_KEPT_BEGINNINGS = ("LC_", "OMP_", "MKL_", "KMP_", "OPENBLAS_")
STDERR_LINES = 40
HELLO_SECONDS = 60.0
CANCEL_GRACE_SECONDS = 5.0
"""How long a request may go on after SIGINT before the process is killed. A single numpy
operation on a very large block cannot be interrupted by a signal handler of Python."""

CANCEL_EVERY_SECONDS = 0.25

_DO = {
    "unavailable": "Install torch and triton for this Python, or name another with --python",
    "refused": "Only kernels as Inductor writes them are run; look at the line that is named",
    "unsupported": "The rest of the model can still be replayed; values here stay unknown",
    "cancelled": "Run it again when you want it",
    "python": "Look at the kernel line that is named; the other kernels can still be replayed",
    "bad-request": "This is a fault of aoti-tui: please report it with the wrapper",
}


_KINDS: dict[str, Kind] = {kind: kind for kind in get_args(Kind)}


class Reply(dict[str, Any]):
    """The fields of a result, with :attr:`blobs` beside them."""

    def __init__(self, fields: Mapping[str, Any], blobs: Sequence[memoryview]) -> None:
        super().__init__(fields)
        self.blobs: tuple[memoryview, ...] = tuple(blobs)


class WorkerClient:
    """Starts the worker when it is needed, asks it one thing at a time, survives its death.

    Thread-safe: requests of several threads queue up, :meth:`cancel` may be called from any
    thread at any time. :attr:`generation` grows with every start, so that a caller notices that
    the tensors it had put into the process are gone.
    """

    def __init__(self, python: str | None = None) -> None:
        self.python = python or sys.executable
        self.generation = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._turn = threading.RLock()
        self._state = threading.Lock()
        self._ids = itertools.count(1)
        self._spaces = itertools.count(1)
        self._running: str | None = None
        self._cancelled = False
        self._stderr: collections.deque[str] = collections.deque(maxlen=STDERR_LINES)
        self._stderr_thread: threading.Thread | None = None
        self._keeper: threading.Thread | None = None
        self._closed = False

    def namespace(self) -> str:
        """A prefix for names of tensors and kernels that nobody else who shares this worker has."""
        return f"{next(self._spaces)}/"

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
            return self._ask(process, do, doing or do, progress, fields)

    def cancel(self) -> bool:
        """Stop the request that is running; False when none is.

        The worker answers ``cancelled`` and keeps its tensors; when it does not react it is killed.
        """
        with self._state:
            process, running = self._process, self._running
            if process is None or running is None or process.poll() is not None:
                return False
            self._cancelled = True
        threading.Thread(
            target=self._interrupt, args=(process, running), name="cancel", daemon=True
        ).start()
        return True

    def _interrupt(self, process: subprocess.Popen[bytes], running: str) -> None:
        """Ask until the request ends: a signal that comes before the worker has begun with it is
        ignored there."""
        deadline = time.monotonic() + CANCEL_GRACE_SECONDS
        while time.monotonic() < deadline:
            with self._state:
                if self._running != running or process.poll() is not None:
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

    def _started(self) -> subprocess.Popen[bytes]:
        if self._closed:
            raise ReplayError(
                "cancelled", "The replay was closed", "the session has ended", "Open it again"
            )
        if self._process is not None:
            if self._process.poll() is None:
                return self._process
            self._release(self._process)
        self._process = self._start()
        self.generation += 1
        return self._process

    def _start(self) -> subprocess.Popen[bytes]:
        self._check_python()
        self._stderr = collections.deque(maxlen=STDERR_LINES)
        process, self._keeper = _spawned(self.python)
        if isinstance(process, OSError):
            raise self._bad_python(process.strerror or str(process)) from process
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
            timer = threading.Timer(HELLO_SECONDS, process.kill)
            timer.daemon = True
            timer.start()
            try:
                return self._ask(process, "hello", "starting the worker", None, {})
            except ReplayError as error:
                if error.kind in ("died", "bad-request"):
                    raise self._bad_python(error.why) from error
                raise
            finally:
                timer.cancel()

    def _ask(
        self,
        process: subprocess.Popen[bytes],
        do: str,
        doing: str,
        progress: Progress | None,
        fields: Mapping[str, Any],
    ) -> Reply:
        assert process.stdin is not None
        assert process.stdout is not None
        request = {"id": next(self._ids), "do": do, **fields}
        with self._state:
            self._running = f"{request['id']} {doing}"
            self._cancelled = False
        finished = False
        try:
            try:
                process.stdin.write(json.dumps(request).encode() + b"\n")
                process.stdin.flush()
            except OSError as error:
                raise self._died(process, doing) from error
            reply = self._answer(process, process.stdout, request["id"], doing, progress)
            finished = True
        except ReplayError:
            finished = True
            raise
        finally:
            with self._state:
                self._running = None
            if not finished:
                # Interrupted half way through a frame: what follows on the pipe has no meaning.
                process.kill()
        if reply.get("event") == "error":
            raise _error(reply, doing)
        return reply

    def _answer(
        self,
        process: subprocess.Popen[bytes],
        stdout: IO[bytes],
        identity: int,
        doing: str,
        progress: Progress | None,
    ) -> Reply:
        while True:
            line = stdout.readline()
            if not line.endswith(b"\n"):
                raise self._died(process, doing)
            try:
                header = json.loads(line)
                blobs = [self._blob(process, stdout, n, doing) for n in header.get("blobs", ())]
            except (ValueError, AttributeError) as error:
                process.kill()
                raise ReplayError(
                    "bad-request",
                    f"The worker's answer while {doing} is not understood",
                    f"it begins with {line[:80]!r}",
                    _DO["bad-request"],
                ) from error
            if header.get("id") != identity:
                continue
            if header.get("event") == "progress":
                if progress is not None:
                    progress(int(header.get("done", 0)), int(header.get("total", 0)))
                continue
            return Reply(header, blobs)

    def _blob(
        self, process: subprocess.Popen[bytes], stdout: IO[bytes], size: int, doing: str
    ) -> memoryview:
        data = stdout.read(size)
        if len(data) != size:
            raise self._died(process, doing)
        return memoryview(data)

    def _died(self, process: subprocess.Popen[bytes], doing: str) -> ReplayError:
        try:
            process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if self._stderr_thread is not None:
            self._stderr_thread.join(timeout=1)
        if self._cancelled:
            return ReplayError(
                "cancelled",
                f"Cancelled while {doing}",
                "the worker did not stop by itself and was ended",
                "Run it again: the worker starts anew by itself",
            )
        why = _end_of(process.returncode)
        last = [line for line in self._stderr if line.strip()][-6:]
        if last:
            why += "; its last lines: " + " | ".join(last)
        return ReplayError(
            "died",
            f"The worker process ended while {doing}",
            why,
            "The interface is not affected: run it again, the worker starts anew by itself",
        )

    def _kill_if_running(self, process: subprocess.Popen[bytes], running: str) -> None:
        with self._state:
            if self._running == running and process.poll() is None:
                process.kill()

    def _release(self, process: subprocess.Popen[bytes]) -> None:
        if self._keeper is not None:
            # This program may end next, and the worker's folder must not be left.
            self._keeper.join(timeout=2)
        if self._stderr_thread is not None:
            self._stderr_thread.join(timeout=1)
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue
        self._process = None


def _spawned(python: str) -> tuple[subprocess.Popen[bytes] | OSError, threading.Thread]:
    """A worker, or why it could not be started, and the thread that clears up behind it.

    It gets a signal when the thread that started it ends, so a thread does that and nothing else
    until the worker has ended.
    """
    started: queue.SimpleQueue[subprocess.Popen[bytes] | OSError] = queue.SimpleQueue()
    keeper = threading.Thread(target=_look_after, args=(python, started), daemon=True)
    keeper.start()
    return started.get(), keeper


def _look_after(python: str, started: queue.SimpleQueue[subprocess.Popen[bytes] | OSError]) -> None:
    # Named as a path it must be found from the worker's own folder too.
    program = os.path.abspath(python) if os.path.dirname(python) else python
    folder = ""
    try:
        folder = tempfile.mkdtemp(prefix="aoti-tui-worker-")
        process = subprocess.Popen(
            [program, str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=worker_environment(os.environ, folder),
            start_new_session=True,
        )
    except OSError as error:
        started.put(error)
        shutil.rmtree(folder, ignore_errors=True)
        return
    started.put(process)
    process.wait()
    # End what a worker leaves behind: a child of a shell script that was named as Python would
    # hold the pipe open, and whoever waits for an answer would wait for ever.
    with contextlib.suppress(OSError):
        # A session of its own: its group has the worker's number and nothing else of ours.
        os.killpg(process.pid, signal.SIGKILL)
    shutil.rmtree(folder, ignore_errors=True)


def worker_environment(ours: Mapping[str, str], folder: str) -> dict[str, str]:
    """What a worker is told of our environment: how to find and run the user's torch, no more.

    ``folder`` is its own: what torch and triton would keep in the user's home goes there.
    """
    kept = {k: v for k, v in ours.items() if k in _KEPT.split() or k.startswith(_KEPT_BEGINNINGS)}
    if "PYTHONPATH" in kept:
        # Relative to where we are, not to where the worker is.
        parts = kept["PYTHONPATH"].split(os.pathsep)
        kept["PYTHONPATH"] = os.pathsep.join(os.path.abspath(part) for part in parts)
    own = ("HOME", "TMPDIR", "TMP", "TEMP", "TRITON_HOME", "TRITON_CACHE_DIR", "XDG_CACHE_HOME")
    kept |= dict.fromkeys((*own, "TORCHINDUCTOR_CACHE_DIR", "TORCH_HOME"), folder)
    return {**kept, "PYTHONUNBUFFERED": "1", "AOTI_TUI_CONTAIN": "1", "USER": "aoti-tui"}


def _keep_lines(pipe: IO[bytes], lines: collections.deque[str]) -> None:
    try:
        for raw in pipe:
            lines.append(raw.decode("utf-8", "replace").rstrip("\n"))
    except (OSError, ValueError):
        return


def _end_of(code: int | None) -> str:
    if code is None:
        return "it gave no exit status"
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return f"it was ended by {name}"
    return f"it exited with status {code}"


def _error(reply: Reply, doing: str) -> ReplayError:
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
