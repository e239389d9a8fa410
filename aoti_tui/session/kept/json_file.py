"""A file of the user's choices or state, shared by every instance of the program that runs."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from aoti_tui.artifacts.written import write_whole

_LARGEST = 4 << 20
_DEEPEST = 32
_LOCK_SECONDS = 2.0
_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EINVAL, errno.ENOSYS)
"""Errors of a file system that has none."""

Object = dict[str, Any]


class Damaged(Exception):
    """The file is not what this program wrote; ``str()`` says why."""


def read_object(path: Path) -> Object:
    """The object that a file holds, ``{}`` where there is none. Raises Damaged, OSError."""
    try:
        # Whatever it is, opening it must not wait.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return {}
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise Damaged("it is no file")
        if found.st_size > _LARGEST:
            raise Damaged(f"it has {found.st_size:,} bytes")
        with open(descriptor, "rb", closefd=False) as file:
            text = file.read(_LARGEST + 1)
    finally:
        os.close(descriptor)
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise Damaged("it is nested too deeply") from error
    except ValueError as error:
        raise Damaged(str(error)) from error
    if not isinstance(value, dict):
        raise Damaged("it must hold a JSON object")
    if _is_deep(value):
        raise Damaged("it is nested too deeply")
    return value


def set_aside(path: Path) -> Path:
    """Move a damaged file out of the way; where it is now. Raises OSError."""
    number = 1
    while os.path.lexists(aside := path.with_name(f"{path.name}.damaged-{number}")):
        number += 1
    os.rename(path, aside)
    return aside


def update(path: Path, change: Callable[[Object], Object]) -> None:
    """Write what ``change`` makes of the file's object, with no other instance in between.

    Raises Damaged, and OSError with the old file as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with _locked(path.with_name(f".{path.name}.lock")):
        old = read_object(path)
        new = change(old)
        if new != old or not path.exists():
            write_whole(path, json.dumps(new, indent=2) + "\n")


def merged(theirs: Any, base: Any, mine: Any) -> Any:
    """What another instance wrote, with what was changed here from ``base`` to ``mine``.

    Objects are merged by key, lists by item; of anything else that was changed here, mine counts.

    >>> merged({"a": [1, 2], "b": 5}, {"a": [1]}, {"a": [1, 3]})
    {'a': [1, 2, 3], 'b': 5}
    """
    if mine == base:
        return theirs
    if isinstance(mine, dict) and isinstance(theirs, dict):
        before: Mapping[str, Any] = base if isinstance(base, dict) else {}
        found = dict(theirs)
        for key in {**before, **mine}:
            if key not in mine:
                found.pop(key, None)
            elif key not in theirs:
                if key not in before or mine[key] != before[key]:
                    found[key] = mine[key]
            else:
                found[key] = merged(theirs[key], before.get(key), mine[key])
        return found
    if isinstance(mine, list) and isinstance(theirs, list):
        known = base if isinstance(base, list) else []
        kept = [one for one in theirs if one in mine or one not in known]
        return kept + [one for one in mine if one not in known and one not in kept]
    return mine


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a lock file; raises OSError where another instance does not let go of it."""
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    descriptor = os.open(path, flags, 0o600)
    try:
        end = time.monotonic() + _LOCK_SECONDS
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.01)
            except OSError as error:
                if error.errno not in _NO_LOCKS:
                    raise
                break
        yield
    finally:
        os.close(descriptor)


def _is_deep(value: object) -> bool:
    level = [value]
    for _ in range(_DEEPEST):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return False
    return True
