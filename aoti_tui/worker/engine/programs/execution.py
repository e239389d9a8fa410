"""Running programs of a kernel: one by one, many at once, or meeting at a grid barrier."""

from __future__ import annotations

import time
from typing import Any, Callable

import numpy as np

from ..findings.findings import Findings
from ..language.control import Divergence
from ..language.language import Language
from ..numbers.floats import Array
from ..run import Run
from .turns import Turns

Progress = Callable[[int, int], None]
# Lanes of one run of many programs: beyond it blocks fall out of the processor's caches.
LANES_AT_ONCE = 1 << 19
_GROWTH = 1024


class Execution:
    """One kernel on one grid, for the programs that it is asked for."""

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
        self, programs: Array, undo: bool, progress: Progress, stop_at_first: bool
    ) -> int:
        """Run as many programs at a time as their blocks are small; how many ran."""
        clock = Clock(progress, len(programs))
        start, size = 0, 1
        while start < len(programs):
            batch = programs[start : start + size]
            self.together(batch, undo)
            start += len(batch)
            clock.tick(start)
            if stop_at_first and self.run.findings.failed:
                break
            # The first programs of a grid may be other than the rest, so sizes grow step by step.
            size = min(max(LANES_AT_ONCE // self.run.widest, 1), size * _GROWTH)
        return start

    def taking_turns(
        self, programs: Array, progress: Progress, watched: tuple[int, ...] | None = None
    ) -> int:
        """Run a grid whose programs wait for what others write. `watched`: as in `cooperating`."""
        progress(0, len(programs))
        Turns(self.run, self.call, programs, watched).meet()
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
            Turns(self.run, self.call, members, watched).meet()
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
