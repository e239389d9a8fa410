"""While loops that never end, told by a round in which nothing changes or by their time."""

from __future__ import annotations

import sys
import time
from types import FrameType
from typing import Any

from ..errors import Hanging
from ..findings.kernel_frames import place_of
from ..run import Run
from ..values.handle import Handle

# A loop is looked at once in so many rounds: ordinary ones have fewer.
ROUNDS = 4096
SECONDS = 60.0


class Loops:
    """Called in each round of a while loop, with its condition."""

    def __init__(self) -> None:
        self._frame: FrameType | None = None
        self._since = 0.0
        self._before: dict[str, Any] | None = None
        self._rounds = 0

    def still(self, run: Run, condition: Any) -> Any:
        """The condition. Raises Hanging in a loop without an end."""
        self._rounds += 1
        if self._before is not None:
            self._compare(run, sys._getframe(2))
        elif self._rounds % ROUNDS == 0:
            self._look(run, sys._getframe(2))
        return condition

    def _look(self, run: Run, frame: FrameType) -> None:
        now = time.monotonic()
        if frame is not self._frame:
            # Held, so that no other frame can be taken for it.
            self._frame, self._since = frame, now
        elif now - self._since > SECONDS:
            self._frame = None
            raise Hanging(f"this loop has not ended in {SECONDS:.0f} seconds", place_of(frame))
        self._before = _state(run, frame)

    def _compare(self, run: Run, frame: FrameType) -> None:
        before, self._before = self._before, None
        # Programs that take turns wait for what the others write.
        if frame is self._frame and run.polled is None and _state(run, frame) == before:
            self._frame = None
            raise Hanging(
                "nothing changes from one round of this loop to the next", place_of(frame)
            )


def _state(run: Run, frame: FrameType) -> dict[str, Any]:
    """What a function's names stand for: numbers as they are, anything else by identity; and
    how often memory was written to."""
    state: dict[str, Any] = {"": run.writes}
    for name, value in frame.f_locals.items():
        handle = getattr(value, "handle", None)
        state[name] = handle.lanes.tobytes() if isinstance(handle, Handle) else id(value)
    return state
