"""The image of a kernel in a dump: names, parameters, line table, texts of asserts.

Images are ELF files (cubins) of their own. How a kernel's parameters lie in its buffer stands in
``.nv.info.<kernel>``, in attributes of type KPARAM_INFO.
"""

from __future__ import annotations

import bisect
import io
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from elftools.dwarf.dwarfinfo import DebugSectionDescriptor, DwarfConfig, DWARFInfo
from elftools.dwarf.structs import DWARFStructs
from elftools.elf.elffile import ELFFile

from aoti_tui.artifacts.core_dump.model import CodeLine

_KPARAM_INFO = 0x17
_BY_SIZE = 4
"""Format of an attribute whose value follows it, its length before it."""
_MOST_PARAMETERS = 4096
_ASSERT_TEXT = re.compile(rb"\.b8 assertMessage_\d+\[\d+\] = \{([\d, ]*)\}")
_MOST_TEXT = 1 << 16


@dataclass(frozen=True, slots=True)
class ParameterPlace:
    """Where a parameter lies in the buffer, in bytes."""

    position: int
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    start: int
    end: int


@dataclass(frozen=True)
class KernelImage:
    """What one image says. Addresses are those of the GPU in a relocated image."""

    functions: tuple[Function, ...] = ()
    places: dict[str, tuple[ParameterPlace, ...]] = field(default_factory=dict)
    """By kernel, in order."""
    messages: tuple[str, ...] = ()
    lines: tuple[tuple[int, CodeLine], ...] = ()
    """First address of each run of instructions, ascending, and its line."""

    def function_at(self, address: int) -> Function | None:
        return next((f for f in self.functions if f.start <= address < f.end), None)

    def line_at(self, address: int) -> CodeLine | None:
        """The line of the instruction at an address; None outside of the code."""
        if self.function_at(address) is None:
            return None
        at = bisect.bisect_right(self.lines, address, key=lambda one: one[0]) - 1
        return self.lines[at][1] if at >= 0 else None

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(line.file for _, line in self.lines))


def read_image(data: bytes) -> KernelImage:
    """Read an image; what is damaged in it is left out. Never raises."""
    try:
        image = ELFFile(io.BytesIO(data))
        sections = [_Part(one.name, one) for one in image.iter_sections()]
    except Exception:
        # A parser of someone else's over bytes of anyone's: whatever it raises, it is damage.
        return KernelImage()
    functions = tuple(_tried(_functions, sections) or ())
    places = {
        part.name.removeprefix(".nv.info."): tuple(_tried(_places, part) or ())
        for part in sections
        if part.name.startswith(".nv.info.")
    }
    return KernelImage(
        functions,
        places,
        tuple(_tried(_messages, sections) or ()),
        tuple(_tried(_lines, sections) or ()),
    )


@dataclass(frozen=True, slots=True)
class _Part:
    name: str
    section: Any

    def data(self) -> bytes:
        found: bytes = self.section.data()
        return found


def _tried(read: Any, given: Any) -> list[Any] | None:
    try:
        return list(read(given))
    except Exception:
        # As in read_image: the parts of an image are damaged one by one.
        return None


def _functions(sections: list[_Part]) -> Iterator[Function]:
    for part in sections:
        if part.name != ".symtab":
            continue
        for symbol in part.section.iter_symbols():
            start, size = int(symbol["st_value"]), int(symbol["st_size"])
            if symbol["st_info"]["type"] == "STT_FUNC" and size:
                yield Function(symbol.name, start, start + size)


def _places(part: _Part) -> list[ParameterPlace]:
    data, at = part.data(), 0
    found: list[ParameterPlace] = []
    while at + 4 <= len(data) and len(found) < _MOST_PARAMETERS:
        kind, attribute, size = struct.unpack_from("<BBH", data, at)
        at += 4
        if kind != _BY_SIZE:
            continue
        value = data[at : at + size]
        at += size
        if attribute == _KPARAM_INFO and len(value) >= 12:
            _, position, offset, packed = struct.unpack_from("<IHHI", value)
            found.append(ParameterPlace(position, offset, packed >> 18))
    return sorted(found, key=lambda place: place.position)


def _messages(sections: list[_Part]) -> Iterator[str]:
    """Texts of the asserts, from the PTX that the image keeps for debuggers."""
    for part in sections:
        if part.name == ".nv_debug_ptx_txt":
            for match in _ASSERT_TEXT.finditer(part.data()):
                numbers = match[1][:_MOST_TEXT].split(b",")
                text = bytes(int(n) & 0xFF for n in numbers if n.strip())
                yield text.decode("utf-8", "replace")


def _lines(sections: list[_Part]) -> list[tuple[int, CodeLine]]:
    table = next((part for part in sections if part.name == ".debug_line"), None)
    if table is None:
        return []
    data = table.data()
    given = {name: None for name in DWARFInfo.__init__.__code__.co_varnames[1:] if "sec" in name}
    described = DebugSectionDescriptor(
        stream=io.BytesIO(data), name=".debug_line", global_offset=0, size=len(data), address=0
    )
    given["debug_line_sec"] = described
    config = DwarfConfig(little_endian=True, machine_arch="CUDA", default_address_size=8)
    info = DWARFInfo(config, **given)
    structs = DWARFStructs(little_endian=True, dwarf_format=32, address_size=8, dwarf_version=2)
    found: list[tuple[int, CodeLine]] = []
    at = 0
    while at + 4 < len(data):
        program = info._parse_line_program_at_offset(at, structs)
        names = _file_names(program.header)
        for entry in program.get_entries():
            state = entry.state
            if state is not None and not state.end_sequence and state.file in names:
                found.append((int(state.address), CodeLine(names[state.file], int(state.line))))
        at += int(program.header["unit_length"]) + 4
    return sorted(found, key=lambda one: one[0])


def _file_names(header: Any) -> dict[int, str]:
    """Full paths by number of the file, from 1."""
    folders = ["", *(one.decode("utf-8", "replace") for one in header["include_directory"])]
    found = {}
    for number, entry in enumerate(header["file_entry"], start=1):
        name = entry.name.decode("utf-8", "replace")
        folder = folders[entry.dir_index] if entry.dir_index < len(folders) else ""
        found[number] = f"{folder}/{name}" if folder and not name.startswith("/") else name
    return found
