"""The memory of a script's tensors, which launches write into as they happen."""

from __future__ import annotations

from ...engine.numbers.floats import Array
from ...engine.values.arguments import Storage
from ..keeping.memory import Memory


class LiveStorage(Storage):
    """What a launch stores is in the tensor at once, as on a GPU; `memory` keeps what was there."""

    def __init__(self, data: Array, memory: Memory) -> None:
        super().__init__(data)
        self.memory = memory
        self.paged = not memory.small

    def fork(self, pages: list[int] | None = None) -> None:
        """There is no copy to write into, only one of what is about to be overwritten."""
        self.memory.changing(pages)
