"""Starting the process of a worker, and clearing up behind it."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path

from aoti_tui.replay.worker_folder import WorkerFolder

WORKER = Path(__file__).resolve().parent.parent / "worker" / "__main__.py"
_KEPT = """
PATH LD_LIBRARY_PATH DYLD_LIBRARY_PATH PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE LANG TZ
CONDA_PREFIX VIRTUAL_ENV SYSTEMROOT
"""
_KEPT_BEGINNINGS = ("LC_", "OMP_", "MKL_", "KMP_", "OPENBLAS_")

Process = subprocess.Popen[bytes]


class NoFolder(Exception):
    """There is no temporary folder for a worker; `str()` says why."""


def spawned(python: str) -> tuple[Process, threading.Thread]:
    """A worker, and the thread that clears up behind it.

    It gets a signal when the thread that started it ends, so a thread does that and nothing else
    until the worker has ended. Raises OSError where ``python`` cannot be started, NoFolder.
    """
    started: queue.SimpleQueue[Process | OSError | NoFolder] = queue.SimpleQueue()
    keeper = threading.Thread(target=_look_after, args=(python, started), daemon=True)
    keeper.start()
    found = started.get()
    if isinstance(found, Exception):
        raise found
    return found, keeper


def _look_after(python: str, started: queue.SimpleQueue[Process | OSError | NoFolder]) -> None:
    # Named as a path it must be found from the worker's own folder too.
    program = os.path.abspath(python) if os.path.dirname(python) else python
    try:
        folder = WorkerFolder()
    except OSError as error:
        started.put(NoFolder(str(error)))
        return
    try:
        process = subprocess.Popen(
            [program, str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder.path,
            env=worker_environment(os.environ, folder.path),
            start_new_session=True,
        )
    except OSError as error:
        started.put(error)
        folder.remove()
        return
    started.put(process)
    process.wait()
    # End what a worker leaves behind: a child of a shell script that was named as Python would
    # hold the pipe open.
    with contextlib.suppress(OSError):
        # A session of its own: its group has the worker's number and nothing else of ours.
        os.killpg(process.pid, signal.SIGKILL)
    folder.remove()


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


def end_of(code: int | None) -> str:
    """How a process ended, in words, from its return code."""
    if code is None:
        return "it gave no exit status"
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return f"it was ended by {name}"
    return f"it exited with status {code}"
