"""One launch: values bound to a kernel's parameters, on copies of the tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..language.language import Language
from ..numbers.dtypes import Number
from ..numbers.floats import Array
from ..run import Run
from ..values.arguments import Argument
from ..values.handle import Handle
from .execution import Execution, Progress
from .kernel import Kernel


@dataclass(frozen=True)
class Launch:
    """Values by parameter name and the arguments whose storages they point into."""

    kernel: Kernel
    grid: tuple[int, int, int]
    values: dict[str, Any]
    arguments: dict[str, Argument]
    language: Language
    num_warps: int = 4

    def execution(self) -> Execution:
        run = Run(self.grid, self.arguments, self.num_warps)
        facts = self.kernel.facts
        run.reads_atomics = facts.ordered
        for place, text in facts.flags:
            run.findings.flag(text, place)
        return Execution(self.language, self.kernel.function, self.values, run)

    def programs(self) -> Array:
        """Every program of the grid, (n, 3), x slowest: the order in which they run."""
        x, y, z = self.grid
        index = np.arange(x * y * z, dtype=np.int64)
        columns = (index // (y * z), index // z % y, index % z)
        return np.stack(columns, axis=1).astype(np.int32)

    def whole_grid(
        self, execution: Execution, together: bool, progress: Progress, stop_at_first: bool = False
    ) -> tuple[int, bool]:
        """Run every program; how many ran, and whether many at once, which `together` asks for.

        Programs that depend on one another run one by one.
        """
        facts = self.kernel.facts
        programs = self.programs()
        if facts.cooperative:
            return execution.cooperating(programs, progress), False
        if facts.waits:
            return execution.taking_turns(programs, progress), False
        if together and not (facts.ordered or facts.speaks) and len(programs):
            ran = execution.in_batches(programs, facts.branches, progress, stop_at_first)
            return ran, True
        return execution.one_by_one(programs, progress, stop_at_first), False

    def commit(self) -> None:
        """Write what the run stored back into the tensors themselves."""
        for argument in self.arguments.values():
            argument.storage.commit()


def pointer_to(argument: Argument, number: Number, language: Language) -> Any:
    """A scalar pointer to an argument's first element, of elements of that type."""
    dtype = language.tl.pointer_type(language.values.dtype(number))
    return language.tl.tensor(Handle(np.zeros(1, np.int64), dtype, (), argument), dtype)
