"""Which launch of the wrapper a dump is of, and what it tells of the call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from aoti_tui.artifacts.core_dump.model import CoreDump, KernelLaunch
from aoti_tui.index.model import Kernel, Launch, WrapperIndex
from aoti_tui.replay.core_dump.passed import Passed, passed_of
from aoti_tui.replay.core_dump.solving import Equation, Number, Solved, solve

_LARGEST_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class FailingLaunch:
    """A running kernel of the dump, found in the wrapper.

    ``launches`` are those of the wrapper that can have made it, best first; ``passed`` is None
    when the dump's parameters are not those of the wrapper's kernel.
    """

    ran: KernelLaunch
    kernel: Kernel
    launches: tuple[Launch, ...]
    passed: tuple[Passed, ...] | None
    solved: Mapping[str, tuple[Number, str]] = field(default_factory=dict)
    blocks: Mapping[str, int] = field(default_factory=dict)
    """Block sizes that follow from the grid, where the wrapper does not say them."""
    notes: tuple[str, ...] = ()

    @property
    def launch(self) -> Launch:
        return self.launches[0]

    @property
    def addresses(self) -> dict[str, int]:
        """Addresses by pointer parameter, null ones too."""
        return {
            one.name: int(one.value)
            for one in self.passed or ()
            if one.is_pointer and one.value is not None
        }


def failing_launch(index: WrapperIndex, dump: CoreDump) -> FailingLaunch | None:
    """The launch that failed, else any that was running and stands in the wrapper; None when none
    does."""
    failing = dump.failing
    ran = [failing] if failing is not None else []
    ran += [one for one in dump.launches if one is not failing]
    for one in ran:
        found = _found(index, one)
        if found is not None:
            return found
    return None


def _found(index: WrapperIndex, ran: KernelLaunch) -> FailingLaunch | None:
    best: FailingLaunch | None = None
    for kernel in index.kernels.values():
        if ran.name not in (kernel.name, kernel.function) or not ran.name:
            continue
        launches = index.launches_of(kernel.name)
        if not launches:
            continue
        found = _of_kernel(kernel, launches, ran)
        if best is None or (best.passed is None and found.passed is not None):
            best = found
    return best


def _of_kernel(kernel: Kernel, launches: tuple[Launch, ...], ran: KernelLaunch) -> FailingLaunch:
    passed = passed_of(kernel, ran)
    if passed is None:
        said = (
            f"the dump's {kernel.name} has {len(ran.parameters)} parameters, other ones than the "
            "wrapper's: is it the dump of this model?"
            if ran.parameters
            else f"the dump does not say how the parameters of {kernel.name} lie"
        )
        return FailingLaunch(ran, kernel, launches, None, notes=(said,))
    solved = {launch.id: solve(_equations(launch, passed)) for launch in launches}
    fits = [launch for launch in launches if _fits(kernel, launch, solved[launch.id], ran, passed)]
    notes = []
    if not fits:
        notes.append(
            "no launch of the wrapper passes the numbers that the dump has: is it the dump of this "
            "model?"
        )
    elif len(fits) > 1:
        lines = ", ".join(f":{launch.line}" for launch in fits)
        notes.append(f"{len(fits)} launches pass what the dump has: {lines}")
    chosen = tuple(fits) or launches
    values = solved[chosen[0].id].symbols if fits else {}
    numbers = {p.name: p.value for p in passed if not p.is_pointer and p.value is not None}
    return FailingLaunch(
        ran, kernel, chosen, passed, values, dict(_blocks(kernel, numbers, ran)), tuple(notes)
    )


def _equations(launch: Launch, passed: tuple[Passed, ...]) -> Iterator[Equation]:
    numbers = {p.name: p.value for p in passed if not p.is_pointer and p.value is not None}
    for argument in launch.arguments:
        value = numbers.get(argument.parameter)
        if argument.value is not None and value is not None and not argument.value.problem:
            yield Equation(argument.value, value, argument.parameter)


def _fits(
    kernel: Kernel, launch: Launch, solved: Solved, ran: KernelLaunch, passed: tuple[Passed, ...]
) -> bool:
    """Whether nothing that is known speaks against a launch: its numbers, its grid."""
    if solved.contradiction is not None:
        return False
    numbers = {p.name: p.value for p in passed if not p.is_pointer and p.value is not None}
    axes = launch.grid or kernel.grid
    for axis, size in zip(axes, ran.grid, strict=False):
        known = axis.known_int({**kernel.blocks, **solved.values, **numbers})
        if known is not None and known != size:
            return False
    return True


def _blocks(
    kernel: Kernel, numbers: Mapping[str, Number], ran: KernelLaunch
) -> Iterator[tuple[str, int]]:
    """The power of two that cuts an extent into as many programs as the grid had; the least that
    covers it, where one program did."""
    for axis, size in zip("xyz", ran.grid, strict=True):
        name, extent = f"{axis.upper()}BLOCK", numbers.get(f"{axis}numel")
        if name in kernel.blocks or not isinstance(extent, int) or extent <= 0 or size < 1:
            continue
        fits = [
            block
            for block in (1 << n for n in range(_LARGEST_BLOCK.bit_length()))
            if -(-extent // block) == size
        ]
        if len(fits) == 1 or (fits and size == 1):
            yield name, fits[0]
