"""Which kernels a logged assert can have come from, ranked, with the reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from aoti_tui.failure.log.work_groups import threads_of
from aoti_tui.failure.model import Candidate, LoggedAssert
from aoti_tui.index.model import Kernel, Launch, WrapperIndex
from aoti_tui.kernel.model import KernelAssert, KernelProgram


def match_assert(
    index: WrapperIndex, program_of: Callable[[str], KernelProgram], logged: LoggedAssert
) -> tuple[Candidate, ...]:
    """Kernels whose assert fits the log, best first.

    Where some fit by line and text, only those are given; otherwise those that fit by text. What
    the log tells of blocks and threads (a grid with one dimension has no ``block: [2,3,0]``)
    ranks them, then the order of launches does: the first assert ends the process.
    """
    by_line: list[tuple[Kernel, KernelAssert]] = []
    by_text: list[tuple[Kernel, KernelAssert]] = []
    wanted = without_spaces(logged.message)
    for kernel in index.kernels.values():
        if logged.kernel and logged.kernel not in (kernel.name, kernel.function):
            continue
        if not kernel.has_source or not _may_hold(kernel, wanted):
            continue
        for found in program_of(kernel.name).asserts:
            if found.disabled or without_spaces(found.message) != wanted:
                continue
            if logged.line is not None and found.line == logged.line:
                by_line.append((kernel, found))
            else:
                by_text.append((kernel, found))
    fits = by_line or by_text
    basis = "line and text fit" if by_line else _why_text_only(logged)
    ranked = sorted(fits, key=lambda fit: (_conflicts(fit[0], logged) != [], *_order(index, fit)))
    return tuple(
        Candidate(
            kernel=kernel.name,
            kernel_line=found.line,
            wrapper_line=kernel.wrapper_line(found.line),
            launches=_launches(index, kernel, logged),
            reason="; ".join([basis, *_conflicts(kernel, logged), *_launched(index, kernel)]),
            rank=rank,
            conflicts=tuple(_conflicts(kernel, logged)),
        )
        for rank, (kernel, found) in enumerate(ranked)
    )


def traced_first(
    candidates: tuple[Candidate, ...], traced: tuple[Launch, ...]
) -> tuple[Candidate, ...]:
    """The candidates with the one first that a traceback names, and with that launch alone where
    nothing of the kernel ran before it (an error that nobody waited for is told later)."""
    named = [c for c in candidates if any(la in c.launches for la in traced)]
    if not named:
        return candidates
    ordered: list[Candidate] = []
    for one in (named[0], *(c for c in candidates if c is not named[0])):
        launch = next((la for la in traced if la in one.launches), None)
        if launch is not None and one is named[0]:
            alone = (launch,) if launch is one.launches[0] else one.launches
            one = replace(
                one, launches=alone, reason=f"{one.reason}; the traceback names :{launch.line}"
            )
        ordered.append(replace(one, rank=len(ordered)))
    return tuple(ordered)


def _launches(index: WrapperIndex, kernel: Kernel, logged: LoggedAssert) -> tuple[Launch, ...]:
    """The kernel's launches that can be meant."""
    launches = index.launches_of(kernel.name)
    told = tuple(launch for launch in launches if launch.id in logged.launches)
    return told or launches


def _may_hold(kernel: Kernel, wanted: str) -> bool:
    """Whether the source holds the message at all: only then it is worth parsing."""
    texts = (line for line in kernel.lines if '"' in line or "assert" in line)
    return any(wanted in without_spaces(line) for line in texts)


def without_spaces(message: str) -> str:
    """A message as it is compared: wrapped logs add and lose spaces."""
    return "".join(message.split())


def _why_text_only(logged: LoggedAssert) -> str:
    if logged.line is None:
        return "text fits (the log's path and line say nothing of the kernel)"
    return f"text fits, but no assert with this text stands on kernel line {logged.line}"


def _order(index: WrapperIndex, fit: tuple[Kernel, KernelAssert]) -> tuple[int, int]:
    launches = index.launches_of(fit[0].name)
    main = [la.id for la in launches if la.function.is_main]
    first = min(main or [la.id for la in launches], default=10**9)
    return (first, fit[1].line)


def _launched(index: WrapperIndex, kernel: Kernel) -> list[str]:
    launches = index.launches_of(kernel.name)
    if not launches:
        return ["never launched in this wrapper"]
    if len(launches) > 1:
        return [f"launched {len(launches)} times"]
    return []


def _conflicts(kernel: Kernel, logged: LoggedAssert) -> list[str]:
    """What of the log cannot be if this kernel fired."""
    conflicts: list[str] = []
    threads = threads_of(kernel)
    if threads is not None and logged.highest_thread >= threads:
        conflicts.append(
            f"but it has {threads} threads and the log names thread {logged.highest_thread}: if it "
            "is this one, the failed run was compiled with more warps"
        )
    for axis, name in ((1, "y"), (2, "z")):
        if axis < len(kernel.grid) and kernel.grid[axis].literal == 1:
            worst = max((p[axis] for p in logged.programs), default=0)
            if worst > 0:
                conflicts.append(f"but its grid has one block in {name} and the log names {worst}")
    return conflicts
