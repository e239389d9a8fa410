"""The folder that a worker stands in: its own, and gone with it, or with the next worker's start.

A program that is killed cannot clear up. So a folder is locked for as long as the program lives
that made it, and whoever makes a folder removes those that nobody has locked.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
import time
from pathlib import Path

PREFIX = "aoti-tui-worker-"
_MAKING_SECONDS = 10.0
"""How long ago a folder must have changed to be left behind: one that is being made is not locked
yet."""


class WorkerFolder:
    """A new temporary folder, locked until :meth:`remove`. Raises OSError."""

    def __init__(self) -> None:
        remove_left_behind(Path(tempfile.gettempdir()))
        self.path = tempfile.mkdtemp(prefix=PREFIX)
        self._lock = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def remove(self) -> None:
        """Remove the folder with everything that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def remove_left_behind(below: Path) -> None:
    """Remove this user's worker folders of programs that have ended; what cannot be removed
    stays."""
    try:
        names = [name for name in os.listdir(below) if name.startswith(PREFIX)]
    except OSError:
        return
    for name in names:
        _remove_if_left(below / name)


def _remove_if_left(path: Path) -> None:
    try:
        # A link is not followed: it would name a folder of somebody else.
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        found = os.fstat(descriptor)
        if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) != 0o700:
            return
        if time.time() - found.st_mtime < _MAKING_SECONDS:
            return
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(path, ignore_errors=True)
    except OSError:
        # Somebody works in it.
        return
    finally:
        os.close(descriptor)
