"""What the builder works for at the moment: which programs run, on what, and who looks on."""

from __future__ import annotations

from types import FrameType
from typing import Callable

import numpy as np

from ..source.place import Place
from .errors import Unsupported
from .findings.findings import Findings
from .findings.kernel_frames import kernel_place
from .findings.onlooker import Onlooker
from .findings.printed import Printed
from .findings.recorder import Recorder
from .findings.writes import Watch
from .numbers.floats import Array
from .values.access import Access
from .values.arguments import Argument
from .values.handle import Handle


class Run:
    """One run of a launch.

    `programs`: (n, 3) int32, the programs running together; `journal`: undo log of stores
    while programs may still part ways; `recorder`: notes values of the one program it is for;
    `watch`: an element whose writes are noted; `wait`: hands on to the programs that this one
    waits for; `polled`: is told what atomics and volatile loads give, in programs that wait;
    `widest`: lanes of the largest block so far; `onlooker`: is told of each access; `printed`: of
    what the kernel prints; `said`: what it printed before it ran; `reads_atomics`: whether the
    kernel uses what its atomics found; `writes`: stores and atomics so far; `num_warps`: what the
    launch was given, which kernels may ask for; `pointed`: finds the tensors behind addresses that
    a kernel makes pointers of, and puts them among the arguments.
    """

    def __init__(
        self, grid: tuple[int, int, int], arguments: dict[str, Argument], num_warps: int = 4
    ) -> None:
        self.grid = grid
        self.arguments = arguments
        self.programs: Array = np.zeros((1, 3), dtype=np.int32)
        self.findings = Findings()
        self.journal: list[tuple[Array, Array, Array]] | None = None
        self.recorder: Recorder | None = None
        self.watch: Watch | None = None
        self.onlooker: Onlooker | None = None
        self.wait: Callable[[], None] | None = None
        self.polled: Callable[[Access, Array], None] | None = None
        self.widest = 1
        self.writes = 0
        self.printed: Callable[[Printed], None] | None = None
        self.said: set[tuple[Place, tuple[str, ...]]] = set()
        self.reads_atomics = True
        self.num_warps = num_warps
        self.pointed: Callable[[Array], None] | None = None

    def asserted(self, message: str, held: Handle, frame: FrameType | None) -> None:
        """A device assert was reached; `held` is true in the lanes that pass."""
        fails = not bool(held.lanes.all())
        if fails:
            failing = Handle(~held.lanes, held.dtype, held.shape)
            self.findings.assert_failed(message, failing, self.programs, frame)
        if self.recorder is not None:
            self.recorder.asserted(message, held)

    def wait_for_all(self) -> None:
        """Every program of the row must get here before any goes on."""
        if self.wait is None:
            raise Unsupported("a grid barrier outside a run of the whole grid", kernel_place())
        self.wait()
