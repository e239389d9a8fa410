"""Programs that wait for each other at a grid barrier."""

from __future__ import annotations

import ctypes
import threading
from typing import Callable

from ..numbers.floats import Array
from ..run import Run


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
        self.alive = [True] * len(programs)
        self.failure: BaseException | None = None
        self.aborted = False
        self.current = 0

    def meet(self) -> None:
        """Run all programs to their end."""
        threads = [
            threading.Thread(target=self._program, args=(i,), daemon=True)
            for i in range(len(self.programs))
        ]
        outer, self.run.wait = self.run.wait, self.wait
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
            self.run.wait, self.run.recorder = outer, self.recorder
        if self.failure is not None:
            raise self.failure

    def _give_turn(self, index: int) -> None:
        run = self.run
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
                self.call(self.programs[index : index + 1])
        except _Aborted:
            return
        except BaseException as error:
            self.failure = error
        finally:
            self.alive[index] = False
            self.back.release()

    def wait(self) -> None:
        """Called by the program that runs: hands on until all others have got here."""
        index = self.current
        self.back.release()
        self.turns[index].acquire()
        if self.aborted:
            raise _Aborted
