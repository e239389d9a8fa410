"""What every part of the builder shares: the run it works for and Triton's scalar types."""

from __future__ import annotations

from typing import Any

from ..run import Run


class State:
    """`run` is set before each run of a kernel; `tl` is triton.language."""

    def __init__(self, tl: Any) -> None:
        # Until a kernel runs: what a launch is given (descriptors) is built before that.
        self.run = Run((1, 1, 1), {})
        self.tl = tl
        self.int1 = tl.int1
        self.int32 = tl.int32
