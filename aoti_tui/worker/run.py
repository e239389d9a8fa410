"""Running programs of a kernel: one by one, many at once, or meeting at a grid barrier."""

from __future__ import annotations

import ctypes
import threading
import time
from types import FrameType
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from .arguments import Argument
from .findings import Findings, kernel_line
from .floats import Array
from .handle import Handle
from .language import Divergence, Language
from .problems import unsupported

if TYPE_CHECKING:
    from .recorder import Recorder
    from .writes import Watch

Progress = Callable[[int, int], None]
# Lanes of one run of many programs: beyond it blocks fall out of the processor's caches.
LANES_AT_ONCE = 65536


class Run:
    """What the builder works for at the moment.

    `programs`: (n, 3) int32, the programs running together; `journal`: undo log of stores
    while programs may still part ways; `recorder`: notes values of the one program it is for;
    `watch`: an element whose writes are noted; `reads_atomics`: whether the kernel uses what its
    atomics found.
    """

    def __init__(self, grid: tuple[int, int, int], arguments: dict[str, Argument]) -> None:
        self.grid = grid
        self.arguments = arguments
        self.programs: Array = np.zeros((1, 3), dtype=np.int32)
        self.findings = Findings()
        self.journal: list[tuple[Array, Array, Array]] | None = None
        self.recorder: Recorder | None = None
        self.watch: Watch | None = None
        self.barrier: Barrier | None = None
        self.reads_atomics = True

    def asserted(self, message: str, held: Handle, frame: FrameType | None) -> None:
        """A device assert was reached; `held` is true in the lanes that pass."""
        fails = not bool(held.data.all())
        if fails:
            failing = Handle(~held.data, held.dtype, held.shape)
            self.findings.assert_failed(message, failing, self.programs, frame)
        if self.recorder is not None:
            self.recorder.asserted(message, held)

    def wait_at_barrier(self) -> None:
        """x_grid_barrier: every program of the row must get here before any goes on."""
        if self.barrier is None:
            raise unsupported("a grid barrier outside a run of the whole grid", kernel_line())
        self.barrier.wait()


class Execution:
    """One kernel on one grid; `call` runs it for the programs that `run.programs` names."""

    def __init__(
        self, lang: Language, function: Callable[..., Any], values: dict[str, Any], run: Run
    ) -> None:
        self.function = function
        self.values = values
        self.run = run
        lang.builder.run = run

    def call(self, programs: Array) -> None:
        self.run.programs = programs
        with np.errstate(all="ignore"):
            self.function(**self.values)

    def together(self, programs: Array, undo: bool) -> None:
        """Run programs at once; where they part ways, each group again on its own."""
        run = self.run
        outer = run.findings
        run.findings = Findings()
        run.journal = [] if undo else None
        try:
            self.call(programs)
        except Divergence as parting:
            for view, at, old in reversed(run.journal or []):
                view[at] = old
            run.findings, run.journal = outer, None
            for group in range(int(parting.groups.max()) + 1):
                self.together(programs[parting.groups == group], undo)
            return
        found, run.findings, run.journal = run.findings, outer, None
        outer.merge(found)

    def one_by_one(self, programs: Array, progress: Progress, stop_at_first: bool = False) -> int:
        """Run programs in order; how many ran."""
        clock = Clock(progress, len(programs))
        for done in range(len(programs)):
            self.together(programs[done : done + 1], undo=False)
            clock.tick(done + 1)
            if stop_at_first and self.run.findings.failed:
                return done + 1
        return len(programs)

    def in_batches(
        self, programs: Array, size: int, undo: bool, progress: Progress, stop_at_first: bool
    ) -> int:
        """Run programs `size` at a time; how many ran."""
        clock = Clock(progress, len(programs))
        for start in range(0, len(programs), size):
            batch = programs[start : start + size]
            self.together(batch, undo)
            clock.tick(start + len(batch))
            if stop_at_first and self.run.findings.failed:
                return start + len(batch)
        return len(programs)

    def cooperating(
        self, programs: Array, progress: Progress, watched: tuple[int, ...] | None = None
    ) -> int:
        """Run a grid whose programs wait for all others of their row (same y and z).

        With `watched`, the run's recorder is on for that program alone and only its row runs.
        """
        clock = Clock(progress, len(programs))
        done = 0
        rows = sorted({tuple(p[1:]) for p in programs.tolist()})
        for row in rows:
            if watched is not None and tuple(watched[1:]) != row:
                continue
            members = programs[(programs[:, 1] == row[0]) & (programs[:, 2] == row[1])]
            Barrier(self, members, watched).run()
            done += len(members)
            clock.tick(done)
        return done


class Clock:
    """Passes progress on at most ten times a second."""

    def __init__(self, progress: Progress, total: int) -> None:
        self.progress = progress
        self.total = total
        self.last = time.monotonic()
        # Tells that the request is running, so that a SIGINT from now on cancels it.
        progress(0, total)

    def tick(self, done: int) -> None:
        now = time.monotonic()
        if now - self.last >= 0.1:
            self.last = now
            self.progress(done, self.total)


class _Aborted(BaseException):
    """Ends the thread of a program whose run was given up."""


def _end(thread: threading.Thread) -> None:
    """Wait for a thread; one that is still in its kernel gets an exception there."""
    thread.join(timeout=0.2)
    while thread.is_alive():
        # A program in an endless loop never looks at any flag.
        identity = ctypes.c_ulong(thread.ident or 0)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(identity, ctypes.py_object(_Aborted))
        thread.join(timeout=0.2)


class Barrier:
    """Programs as threads of which one runs at a time, handed on at the grid barrier.

    Nothing runs at the same time, so results do not depend on scheduling.
    """

    def __init__(
        self, execution: Execution, programs: Array, watched: tuple[int, ...] | None
    ) -> None:
        self.execution = execution
        self.programs = programs
        self.recorder = execution.run.recorder
        self.watched = watched
        self.back = threading.Semaphore(0)
        self.turns = [threading.Semaphore(0) for _ in programs]
        self.alive = [True] * len(programs)
        self.failure: BaseException | None = None
        self.aborted = False
        self.current = 0

    def run(self) -> None:
        threads = [
            threading.Thread(target=self._program, args=(i,), daemon=True)
            for i in range(len(self.programs))
        ]
        run = self.execution.run
        outer, run.barrier = run.barrier, self
        for thread in threads:
            thread.start()
        try:
            while any(self.alive):
                for index, alive in enumerate(self.alive):
                    if alive:
                        self._give_turn(index)
        finally:
            self.aborted = True
            for turn in self.turns:
                turn.release()
            for thread in threads:
                _end(thread)
            run.barrier, run.recorder = outer, self.recorder
        if self.failure is not None:
            raise self.failure

    def _give_turn(self, index: int) -> None:
        run = self.execution.run
        program = self.programs[index : index + 1]
        self.current = index
        run.programs = program
        mine = self.watched is not None and tuple(program[0].tolist()) == tuple(self.watched)
        run.recorder = self.recorder if mine else None
        self.turns[index].release()
        self.back.acquire()
        if self.failure is not None:
            raise self.failure

    def _program(self, index: int) -> None:
        self.turns[index].acquire()
        try:
            if not self.aborted:
                self.execution.call(self.programs[index : index + 1])
        except _Aborted:
            return
        except BaseException as error:
            self.failure = error
        finally:
            self.alive[index] = False
            self.back.release()

    def wait(self) -> None:
        index = self.current
        self.back.release()
        self.turns[index].acquire()
        if self.aborted:
            raise _Aborted
