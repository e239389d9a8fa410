"""Who looks on while a kernel reads and writes memory."""

from __future__ import annotations

from typing import Protocol

from ..numbers.floats import Array
from ..values.access import Access
from .findings import Findings


class Running(Protocol):
    """What an onlooker sees of a run."""

    grid: tuple[int, int, int]
    programs: Array
    findings: Findings


class Onlooker:
    """Told of each access after its bounds were checked and before it happens; here of no interest.

    `wanted`: lanes that are not masked out and inside of the storage, None for all of them;
    `bits`: elements as they lie in memory. All broadcast to (programs, *block).
    """

    def loaded(
        self, run: Running, access: Access, wanted: Array | None, bits: Array, volatile: bool
    ) -> Array:
        """Elements were read; gives what the kernel is to get."""
        return bits

    def storing(
        self, run: Running, access: Access, wanted: Array, bits: Array, memory: Array
    ) -> None:
        """Elements are about to be written; `memory` is the storage from its first element on."""

    def atomic(
        self,
        run: Running,
        access: Access,
        wanted: Array,
        before: Array,
        operands: list[Array],
        reads: bool,
    ) -> None:
        """Elements are about to be changed in one step; `before`: what the wanted lanes find
        there, `operands`: what they bring, all in their order; `reads`: whether what is left
        behind depends on what was there."""
