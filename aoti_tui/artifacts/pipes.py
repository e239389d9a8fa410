"""Opening what may be a pipe or a device: neither is waited for without an end."""

from __future__ import annotations

import os
import select
import stat
from pathlib import Path
from typing import IO

_WAIT_S = 10


def open_to_read(path: str, devices: bool = False) -> IO[bytes]:
    """A file opened to read; a pipe that nobody writes to and a device (where ``devices`` does not
    allow any) are errors, not waits."""
    descriptor = os.open(Path(path), os.O_RDONLY | os.O_NONBLOCK)
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(0, "it is a folder")
        is_device = stat.S_ISBLK(mode) or (stat.S_ISCHR(mode) and not os.isatty(descriptor))
        if is_device and not devices:
            raise OSError(0, "it is a device, not a file")
        if stat.S_ISFIFO(mode) and not select.select([descriptor], [], [], _WAIT_S)[0]:
            raise OSError(0, "it is a pipe and nobody writes to it")
        os.set_blocking(descriptor, True)
    except OSError:
        os.close(descriptor)
        raise
    return open(descriptor, "rb")
