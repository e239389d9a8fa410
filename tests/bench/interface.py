"""The interface on a very large wrapper against a small one and against an empty app."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from textual.app import App

from aoti_tui.index.reader import read_wrapper
from aoti_tui.tui.app import DebuggerApp, OpenRequest
from aoti_tui.tui.config import Config
from tests.bench.ratios import Ratio
from tests.cases import DEMO
from tests.tui.driving import Driver
from tests.tui.large import large_wrapper

KERNELS = 720
"""Makes a wrapper of about 63,000 lines and 5 MB."""
SMALL = DEMO / "jagged_reduce.wrapper.cpp"
LOG = DEMO / "error.empty_weights.log"


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds: until the first useful screen, and the 95th percentile of key to paint."""

    first: float
    scroll: float
    filter: float


def ratios() -> Iterator[Ratio]:
    yield from asyncio.run(_measure())


async def _measure() -> list[Ratio]:
    empty = await _empty()
    small = await _open(SMALL)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.wrapper.cpp"
        text = large_wrapper(KERNELS)
        path.write_text(text)
        start = time.perf_counter()
        index = read_wrapper(text, str(path))
        indexing = time.perf_counter() - start
        large = await _open(path)
    size = f"{len(text.splitlines())} lines, {len(index.kernels)} kernels"
    base = empty + indexing
    return [
        Ratio(
            f"first useful screen, {size}",
            large.first / base,
            2.0,
            False,
            f"empty app {empty:.2f} s + index {indexing:.2f} s, first screen {large.first:.2f} s",
        ),
        Ratio(
            "p95 of key to paint while scrolling, large / small",
            large.scroll / small.scroll,
            1.3,
            False,
            f"{large.scroll * 1e3:.1f} ms against {small.scroll * 1e3:.1f} ms",
        ),
        Ratio(
            "p95 of key to paint while filtering, large / small",
            large.filter / small.filter,
            1.3,
            False,
            f"{large.filter * 1e3:.1f} ms against {small.filter * 1e3:.1f} ms",
        ),
    ]


async def _empty() -> float:
    start = time.perf_counter()
    async with App[None]().run_test(size=(160, 45)) as pilot:
        await pilot.pause()
    return time.perf_counter() - start


async def _open(wrapper: Path) -> Timing:
    start = time.perf_counter()
    app = DebuggerApp(OpenRequest(wrapper, log=LOG, warm_up=False), Config(hint_seen=True))
    async with app.run_test(size=(160, 45)) as pilot:
        user = Driver(pilot)
        while user.screen.browsing.failure is None:
            await asyncio.sleep(0.005)
        await pilot.pause()
        first = time.perf_counter() - start
        scroll = await _keys(user, ["down"] * 60 + ["pagedown"] * 40)
        await user.press("ctrl+f")
        filtering = await _keys(user, [*"fused cumsum", *["backspace"] * 12] * 2)
    return Timing(first, scroll, filtering)


async def _keys(user: Driver, keys: list[str]) -> float:
    """95th percentile of the seconds from a key to the settled screen."""
    times: list[float] = []
    for key in keys:
        start = time.perf_counter()
        await user.pilot.press(key)
        await user.pilot.pause()
        times.append(time.perf_counter() - start)
    return statistics.quantiles(times, n=20)[-1]
