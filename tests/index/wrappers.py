"""Real wrappers for the index tests, by short name."""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path

from aoti_tui.index.kernel_sources import KernelSource, find_kernel_sources
from aoti_tui.index.model import WrapperIndex
from aoti_tui.index.reader import read_wrapper

DATA = Path(__file__).parents[1] / "data"
DEMO = Path(__file__).parents[2] / "aoti_tui" / "demo" / "jagged_reduce.wrapper.cpp"


def text_of(name: str) -> str:
    """The wrapper ``demo``, ``max_autotune_mm`` or ``2.5.1/cond``."""
    if name == "demo":
        return DEMO.read_text()
    if "/" in name:
        return gzip.decompress((DATA / "versions" / f"{name}.wrapper.cpp.gz").read_bytes()).decode()
    return (DATA / name / "wrapper.cpp").read_text()


def sources_of(name: str) -> dict[str, KernelSource]:
    """The kernels of the autotune block beside the wrapper, where one is kept."""
    path = DATA / "versions" / f"{name}.autotune.py.gz"
    if not path.exists():
        return {}
    return find_kernel_sources(gzip.decompress(path.read_bytes()).decode(), path.name)


@cache
def index_of(name: str) -> WrapperIndex:
    return read_wrapper(text_of(name), name, kernel_sources=sources_of(name))
