"""From an element in memory to the lane that wrote it, over the launches that are kept."""

from __future__ import annotations

from typing import Any

from ..expected.keeper import Wrote
from .replays import Replays, number_of


class Lanes:
    """The `Keeper` of the script's checks."""

    def __init__(self, replays: Replays) -> None:
        self.replays = replays
        self.keeping = replays.keeping

    def launch_of(self, address: int) -> int | None:
        """The launch that wrote to a storage last; None if something else did, or nothing."""
        writer = self.keeping.writers.last(address)
        return None if writer is None else writer.launch

    def kernel_of(self, launch: int) -> str:
        """The name of the kernel of a launch; empty where that is not known any more."""
        kept = self.keeping.launches.get(launch)
        return "" if kept is None else kept.kernel.kernel.name

    def wrote(self, launch: int, address: int, byte: int) -> Wrote | None:
        """Who wrote the element at a byte of a storage, in a launch or one before it."""
        kept = self.keeping.launches.get(launch)
        if kept is None:
            return None
        for name, held in kept.tensors.items():
            if held.state.memory.address != address:
                continue
            first = held.offset * held.dtype.itemsize
            element = (byte - first) // number_of(held).size
            request = {"launch": launch, "argument": name, "element": element}
            found = self.replays.who_wrote(request, lambda done, total: None)
            last = found["last"]
            if last is not None:
                return self._told(launch, last)
            earlier = found["before_by"]
            if earlier is not None and earlier.get("program") is not None:
                return self._told(int(earlier["launch"]), earlier)
            return None
        return None

    def _told(self, launch: int, write: dict[str, Any]) -> Wrote:
        x, y, z = write["program"]
        return Wrote(
            launch,
            self.kernel_of(launch),
            write["argument"],
            write["element"],
            (x, y, z),
            tuple(write["lane"]),
            write["file"],
            write["kernel_line"],
            write["value"],
        )
