"""What names of a script's kernels should be, compared in its launches once it has ended."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from aoti_tui.replay.client import Reply
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.script.process import Connection
from aoti_tui.replay.script.report import RunReport

MOST_PROGRAMS = 16
"""Programs of a launch that are compared, from the first to the last."""
_TEXT = re.compile(
    r"(?:(?P<kernel>\w+)\s*:\s*)?(?P<name>\w+)\s*=(?!=)\s*(?P<expression>\S.*)", re.S
)


@dataclass(frozen=True)
class Reference:
    """``NAME = EXPR``, of one kernel or (``""``) of each that assigns the name."""

    kernel: str
    name: str
    expression: str

    @property
    def text(self) -> str:
        return f"{self.name} = {self.expression}"


def read_reference(text: str) -> Reference:
    """``[KERNEL:] NAME = EXPR``. Raises ValueError for anything else."""
    found = _TEXT.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text!r} is not NAME = EXPR or KERNEL: NAME = EXPR")
    return Reference(found["kernel"] or "", found["name"], found["expression"])


def programs_of(grid: Iterable[int]) -> list[tuple[int, int, int]]:
    """The first and the last program of a grid, and as many between them as are compared."""
    x, y, z = grid
    count = x * y * z
    some = min(count, MOST_PROGRAMS)
    numbers = sorted({at * (count - 1) // max(some - 1, 1) for at in range(some)})
    return [(n // (y * z), n // z % y, n % z) for n in numbers]


@dataclass
class Comparing:
    """Asks a process that stands at its end; what departs becomes a difference of the report.

    Of each kernel the first launch that departs is told, with the first line at which it does.
    """

    references: tuple[Reference, ...]
    report: RunReport
    compared: dict[Reference, int] = field(default_factory=dict)
    """In how many programs each was compared."""
    problems: dict[Reference, str] = field(default_factory=dict)

    def ask(self, connection: Connection) -> None:
        """Compare in every launch of a process."""
        told: set[str] = set()
        for number, launch in self.report.launches_of(connection.pid):
            kernel = str(launch["kernel"])
            wanted = [r for r in self.references if r.kernel in ("", kernel)]
            if not wanted or kernel in told:
                continue
            for program, reply in self._replies(connection, number, launch, wanted):
                self._count(wanted, reply)
                if reply["first"] is not None:
                    told.add(kernel)
                    self.report.depart(launch["index"], program, reply["first"])
                    break

    def _replies(
        self,
        connection: Connection,
        number: int,
        launch: dict[str, Any],
        wanted: list[Reference],
    ) -> Iterator[tuple[tuple[int, int, int], Reply]]:
        texts = [one.text for one in wanted]
        for program in programs_of(launch["grid"]):
            try:
                reply = connection.ask(
                    "expect", launch=number, program=program, expectations=texts, strict=False
                )
            except ReplayError as error:
                reply = Reply({"event": "error", "message": error.what}, ())
            if reply.get("event") == "error":
                self.problems.update({one: str(reply.get("message")) for one in wanted})
                return
            yield program, reply

    def _count(self, wanted: list[Reference], reply: Reply) -> None:
        for one, result in zip(wanted, reply["expected"], strict=True):
            if result.get("assigned"):
                self.problems[one] = str(result["problem"])
            elif "problem" in result:
                self.problems.setdefault(one, str(result["problem"]))
            else:
                self.compared[one] = self.compared.get(one, 0) + 1

    def nowhere(self) -> list[tuple[Reference, str]]:
        """References that could be compared in no launch, and why."""
        return [
            (one, self.problems.get(one, "there is no launch that it fits"))
            for one in self.references
            if one not in self.compared
        ]
