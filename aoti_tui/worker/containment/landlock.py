"""Files written in one folder alone, by Linux's Landlock (Documentation/userspace-api/landlock)."""

from __future__ import annotations

import ctypes
import os
import struct

from .kernel_calls import NotOffered, syscall

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = 1
_RULE_PATH_BENEATH = 1
_EXECUTE = 1 << 0
_WRITE_FILE = 1 << 1
_REMOVE = 0b11 << 4
_MAKE = 0b1111111 << 6
_MAKE_FOLDER_OR_FILE = 0b11 << 7
# By the version of Landlock that brought them.
_SINCE = ((2, 1 << 13), (3, 1 << 14))
_TRUNCATE = 1 << 14
_TCP_SINCE, _TCP = 4, 0b11
_SCOPES_SINCE, _SCOPES = 6, 0b11


def version() -> int:
    """The kernel's version of Landlock. Raises NotOffered."""
    return syscall(_CREATE_RULESET, None, 0, _ASK_VERSION)


def write_only_below(folder: str) -> bool:
    """Allow no file to be written, made or removed but below `folder`, and no program to start.

    From version 4 on no TCP connection either; the result says whether that is so. Raises
    NotOffered.
    """
    offered = version()
    files = _EXECUTE | _WRITE_FILE | _REMOVE | _MAKE
    for since, access in _SINCE:
        files |= access if offered >= since else 0
    network = offered >= _TCP_SINCE
    fields = [files]
    if network:
        fields.append(_TCP)
    if offered >= _SCOPES_SINCE:
        fields.append(_SCOPES)
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    ruleset = syscall(_CREATE_RULESET, ctypes.c_char_p(attributes), len(attributes), 0)
    try:
        below = _WRITE_FILE | _REMOVE | _MAKE_FOLDER_OR_FILE | _TRUNCATE
        _allow(ruleset, folder, files & below)
        _allow(ruleset, os.devnull, files & (_WRITE_FILE | _TRUNCATE))
        syscall(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    return network


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        place = os.open(path, getattr(os, "O_PATH", os.O_RDONLY) | os.O_CLOEXEC)
    except OSError as error:
        raise NotOffered(f"{path}: {error.strerror}") from error
    try:
        rule = struct.pack("=Qi", access, place)
        syscall(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, ctypes.c_char_p(rule), 0)
    finally:
        os.close(place)
