"""A wrapper's text to its index, whatever language it is written in."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from dataclasses import replace

from aoti_tui.artifacts.graph_ids import is_recorded_launch
from aoti_tui.index.cpp import reader as cpp
from aoti_tui.index.kernel_sources import KernelSource
from aoti_tui.index.model import WrapperIndex
from aoti_tui.index.python import reader as python
from aoti_tui.index.python import script
from aoti_tui.index.recognise import ArtifactKind, describe_artifact

Progress = Callable[[float], None]


def read_wrapper(
    text: str,
    path: str,
    *,
    kernel_sources: Mapping[str, KernelSource] | None = None,
    progress: Progress | None = None,
) -> WrapperIndex:
    """Index the wrapper ``text`` of the file ``path`` (which is not opened).

    ``kernel_sources`` gives kernel sources found in other files, by launch name; a source in the
    wrapper itself is preferred. ``progress`` is called with fractions of the work done, last
    with 1. What is not understood becomes a gap; nothing in the text raises.
    """
    collects = gc.isenabled()
    # Nothing that is made here refers back to what made it: looking for garbage among all that
    # there is, again and again while it grows, only costs time.
    gc.disable()
    try:
        return _read(text, path, kernel_sources or {}, progress or _silent)
    finally:
        if collects:
            gc.enable()


def _read(
    text: str, path: str, kernel_sources: Mapping[str, KernelSource], progress: Progress
) -> WrapperIndex:
    described = describe_artifact(text)
    if described.is_script:
        return script.read_script(text, path, progress)
    read = python.read_wrapper if described.is_python else cpp.read_wrapper
    index = read(text, path, kernel_sources, progress)
    if described.kind is ArtifactKind.JIT_WRAPPER:
        return python.with_graph_arguments(index, text)
    return replace(index, is_script=True) if is_recorded_launch(text) else index


def _silent(share: float) -> None:
    return None
