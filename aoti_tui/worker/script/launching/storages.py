"""The memory of a script's tensors, which launches write into as they happen."""

from __future__ import annotations

from ...engine.values.arguments import Storage


class LiveStorage(Storage):
    """What a launch stores is in the tensor at once, as on a GPU."""

    def fork(self) -> None:
        """There is no copy to write into."""
