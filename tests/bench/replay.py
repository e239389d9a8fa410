"""Scan, memory checks and recording against the stock interpreter and an unrecorded run."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from aoti_tui.replay.client import WorkerClient
from tests.bench.kernels import KERNELS, BenchKernel
from tests.bench.ratios import Ratio

ROUNDS = 5
SMALL = 16384
"""Elements of a tensor that one program is recorded on."""


def ratios() -> Iterator[Ratio]:
    client = WorkerClient()
    try:
        client.request("warm")
        for number, kernel in enumerate(KERNELS):
            yield from _kernel(client, number, kernel)
    finally:
        client.close()


def _kernel(client: WorkerClient, number: int, kernel: BenchKernel) -> Iterator[Ratio]:
    request = _prepare(client, kernel, kernel.name)
    stock = _stock(number)
    big = _median(lambda: client.request("scan", mode="big", **request))
    yield Ratio(
        f"scan of {kernel.name}",
        stock / big,
        kernel.goal,
        True,
        f"stock full grid {stock * 1e3:.0f} ms, scan {big * 1e3:.1f} ms",
    )
    full = _median(lambda: client.request("scan", mode="full", **request), rounds=3)
    yield Ratio(
        f"full grid, memory checked, {kernel.name}",
        full / stock,
        1.3,
        False,
        f"stock {stock * 1e3:.0f} ms, checked {full * 1e3:.0f} ms",
    )
    # Small tensors: copying large ones would hide what recording costs.
    small = {n: (min(count, SMALL), dtype) for n, (count, dtype) in kernel.tensors.items()}
    one = _prepare(client, replace(kernel, tensors=small, grid=(1, 1, 1)), f"{kernel.name} (one)")
    plain, recorded = _in_turn(
        lambda: client.request("scan", mode="full", **one),
        lambda: client.request("record", program=[0, 0, 0], **one),
    )
    yield Ratio(
        f"recording one program, {kernel.name}",
        recorded / plain,
        1.5,
        False,
        f"unrecorded {plain * 1e3:.2f} ms, recorded {recorded * 1e3:.2f} ms",
    )


def _prepare(client: WorkerClient, kernel: BenchKernel, key: str) -> dict[str, Any]:
    signature = {**kernel.signature, **dict.fromkeys(kernel.blocks, "constexpr")}
    client.request(
        "kernel",
        key=key,
        source=kernel.source,
        function="kernel",
        signature=signature,
        constants={},
    )
    for name, (count, dtype) in kernel.tensors.items():
        client.request(
            "made_up",
            name=f"{key}:{name}",
            shape=[count],
            stride=[1],
            dtype=dtype,
            seed=1,
            low=0,
            high=1024,
        )
    arguments: dict[str, Any] = {n: {"tensor": f"{key}:{n}"} for n in kernel.tensors}
    arguments |= {n: {"int": v} for n, v in kernel.numbers.items()}
    return {
        "kernel": key,
        "args": arguments,
        "blocks": kernel.blocks,
        "grid": list(kernel.grid),
        "write": True,
        "stop_at_first": False,
    }


def _stock(number: int) -> float:
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.stock", str(number), "3"],
        capture_output=True,
        text=True,
        check=True,
    )
    return statistics.median(float(line) for line in done.stdout.split())


def _median(run: Callable[[], object], rounds: int = ROUNDS) -> float:
    run()
    times: list[float] = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def _in_turn(
    first: Callable[[], object], second: Callable[[], object], rounds: int = 300
) -> tuple[float, float]:
    """Median seconds of both, run in turn so that the machine's drift meets both."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for run, found in zip((first, second), times, strict=True):
            start = time.perf_counter()
            run()
            found.append(time.perf_counter() - start)
    return statistics.median(times[0]), statistics.median(times[1])
