"""A wrapper's text to its index, with the kernels' sources from wherever they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from aoti_tui.artifacts.kernel_files import kernel_files, kernel_files_beside
from aoti_tui.artifacts.wrapper_file import WrapperText
from aoti_tui.index.kernel_sources import KernelSource, find_kernel_sources
from aoti_tui.index.late import Late
from aoti_tui.index.model import Gap, WrapperIndex
from aoti_tui.index.reader import Progress, read_wrapper


def indexed(
    source: WrapperText, kernels: Path | None, progress: Progress | None = None
) -> WrapperIndex:
    """The index of a wrapper; ``kernels`` is where sources are that it does not embed."""
    sources = _kernel_sources(source, kernels)
    index = read_wrapper(source.text, str(source.path), kernel_sources=sources, progress=progress)
    return _with_missing_sources(index)


def _with_missing_sources(index: WrapperIndex) -> WrapperIndex:
    """The index with a gap for the kernels whose source was found nowhere."""
    missing = [k for k in index.kernels.values() if not k.has_source]
    if not missing:
        return index
    names = ", ".join(k.name for k in missing[:3]) + (", …" if len(missing) > 3 else "")
    gap = Gap(
        missing[0].line,
        names,
        f"the sources of {len(missing)} of {len(index.kernels)} kernels are not in the wrapper or "
        "beside it: give --kernels",
    )
    return replace(index, found_gaps=Late(lambda: (*index.gaps, gap)))


def _kernel_sources(source: WrapperText, path: Path | None) -> dict[str, KernelSource]:
    """Kernel sources outside of the wrapper: those given, else those that lie beside it."""
    if path is not None:
        files = kernel_files(path)
    elif "async_compile.triton(" in source.text or source.member:
        return {}
    else:
        files = kernel_files_beside(source.path)
    found: dict[str, KernelSource] = {}
    for name, text in files:
        for kernel, kernel_source in find_kernel_sources(text, name).items():
            found.setdefault(kernel, kernel_source)
    return found
