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

from aoti_tui.artifacts.given import Given
from aoti_tui.index.reader import read_wrapper
from aoti_tui.session.kept.config import Config
from aoti_tui.session.request import OpenRequest
from aoti_tui.tui.app import DebuggerApp
from tests.bench.ratios import Ratio
from tests.cases import DEMO
from tests.tui.driving import Driver
from tests.tui.large import large_wrapper

KERNELS = 720
"""Makes a wrapper of about 63,000 lines and 5 MB."""
SMALL = DEMO / "jagged_reduce.wrapper.cpp"
LOG = DEMO / "error.empty_weights.log"
INPUTS = DEMO / "inputs.empty_weights.pt"


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds: until the first useful screen, and the 95th percentile of key to paint (of work:
    what a test driver sleeps between two keys is no part of it)."""

    first: float
    scroll: float
    filter: float
    step: float


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
        *(
            Ratio(
                f"p95 of key to paint while {doing}, large / small",
                of_large / of_small,
                1.3,
                False,
                f"{of_large * 1e3:.1f} ms against {of_small * 1e3:.1f} ms",
            )
            for doing, of_large, of_small in (
                ("scrolling", large.scroll, small.scroll),
                ("filtering", large.filter, small.filter),
                ("stepping", large.step, small.step),
            )
        ),
    ]


async def _empty() -> float:
    start = time.perf_counter()
    async with App[None]().run_test(size=(160, 45)) as pilot:
        await pilot.pause()
    return time.perf_counter() - start


async def _open(wrapper: Path) -> Timing:
    start = time.perf_counter()
    request = OpenRequest(wrapper, log=LOG, given=Given(inputs=INPUTS), warm_up=False)
    app = DebuggerApp(request, Config(hint_seen=True))
    async with app.run_test(size=(160, 45)) as pilot:
        user = Driver(pilot)
        while user.app.session.state.failure is None:
            await asyncio.sleep(0.005)
        await pilot.pause()
        first = time.perf_counter() - start
        scroll = await _keys(user, ["down"] * 60 + ["pagedown"] * 40)
        await user.press("ctrl+f")
        filtering = await _keys(user, [*"fused cumsum", *["backspace"] * 12] * 2)
        await user.press("escape", "1", "a", "c")
        await user.until(lambda: user.app.session.state.recording is not None, "the recording")
        await user.until(lambda: not user.busy(), "the diagnosis")
        step = await _keys(user, ["N"] * 20 + ["n"] * 20)
        user.screen.close()
    return Timing(first, scroll, filtering, step)


async def _keys(user: Driver, keys: list[str]) -> float:
    """95th percentile of the seconds of work from a key to the settled screen."""
    times: list[float] = []
    for key in keys:
        start = time.process_time()
        await user.pilot.press(key)
        await user.pilot.pause()
        times.append(time.process_time() - start)
    return statistics.quantiles(times, n=20)[-1]
