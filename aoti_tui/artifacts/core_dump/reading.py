"""Opening a dump: memory-mapped, only what is asked for is read, every offset is checked."""

from __future__ import annotations

import mmap
import struct
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from aoti_tui.artifacts.core_dump.model import (
    CodeLine,
    CoreDump,
    Device,
    FailedThreads,
    KernelLaunch,
    MemoryRange,
    Parameter,
    Triple,
)
from aoti_tui.artifacts.core_dump.sections import HEADER, Kind, Row, Section, Sections, rows_of
from aoti_tui.artifacts.core_dump.unpacked import head_of, unpacked
from aoti_tui.artifacts.errors import ArtifactError

if TYPE_CHECKING:
    from aoti_tui.artifacts.core_dump.images import KernelImage

_ELF = struct.Struct("<16sHHIQQQIHHHHHH")
_CORE, _CUDA_MACHINE = 4, 190
_MOST_SECTIONS = 1 << 24
_LARGEST_IMAGE = 1 << 28
_LARGEST_TABLE = 1 << 30
_MOST_PARAMETER_BYTES = 1 << 16
_NEXT_TIME = (
    "Next time, let the process live until the driver has written the file: `aoti-tui help core`."
)
_KINDS = {
    1: "illegal address",
    2: "stack overflow",
    3: "stack overflow",
    4: "illegal instruction",
    5: "address out of range",
    6: "misaligned address",
    7: "invalid address space",
    8: "invalid program counter",
    9: "stack overflow",
    10: "illegal address",
    11: "misaligned address",
    12: "assert",
    14: "illegal address",
    17: "address out of range of the cluster",
    18: "block of the cluster not present",
    19: "stack overflow",
}
"""``CUDBGException_t`` of NVIDIA's public ``cudadebugger.h``, in words."""


