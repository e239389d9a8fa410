"""What can run launches again, whatever they come from: a wrapper's, or those of a script."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from aoti_tui.index.model import Launch
from aoti_tui.replay.client import Progress
from aoti_tui.replay.model import Program, Recording, ReplayResult, SymbolValue, WorkerInfo
from aoti_tui.replay.recorded.blocks import Number


class Replayer(Protocol):
    """Blocking and thread-safe; what runs something raises
    :class:`~aoti_tui.replay.errors.ReplayError`."""

    @property
    def doing(self) -> str:
        """What runs right now, in a user's words."""
        ...

    def info(self) -> WorkerInfo:
        """What the Python has that runs launches."""
        ...

    def warm(self) -> None:
        """Get ready what takes long, while the user reads."""
        ...

    def cancel(self) -> bool:
        """Stop what runs; False when nothing does."""
        ...

    def settings_for(self, launch: Launch) -> Mapping[str, Number]:
        """What the user set to try something, of what a launch is given."""
        ...

    def set_for(self, launch: Launch, name: str, value: Number | None) -> None:
        """What if ``name`` were ``value``? None takes it back."""
        ...

    def symbols_of(self, launch: Launch | None) -> tuple[SymbolValue, ...]:
        """What can be set to try something about a launch, with its values."""
        ...

    def run(self, launch: Launch, *, progress: Progress | None = None) -> ReplayResult:
        """What goes wrong in the whole grid of a launch."""
        ...

    def record(
        self, launch: Launch, program: Program = (0, 0, 0), progress: Progress | None = None
    ) -> Recording:
        """Every assignment of one program, with values."""
        ...
