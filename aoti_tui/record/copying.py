"""Copying tensors into the ring: on the call's own stream, without waiting for anything.

What the GPU copies goes through the CUDA runtime that torch has loaded (cudaMemcpyAsync), which
costs less than a ``Tensor.copy_`` does; without it nothing of the device is recorded.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

from .ring import Ring

_STAMPS = 1 << 16
"""Numbers that lie on the device to be copied into stamps: the low part of a call's number."""


class HostCopies:
    """Copies of the host's memory, done at once."""

    def __init__(self, ring: Ring) -> None:
        buffer = (ctypes.c_char * ring.size).from_buffer(ring.memory)
        self.base = ctypes.addressof(buffer)
        self._keep = buffer

    def copy(self, place: int, address: int, size: int) -> None:
        ctypes.memmove(self.base + place, address, size)


class DeviceCopies:
    """Copies of a CUDA device's memory into the ring."""

    def __init__(self, ring: Ring, torch: Any, device: int) -> None:
        self._torch = torch
        self._device = device
        self._base = HostCopies(ring).base
        self._memory = ring.memory
        runtime = _runtime()
        self.registered = _register(torch, self._base, ring.size)
        if not self.registered and runtime is not None:
            # The program's next launch would take this error for its own.
            runtime.cudaGetLastError()
        self._copy = _copy_of(runtime)
        numbers = torch.arange(1, _STAMPS + 1, dtype=torch.int64)
        with torch.cuda.device(device):
            self._stamps = numbers.to(f"cuda:{device}")
            torch.cuda.current_stream(device).synchronize()
        self._stamps_at = self._stamps.data_ptr()
        self._raw_stream = torch._C._cuda_getCurrentRawStream

    def stream(self) -> int:
        """The stream that the device works on for this thread."""
        return int(self._raw_stream(self._device))

    def copy(self, place: int, address: int, size: int, stream: int) -> None:
        """Have ``size`` bytes copied to ``place`` of the ring. Raises RuntimeError."""
        if self._copy is None:
            raise RuntimeError("the CUDA runtime was not found")
        failed = self._copy(self._base + place, address, size, 2, stream)
        if failed:
            raise RuntimeError(f"cudaMemcpyAsync gave {failed}")

    def stamp(self, place: int, number: int, stream: int) -> None:
        """Have the low part of a call's number written at ``place``, in the stream's order."""
        self.copy(place, self._stamps_at + (low_part(number) - 1) * 8, 8, stream)


def low_part(number: int) -> int:
    """What a stamp holds of a call's number: from 1 on, as 0 is no call's."""
    return (number - 1) % _STAMPS + 1


def _register(torch: Any, base: int, size: int) -> bool:
    """Pin the ring, so that the copies need no staging; False where the system does not let us."""
    try:
        return int(torch.cuda.cudart().cudaHostRegister(base, size, 1)) == 0
    except Exception:
        return False


def _runtime() -> Any:
    """The CUDA runtime that torch uses: the one loaded already, never another; None without one."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            names = {line.split()[-1] for line in maps if "libcudart" in line}
        return ctypes.CDLL(sorted(names)[0])
    except (OSError, IndexError):
        return None


def _copy_of(runtime: Any) -> Any:
    if runtime is None:
        return None
    copy = runtime.cudaMemcpyAsync
    copy.argtypes = [
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.c_size_t,
        ctypes.c_int,
        ctypes.c_void_p,
    ]
    copy.restype = ctypes.c_int
    return copy


def byte_span(tensor: Any) -> int:
    """Bytes from a tensor's first element to the end of its last, as it lies in memory."""
    shape, stride = tensor.shape, tensor.stride()
    if 0 in shape:
        return 0
    reach = 1 + sum((n - 1) * s for n, s in zip(shape, stride))
    return int(reach) * int(tensor.element_size())


def said(text: str) -> None:
    """A line for the user, where the program's own errors go."""
    print(f"aoti-tui record: {text}", file=sys.stderr, flush=True)
