"""Wrappers of torch 2.5 to 2.15: every kernel whose source is known runs on made-up data."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from aoti_tui.index.kernel_sources import find_kernel_sources
from aoti_tui.index.reader import read_wrapper
from aoti_tui.replay.questions.all_launches import replay_all

from .models import DATA, Opened

VERSIONS = DATA / "versions"


def text_of(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode()


def with_sources() -> list[Path]:
    """Wrappers that carry their kernels, or have the autotune block beside them."""
    found = []
    for path in sorted(VERSIONS.glob("*/*.wrapper.cpp.gz")):
        beside = path.with_name(path.name.replace(".wrapper.cpp", ".autotune.py"))
        if "async_compile.triton('" in text_of(path) or beside.exists():
            found.append(path)
    return found


@pytest.mark.parametrize("path", with_sources(), ids=lambda p: f"{p.parent.name}-{p.name[:-15]}")
def test_every_launch_runs_and_fires_nothing(opened: Opened, path: Path) -> None:
    beside = path.with_name(path.name.replace(".wrapper.cpp", ".autotune.py"))
    sources = find_kernel_sources(text_of(beside), str(beside)) if beside.exists() else {}
    index = read_wrapper(text_of(path), str(path), kernel_sources=sources)
    report = replay_all(opened(index), stop_at_first=False)
    statuses = {o.status for o in report.outcomes}
    assert statuses <= {"ok", "skipped"}, [o for o in report.outcomes if o.status != "ok"]
    assert "ok" in statuses
