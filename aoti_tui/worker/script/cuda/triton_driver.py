"""Triton's driver on a machine without a GPU, and tuning that times nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch
import triton
import triton.testing
from triton.runtime import driver
from triton.runtime.autotuner import Autotuner

from .devices import CUDA
from .interface import CAPABILITY, MULTIPROCESSORS, SHARED_MEMORY

Flag = Callable[[str], None]
BENCH_FLAG = "do_bench ran its function once, on a CPU: its time says nothing of a GPU"
REPORT_FLAG = "perf_report was skipped: there is nothing to time"


class Utilities:
    """What a driver's utils say of the device; nothing can be loaded."""

    def get_device_properties(self, device: int) -> dict[str, int]:
        return {
            "max_shared_mem": SHARED_MEMORY,
            "max_num_regs": 65536,
            "multiprocessor_count": MULTIPROCESSORS,
            "warpSize": 32,
            "sm_clock_rate": 1980000,
            "mem_clock_rate": 3201000,
            "mem_bus_width": 6144,
        }

    def set_printf_fifo_size(self, size: int) -> None: ...

    def load_binary(self, *_: Any) -> Any:
        raise RuntimeError("there is no GPU to load a kernel into: aoti-tui runs it on the CPU")

    def cuOccupancyMaxActiveClusters(self, *_: Any) -> int:
        return MULTIPROCESSORS


class Driver:
    """The driver of a GPU of compute capability 9.0, as far as scripts and packages ask it."""

    def __init__(self, flag: Flag) -> None:
        self.utils = Utilities()
        self.binary_ext = "cubin"
        self._flag = flag

    @classmethod
    def is_active(cls) -> bool:
        return True

    def get_current_target(self) -> Any:
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", CAPABILITY[0] * 10 + CAPABILITY[1], 32)

    def get_current_device(self) -> int:
        return 0

    def set_current_device(self, device: Any) -> None: ...

    def get_current_stream(self, device: Any = None) -> int:
        return 0

    def get_device_capability(self, device: Any = None) -> tuple[int, int]:
        return CAPABILITY

    def get_active_torch_device(self) -> Any:
        return CUDA

    def get_device_interface(self) -> Any:
        return torch.cuda

    def get_benchmarker(self) -> Any:
        return once(self._flag)

    def get_empty_cache_for_benchmark(self) -> Any:
        return torch.empty(0, device="cuda")

    def clear_cache(self, cache: Any) -> None: ...

    def map_python_to_cpp_type(self, name: str) -> str:
        return name


def once(flag: Flag) -> Callable[..., Any]:
    """do_bench that runs its function once and gives its time, in milliseconds."""

    def do_bench(
        fn: Callable[[], Any], *_: Any, quantiles: Any = None, return_mode: str = "mean", **__: Any
    ) -> Any:
        flag(BENCH_FLAG)
        start = time.perf_counter()
        fn()
        took = (time.perf_counter() - start) * 1000
        if quantiles is not None:
            return [took] * len(quantiles) if len(quantiles) > 1 else took
        return [took] if return_mode == "all" else took

    return do_bench


def install(flag: Flag, config: int | None) -> None:
    """Set the driver; take the first configuration that a kernel keeps, or number `config`."""
    driver.set_active(Driver(flag))
    bench = once(flag)
    for name in ("do_bench", "do_bench_cudagraph"):
        if hasattr(triton.testing, name):
            setattr(triton.testing, name, bench)
    triton.testing.Mark.run = lambda *_, **__: flag(REPORT_FLAG)
    _choose_configurations(flag, config)


def _choose_configurations(flag: Flag, config: int | None) -> None:
    told: set[tuple[int, str]] = set()

    def bench(self: Any, *args: Any, config: Any, **meta: Any) -> list[float]:
        """The time of one configuration: the chosen one is the fastest."""
        return [0.0 if config is chosen(self) else 1.0] * 3

    def chosen(self: Any) -> Any:
        kept = self._aoti_kept
        at = config if config is not None else 0
        if at >= len(kept):
            raise ValueError(
                f"--config {at}: {self.base_fn.__name__} keeps {len(kept)} configurations, "
                f"0 to {len(kept) - 1}"
            )
        taken = kept[at]
        if (id(self), str(taken)) not in told:
            told.add((id(self), str(taken)))
            flag(
                f"{self.base_fn.__name__} is autotuned: configuration {at} of {len(kept)} was "
                f"taken ({taken}), nothing was timed; --config N takes another"
            )
        return taken

    prune = Autotuner.prune_configs

    def prune_configs(self: Any, *args: Any, **kwargs: Any) -> Any:
        self._aoti_kept = kept = list(prune(self, *args, **kwargs))
        return kept

    def untimed(self: Any, key: Any, configs: Any, bench_fn: Callable[[], None]) -> bool:
        bench_fn()
        return False

    Autotuner.prune_configs = prune_configs
    Autotuner._bench = bench
    if hasattr(Autotuner, "check_disk_cache"):
        Autotuner.check_disk_cache = untimed
