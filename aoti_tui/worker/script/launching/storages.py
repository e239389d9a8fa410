"""The memory of a script's tensors, which launches write into as they happen."""

from __future__ import annotations

from typing import Any

from ...engine.numbers.floats import Array
from ...engine.values.arguments import Storage

# Of larger storages nothing is kept.
MOST_KEPT = 1 << 28


class LiveStorage(Storage):
    """What a launch stores is in the tensor at once, as on a GPU.

    `before`: the bytes as they were when the launch began, while they are not what is there now.
    """

    def __init__(self, data: Array) -> None:
        super().__init__(data)
        self.before: Array | None = None
        self.lost = False

    def fork(self) -> None:
        """There is no copy to write into, only one of what is about to be overwritten."""
        if self.before is None and not self.lost:
            self.lost = len(self.data) > MOST_KEPT
            self.before = None if self.lost else self.data.copy()


class LiveStorages:
    """The storages of one launch, and copies of them as they were when it began."""

    def __init__(self) -> None:
        self._live: dict[int, LiveStorage] = {}

    def make(self, untyped: Any, data: Array) -> Storage:
        """The storage of a torch storage, whose bytes are `data`."""
        made = LiveStorage(data)
        self._live[untyped.data_ptr()] = made
        return made

    @property
    def kept(self) -> bool:
        """Whether everything that was overwritten is still known."""
        return not any(live.lost for live in self._live.values())

    def earlier(self, untyped: Any, data: Array) -> Storage:
        """A storage with the bytes of before the launch, which the tensors do not share."""
        before = self._live[untyped.data_ptr()].before
        return Storage(data if before is None else before)
