"""What a chain is followed through, and how far it has come."""

from __future__ import annotations

from collections.abc import Callable

from aoti_tui.failure.model import UserTerm
from aoti_tui.failure.provenance.known import Known
from aoti_tui.flow.dataflow import DataFlow
from aoti_tui.index.model import WrapperIndex
from aoti_tui.kernel.model import KernelProgram

_LONGEST = 1500


class Trail:
    """One question's way through a wrapper: every step of it is followed once."""

    def __init__(
        self,
        index: WrapperIndex,
        program_of: Callable[[str], KernelProgram],
        flow: DataFlow,
        known: Known,
    ) -> None:
        self.index = index
        self.program_of = program_of
        self.flow = flow
        self.known = known
        self._followed: set[tuple[object, ...]] = set()
        self._steps = 0

    def first(self, *step: object) -> bool:
        """Whether a step is met for the first time."""
        if step in self._followed:
            return False
        self._followed.add(step)
        return True

    def count(self) -> None:
        """One step more in a kernel, where chains grow long."""
        self._steps += 1

    @property
    def too_long(self) -> bool:
        return self._steps > _LONGEST

    def user(self, position: int) -> UserTerm | None:
        """What an argument is to the user; None where the user's are the wrapper's."""
        return self.known.user.get(position, UserTerm("unknown") if self.index.graph else None)

    def value(self, name: str) -> int | float | None:
        """What is known of a kernel's name or a symbol."""
        return self.known.names.get(name, self.known.symbols.get(name))