class DumpFile:
    """An open dump. Memory of the GPU is read by address."""

    def __init__(self, path: Path, mapped: mmap.mmap, plain: Path) -> None:
        self.path = path
        self.plain = plain
        """The file that is mapped: another one than ``path`` when that is compressed."""
        self._mapped = mapped
        self._images: dict[int, KernelImage] = {}
        self.damage: list[str] = []
        self.sections = self._sections()
        self.dump = self._read()

    def memory(self, address: int, size: int) -> bytes | None:
        """``size`` bytes of the GPU's memory; None where the dump does not hold all of them."""
        found = bytearray()
        while size > 0:
            held = self.dump.range_at(address)
            if held is None:
                return None
            start = held.offset + address - held.address
            part = self._mapped[start : start + min(size, held.end - address)]
            found += part
            address += len(part)
            size -= len(part)
        return bytes(found)

    def head(self, size: int) -> bytes:
        """The first bytes of the file."""
        return self._mapped[:size]

    def slice(self, offset: int, size: int) -> bytes:
        """Bytes of the file; fewer where it ends."""
        return self._mapped[offset : offset + size]

    @property
    def images_in_use(self) -> frozenset[int]:
        """Numbers of the sections that are images of kernels that were running."""
        return frozenset(self._images)

    # -- the table of sections ----------------------------------------------------------------

    def _sections(self) -> Sections:
        length = len(self._mapped)
        head = self._mapped[: _ELF.size]
        if not any(self._mapped[: min(length, 4096)]):
            raise ArtifactError(
                f"{self.path} holds no core dump",
                "it begins with zeros: the process ended before the driver had written the file",
                _NEXT_TIME,
            )
        if len(head) < _ELF.size or head[:4] != b"\x7fELF":
            raise ArtifactError(
                f"{self.path} is no GPU core dump",
                "it does not begin as an ELF file does",
                "Give the file that the driver wrote: `aoti-tui help core` says how it is named.",
            )
        fields = _ELF.unpack(head)
        ident, kind, machine, at, each, count = (
            fields[0],
            fields[1],
            fields[2],
            fields[6],
            fields[11],
            fields[12],
        )
        if kind != _CORE or machine != _CUDA_MACHINE or ident[4:6] != b"\x02\x01":
            what = "a core dump of a process on the CPU" if kind == _CORE else "another ELF file"
            raise ArtifactError(
                f"{self.path} is no GPU core dump",
                f"it is {what} (type {kind}, machine {machine})",
                "Give the GPU's: the driver writes it when CUDA_ENABLE_COREDUMP_ON_EXCEPTION=1 "
                "is set, see `aoti-tui help core`.",
            )
        if each != HEADER.size or at == 0:
            raise ArtifactError(
                f"the core dump {self.path} is damaged",
                f"its table of sections makes no sense (at {at}, {each} bytes a section)",
                "Copy it again.",
            )
        if at + HEADER.size > length:
            raise self._cut_off(at)
        if count == 0:
            # More than an ELF header can count: the first section says how many.
            count = HEADER.unpack_from(self._mapped, at)[5]
        if count > _MOST_SECTIONS:
            raise ArtifactError(
                f"the core dump {self.path} is damaged",
                f"it counts {count} sections",
                "Copy it again.",
            )
        if at + count * HEADER.size > length:
            raise self._cut_off(at + count * HEADER.size)
        self.table = self._mapped[at : at + count * HEADER.size]
        return Sections(self.table)

    def _cut_off(self, needed: int) -> ArtifactError:
        return ArtifactError(
            f"the core dump {self.path} is cut off",
            f"it has {len(self._mapped):,} bytes, and its table of sections ends at {needed:,}: "
            "without it nothing in the file can be found",
            f"Copy it again and whole, or free disk space. {_NEXT_TIME}",
        )

    def _data(self, section: Section, most: int) -> bytes:
        """The bytes of a section; short, and noted as damage, where the file ends before."""
        if section.size > most or section.offset + section.size > len(self._mapped):
            self.damage.append(
                f"section {section.number} ({_name_of(section.kind)}) of {section.size:,} bytes "
                f"at {section.offset:,} lies beyond what can be read"
            )
            return b""
        return self._mapped[section.offset : section.offset + section.size]

    def _rows(self, kind: Kind, section: Section) -> list[Row]:
        try:
            return list(rows_of(kind, self._data(section, _LARGEST_TABLE), section.row))
        except ValueError as error:
            self.damage.append(f"section {section.number} ({_name_of(kind)}): {error}")
            return []

    # -- what it says -------------------------------------------------------------------------

    def _read(self) -> CoreDump:
        driver, written = self._meta()
        devices = tuple(self._devices())
        images = self._images_by_module()
        launches = tuple(self._launches(images))
        entries = {
            row["id"]: images.get(row["module"])
            for section in self.sections.of(Kind.GRIDS)
            for row in self._rows(Kind.GRIDS, section)
        }
        return CoreDump(
            path=str(self.path),
            devices=devices,
            launches=launches,
            failed=tuple(self._failed(entries)),
            memory=self._ranges(),
            driver=driver,
            written=written,
            damage=tuple(dict.fromkeys(self.damage)),
        )

    def _meta(self) -> tuple[str, int]:
        for section in self.sections.of(Kind.META):
            for row in self._rows(Kind.META, section)[:1]:
                return f"{row['driver']}.{row['driver_minor']}", row["written"]
        return "", 0

    def _devices(self) -> Iterator[Device]:
        strings = self._strings()
        for section in self.sections.of(Kind.DEVICES):
            for row in self._rows(Kind.DEVICES, section):
                yield Device(
                    row["number"],
                    _string(strings, row["name"]) or _string(strings, row["kind"]),
                    _string(strings, row["architecture"]),
                    (row["major"], row["minor"]),
                    row["multiprocessors"],
                )

    def _strings(self) -> bytes:
        """The table that rows point into; the names of sections are in the last one."""
        tables = self.sections.of(Kind.STRINGS)
        return self._data(tables[0], _LARGEST_TABLE) if tables else b""

    def _ranges(self) -> tuple[MemoryRange, ...]:
        found: list[MemoryRange] = []
        for kind in (Kind.GLOBAL, Kind.MANAGED):
            for section in self.sections.of(kind):
                if section.offset + section.size > len(self._mapped):
                    self.damage.append(
                        f"{section.size:,} bytes of memory at 0x{section.address:x} are cut off"
                    )
                elif section.size:
                    found.append(MemoryRange(section.address, section.size, section.offset))
        found.sort(key=lambda one: one.address)
        kept: list[MemoryRange] = []
        for one in found:
            if kept and one.address < kept[-1].end:
                self.damage.append(f"memory at 0x{one.address:x} is there twice")
            else:
                kept.append(one)
        return tuple(kept)

    def _images_by_module(self) -> dict[int, Section]:
        """Where the image of each module lies: relocated ones, whose addresses are the GPU's."""
        handles: dict[tuple[int, int], int] = {}
        for section in self.sections.of(Kind.MODULES):
            for number, row in enumerate(self._rows(Kind.MODULES, section)):
                handles[section.number, number] = row["handle"]
        found: dict[int, Section] = {}
        for section in self.sections.of(Kind.RELOCATED_IMAGE):
            handle = handles.get((section.link, section.info))
            if handle is not None:
                found.setdefault(handle, section)
        return found

    def _image(self, section: Section | None) -> KernelImage:
        if section is None:
            return KernelImage()
        if section.number not in self._images:
            # elftools takes as long to import as all of ours: only a core dump needs it.
            from aoti_tui.artifacts.core_dump.images import read_image

            self._images[section.number] = read_image(self._data(section, _LARGEST_IMAGE))
        return self._images[section.number]

    def _launches(self, images: dict[int, Section]) -> Iterator[KernelLaunch]:
        buffers = {
            (section.link, section.info): section for section in self.sections.of(Kind.PARAMETERS)
        }
        for section in self.sections.of(Kind.GRIDS):
            for number, row in enumerate(self._rows(Kind.GRIDS, section)):
                image = self._image(images.get(row["module"]))
                function = image.function_at(row["entry"])
                name = function.name if function is not None else ""
                held = buffers.get((section.number, number))
                data = self._data(held, _MOST_PARAMETER_BYTES) if held is not None else b""
                yield KernelLaunch(
                    row["id"],
                    name,
                    row.triple("grid"),
                    row.triple("block"),
                    tuple(_parameters(image, name, data)),
                    data,
                    image.messages,
                    image.files,
                )

    def _failed(self, images: dict[int, Section | None]) -> Iterator[FailedThreads]:
        found: dict[tuple[int, Triple, str, CodeLine | None], list[Triple]] = defaultdict(list)
        blocks = self._by_row(Kind.BLOCKS)
        warps = self._by_row(Kind.WARPS)
        for section in self.sections.of(Kind.LANES):
            rows = [row for row in self._rows(Kind.LANES, section) if row["exception"]]
            warp = warps.get((section.link, section.info))
            if not rows or warp is None:
                continue
            block = blocks.get((warp[0].link, warp[0].info))
            if block is None:
                continue
            grid = block[1]["grid"]
            image = self._image(images.get(grid))
            for row in rows:
                code = row["exception"]
                kind = _KINDS.get(code, f"exception {code}")
                at = _line(image, row["pc"], warp[1])
                found[grid, block[1].triple("block"), kind, at].append(row.triple("thread"))
        for (grid, place, kind, at), threads in sorted(
            found.items(), key=lambda one: (one[0][0], one[0][1], one[0][2])
        ):
            yield FailedThreads(grid, place, tuple(sorted(threads)), kind, at)

    def _by_row(self, kind: Kind) -> dict[tuple[int, int], tuple[Section, Row]]:
        """Rows of all tables of a kind, by section and row, with their section."""
        return {
            (section.number, number): (section, row)
            for section in self.sections.of(kind)
            for number, row in enumerate(self._rows(kind, section))
        }


