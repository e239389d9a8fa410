"""One kernel out of its source, and which of its parameters a launch passes."""

from __future__ import annotations

from aoti_tui.index.kernel_metadata import KernelMetadata, default_blocks, read_metadata
from aoti_tui.index.kernel_sources import KernelSource
from aoti_tui.index.late import Late
from aoti_tui.index.model import Gap, Kernel, KernelFacts


def kernel_of(source: KernelSource) -> tuple[Kernel, Gap | None]:
    """The kernel that ``source`` defines; the gap is for one that is not valid Python."""
    text = "\n".join(("", *source.lines[1:-1])) + "\n"
    metadata = read_metadata(text, source.function)
    gap = None
    if metadata is None:
        gap = Gap(source.line, source.lines[0], f"the source of {source.name} is not valid Python")
        metadata = KernelMetadata()
    facts = KernelFacts(
        function=metadata.function or source.function,
        parameters=metadata.parameters,
        size_hints=metadata.size_hints,
        triton_meta=metadata.triton_meta,
        inductor_meta=metadata.inductor_meta,
        constants=metadata.constants,
        blocks={**default_blocks(metadata.inductor_meta), **metadata.body_blocks},
        num_warps=metadata.num_warps,
        mutated=metadata.mutated,
    )
    kernel = Kernel(
        name=source.name,
        line=source.line,
        source_line=source.line,
        source_path=source.path,
        lines=source.lines,
        heuristic=metadata.heuristic,
        call_parameters=tuple(
            p.name for p in metadata.parameters if p.name not in metadata.annotated
        ),
        facts=Late.known(facts),
    )
    return kernel, gap


def extra_arguments(kernel: Kernel) -> tuple[str, ...]:
    """What a launch passes behind the kernel's own arguments: ``_grid_0``, ``_launcher_s0``."""
    extra = kernel.inductor_meta.get("extra_launcher_args")
    return tuple(map(str, extra)) if isinstance(extra, (list, tuple)) else ()


def passed_parameters(kernel: Kernel, count: int) -> tuple[str, ...] | None:
    """The parameters that ``count`` arguments fill; None when no way to pass them has so many.

    Inductor passes all that are not annotated as constexpr. Constants of a user's kernel are
    passed by position up to torch 2.7, and left out later.
    """
    names = tuple(p.name for p in kernel.parameters)
    unfixed = tuple(p.name for p in kernel.parameters if p.type != "constexpr")
    varying = tuple(n for n in unfixed if n not in kernel.constants)
    for form in (kernel.call_parameters, unfixed, varying, names):
        if len(form) == count:
            return form
    return None
