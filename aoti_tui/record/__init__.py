"""Recording on the machine where it fails: the last calls' arguments into a ring that outlives the
process, out of which ``aoti-tui record`` makes a bundle.

It stands alone: it is loaded into the user's process, under the user's Python, and imports nothing
but the standard library; torch and triton are hooked when the program has imported them.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import layout
from .options import BUNDLE, FOLDER, Options, options_of

__all__ = ["install"]

_current: list[Any] = []
_folder: list[Path] = []
_options: list[Options] = []
_making = threading.Lock()


def install(bundle: str | os.PathLike[str] | None = None, **options: Any) -> None:
    """Record this process's calls from now on, and write ``bundle`` when it fails.

    ``options`` are those of :class:`Options`. Under ``aoti-tui record`` the recording of the
    command is used, and nothing is to be given. Never raises: what cannot be hooked is said.
    """
    from .hooks.importing import hook_imports
    from .process import rank_of

    try:
        if _folder:
            return
        given = Options(**options) if options else options_of()
        folder = os.environ.get(FOLDER)
        named = os.environ.get(BUNDLE)
        if folder and named and not os.path.isdir(folder):
            folder = None  # the process that it was inherited from is gone, and its watcher too
        if not folder:
            from .watcher import start_watcher

            target = Path(bundle or named or "call.aoti").absolute()
            rank = rank_of() if named and not bundle else None
            if rank is not None:
                target = target.with_name(f"{target.stem}.rank{rank}{target.suffix}")
            folder = start_watcher(target, given)
            if named:
                os.environ[FOLDER] = folder  # what it starts has the same watcher
        _folder.append(Path(folder))
        _options.append(given)
        _see_the_end()
        hook_imports()
    except Exception as error:
        from .copying import said

        said(f"nothing is recorded, the program runs on: {type(error).__name__}: {error}")


def current_recorder() -> Any:
    """This process's recorder, made with its first call; None when it could not be made, or when
    the process is a fork of one that recorded and has made none of its own yet."""
    if not _current:
        with _making:
            if not _current:
                _current.append(_made())
    return _current[0]


def options_now() -> Options:
    """The options that hold for this process."""
    return _options[0] if _options else Options()


def _made() -> Any:
    from .copying import said
    from .kept_launches import KeptLaunches
    from .recorder import Recorder

    try:
        kept = Recorder(_folder[0], _options[0])
        if _options[0].launches:
            kept.launches = KeptLaunches(kept.folder, _options[0])
        return kept
    except Exception as error:
        said(f"nothing is recorded, the program runs on: {type(error).__name__}: {error}")
        return None


def _see_the_end() -> None:
    """Tell the end of a program that fails from that of one that does not; a fork has a ring of
    its own, made when it calls something."""
    before: Callable[..., Any] = sys.excepthook

    def seen(*raised: Any) -> None:
        if _current and _current[0] is not None:
            _current[0].closed(layout.RAISED)
        _raised.append(True)
        before(*raised)

    sys.excepthook = seen
    atexit.register(_ended)
    os.register_at_fork(after_in_child=_forget)


_raised: list[bool] = []


def _ended() -> None:
    if _current and _current[0] is not None and not _raised:
        _current[0].ended()


def _forget() -> None:
    global _making
    _current.clear()
    _raised.clear()
    _making = threading.Lock()
