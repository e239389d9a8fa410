"""Processes that the script spawns run under the engine too, as forked ones do by themselves."""

from __future__ import annotations

import os
from multiprocessing import util
from typing import Any

_STARTER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "__main__.py")
# What multiprocessing starts with -c (popen_spawn_posix.py, forkserver.py).
_SPAWNED = ("from multiprocessing.spawn import", "from multiprocessing.forkserver import")


def follow(settings: dict[str, Any]) -> None:
    """From now on children of multiprocessing begin with the engine, and these settings."""
    spawn = util.spawnv_passfds
    first = (
        f"import runpy; runpy.run_path({_STARTER!r}, {{'SETTINGS': {settings!r}}}, "
        "'aoti_tui_child'); "
    )

    def spawn_followed(path: Any, args: Any, passfds: Any) -> Any:
        changed = [
            first + one if isinstance(one, str) and one.startswith(_SPAWNED) else one
            for one in args
        ]
        return spawn(path, changed, passfds)

    util.spawnv_passfds = spawn_followed
