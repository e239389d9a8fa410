"""The checks of one launch: what looks on while it runs, and what it comes to afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...engine.errors import Hanging
from ...engine.findings.clocks import Clocks
from ...engine.findings.findings import Fault, Findings
from ...engine.findings.notices import Notice
from ...engine.findings.races import Races
from ...engine.findings.watchful import Order, Watchful
from ...engine.programs.launch import Launch
from ...engine.values.arguments import Argument
from ...engine.values.reach import reach_of
from .finding import Finding
from .not_finite import made_by
from .overflow import overflow_of
from .reaching import reaching
from .rerun import Again
from .telling import (
    assert_finding,
    beyond_view_finding,
    bounds_finding,
    hang_finding,
    not_finite_finding,
    overflow_finding,
    race_finding,
    unwritten_finding,
)


def watch_views(arguments: Mapping[str, Argument], tensors: Mapping[str, Any]) -> None:
    """Let accesses be checked against the tensors that were passed, not only their storages."""
    for name, tensor in tensors.items():
        arguments[name].reach = reach_of(tensor)


class Checks:
    """The checks of a script's launches; a kernel's later launches profit from its first."""

    def __init__(self) -> None:
        self._mixed: dict[int, frozenset[str]] = {}

    def of(self, launch: Launch) -> LaunchChecks:
        """The checks of a launch that is about to run."""
        return LaunchChecks(launch, self._mixed.get(id(launch.kernel), frozenset()))

    def results(
        self, checks: LaunchChecks, findings: Findings, again: Again | None
    ) -> list[Finding]:
        """What is wrong with a launch that ran. Without `again` only what is sure at once."""
        found = checks.results(findings, again)
        mixed = checks.mixed
        if mixed:
            key = id(checks.launch.kernel)
            self._mixed[key] = self._mixed.get(key, frozenset()) | mixed
        return found


class LaunchChecks:
    """`onlooker` is for the launch's run, `endless` what ended it. `mixed`: arguments that are
    both read and written, which may race, and were not followed closely enough to tell."""

    def __init__(self, launch: Launch, followed: frozenset[str]) -> None:
        self.launch = launch
        self.races: Races | None = None
        self.endless: Hanging | None = None
        self.onlooker = Watchful(self._order(launch, followed))

    def _order(self, launch: Launch, followed: Iterable[str]) -> Order:
        if launch.kernel.facts.ordered or launch.kernel.facts.cooperative:
            return Clocks(launch.grid)
        self.races = Races(_storages(launch, followed))
        return self.races

    @property
    def mixed(self) -> frozenset[str]:
        """Names of the arguments."""
        if self.races is None:
            return frozenset()
        storages = self.races.mixed
        arguments = self.launch.arguments.items()
        return frozenset(name for name, held in arguments if id(held.storage) in storages)

    def results(self, findings: Findings, again: Again | None) -> list[Finding]:
        """Everything that is wrong, by program."""
        found = [assert_finding(one) for one in findings.asserts.values()]
        for fault in findings.faults.values():
            found.append(bounds_finding(fault))
            found += self._overflows(fault, again)
        for notice in findings.notices.values():
            found += self._judged(notice, again)
        if self.endless is not None:
            found.append(hang_finding(self.endless))
        elif self.mixed and again is not None:
            found += self._races(again)
        return sorted(found, key=_order)

    def _overflows(self, fault: Fault, again: Again | None) -> list[Finding]:
        if again is None:
            return []
        lane = tuple(fault.lane)
        overflow = overflow_of(fault.place, fault.argument, lane, fault.program, again)
        return [] if overflow is None else [overflow_finding(fault, overflow)]

    def _judged(self, notice: Notice, again: Again | None) -> list[Finding]:
        if notice.kind == "race":
            return [race_finding(notice)]
        if notice.kind == "not-finite":
            origin = made_by(notice, again) if again is not None else None
            return [] if origin is None else [not_finite_finding(notice, origin)]
        if not notice.sure and (again is None or reaching(notice, again) is None):
            return []
        argument = self.launch.arguments[notice.argument]
        if notice.kind == "unwritten-read":
            return [unwritten_finding(notice)]
        if notice.access == "load" and self._of_another(argument, notice):
            return []
        return [beyond_view_finding(notice, argument)]

    def _of_another(self, argument: Argument, notice: Notice) -> bool:
        """Whether what was read belongs to another argument that shares the storage."""
        if argument.reach is None:
            return False
        at = argument.offset + notice.element * argument.reach.size
        for other in self.launch.arguments.values():
            if other is argument or other.storage is not argument.storage:
                continue
            if other.reach is None or other.reach.holds(at - other.offset):
                return True
        return False

    def _races(self, again: Again) -> list[Finding]:
        """The launch once more, with its readers followed too."""
        launch = again()
        races = Races(_storages(launch, self.mixed))
        execution = launch.execution()
        execution.run.onlooker = Watchful(races)
        launch.whole_grid(execution, True, lambda done, total: None)
        notices = execution.run.findings.notices.values()
        return [race_finding(notice) for notice in notices if notice.kind == "race"]


def _storages(launch: Launch, names: Iterable[str]) -> frozenset[int]:
    return frozenset(id(launch.arguments[name].storage) for name in names)


def _order(one: Finding) -> tuple[Any, ...]:
    return (one.program or (0, 0, 0), one.place, one.kind, one.argument or "")
