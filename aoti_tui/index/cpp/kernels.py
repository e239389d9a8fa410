"""Putting one kernel together from its call function, its source and its launches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from aoti_tui.index.cpp.body_launches import is_grid_parameter
from aoti_tui.index.cpp.grids import blocks_of_grid, blocks_of_values
from aoti_tui.index.cpp.launchers import Launcher, LauncherBody
from aoti_tui.index.kernel_metadata import (
    KernelMetadata,
    default_blocks,
    heuristic_in,
    read_metadata,
)
from aoti_tui.index.kernel_sources import KernelSource
from aoti_tui.index.late import Late
from aoti_tui.index.model import Gap, Kernel, KernelFacts, Launch, Symbol


@dataclass(frozen=True, slots=True)
class Known:
    """What there is of a kernel: its call function, a source from another file, what that source
    says (read once, whoever asks), num_warps and shared memory where the launch says them
    (torch 2.5 and 2.6)."""

    launcher: Launcher | None
    source: KernelSource | None
    metadata: Late[KernelMetadata | None]
    warps: tuple[int | None, int | None] = (None, None)


def known_of(
    launcher: Launcher | None, given: KernelSource | None, warps: tuple[int | None, int | None]
) -> Known:
    """``given`` is a source from another file; the one in the call function is preferred."""
    source = launcher.source if launcher is not None and launcher.source is not None else given
    return Known(launcher, source, Late(lambda: _metadata(source)), warps)


def assemble_kernel(
    name: str, line: int, known: Known, launches: Sequence[Launch], symbols: Sequence[Symbol]
) -> Kernel:
    """The kernel ``name``; ``launches`` and ``symbols`` are those of the bodies (``launches`` of
    this kernel only)."""
    launcher, source = known.launcher, known.source
    lines = source.lines if source else ()
    return Kernel(
        name=name,
        line=line,
        source_line=source.line if source else None,
        source_path=source.path if source else None,
        lines=lines,
        heuristic=heuristic_in(lines),
        call_parameters=_call_parameters(launcher),
        facts=Late(lambda: _facts(known, launches, symbols)),
    )


def gaps_of(name: str, line: int, known: Known) -> Iterator[Gap]:
    """What is not understood of a kernel."""
    source = known.source
    if source is not None and known.metadata() is None:
        where = source.line if source.path is None else line
        yield Gap(where, source.lines[0], f"the source of {name} is not valid Python")


def _call_parameters(launcher: Launcher | None) -> tuple[str, ...]:
    parameters = launcher.parameters if launcher is not None else ()
    return tuple(p for p in parameters if not is_grid_parameter(p))


def _facts(known: Known, launches: Sequence[Launch], symbols: Sequence[Symbol]) -> KernelFacts:
    launcher, source = known.launcher, known.source
    metadata = known.metadata() or KernelMetadata()
    body = launcher.body() if launcher is not None else LauncherBody()
    call_parameters = _call_parameters(launcher)
    set_by_launch = launcher is not None and len(call_parameters) < len(launcher.parameters)
    names = [p.name for p in metadata.parameters] or list(call_parameters)
    blocks = {
        **default_blocks(metadata.inductor_meta),
        **dict(metadata.body_blocks),
        **blocks_of_grid(body.grid, metadata.inductor_meta, names),
    }
    if launcher is None:
        blocks.update(_blocks_of_launch(launches, names, blocks, symbols))
    return KernelFacts(
        function=metadata.function or (source.function if source else ""),
        parameters=metadata.parameters,
        size_hints=metadata.size_hints,
        triton_meta=metadata.triton_meta,
        inductor_meta=metadata.inductor_meta,
        constants=metadata.constants,
        blocks=blocks,
        grid=() if set_by_launch else body.grid,
        num_warps=body.num_warps if launcher is not None else known.warps[0],
        shared_memory=body.shared_memory if launcher is not None else known.warps[1],
        mutated=metadata.mutated,
    )


def _blocks_of_launch(
    launches: Sequence[Launch],
    names: Sequence[str],
    known: Mapping[str, int],
    symbols: Sequence[Symbol],
) -> dict[str, int]:
    unknown = [n for n in names if n not in known]
    for launch in launches:
        numels = {a.parameter: a.value for a in launch.arguments if a.value is not None}
        definitions = {
            s.name: s.expression
            for s in symbols
            if s.kind == "expression" and s.line <= launch.line and s.function == launch.function
        }
        found = blocks_of_values(launch.grid, numels, unknown, definitions)
        if found:
            return found
    return {}


def _metadata(source: KernelSource | None) -> KernelMetadata | None:
    if source is None:
        return None
    return read_metadata(source_text(source), source.function)


def source_text(source: KernelSource) -> str:
    """The Python text, in which a line number is a kernel line."""
    first = "" if "async_compile" in source.lines[0] else source.lines[0]
    return "\n".join((first, *source.lines[1:-1])) + "\n"


def passed_parameters(metadata: KernelMetadata | None) -> tuple[str, ...]:
    """The parameters a launch passes at run time; empty without a readable source."""
    if metadata is None:
        return ()
    constants = metadata.triton_meta.get("constants")
    fixed = set(constants) if isinstance(constants, dict) else set()
    return tuple(
        p.name
        for i, p in enumerate(metadata.parameters)
        if p.type != "constexpr" and p.name not in fixed and i not in fixed
    )
