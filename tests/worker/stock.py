"""What triton's own interpreter makes of small kernels: `python stock.py` prints JSON by name.

A program of its own, since TRITON_INTERPRET is read when triton is imported. Each probe gives
what it saw, or the text of the exception that the interpreter raised.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

os.environ["TRITON_INTERPRET"] = "1"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import torch
import triton
import triton.language as tl
from torch._inductor.runtime import triton_helpers
from triton.language.extra import libdevice

PROBES: dict[str, Callable[[], Any]] = {}
combined = 0


def probe(function: Callable[[], Any]) -> Callable[[], Any]:
    PROBES[function.__name__] = function
    return function


@triton.jit
def asserting(x_ptr):
    tl.device_assert(tl.load(x_ptr) < 0, "x < 0")


@probe
def device_assert() -> str:
    try:
        asserting[(1,)](torch.ones(1))
    except Exception:
        return "an assertion"
    return "nothing"


@triton.jit
def rooted(x_ptr):
    tl.store(x_ptr, libdevice.sqrt(tl.load(x_ptr)))


@probe
def libdevice_sqrt() -> float:
    x = torch.full((1,), 4.0)
    rooted[(1,)](x)
    return x.item()


@triton.jit
def copied(x_ptr, o_ptr):
    tl.store(o_ptr, tl.load(x_ptr).to(o_ptr.dtype.element_ty))


def converted(value: float, dtype: torch.dtype) -> float:
    out = torch.zeros(1, dtype=dtype)
    copied[(1,)](torch.tensor([value]), out)
    return float(out.to(torch.float64).item())


@probe
def bfloat16_cast() -> float:
    return converted(1.0069, torch.bfloat16)


@probe
def float8_cast() -> float:
    return converted(1000.0, torch.float8_e4m3fn)


@probe
def integer_cast() -> float:
    return converted(1e20, torch.int32)


@triton.jit
def scaled(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr) * 0.1)


@probe
def bfloat16_constant() -> float:
    x = torch.full((1,), 1.0, dtype=torch.bfloat16)
    scaled[(1,)](x)
    return float(x.float().item())


@triton.jit
def squared(o_ptr, n: tl.int64):
    tl.store(o_ptr, n * n)


@probe
def wide_scalar() -> int:
    out = torch.zeros(1, dtype=torch.int64)
    squared[(1,)](out, 100_000)
    return int(out.item())


@triton.jit
def larger(a, b):
    return tl.where(a > b, a, b)


@triton.jit
def reduced(x_ptr):
    tl.store(x_ptr, tl.reduce(tl.load(x_ptr + tl.arange(0, 256)), 0, larger))


@probe
def generic_reduce() -> int:
    """Calls of the combine function."""
    global combined
    combined = 0

    def count(frame: FrameType, event: str, _: Any) -> None:
        global combined
        combined += event == "call" and frame.f_code.co_name == "larger"

    sys.setprofile(count)
    try:
        reduced[(1,)](torch.rand(256))
    finally:
        sys.setprofile(None)
    return combined


@triton.jit
def masked(x_ptr):
    tl.store(x_ptr, triton_helpers.if_mask(tl.load(x_ptr) == 0, 3.0))


@probe
def if_mask() -> float:
    x = torch.zeros(1)
    masked[(1,)](x)
    return x.item()


@triton.jit
def rounded_up(x_ptr, n: tl.constexpr):
    tl.store(x_ptr, triton_helpers.constexpr_next_power_of_2(n))


@probe
def next_power_of_2() -> float:
    x = torch.zeros(1)
    rounded_up[(1,)](x, 5)
    return x.item()


@triton.jit
def met(sem_ptr):
    triton_helpers.x_grid_barrier(sem_ptr)


@probe
def grid_barrier() -> str:
    def late(*_: Any) -> None:
        raise TimeoutError("still waiting")

    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        met[(2,)](torch.zeros(1, dtype=torch.int32))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return "met"


@triton.jit
def beyond(x_ptr, o_ptr):
    tl.store(o_ptr, tl.load(x_ptr + 5))


@probe
def load_outside() -> float | str:
    """Elements that lie behind a view are given; behind a whole tensor it would be anything."""
    out = torch.zeros(1)
    try:
        beyond[(1,)](torch.arange(8.0)[:4], out)
    except Exception:
        return "a fault"
    return out.item()


@triton.jit
def both(o_ptr):
    lane = tl.arange(0, 4)
    inner = (lane > 0) and (lane < 3)
    tl.store(o_ptr + lane, inner.to(tl.int32))


@probe
def boolean_and() -> list[int]:
    out = torch.zeros(4, dtype=torch.int32)
    both[(1,)](out)
    return out.tolist()


@triton.jit
def least(o_ptr):
    lane = tl.arange(0, 4)
    tl.store(o_ptr + lane, min(lane, 3 - lane))


@probe
def builtin_min() -> list[int]:
    out = torch.zeros(4, dtype=torch.int32)
    least[(1,)](out)
    return out.tolist()


@probe
def set_driver() -> str:
    triton_helpers.set_driver_to_gpu()
    return "set"


def main() -> None:
    seen = {}
    for name, function in PROBES.items():
        try:
            seen[name] = function()
        except Exception as error:
            seen[name] = f"{type(error).__name__}: {error}"
    json.dump({"triton": triton.__version__, "torch": torch.__version__, "seen": seen}, sys.stdout)


if __name__ == "__main__":
    main()
