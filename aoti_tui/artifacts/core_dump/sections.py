"""The table of sections of a dump, and rows of the tables that it points to.

Layouts are those of NVIDIA's public ``cudacoredump.h`` (CUDA 13); newer drivers append fields to
rows, older ones lack the last, so that a row's own size says what of it is there.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

HEADER = struct.Struct("<IIQQQQIIQQ")
"""A section header of ELF64: name, type, flags, address, offset, size, link, info, alignment, and
the size of a row."""

_CUDA = 0x80000000
_STRINGS = 3


class Kind(IntEnum):
    """Types of sections (``CudbgSectionHeaderTypes``)."""

    MANAGED = _CUDA + 1
    GLOBAL = _CUDA + 2
    IMAGE = _CUDA + 6
    RELOCATED_IMAGE = _CUDA + 7
    DEVICES = _CUDA + 9
    CONTEXTS = _CUDA + 10
    MULTIPROCESSORS = _CUDA + 11
    GRIDS = _CUDA + 12
    BLOCKS = _CUDA + 13
    WARPS = _CUDA + 14
    LANES = _CUDA + 15
    MODULES = _CUDA + 16
    PARAMETERS = _CUDA + 18
    META = _CUDA + 22
    STRINGS = _STRINGS


class Layout:
    """The fields of a row, packed as the driver packs them: ``u8 name``, ``u4 name``, or
    ``u4*3 name`` for three numbers in one."""

    def __init__(self, *fields: str) -> None:
        kinds, self.names = zip(*(field.split() for field in fields), strict=True)
        self._counts = [int(kind.partition("*")[2] or 1) for kind in kinds]
        codes = [
            ("Q" if k[1] == "8" else "I") * n for k, n in zip(kinds, self._counts, strict=True)
        ]
        self._packed = struct.Struct("<" + "".join(codes))
        self.size = self._packed.size

    def row(self, data: bytes) -> Row:
        """One row; what an older driver does not write of it is 0."""
        values = iter(self._packed.unpack(data[: self.size].ljust(self.size, b"\0")))
        return Row(
            {
                name: tuple(next(values) for _ in range(count))
                for name, count in zip(self.names, self._counts, strict=True)
            }
        )


class Row:
    """The fields of one row, by name."""

    __slots__ = ("_fields",)

    def __init__(self, fields: dict[str, tuple[int, ...]]) -> None:
        self._fields = fields

    def __getitem__(self, name: str) -> int:
        return self._fields[name][0]

    def triple(self, name: str) -> tuple[int, int, int]:
        x, y, z = self._fields[name]
        return (x, y, z)


ROWS: dict[Kind, Layout] = {
    Kind.DEVICES: Layout(
        "u8 name",
        "u8 kind",
        "u8 architecture",
        "u4 number",
        "u4 bus",
        "u4 slot",
        "u4 multiprocessors",
        "u4 warps",
        "u4 lanes",
        "u4 registers",
        "u4 predicates",
        "u4 major",
        "u4 minor",
    ),
    Kind.MULTIPROCESSORS: Layout("u4 number", "u4 pad", "u4 exception", "u4 has_pc", "u8 pc"),
    Kind.GRIDS: Layout(
        "u8 id",
        "u8 context",
        "u8 function",
        "u8 entry",
        "u8 module",
        "u8 parent",
        "u8 parameters_at",
        "u4 kind",
        "u4 origin",
        "u4 status",
        "u4 registers",
        "u4*3 grid",
        "u4*3 block",
    ),
    Kind.BLOCKS: Layout("u8 grid", "u4*3 block"),
    Kind.WARPS: Layout(
        "u8 pc", "u4 number", "u4 valid", "u4 active", "u4 broken", "u4 has_pc", "u4 pad"
    ),
    Kind.LANES: Layout("u8 pc", "u8 physical_pc", "u4 number", "u4*3 thread", "u4 exception"),
    Kind.MODULES: Layout("u8 handle"),
    Kind.META: Layout(
        "u8 generator",
        "u4 driver",
        "u4 driver_minor",
        "u4 cuda",
        "u4 cuda_minor",
        "u4 flags",
        "u4 written",
    ),
}


@dataclass(frozen=True, slots=True)
class Section:
    """One section: ``number`` in the table, what it hangs on (``link``, row ``info`` of it)."""

    number: int
    kind: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    row: int
    """Bytes of a row, for a table."""


class Sections:
    """The sections of a dump, by kind, in the order of the table."""

    def __init__(self, table: bytes) -> None:
        wanted = frozenset(int(kind) for kind in Kind)
        self._by_kind: dict[int, list[Section]] = defaultdict(list)
        self.count = len(table) // HEADER.size
        for number, found in enumerate(HEADER.iter_unpack(table)):
            if found[1] in wanted:
                _, kind, _, address, offset, size, link, info, _, row = found
                self._by_kind[kind].append(
                    Section(number, kind, address, offset, size, link, info, row)
                )

    def of(self, kind: Kind) -> list[Section]:
        return self._by_kind[kind]


def rows_of(kind: Kind, data: bytes, row: int) -> Iterator[Row]:
    """The rows of a table. ``row`` is the size that the section gives, 0 when it gives none.

    Raises ValueError when the size of a row makes no sense.
    """
    layout = ROWS[kind]
    size = row or layout.size
    if not 4 <= size <= 4096:
        raise ValueError(f"a row of {size} bytes")
    return (layout.row(data[at : at + size]) for at in range(0, len(data) - size + 1, size))
