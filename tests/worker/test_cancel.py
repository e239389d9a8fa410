"""SIGINT ends the request that runs, and nothing else."""

from __future__ import annotations

import signal

import numpy as np

from .talking import Talk, compiled

ENDLESS = """
@triton.jit
def endless(out_ptr0, XBLOCK : tl.constexpr):
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)
    tl.store(out_ptr0 + xindex, 5)
    count = 0
    while count < 1:
        count = count - 1
"""
# A loop in which nothing changes is ended by the engine itself: those here go on until cancelled.
MANY = """
@triton.jit
def many(out_ptr0, XBLOCK : tl.constexpr):
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)
    tl.store(out_ptr0 + xindex % 16, xindex)
"""
WAITING = """
@triton.jit
def waiting(sem_ptr, out_ptr0, XBLOCK : tl.constexpr):
    triton_helpers.x_grid_barrier(sem_ptr)
    count = 0
    while count < 1:
        tl.store(out_ptr0, 5)
        count = count - 1
"""


def cancelled(worker: Talk) -> bool:
    """Interrupt a request that has begun; whether it was answered as cancelled."""
    assert worker.event()["event"] == "progress"
    worker.process.send_signal(signal.SIGINT)
    reply = worker.answer()
    return (reply["event"], reply.get("kind")) == ("error", "cancelled")


def test_a_kernel_that_never_ends(worker: Talk) -> None:
    compiled(worker, ENDLESS, "endless", {"out_ptr0": "*i64"})
    worker.put("out", [1, 2, 3, 4], "int64")
    launch = {
        "kernel": "endless",
        "args": {"out_ptr0": {"tensor": "out"}},
        "blocks": {"XBLOCK": 4},
        "grid": [1],
    }
    for request in ({"do": "scan", "write": True}, {"do": "record", "program": [0, 0, 0]}):
        worker.send(**request, **launch)
        assert cancelled(worker)
        assert worker.values("out").tolist() == [1, 2, 3, 4]


def test_a_long_scan_tells_its_progress_and_can_be_cancelled(worker: Talk) -> None:
    compiled(worker, MANY, "many", {"out_ptr0": "*i32"})
    worker.ask("zeros", name="out", shape=[16], stride=None, dtype="int32")
    launch = {
        "kernel": "many",
        "args": {"out_ptr0": {"tensor": "out"}},
        "blocks": {"XBLOCK": 16},
        "grid": [1000, 1000, 1],
        "mode": "full",
    }
    worker.send("scan", **launch)
    first, second = worker.event(), worker.event()
    assert (first["done"], first["total"]) == (0, 1_000_000)
    assert 0 < second["done"] < 1_000_000
    assert cancelled(worker)
    dones = [done for done, _ in worker.progress]
    assert dones == sorted(dones)
    worker.send("who_wrote", argument="out_ptr0", element=3, **launch)
    assert cancelled(worker)
    launch["grid"] = [100, 1, 1]
    assert worker.ask("scan", **launch)["programs"] == 100
    assert worker.ask("who_wrote", argument="out_ptr0", element=3, **launch)["count"] == 100


def test_programs_waiting_at_a_barrier(worker: Talk) -> None:
    compiled(worker, WAITING, "waiting", {"sem_ptr": "*i32", "out_ptr0": "*i32"})
    for name in ("sem", "out"):
        worker.ask("zeros", name=name, shape=[1], stride=None, dtype="int32")
    worker.send(
        "scan",
        kernel="waiting",
        args={"sem_ptr": {"tensor": "sem"}, "out_ptr0": {"tensor": "out"}},
        blocks={"XBLOCK": 1},
        grid=[8],
    )
    assert cancelled(worker)
    assert worker.values("out").tolist() == [0]


def test_sigint_between_requests_means_nothing(worker: Talk) -> None:
    worker.put("a", [1, 2], "int64")
    worker.process.send_signal(signal.SIGINT)
    np.testing.assert_array_equal(worker.values("a"), [1, 2])
