"""Why the engine cannot go on."""

from __future__ import annotations

from ..source.place import Place


class Unsupported(Exception):
    """Nothing wrong with the kernel, but a CPU cannot do what it asks at that place."""

    def __init__(self, reason: str, place: Place | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.place = place


class Hanging(Unsupported):
    """The kernel's programs wait for what none of them will do."""


class UnknownTriton(Exception):
    """The installed triton's interpreter is not one the engine can be bound to."""
