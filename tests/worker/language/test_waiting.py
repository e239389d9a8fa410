"""Kernels whose programs wait for each other, and tensors that several of them change."""

from __future__ import annotations

import pytest
import torch

from aoti_tui.worker.engine.errors import Hanging

from .lab import run

LOCKED = """
def kernel(total_ptr, lock_ptr):
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    old = tl.load(total_ptr, volatile=True)
    tl.store(total_ptr, old + 1)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)
"""
CHAIN = """
def kernel(flag_ptr, out_ptr, LATER: tl.constexpr):
    pid = tl.program_id(0)
    if LATER:
        pid = tl.num_programs(0) - 1 - pid
    before = 0
    if pid > 0:
        while tl.{poll} == 0:
            pass
        before = tl.load(out_ptr + pid - 1, volatile=True)
    tl.store(out_ptr + pid, before + pid)
    tl.debug_barrier()
    tl.atomic_xchg(flag_ptr + pid, 1)
"""
POLLS = ["atomic_add(flag_ptr + pid - 1, 0)", "load(flag_ptr + pid - 1, volatile=True)"]


def whole(count: int) -> torch.Tensor:
    return torch.zeros(count, dtype=torch.int32)


def test_a_lock_lets_each_program_through() -> None:
    total = whole(1)
    run(LOCKED, {"total_ptr": total, "lock_ptr": whole(1)}, (20, 1, 1))
    assert total.item() == 20


@pytest.mark.parametrize("poll", POLLS)
@pytest.mark.parametrize("later", [False, True])
def test_a_program_may_wait_for_an_earlier_or_a_later_one(poll: str, later: bool) -> None:
    out = whole(8)
    tensors = {"flag_ptr": whole(8), "out_ptr": out}
    run(CHAIN.replace("{poll}", poll), tensors, (8, 1, 1), LATER=later)
    assert out.tolist() == [0, 1, 3, 6, 10, 15, 21, 28]


def test_programs_that_wait_for_ever_are_ended_at_their_line() -> None:
    text = """
    def kernel(flag_ptr):
        while tl.atomic_add(flag_ptr, 0) == 0:
            pass
    """
    with pytest.raises(Hanging, match="wait for each other for ever") as error:
        run(text, {"flag_ptr": whole(1)}, (3, 1, 1))
    assert error.value.place is not None
    assert error.value.place.line == 3


def test_atomics_give_what_each_lane_found_in_order() -> None:
    text = """
    def kernel(count_ptr, out_ptr):
        lane = tl.arange(0, 4)
        found = tl.atomic_add(count_ptr + lane * 0, 1)
        tl.store(out_ptr + tl.program_id(0) * 4 + lane, found)
    """
    out = whole(8)
    run(text, {"count_ptr": whole(1), "out_ptr": out}, (2, 1, 1))
    assert out.tolist() == list(range(8))


@pytest.mark.parametrize(
    ("operation", "dtype", "start", "values", "left"),
    [
        ("atomic_add", torch.float32, 1.5, [1.0, 2.0, 4.0, 8.0], 16.5),
        ("atomic_add", torch.float16, 1.5, [1.0, 2.0, 4.0, 8.0], 16.5),
        ("atomic_max", torch.float32, -1.0, [-3.0, 2.0, -4.0, 1.0], 2.0),
        ("atomic_min", torch.float32, -1.0, [-3.0, 2.0, -4.0, 1.0], -4.0),
        ("atomic_max", torch.int32, -1, [-3, 2, -4, 1], 2),
        ("atomic_min", torch.int64, -1, [-3, 2, -4, 1], -4),
        ("atomic_and", torch.int32, 15, [14, 13, 15, 15], 12),
        ("atomic_or", torch.int32, 0, [1, 2, 1, 8], 11),
        ("atomic_xor", torch.int32, 0, [1, 2, 1, 8], 10),
        ("atomic_xchg", torch.int32, 0, [1, 2, 1, 8], 8),
    ],
)
@pytest.mark.parametrize("method", [False, True])
def test_lanes_that_share_an_element_take_turns(
    operation: str, dtype: torch.dtype, start: float, values: list[float], left: float, method: bool
) -> None:
    call = f"at.{operation}(v)" if method else f"tl.{operation}(at, v)"
    text = f"""
    def kernel(x_ptr, v_ptr):
        lane = tl.arange(0, 4)
        v = tl.load(v_ptr + lane)
        at = x_ptr + lane * 0
        {call}
    """
    x = torch.full((1,), start, dtype=dtype)
    run(text, {"x_ptr": x, "v_ptr": torch.tensor(values, dtype=dtype)})
    assert x.item() == left
