"""Putting one kernel together from its call function, its source and its launches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aoti_tui.index.cpp.body_launches import is_grid_parameter
from aoti_tui.index.cpp.grids import blocks_of_grid, blocks_of_values
from aoti_tui.index.cpp.launchers import Launcher
from aoti_tui.index.kernel_metadata import KernelMetadata, default_blocks, read_metadata
from aoti_tui.index.kernel_sources import KernelSource
from aoti_tui.index.model import Gap, Kernel, Launch, Symbol


def assemble_kernel(
    name: str,
    line: int,
    launcher: Launcher | None,
    given: KernelSource | None,
    launches: Sequence[Launch],
    symbols: Sequence[Symbol],
    warps: tuple[int | None, int | None],
) -> tuple[Kernel, tuple[Gap, ...]]:
    """The kernel ``name`` and the gaps in what is known of it.

    ``given`` is a source from another file; ``launches`` and ``symbols`` are those of the bodies
    (``launches`` of this kernel only); ``warps`` is num_warps and shared memory where the
    launch itself says them (torch 2.5 and 2.6).
    """
    source = launcher.source if launcher is not None and launcher.source is not None else given
    metadata = _metadata(source)
    gaps: list[Gap] = []
    if source is not None and metadata is None:
        where = source.line if source.path is None else line
        gaps.append(Gap(where, source.lines[0], f"the source of {name} is not valid Python"))
    metadata = metadata or KernelMetadata()
    grid = launcher.grid if launcher is not None else ()
    call_parameters = tuple(
        p for p in (launcher.parameters if launcher else ()) if not is_grid_parameter(p)
    )
    set_by_launch = launcher is not None and len(call_parameters) < len(launcher.parameters)
    names = [p.name for p in metadata.parameters] or list(call_parameters)
    blocks = {
        **default_blocks(metadata.inductor_meta),
        **dict(metadata.body_blocks),
        **blocks_of_grid(grid, metadata.inductor_meta, names),
    }
    if launcher is None:
        blocks.update(_blocks_of_launch(launches, names, blocks, symbols))
    kernel = Kernel(
        name=name,
        function=metadata.function or (source.function if source else ""),
        line=line,
        source_line=source.line if source else None,
        source_path=source.path if source else None,
        lines=source.lines if source else (),
        heuristic=metadata.heuristic,
        parameters=metadata.parameters,
        call_parameters=call_parameters,
        size_hints=metadata.size_hints,
        triton_meta=metadata.triton_meta,
        inductor_meta=metadata.inductor_meta,
        constants=metadata.constants,
        blocks=blocks,
        grid=() if set_by_launch else grid,
        num_warps=launcher.num_warps if launcher is not None else warps[0],
        shared_memory=launcher.shared_memory if launcher is not None else warps[1],
        mutated=metadata.mutated,
    )
    return kernel, tuple(gaps)


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


def passed_parameters(source: KernelSource | None) -> tuple[str, ...]:
    """The parameters a launch passes at run time; empty without a readable source."""
    metadata = _metadata(source)
    if metadata is None:
        return ()
    constants = metadata.triton_meta.get("constants")
    fixed = set(constants) if isinstance(constants, dict) else set()
    return tuple(
        p.name
        for i, p in enumerate(metadata.parameters)
        if p.type != "constexpr" and p.name not in fixed and i not in fixed
    )
