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

from tests.bench.ratios import Ratio
from tests.worker.language.lab import launch_of

SCRIPTS = Path(__file__).parent / "scripts"
GOALS = {"matmul": 10.0, "attention": 10.0}
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


def _added() -> tuple[float, float]:
    """CPU seconds of a launch that adds, on tensors that are copied already, and of numpy's sum."""
    x, y = torch.rand(SIZE), torch.rand(SIZE)
    tensors = {"x_ptr": x, "y_ptr": y, "out_ptr": torch.empty(SIZE)}
    launch = launch_of(ADD, tensors, (SIZE // 1024, 1, 1), n=SIZE, BLOCK=1024)
    execution = launch.execution()
    left, right = x.numpy(), y.numpy()
    engine = _best(lambda: launch.whole_grid(execution, True, lambda done, total: None))
    return engine, _best(lambda: left + right)


def _best(call: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(20):
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
