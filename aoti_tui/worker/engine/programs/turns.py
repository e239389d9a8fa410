"""Programs that wait for each other: at a grid barrier, or for what another one writes."""

from __future__ import annotations

import ctypes
import threading
from typing import Callable

from ...source.place import Place
from ..errors import Hanging
from ..findings.kernel_frames import kernel_place
from ..numbers.floats import Array
from ..run import Run
from ..values.access import Access

# So many turns of each program in which nobody saw anything new are taken for an endless wait.
MOST_IDLE = 1000


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


class Turns:
    """Programs as threads of which one runs at a time, from its start until it has to wait.

    Nothing runs at the same time, so results do not depend on scheduling. A program waits at a
    grid barrier, and where it looks for the second time in a row at something that has not
    changed (a lock, a flag). Programs begin in order, each when all before it have ended or wait.
    """

    def __init__(
        self,
        run: Run,
        call: Callable[[Array], None],
        programs: Array,
        watched: tuple[int, ...] | None,
    ) -> None:
        self.run = run
        self.call = call
        self.programs = programs
        self.recorder = run.recorder
        self.watched = watched
        self.back = threading.Semaphore(0)
        self.turns = [threading.Semaphore(0) for _ in programs]
        self.threads: list[threading.Thread] = []
        self.ended = [False] * len(programs)
        self.seen: list[tuple[Place | None, bytes] | None] = [None] * len(programs)
        self.failure: BaseException | None = None
        self.aborted = False
        self.current = 0
        self.idle = 0

    def meet(self) -> None:
        """Run all programs to their end. Raises Hanging where they wait for ever."""
        outer = self.run.wait, self.run.polled
        self.run.wait, self.run.polled = self.wait, self.polled
        waiting = list(range(len(self.programs)))
        try:
            while waiting:
                for index in waiting:
                    self._give_turn(index)
                waiting = [index for index in waiting if not self.ended[index]]
        finally:
            self.aborted = True
            for turn in self.turns:
                turn.release()
            for thread in self.threads:
                _end(thread)
            self.run.wait, self.run.polled = outer
            self.run.recorder = self.recorder
        if self.failure is not None:
            raise self.failure

    def _give_turn(self, index: int) -> None:
        run = self.run
        program = self.programs[index : index + 1]
        self.current = index
        run.programs = program
        mine = self.watched is not None and tuple(program[0].tolist()) == tuple(self.watched)
        run.recorder = self.recorder if mine else None
        if index == len(self.threads):
            thread = threading.Thread(target=self._program, args=(index,), daemon=True)
            self.threads.append(thread)
            thread.start()
        self.turns[index].release()
        self.back.acquire()
        if self.failure is not None:
            raise self.failure

    def _program(self, index: int) -> None:
        self.turns[index].acquire()
        try:
            if not self.aborted:
                self.call(self.programs[index : index + 1])
        except _Aborted:
            return
        except BaseException as error:
            self.failure = error
        finally:
            self.ended[index] = True
            self.idle = 0
            self.back.release()

    def wait(self) -> None:
        """Called by the program that runs: hands on until it has its next turn."""
        index = self.current
        self.back.release()
        self.turns[index].acquire()
        if self.aborted:
            raise _Aborted

    def polled(self, access: Access, found: Array) -> None:
        """Called by the program that runs with what an atomic or a volatile load gave."""
        place = kernel_place()
        seen = (place, access.elements.tobytes() + found.tobytes())
        if self.seen[self.current] != seen:
            self.seen[self.current] = seen
            self.idle = 0
            return
        self.idle += 1
        if self.idle > MOST_IDLE * (self.ended.count(False) or 1):
            raise Hanging("its programs wait for each other for ever", place)
        self.wait()
