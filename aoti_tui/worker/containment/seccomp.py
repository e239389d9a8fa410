"""No network, no programs, no other processes: a filter on calls into Linux (seccomp)."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct

from .kernel_calls import NotOffered, prctl

_SET_SECCOMP, _MODE_FILTER = 22, 2
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_ALLOW, _KILL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000
_CLONE_THREAD = 0x10000
_X32 = 0x40000000

_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# Numbers of arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h.
_REFUSED = {
    "socket": (41, 198),
    "socketpair": (53, 199),
    "connect": (42, 203),
    "bind": (49, 200),
    "listen": (50, 201),
    "fork": (57, None),
    "vfork": (58, None),
    "execve": (59, 221),
    "execveat": (322, 281),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "process_madvise": (440, 440),
    "rt_sigqueueinfo": (129, 138),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "mq_open": (240, 180),
}
_CLONE = (56, 220)
_CLONE3 = 435
_KILL_CALL = (62, 129)


def refuse_calls() -> None:
    """From here on the refused calls fail as not permitted, in this thread and those it starts.

    Raises NotOffered, on processors other than x86-64 and arm64 too.
    """
    machine = platform.machine()
    if machine not in _AUDIT:
        raise NotOffered(f"{machine} has no list of calls here")
    program = _program(machine)
    buffer = ctypes.create_string_buffer(program, len(program))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    filled = Program(len(program) // 8, ctypes.addressof(buffer))
    prctl(_SET_SECCOMP, _MODE_FILTER, ctypes.byref(filled))


def _program(machine: str) -> bytes:
    column = ("x86_64", "aarch64").index(machine)
    permission = _FAIL | errno.EPERM
    steps = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, _AUDIT[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if machine == "x86_64":
        # The same calls under numbers of their own.
        steps += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, permission)]
    for numbers in _REFUSED.values():
        number = numbers[column]
        if number is not None:
            steps += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, permission)]
    # glibc falls back to clone, whose flags a filter can see.
    steps += [(_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _FAIL | errno.ENOSYS)]
    steps += [
        (_EQUAL, 0, 4, _CLONE[column]),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_ANY_BIT, 1, 0, _CLONE_THREAD),
        (_RETURN, 0, 0, permission),
        (_RETURN, 0, 0, _ALLOW),
    ]
    steps += [
        (_EQUAL, 0, 4, _KILL_CALL[column]),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_EQUAL, 1, 0, os.getpid()),
        (_RETURN, 0, 0, permission),
        (_RETURN, 0, 0, _ALLOW),
    ]
    steps.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *step) for step in steps)
