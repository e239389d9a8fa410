"""What torch does by device elsewhere: autocast, the profiler, torch.compile."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
import torch.amp.autocast_mode
import torch.profiler

COMPILE_FLAG = "torch.compile is left out: what it would compile runs as it is written"


def install_autocast() -> None:
    """Autocast of cuda is autocast of the CPU, with the type that cuda has by default."""
    mode = torch.amp.autocast_mode
    begin = mode.autocast.__init__
    dtypes = {"cuda": torch.float16}

    @functools.wraps(begin)
    def init(
        self: Any,
        device_type: str,
        dtype: Any = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        if device_type == "cuda":
            device_type, dtype = "cpu", dtype if dtype is not None else dtypes["cuda"]
        begin(self, device_type, dtype, enabled, cache_enabled)

    mode.autocast.__init__ = init
    enabled, dtype_of, available = (
        torch.is_autocast_enabled,
        torch.get_autocast_dtype,
        mode.is_autocast_available,
    )

    def as_cpu(device_type: str) -> str:
        return "cpu" if device_type == "cuda" else device_type

    def get_dtype(device_type: str) -> Any:
        if device_type == "cuda" and not enabled("cpu"):
            return dtypes["cuda"]
        return dtype_of(as_cpu(device_type))

    torch.is_autocast_enabled = lambda device_type="cuda": enabled(as_cpu(device_type))
    torch.get_autocast_dtype = get_dtype
    torch.get_autocast_gpu_dtype = lambda: get_dtype("cuda")

    def is_available(device_type: str) -> bool:
        return bool(available(as_cpu(device_type)))

    mode.is_autocast_available = torch.amp.is_autocast_available = is_available


def install_compile(flag: Callable[[str], None]) -> None:
    """torch.compile gives back what it is given."""

    def compile(model: Any = None, **options: Any) -> Any:
        flag(COMPILE_FLAG)
        return model if model is not None else functools.partial(compile, **options)

    torch.compile = compile
    torch.nn.Module.compile = lambda self, *_, **__: flag(COMPILE_FLAG)


def install_profiler() -> None:
    """A profile of cuda's activities is one of the CPU's."""
    begin = torch.profiler.profile.__init__
    kinds = torch.profiler.ProfilerActivity

    @functools.wraps(begin)
    def init(self: Any, *, activities: Any = None, **options: Any) -> None:
        if activities is not None:
            activities = {kinds.CPU if one == kinds.CUDA else one for one in activities}
        begin(self, activities=activities, **options)

    torch.profiler.profile.__init__ = init
