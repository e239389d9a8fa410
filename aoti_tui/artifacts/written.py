"""Writing a file whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path

_NEW_FILE = 0o666


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file by way of another one beside it, so that no one ever sees a part of it and an
    old one is kept where the disk is full. Links are followed; what is no file (a pipe that
    somebody reads, ``/dev/stdout``) is written as it stands. Raises OSError.
    """
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    target = os.path.realpath(path)
    try:
        old = os.stat(target)
    except FileNotFoundError:
        old = None
    if old is not None and not stat.S_ISREG(old.st_mode):
        _write_through(path, data)
        return
    mode = stat.S_IMODE(old.st_mode) if old is not None else _NEW_FILE & ~_umask()
    folder, name = os.path.split(target)
    descriptor, partial = tempfile.mkstemp(prefix=f".{name[:60]}.", suffix=".part", dir=folder)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            # Some file systems say only here that there is no room.
            os.fsync(file.fileno())
        os.chmod(partial, mode)
        os.replace(partial, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(partial)
        raise


def _write_through(path: Path, data: bytes) -> None:
    """Write into what is no file; a pipe that nobody reads is an error, not a wait."""
    descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    os.set_blocking(descriptor, True)
    with open(descriptor, "wb") as stream:
        stream.write(data)


def _umask() -> int:
    """The mask for new files; asking for it is setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
