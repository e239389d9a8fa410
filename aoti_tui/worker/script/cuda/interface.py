"""`torch.cuda` and its neighbours, as a machine with one GPU of compute capability 9.0 has them."""

from __future__ import annotations

import contextlib
import os
from collections import OrderedDict
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch

from . import streams
from .devices import is_cuda

NAME = "NVIDIA GPU (aoti-tui on a CPU)"
CAPABILITY = (9, 0)
MULTIPROCESSORS = 132
SHARED_MEMORY = 232448
CUDA_VERSION = "12.8"


def memory_bytes() -> int:
    """All the memory of the machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def properties(device: Any = None) -> Any:
    is_cuda(device)
    return SimpleNamespace(
        name=NAME,
        major=CAPABILITY[0],
        minor=CAPABILITY[1],
        total_memory=memory_bytes(),
        multi_processor_count=MULTIPROCESSORS,
        warp_size=32,
        max_threads_per_block=1024,
        max_threads_per_multi_processor=2048,
        regs_per_multiprocessor=65536,
        shared_memory_per_block=49152,
        shared_memory_per_block_optin=SHARED_MEMORY,
        shared_memory_per_multiprocessor=SHARED_MEMORY + 1024,
        L2_cache_size=60 << 20,
        is_integrated=0,
        is_multi_gpu_board=0,
        clock_rate=1980000,
        memory_clock_rate=3201000,
        memory_bus_width=6144,
        pci_bus_id=0,
        pci_device_id=0,
        pci_domain_id=0,
        uuid="00000000-0000-0000-0000-000000000000",
    )


class Device:
    """`with torch.cuda.device(0)`: there is but one."""

    def __init__(self, device: Any = None) -> None:
        is_cuda(getattr(device, "device", device))
        self.idx = 0
        self.prev_idx = 0

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


class _Nothing:
    """Any function of a library that is not there, and does nothing."""

    def __getattr__(self, name: str) -> Callable[..., int]:
        return lambda *_, **__: 0


def _none(*_: Any, **__: Any) -> None: ...


def _zero(*_: Any, **__: Any) -> int:
    return 0


def _yes(*_: Any, **__: Any) -> bool:
    return True


def _no(*_: Any, **__: Any) -> bool:
    return False


def _memory_info(device: Any = None) -> tuple[int, int]:
    free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    return free, memory_bytes()


def _statistics(*_: Any, **__: Any) -> OrderedDict[str, int]:
    kinds = ("allocated_bytes.all", "reserved_bytes.all", "active_bytes.all")
    return OrderedDict((f"{kind}.{what}", 0) for kind in kinds for what in ("current", "peak"))


def _summary(*_: Any, **__: Any) -> str:
    return "aoti-tui runs this on a CPU: there is no memory of a GPU to sum up.\n"


def _set_device(device: Any) -> None:
    is_cuda(getattr(device, "device", device))


def _functions() -> dict[str, Any]:
    stream = streams.Stream()
    told: dict[str, Any] = {
        "is_available": _yes,
        "is_initialized": _yes,
        "is_bf16_supported": _yes,
        "is_tf32_supported": _yes,
        "is_current_stream_capturing": _no,
        "can_device_access_peer": _no,
        "device_count": lambda: 1,
        "current_device": _zero,
        "get_device_name": lambda device=None: NAME,
        "get_device_capability": lambda device=None: CAPABILITY,
        "get_device_properties": properties,
        "get_arch_list": lambda: ["sm_90"],
        "get_gencode_flags": lambda: "-gencode compute=compute_90,code=sm_90",
        "mem_get_info": _memory_info,
        "memory_stats": _statistics,
        "memory_stats_as_nested_dict": lambda device=None: {},
        "memory_summary": _summary,
        "memory_snapshot": lambda *_: [],
        "list_gpu_processes": lambda *_: "",
        "set_device": _set_device,
        "current_stream": lambda device=None: stream,
        "default_stream": lambda device=None: stream,
        "set_stream": _none,
        "stream": lambda stream=None: contextlib.nullcontext(),
        "device": Device,
        "device_of": Device,
        "Stream": streams.Stream,
        "ExternalStream": streams.Stream,
        "Event": streams.Event,
        "CUDAGraph": streams.CUDAGraph,
        "graph": streams.graph,
        "graph_pool_handle": lambda: (0, 0),
        "make_graphed_callables": streams.make_graphed_callables,
        "cudart": _Nothing,
        "init": _none,
        "_lazy_init": _none,
        "_is_in_bad_fork": _no,
        "synchronize": _none,
        "empty_cache": _none,
        "ipc_collect": _none,
        "set_per_process_memory_fraction": _none,
        "reset_peak_memory_stats": _none,
        "reset_max_memory_allocated": _none,
        "reset_max_memory_cached": _none,
        "reset_accumulated_memory_stats": _none,
        "set_sync_debug_mode": _none,
        "get_sync_debug_mode": _zero,
        "utilization": _zero,
        "temperature": _zero,
        "power_draw": _zero,
        "clock_rate": _zero,
    }
    for name in ("allocated", "reserved", "cached"):
        told[f"memory_{name}"] = told[f"max_memory_{name}"] = _zero
    return told


def _random(generator: Any) -> dict[str, Any]:
    def seeded(seed: int) -> None:
        generator.manual_seed(seed)

    return {
        "manual_seed": seeded,
        "manual_seed_all": seeded,
        "seed": generator.seed,
        "seed_all": generator.seed,
        "initial_seed": generator.initial_seed,
        "get_rng_state": lambda device="cuda": generator.get_state(),
        "get_rng_state_all": lambda: [generator.get_state()],
        "set_rng_state": lambda state, device="cuda": generator.set_state(state),
        "set_rng_state_all": lambda states: generator.set_state(states[0]),
        "default_generators": (generator,),
    }


def install(generator: Any) -> None:
    """Put the stand-ins into torch; `generator` draws what is drawn on cuda."""
    for name, value in {**_functions(), **_random(generator)}.items():
        setattr(torch.cuda, name, value)
    for name in ("Stream", "Event", "ExternalStream"):
        setattr(torch.cuda.streams, name, getattr(torch.cuda, name))
    for name in ("CUDAGraph", "graph", "make_graphed_callables", "graph_pool_handle"):
        setattr(torch.cuda.graphs, name, getattr(torch.cuda, name))
    torch.version.cuda = CUDA_VERSION
    torch.backends.cuda.is_built = _yes
    torch._C._cuda_getCurrentRawStream = _zero
    torch._C._cuda_getDevice = _zero
    torch._C._cuda_setDevice = _none
    torch._C._cuda_getDeviceCount = lambda: 1
    torch._C._cuda_synchronize = _none
    for name in ("range_push", "range_pop", "range_start", "range_end", "mark"):
        if hasattr(torch.cuda.nvtx, name):
            setattr(torch.cuda.nvtx, name, _zero)
    _accelerator()
    _types()


def _accelerator() -> None:
    """torch.accelerator, which torch has since 2.6."""
    found = getattr(torch, "accelerator", None)
    if found is None:
        return
    for name, value in {
        "is_available": _yes,
        "device_count": lambda: 1,
        "current_accelerator": lambda check_available=False: torch.device("cuda"),
        "current_device_index": _zero,
        "current_device_idx": _zero,
        "set_device_index": _none,
        "set_device_idx": _none,
        "synchronize": _none,
        "current_stream": lambda device=None: torch.cuda.current_stream(),
        "set_stream": _none,
    }.items():
        if hasattr(found, name):
            setattr(found, name, value)


def _types() -> None:
    """`isinstance(x, torch.cuda.FloatTensor)`, which asks for the type and the device."""
    for kind in (
        "Float",
        "Double",
        "Half",
        "BFloat16",
        "Long",
        "Int",
        "Short",
        "Char",
        "Byte",
        "Bool",
    ):
        name = f"{kind}Tensor"
        plain = getattr(torch, name)

        class OfType(type):
            plain_type = plain

            def __instancecheck__(cls, value: Any) -> bool:
                return (
                    isinstance(value, torch.Tensor)
                    and value.is_cuda
                    and value.dtype == cls.plain_type.dtype
                )

        setattr(torch.cuda, name, OfType(name, (), {"__module__": "torch.cuda"}))
