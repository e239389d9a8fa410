"""A small dump out of a large one: tables, the image of the failing kernel, and some memory.

The table of sections keeps its order, since sections refer to each other by number: one that is
left out has no bytes any more.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import IO

from aoti_tui.artifacts.core_dump.model import KernelLaunch
from aoti_tui.artifacts.core_dump.reading import DumpFile
from aoti_tui.artifacts.core_dump.sections import HEADER, Kind

_KEPT = frozenset(
    {
        Kind.DEVICES,
        Kind.CONTEXTS,
        Kind.MULTIPROCESSORS,
        Kind.GRIDS,
        Kind.BLOCKS,
        Kind.WARPS,
        Kind.LANES,
        Kind.MODULES,
        Kind.PARAMETERS,
        Kind.META,
        Kind.STRINGS,
    }
)
_ELF_HEADER = 64
_AT_TABLE, _AT_COUNT = 40, 60
_MOST_COUNTED = 0xFF00
"""Sections that an ELF header can count; more are counted by the first section."""


@dataclass(frozen=True, slots=True)
class Part:
    """Memory of the GPU to keep."""

    address: int
    size: int


def parts_by_pointer(launch: KernelLaunch, opened: DumpFile, most: int) -> tuple[Part, ...]:
    """What each pointer of a launch can mean, where nothing says how large its tensor is: up to
    the next pointer or the end of the memory, ``most`` bytes of it."""
    dump = opened.dump
    addresses = sorted({p.unsigned for p in launch.parameters if p.size == 8})
    found = []
    for at, address in enumerate(addresses):
        held = dump.range_at(address)
        if held is None:
            continue
        after = addresses[at + 1] if at + 1 < len(addresses) else held.end
        size = min(after, held.end) - address
        found.append(Part(address, min(size, most)))
    return tuple(found)


def write_extract(
    opened: DumpFile,
    parts: Iterable[Part],
    target: IO[bytes],
    changed: Mapping[int, bytes] | None = None,
) -> int:
    """Write a dump with these parts of the memory; how many bytes it has.

    ``changed`` has other bytes for the memory at an address.
    """
    table = bytearray(opened.table)
    target.write(bytes(opened.head(_ELF_HEADER)))
    at = _ELF_HEADER
    images = opened.images_in_use
    for number in range(len(table) // HEADER.size):
        start = number * HEADER.size
        _, kind, _, _, offset, size, *_ = HEADER.unpack_from(table, start)
        data = b""
        if kind in _KEPT or (kind == Kind.RELOCATED_IMAGE and number in images):
            data = opened.slice(offset, size)
        target.write(data)
        struct.pack_into("<QQ", table, start + 24, at, len(data))
        at += len(data)
    for part in parts:
        data = (changed or {}).get(part.address) or opened.memory(part.address, part.size) or b""
        target.write(data)
        table += HEADER.pack(0, Kind.GLOBAL, 0, part.address, at, len(data), 0, 0, 0, 0)
        at += len(data)
    count = len(table) // HEADER.size
    if count >= _MOST_COUNTED:
        struct.pack_into("<Q", table, 32, count)
    target.write(table)
    target.seek(_AT_TABLE)
    target.write(struct.pack("<Q", at))
    target.seek(_AT_COUNT)
    target.write(struct.pack("<H", count if count < _MOST_COUNTED else 0))
    target.seek(0, 2)
    return target.tell()
