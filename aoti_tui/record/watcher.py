"""Without ``aoti-tui record`` in front of the command: a process beside this one that keeps its
errors and writes the bundle when it is gone."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from .options import FOLDER, Options
from .places import recording_folder

_BUILD = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from aoti_tui.artifacts.recording.watching import watch; watch(sys.argv[2:])"
)


def start_watcher(bundle: Path, options: Options) -> str:
    """Start the watcher; the folder for the rings. This process's stderr goes through it from now
    on: the device's own lines are on it."""
    folder = recording_folder(options.memory())
    read, write = os.pipe()
    errors = os.dup(2)
    home = Path(__file__).resolve().parents[2]
    settings = {name: one for name, one in os.environ.items() if not name.startswith("LD_PRELOAD")}
    subprocess.Popen(
        [
            sys.executable,
            "-c",
            _BUILD,
            str(home),
            str(folder),
            str(bundle),
            str(int(options.on_exit or bool(options.launches))),
        ],
        stdin=read,
        stdout=errors,
        stderr=errors,
        start_new_session=True,
        env={**settings, "PYTHONPATH": "", FOLDER: ""},
        cwd=tempfile.gettempdir(),
    )
    os.close(read)
    os.dup2(write, 2)
    os.close(write)
    os.close(errors)
    return str(folder)
