"""What is asked of whoever keeps the launches of a script."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Wrote:
    """The lane that wrote an element last, in which launch, and where in the source."""

    launch: int
    kernel: str
    argument: str
    element: int
    program: tuple[int, int, int]
    lane: tuple[int, ...]
    file: str
    line: int
    value: Any


class Keeper(Protocol):
    """Launches are named by their ids, storages by their addresses."""

    def launch_of(self, address: int) -> int | None:
        """The launch that wrote to a storage last; None if something else did, or nothing."""

    def wrote(self, launch: int, address: int, byte: int) -> Wrote | None:
        """Who wrote the element at a byte of a storage, in a launch or one before it."""

    def kernel_of(self, launch: int) -> str:
        """The name of the kernel of a launch; empty where that is not known any more."""