def is_dump(path: Path) -> bool:
    """Whether a file is a GPU core dump, by its first bytes."""
    head = head_of(path, _ELF.size) if path.is_file() else b""
    if len(head) < _ELF.size or head[:4] != b"\x7fELF":
        return False
    _, kind, machine, *_ = _ELF.unpack(head)
    return bool(kind == _CORE and machine == _CUDA_MACHINE)


def _line(image: KernelImage, pc: int, warp: Row) -> CodeLine | None:
    """The line of what failed: the warp's own error address is exact where it has one; a thread's
    stands behind the instruction."""
    if warp["has_pc"]:
        return image.line_at(warp["pc"])
    return image.line_at(max(pc - 1, 0))


def _parameters(image: KernelImage, name: str, data: bytes) -> Iterator[Parameter]:
    for place in image.places.get(name, ()):
        held = data[place.offset : place.offset + place.size]
        if len(held) == place.size:
            yield Parameter(place.position, place.offset, held)


def _string(strings: bytes, at: int) -> str:
    if not 0 < at < len(strings):
        return ""
    return strings[at : at + 256].split(b"\0")[0].decode("utf-8", "replace")


def _name_of(kind: int) -> str:
    try:
        return Kind(kind).name.lower().replace("_", " ")
    except ValueError:
        return f"type {kind}"


@contextmanager
def open_dump(path: Path) -> Iterator[DumpFile]:
    """Open a dump, compressed (.gz, .xz, .zst) or not, for as long as the context lasts.

    Raises :class:`ArtifactError` for what is none, is cut off, or cannot be read.
    """
    with unpacked(path) as plain:
        try:
            with plain.open("rb") as stream:
                if stream.seek(0, 2) == 0:
                    raise ArtifactError(f"{path} is empty", "it has no bytes at all", _NEXT_TIME)
                mapped = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            raise ArtifactError(
                f"the core dump {path} cannot be read",
                error.strerror or str(error),
                "Give the path of the file that the driver wrote.",
            ) from error
        with mapped:
            yield DumpFile(path, mapped, plain)
