"""The calls into Linux that Python has no function for."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

_SET_PARENT_DEATH_SIGNAL = 1
_SET_NO_NEW_PRIVILEGES = 38


class NotOffered(Exception):
    """This system has no such thing, or refuses it; `str()` says why."""


def libc() -> Any:
    """The C library. Raises NotOffered on systems other than Linux."""
    if not sys.platform.startswith("linux"):
        raise NotOffered(f"{sys.platform} has none")
    try:
        return ctypes.CDLL(None, use_errno=True)
    except OSError as error:
        raise NotOffered(str(error)) from error


def prctl(option: int, *values: Any) -> None:
    """Raises NotOffered when the kernel refuses."""
    padded = [*values, 0, 0, 0, 0][:4]
    arguments = [ctypes.c_ulong(v) if isinstance(v, int) else v for v in padded]
    if libc().prctl(option, *arguments) != 0:
        raise NotOffered(os.strerror(ctypes.get_errno()))


def syscall(number: int, *values: Any) -> int:
    """Raises NotOffered when the kernel refuses."""
    call = libc().syscall
    call.restype = ctypes.c_long
    arguments = [ctypes.c_long(v) if isinstance(v, int) else v for v in values]
    result = int(call(ctypes.c_long(number), *arguments))
    if result < 0:
        raise NotOffered(os.strerror(ctypes.get_errno()))
    return result


def take_no_new_privileges() -> None:
    """Programs that would run as somebody else run as this user; filters need it too."""
    prctl(_SET_NO_NEW_PRIVILEGES, 1)


def die_with_parent(signal: int) -> None:
    """Get `signal` when the thread that started this process ends, stopped or busy as it may be."""
    prctl(_SET_PARENT_DEATH_SIGNAL, signal)
