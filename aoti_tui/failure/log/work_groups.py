"""From a work item's ids, which XPU prints, to the program that it belongs to."""

from __future__ import annotations

import math
import re
from dataclasses import replace

from aoti_tui.failure.model import LoggedAssert, Program
from aoti_tui.index.model import Kernel

_SMALLEST_GROUP = 16
"""Work items of the smallest work group: one sub-group of 16."""
_WARP_SIZE = re.compile(r"\bwarp_size=(\d{1,4})\b")


def threads_of(kernel: Kernel) -> int | None:
    """Threads (work items) of a program; None where the number of warps is not known.

    AMD's warps have 64 lanes; the source's ``DeviceProperties`` says so.
    """
    if kernel.num_warps is None:
        return None
    found = next((m for m in map(_WARP_SIZE.search, kernel.lines) if m is not None), None)
    return kernel.num_warps * (int(found[1]) if found is not None else 32)


def placed(logged: LoggedAssert, kernel: Kernel) -> LoggedAssert:
    """An assert with its programs, where the log names work items (XPU) and only the kernel's
    work groups tell which programs those are; unchanged where even that leaves it open."""
    if not logged.origins:
        return logged
    size = group_size(logged.origins, logged.highest_thread, threads_of(kernel))
    if size is None:
        return logged
    return replace(logged, programs=in_programs(logged.origins, size), origins=())


def in_programs(origins: tuple[Program, ...], size: int) -> tuple[Program, ...]:
    """Programs of XPU work groups that begin at these ids: a group lies along the first axis."""
    return tuple(dict.fromkeys((x // size, y, z) for x, y, z in origins))


def group_size(
    origins: tuple[Program, ...], highest: int, threads: int | None = None
) -> int | None:
    """Work items of a group: a power of two that divides all beginnings and holds the local ids.

    ``threads`` is what the kernel is launched with, where that is known; without it, None when
    several sizes fit.
    """
    step = math.gcd(*(x for x, _, _ in origins)) if origins else 0
    if threads is not None:
        return threads if highest < threads and step % threads == 0 else None
    if step == 0:
        return 1 if origins else None
    smallest = max(_SMALLEST_GROUP, 1 << highest.bit_length())
    fitting = [s for s in (1 << n for n in range(4, 11)) if s >= smallest and step % s == 0]
    return fitting[0] if len(fitting) == 1 else None
