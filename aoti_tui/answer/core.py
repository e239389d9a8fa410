"""A GPU core dump beside the wrapper: the log that it stands for, and the data of the launch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from aoti_tui.artifacts.core_dump.model import CoreDump, FailedThreads, KernelLaunch, blocks_of
from aoti_tui.artifacts.core_dump.reading import open_dump
from aoti_tui.artifacts.wrapper_file import WrapperText
from aoti_tui.failure.model import FaultKind, LoggedAssert, LogReading, MemoryFault
from aoti_tui.index.model import WrapperIndex
from aoti_tui.replay.core_dump.failing_launch import FailingLaunch, failing_launch
from aoti_tui.replay.core_dump.memory import captured_of
from aoti_tui.replay.data.captured_files import CapturedTensors

_ASSERT = "assert"
_FAULTS: Mapping[str, FaultKind] = {"misaligned address": "misaligned"}


@dataclass(frozen=True)
class Core:
    """An open dump; it stays open as long as this object is used."""

    path: Path
    dump: CoreDump
    plain: Path
    opened: ExitStack


@dataclass(frozen=True, slots=True)
class CoreOf:
    """What a dump says of one wrapper."""

    core: Core
    found: FailingLaunch | None
    captured: CapturedTensors | None
    notes: tuple[str, ...]

    @property
    def symbols(self) -> dict[str, int | float]:
        solved = self.found.solved if self.found is not None else {}
        return {name: value for name, (value, _) in solved.items()}


def open_core(path: Path) -> Core:
    """Open a dump for as long as it is looked at. Raises ArtifactError."""
    stack = ExitStack()
    opened = stack.enter_context(open_dump(path))
    return Core(path, opened.dump, opened.plain, stack)


def core_of(core: Core, index: WrapperIndex) -> CoreOf:
    """The failing launch in this wrapper, with its data."""
    dump = core.dump
    notes = [f"the core dump is damaged: {one}" for one in dump.damage[:3]]
    found = failing_launch(index, dump)
    if found is None:
        names = ", ".join(one.name or "one without a name" for one in dump.launches)
        notes.append(f"no kernel of this wrapper was running: the core dump has {names or 'none'}")
        return CoreOf(core, None, None, tuple(notes))
    captured, missing = captured_of(index, dump, core.plain, found)
    return CoreOf(core, found, captured, (*notes, *found.notes, *missing))


def with_blocks(index: WrapperIndex, found: FailingLaunch | None) -> WrapperIndex:
    """The index with the block sizes that the dump's grid tells and the wrapper does not."""
    if found is None or not found.blocks:
        return index
    kernel = found.kernel
    known = kernel.with_blocks(found.blocks)
    return replace(index, kernels={**index.kernels, kernel.name: known})


def reading_of(
    dump: CoreDump,
    sources: tuple[WrapperText, ...] = (),
    index_of: Callable[[WrapperText], WrapperIndex] | None = None,
) -> LogReading:
    """The log that the process would have left: an assert for each place where threads failed, a
    memory fault for each bad address.

    The image of a kernel lists the texts of its asserts, not their lines: where it has several,
    the wrapper (``sources``) decides which stands on the line.
    """
    asserts: dict[tuple[str, int | None, str], LoggedAssert] = {}
    faults: list[MemoryFault] = []
    for launch in dump.launches:
        for place, failed in _by_place(dump.failed_of(launch)):
            if place[0] != _ASSERT:
                faults.append(_fault(launch, failed))
                continue
            for message in _messages(launch, failed[0], sources, index_of):
                one = _assert(launch, failed, message)
                asserts[one.path, one.line, message] = one
    return LogReading(tuple(asserts.values()), faults=tuple(faults))


def _by_place(
    failed: tuple[FailedThreads, ...],
) -> Iterator[tuple[tuple[str, object], list[FailedThreads]]]:
    places: dict[tuple[str, object], list[FailedThreads]] = {}
    for one in failed:
        places.setdefault((one.kind, one.at), []).append(one)
    yield from places.items()


def _messages(
    launch: KernelLaunch,
    failed: FailedThreads,
    sources: tuple[WrapperText, ...],
    index_of: Callable[[WrapperText], WrapperIndex] | None,
) -> tuple[str, ...]:
    line = failed.at.line if failed.at is not None else None
    if len(launch.messages) <= 1 or line is None or index_of is None:
        return launch.messages
    for source in sources:
        for kernel in index_of(source).kernels.values():
            if launch.name in (kernel.name, kernel.function) and line <= len(kernel.lines):
                text = kernel.lines[line - 1]
                stands = tuple(m for m in launch.messages if f'"{m}"' in text or f"'{m}'" in text)
                if stands:
                    return stands
    return launch.messages


def _assert(launch: KernelLaunch, failed: list[FailedThreads], message: str) -> LoggedAssert:
    at = failed[0].at
    return LoggedAssert(
        at.file if at is not None else "",
        at.line if at is not None else None,
        message,
        tuple(blocks_of(tuple(failed))),
        sum(len(one.threads) for one in failed),
        0,
        max(thread[0] for one in failed for thread in one.threads),
        kernel=launch.name,
    )


def _fault(launch: KernelLaunch, failed: list[FailedThreads]) -> MemoryFault:
    first = failed[0]
    where = f" at {first.at.file}:{first.at.line}" if first.at is not None else ""
    return MemoryFault(
        _FAULTS.get(first.kind, "illegal"),
        "cuda",
        0,
        f"{first.kind} in {launch.name or 'a kernel'}, block {list(first.block)}, thread "
        f"{list(first.threads[0])}{where}",
        kernel=launch.name,
        path=first.at.file if first.at is not None else "",
        line=first.at.line if first.at is not None else None,
        program=first.block,
    )


def at_launches(reading: LogReading, core: CoreOf) -> LogReading:
    """The asserts of a log at the launches that the dump can be of."""
    found = core.found
    if found is None:
        return reading
    launches = tuple(launch.id for launch in found.launches)
    lines = {one.at.line for one in core.core.dump.failed_of(found.ran) if one.at is not None}
    return replace(
        reading,
        asserts=tuple(
            replace(one, kernel=found.ran.name, launches=launches)
            if one.kernel == found.ran.name or (not one.kernel and one.line in lines)
            else one
            for one in reading.asserts
        ),
    )
