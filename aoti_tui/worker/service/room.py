"""How much memory one tensor may take: what the machine, or the limit on this process, has."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Sequence

from ..protocol.problems import bad_request

_UNKNOWN = 1 << 36
_LARGEST_INDEX = 1 << 62


@functools.cache
def room() -> int:
    """Bytes that this process may have in all."""
    try:
        found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        found = _UNKNOWN
    try:
        import resource
    except ImportError:
        return found
    for which in (resource.RLIMIT_DATA, resource.RLIMIT_AS):
        soft, _ = resource.getrlimit(which)
        if soft != resource.RLIM_INFINITY:
            found = min(found, soft)
    return found


def need(what: str, count: int, size: int) -> None:
    """Raise a bad request unless `count` elements of `size` bytes can be had."""
    if count * size > room():
        raise bad_request(
            f"no memory for {what}: it takes {_in_words(count * size)}, and this process may "
            f"have {_in_words(room())}"
        )


def elements(shape: Sequence[int]) -> int:
    """How many elements a shape has; negative sizes and impossible ones are bad requests."""
    if any(size < 0 or size > _LARGEST_INDEX for size in shape):
        raise bad_request(f"the shape {[_short(n) for n in shape]} has an impossible size")
    return math.prod(shape)


def _short(number: int) -> str:
    return (
        str(number) if abs(number) < _LARGEST_INDEX else f"a number of {number.bit_length()} bits"
    )


def _in_words(size: int) -> str:
    if size >= 1 << 50:
        return "more than a million GiB"
    return f"{size / 2**30:.1f} GiB" if size >= 1 << 30 else f"{size / 2**20:.0f} MiB"
