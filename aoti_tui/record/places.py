"""Where rings are kept."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

_SHARED = Path("/dev/shm")
PREFIX = "aoti-tui-record-"


def recording_folder(ring: int) -> Path:
    """A new folder for rings: in shared memory where that has room for one, since a file there is
    memory that can be pinned; else among the temporary files."""
    try:
        room = os.statvfs(_SHARED)
        if room.f_bavail * room.f_frsize >= ring + (32 << 20):
            return Path(tempfile.mkdtemp(prefix=PREFIX, dir=_SHARED))
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix=PREFIX))
