"""print, tl.device_print and tl.static_print, told to whoever listens to the run."""

from __future__ import annotations

from typing import Any

from ...source.place import NOWHERE
from ..findings.kernel_frames import kernel_place
from ..findings.printed import Printed
from ..operations.builder import Builder
from ..values.handle import plain


class Printing:
    """`builder`: whose run is told. Programs that print run one by one, in order."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder

    def device_print(self, prefix: Any, *args: Any, hex: Any = False, **_: Any) -> None:
        """tl.device_print(prefix, *blocks)."""
        self._tell((prefix, *args), bool(plain(hex)))

    def print(self, *args: Any, **_: Any) -> None:
        """Python's own, which the compiler takes for tl.device_print."""
        self._tell(args, False)

    def static_print(self, *args: Any, **_: Any) -> None:
        """What is known when a kernel is compiled, printed by the first program alone."""
        run = self.builder.run
        place = kernel_place() or NOWHERE
        parts = tuple(str(plain(arg)) for arg in args)
        if run.printed is None or (place, parts) in run.said:
            return
        run.said.add((place, parts))
        run.printed(Printed(place, None, parts))

    def _tell(self, args: tuple[Any, ...], hexadecimal: bool) -> None:
        run = self.builder.run
        if run.printed is None:
            return
        x, y, z = (int(n) for n in run.programs[0])
        parts = tuple(_part(arg) for arg in args)
        run.printed(Printed(kernel_place() or NOWHERE, (x, y, z), parts, hexadecimal))


def _part(value: Any) -> Any:
    handle = getattr(value, "handle", None)
    if handle is None:
        return plain(value)
    return handle.data if handle.shape else handle.data.reshape(-1)[:1].reshape(())
