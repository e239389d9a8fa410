"""Hand-written kernels: `aoti-tui run` against triton's own interpreter, each running a script of
its own that prints the CPU seconds of its fastest launch; and the engine alone against numpy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import torch

from aoti_tui.worker.engine.findings.onlooker import Onlooker
from aoti_tui.worker.engine.findings.races import Races
from aoti_tui.worker.engine.findings.recorder import Recorder
from aoti_tui.worker.engine.findings.watchful import Watchful
from aoti_tui.worker.engine.programs.recording import record_program
from tests.bench.ratios import Ratio
from tests.worker.language.lab import launch_of

SCRIPTS = Path(__file__).parent / "scripts"
GOALS = {"kinds": 4.0, "matmul": 10.0, "attention": 10.0}
NUMPY_GOAL = 5.0
SIZE = 1 << 20
ADD = """
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = lane < n
    x = tl.load(x_ptr + lane, mask=inside)
    y = tl.load(y_ptr + lane, mask=inside)
    tl.store(out_ptr + lane, x + y, mask=inside)
"""


MATMUL = """
def matmul(a_ptr, b_ptr, c_ptr, N, BM: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BM + tl.arange(0, BM)
    inner = tl.arange(0, BK)
    a_at = a_ptr + rows[:, None] * N + inner[None, :]
    b_at = b_ptr + inner[:, None] * N + columns[None, :]
    total = tl.zeros((BM, BM), dtype=tl.float32)
    for _ in range(0, N, BK):
        total = tl.dot(tl.load(a_at), tl.load(b_at), total)
        a_at += BK
        b_at += BK * N
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], total)
"""
CHECKS_GOAL = 2.0
RECORDING_SECONDS = 0.05
GROWN_MB = 50.0
# Peak memory: so many times the script's own, and so many MB.
PEAK, PEAK_MB = 1.5, 300.0


def ratios() -> Iterator[Ratio]:
    for name, goal in GOALS.items():
        ours, stock = _ours(name)["launch"], _stock(name)["launch"]
        detail = f"stock {stock * 1e3:.0f} ms, ours {ours * 1e3:.0f} ms of CPU, with all checks"
        yield Ratio(f"{name}, stock interpreter / run", stock / ours, goal, True, detail)
    engine, numpy = _added()
    run = _ours("add")["launch"]
    yield Ratio(
        "x + y of 2^20, engine / numpy",
        engine / numpy,
        NUMPY_GOAL,
        False,
        f"engine {engine * 1e3:.1f} ms, run with all checks {run * 1e3:.1f} ms, "
        f"numpy {numpy * 1e3:.2f} ms of CPU",
    )

    yield from _checked_and_recorded()
    yield from _kept()


def _checked_and_recorded() -> Iterator[Ratio]:
    """What the checks cost of a launch, and what recording one program of it takes."""
    tensors = {name: torch.rand(768, 768).half() for name in ("a_ptr", "b_ptr")}
    tensors["c_ptr"] = torch.zeros(768, 768)
    launch = launch_of(MATMUL, tensors, (12, 12, 1), N=768, BM=64, BK=32)

    def ran(onlooker: Onlooker | None) -> None:
        execution = launch.execution()
        execution.run.onlooker = onlooker
        launch.whole_grid(execution, True, lambda done, total: None)

    plain = _best(lambda: ran(None), 3)
    checked = _best(lambda: ran(Watchful(Races())), 3)
    detail = f"{checked * 1e3:.0f} ms with checks, {plain * 1e3:.0f} ms without"
    yield Ratio("matmul, with checks / without", checked / plain, CHECKS_GOAL, False, detail)
    settle = launch.language.values.settle
    recorded = _best(
        lambda: record_program(launch, Recorder(settle, (6, 6, 0)), lambda done, total: None), 3
    )
    yield Ratio(
        "recording one program of matmul / 50 ms",
        recorded / RECORDING_SECONDS,
        1.0,
        False,
        f"{recorded * 1e3:.1f} ms of CPU",
    )


def _kept() -> Iterator[Ratio]:
    """What is kept of a large tensor of which little is written."""
    ours, own = _ours("cache"), _stock("cache")
    yield Ratio(
        f"8 stores into a cache of 512 MB, grown by / {GROWN_MB:.0f} MB",
        ours["grown"] / GROWN_MB,
        1.0,
        False,
        f"{ours['grown']:.0f} MB",
    )
    yield Ratio(
        f"peak memory / ({PEAK} × the script's own + {PEAK_MB:.0f} MB)",
        ours["peak"] / (PEAK * own["peak"] + PEAK_MB),
        1.0,
        False,
        f"{ours['peak']:.0f} MB, under the stock interpreter {own['peak']:.0f} MB",
    )


def _added() -> tuple[float, float]:
    """CPU seconds of a launch that adds, on tensors that are copied already, and of numpy's sum."""
    x, y = torch.rand(SIZE), torch.rand(SIZE)
    tensors = {"x_ptr": x, "y_ptr": y, "out_ptr": torch.empty(SIZE)}
    launch = launch_of(ADD, tensors, (SIZE // 1024, 1, 1), n=SIZE, BLOCK=1024)
    execution = launch.execution()
    left, right = x.numpy(), y.numpy()
    engine = _best(lambda: launch.whole_grid(execution, True, lambda done, total: None))
    return engine, _best(lambda: left + right)


def _best(call: Callable[[], object], times: int = 20) -> float:
    best = float("inf")
    for _ in range(times):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best


def _ours(name: str) -> dict[str, float]:
    command = [sys.executable, "-m", "aoti_tui", "run", "--check"]
    return _seconds([*command, str(SCRIPTS / f"{name}.py")], dict(os.environ))


def _stock(name: str) -> dict[str, float]:
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    return _seconds([sys.executable, str(SCRIPTS / f"{name}.py")], environment)


def _seconds(command: list[str], environment: dict[str, str]) -> dict[str, float]:
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    found: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return found
