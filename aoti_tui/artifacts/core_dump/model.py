"""What a GPU core dump holds: facts, as the driver wrote them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

Triple = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Device:
    """A GPU. ``name`` is the driver's, such as ``GH100``; ``capability`` is 9.0 as ``(9, 0)``."""

    number: int
    name: str
    architecture: str
    """``sm_90``."""
    capability: tuple[int, int]
    multiprocessors: int


@dataclass(frozen=True, slots=True)
class CodeLine:
    """A line of source that an instruction was compiled from."""

    file: str
    line: int


@dataclass(frozen=True, slots=True)
class FailedThreads:
    """Threads of one block that met the same exception at the same instruction."""

    grid: int
    """Id of the launch, as :attr:`KernelLaunch.grid_id`."""
    block: Triple
    threads: tuple[Triple, ...]
    kind: str
    """``assert``, ``illegal address``, ``misaligned address``, …"""
    at: CodeLine | None
    """Where the image of the kernel has a line table."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a launch: its bytes, as they lie in the parameter buffer."""

    position: int
    offset: int
    data: bytes

    @property
    def size(self) -> int:
        """In bytes: 8 for a pointer, a 64-bit integer or a double."""
        return len(self.data)

    @property
    def unsigned(self) -> int:
        """The bytes as one little-endian number; an address, for a pointer."""
        return int.from_bytes(self.data, "little")


@dataclass(frozen=True, slots=True)
class KernelLaunch:
    """A grid that was running. ``name`` is ``""`` when the dump has no image of the kernel."""

    grid_id: int
    name: str
    grid: Triple
    block: Triple
    parameters: tuple[Parameter, ...]
    """In order; empty when the dump has none, or does not say how they are laid out."""
    parameter_bytes: bytes
    messages: tuple[str, ...] = ()
    """Texts of asserts in the kernel's code."""
    files: tuple[str, ...] = ()
    """Source files that its line table names."""


@dataclass(frozen=True, slots=True)
class MemoryRange:
    """GPU memory that the dump holds whole: ``size`` bytes, at ``offset`` of the file."""

    address: int
    size: int
    offset: int

    @property
    def end(self) -> int:
        return self.address + self.size


@dataclass(frozen=True, slots=True)
class CoreDump:
    """A dump, and how to read memory out of it: see
    :class:`~aoti_tui.artifacts.core_dump.reading.DumpFile`."""

    path: str
    devices: tuple[Device, ...]
    launches: tuple[KernelLaunch, ...]
    failed: tuple[FailedThreads, ...]
    memory: tuple[MemoryRange, ...]
    """By address, none overlapping another."""
    driver: str = ""
    """``580.159``, where the dump says it."""
    written: int = 0
    """Seconds since 1970; 0 when the dump does not say."""
    damage: tuple[str, ...] = ()
    """What could not be read, a sentence each."""

    @property
    def memory_bytes(self) -> int:
        return sum(one.size for one in self.memory)

    def failed_of(self, launch: KernelLaunch) -> tuple[FailedThreads, ...]:
        return tuple(one for one in self.failed if one.grid == launch.grid_id)

    @property
    def failing(self) -> KernelLaunch | None:
        """The launch whose threads met an exception; the only one when no thread is known."""
        for launch in self.launches:
            if self.failed_of(launch):
                return launch
        return self.launches[0] if len(self.launches) == 1 else None

    def range_at(self, address: int) -> MemoryRange | None:
        """The memory that an address lies in."""
        return next((m for m in self.memory if m.address <= address < m.end), None)


def blocks_of(failed: tuple[FailedThreads, ...]) -> Iterator[Triple]:
    """The blocks with a failed thread, each once, in order."""
    yield from dict.fromkeys(one.block for one in failed)
