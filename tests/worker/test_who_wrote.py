"""Which program and lane wrote an element: stores, atomics, shared memory, both modes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .talking import Talk, compiled, line_of

TRANSPOSE = """
@triton.jit
def transpose(in_ptr0, out_ptr0, ynumel, xnumel, YBLOCK : tl.constexpr, XBLOCK : tl.constexpr):
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[:, None]
    ymask = yindex < ynumel
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[None, :]
    xmask = xindex < xnumel
    tmp0 = tl.load(in_ptr0 + (xindex + xnumel*yindex), xmask & ymask)
    tl.store(out_ptr0 + (yindex + ynumel*xindex), tmp0, xmask & ymask)
"""
SCATTER = """
@triton.jit
def scatter(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    tmp0 = tl.load(in_ptr0 + (xindex), xmask)
    tmp1 = tl.load(in_ptr1 + (xindex), xmask)
    tl.atomic_add(out_ptr0 + (tmp0), tmp1, xmask, sem='relaxed')
"""
BRANCHES = """
@triton.jit
def branches(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    tl.store(out_ptr0 + (0), 1.0, None)
    if tl.program_id(0) % 2 == 0:
        tmp0 = tl.load(in_ptr0 + (xindex), xmask)
        tl.store(out_ptr0 + (xindex), tmp0, xmask)
    else:
        tl.store(out_ptr0 + (xindex), 7.0, xmask)
"""


def transposed(worker: Talk, **more: Any) -> tuple[str, dict[str, Any]]:
    """7×10 elements, stored transposed by 3×2 programs of 4×4 lanes."""
    whole = compiled(
        worker,
        TRANSPOSE,
        "transpose",
        {"in_ptr0": "*fp32", "out_ptr0": "*fp32", "ynumel": "i32", "xnumel": "i32"},
    )
    worker.put("in", np.arange(70, dtype=np.float32), "float32")
    worker.ask("empty", name="out", shape=[70], stride=None, dtype="float32", poison=True)
    return whole, {
        "kernel": "transpose",
        "args": {
            "in_ptr0": {"tensor": "in"},
            "out_ptr0": {"tensor": "out"},
            "ynumel": {"int": 7},
            "xnumel": {"int": 10},
        },
        "blocks": {"YBLOCK": 4, "XBLOCK": 4},
        "grid": [3, 2, 1],
        **more,
    }


@pytest.mark.parametrize("mode", ["big", "full"])
def test_a_store_is_found_with_its_program_lane_and_value(worker: Talk, mode: str) -> None:
    whole, request = transposed(worker, mode=mode)
    # y = 5, x = 9: the second program along y, lane 1; the third along x, lane 1.
    reply = worker.ask("who_wrote", argument="out_ptr0", element=5 + 7 * 9, **request)
    assert reply["writes"] == [
        {
            "file": "transpose",
            "kernel_line": line_of(whole, "tl.store"),
            "access": "store",
            "argument": "out_ptr0",
            "element": 68,
            "program": [2, 1, 0],
            "lane": [1, 1],
            "value": 59.0,
        }
    ]
    assert reply["last"] == reply["writes"][0]
    assert (reply["count"], reply["mode"], reply["programs"]) == (1, mode, 6)
    assert (reply["before"], reply["after"]) == ("nan", 59.0)
    # It ran on copies: the output is still what nothing has written.
    assert np.isnan(worker.values("out")).all()


def test_every_element_agrees_with_where_the_kernel_puts_it(worker: Talk) -> None:
    _, request = transposed(worker)
    for element in range(70):
        x, y = divmod(element, 7)
        reply = worker.ask("who_wrote", argument="out_ptr0", element=element, **request)
        (write,) = reply["writes"]
        assert write["program"] == [x // 4, y // 4, 0]
        assert write["lane"] == [y % 4, x % 4]


def test_an_element_that_is_only_read_has_no_writer(worker: Talk) -> None:
    _, request = transposed(worker)
    reply = worker.ask("who_wrote", argument="in_ptr0", element=3, **request)
    assert (reply["writes"], reply["count"], reply["last"]) == ([], 0, None)
    assert (reply["before"], reply["after"]) == (3.0, 3.0)


@pytest.mark.parametrize("element", [-1, 70])
def test_an_element_outside_is_refused(worker: Talk, element: int) -> None:
    _, request = transposed(worker)
    error = worker.fail("who_wrote", argument="out_ptr0", element=element, **request)
    assert error["kind"] == "bad-request"
    assert "0..69" in error["message"]


def test_an_argument_that_is_no_tensor_is_refused(worker: Talk) -> None:
    _, request = transposed(worker)
    error = worker.fail("who_wrote", argument="xnumel", element=0, **request)
    assert error["kind"] == "bad-request"
    assert "xnumel" in error["message"]


def scattered(worker: Talk, rows: Any, dtype: str = "fp32") -> dict[str, Any]:
    count = len(rows)
    name = {"fp32": "float32", "fp16": "float16"}[dtype]
    compiled(
        worker,
        SCATTER,
        "scatter",
        {"in_ptr0": "*i64", "in_ptr1": f"*{dtype}", "out_ptr0": f"*{dtype}", "xnumel": "i32"},
    )
    worker.put("rows", rows, "int64")
    worker.ask("made_up", name="in", shape=[count], stride=None, dtype=name, seed=1)
    worker.ask("zeros", name="out", shape=[4], stride=None, dtype=name)
    return {
        "kernel": "scatter",
        "args": {
            "in_ptr0": {"tensor": "rows"},
            "in_ptr1": {"tensor": "in"},
            "out_ptr0": {"tensor": "out"},
            "xnumel": {"int": count},
        },
        "blocks": {"XBLOCK": 16},
        "grid": [-(-count // 16), 1, 1],
    }


@pytest.mark.parametrize("mode", ["big", "full"])
@pytest.mark.parametrize("dtype", ["fp32", "fp16"])
def test_atomics_are_listed_in_order_with_their_operands(
    worker: Talk, mode: str, dtype: str
) -> None:
    rows = [3] * 40
    for lane in (2, 17, 33):
        rows[lane] = 1
    request = scattered(worker, rows, dtype)
    given = worker.values("in")
    reply = worker.ask("who_wrote", argument="out_ptr0", element=1, mode=mode, **request)
    assert [(w["program"][0], w["lane"]) for w in reply["writes"]] == [(0, [2]), (1, [1]), (2, [1])]
    assert {w["access"] for w in reply["writes"]} == {"atomic"}
    assert [w["value"] for w in reply["writes"]] == [float(given[k]) for k in (2, 17, 33)]
    assert reply["after"] == pytest.approx(float(given[[2, 17, 33]].sum()), rel=1e-2)


def test_a_long_list_is_cut_and_says_how_many_there_are(worker: Talk) -> None:
    request = scattered(worker, [2] * 200)
    reply = worker.ask("who_wrote", argument="out_ptr0", element=2, **request)
    assert reply["count"] == 200
    places = [w["program"][0] * 16 + w["lane"][0] for w in reply["writes"]]
    assert places == list(range(64))
    assert (reply["last"]["program"], reply["last"]["lane"]) == ([12, 0, 0], [7])


@pytest.mark.parametrize("mode", ["big", "full"])
def test_programs_that_part_ways_are_each_counted_once(worker: Talk, mode: str) -> None:
    whole = compiled(
        worker, BRANCHES, "branches", {"in_ptr0": "*fp32", "out_ptr0": "*fp32", "xnumel": "i32"}
    )
    worker.put("in", np.arange(64, dtype=np.float32), "float32")
    worker.ask("zeros", name="out", shape=[64], stride=None, dtype="float32")
    request = {
        "kernel": "branches",
        "args": {
            "in_ptr0": {"tensor": "in"},
            "out_ptr0": {"tensor": "out"},
            "xnumel": {"int": 64},
        },
        "blocks": {"XBLOCK": 16},
        "grid": [4, 1, 1],
        "mode": mode,
    }
    reply = worker.ask("who_wrote", argument="out_ptr0", element=0, **request)
    shared, own = line_of(whole, "(0), 1.0"), line_of(whole, "(xindex), tmp0")
    assert [(w["program"][0], w["kernel_line"], w["value"]) for w in reply["writes"]] == [
        (0, shared, 1.0),
        (0, own, 0.0),
        (1, shared, 1.0),
        (2, shared, 1.0),
        (3, shared, 1.0),
    ]
    reply = worker.ask("who_wrote", argument="out_ptr0", element=20, **request)
    assert [(w["program"][0], w["lane"], w["value"]) for w in reply["writes"]] == [(1, [4], 7.0)]


def test_a_write_through_another_argument_on_the_same_memory_is_found(worker: Talk) -> None:
    _, request = transposed(worker)
    worker.ask("empty", name="whole", shape=[80], stride=None, dtype="float32", poison=True)
    worker.ask("view", name="out", base="whole", shape=[70], stride=[1], offset=10)
    request["args"]["in_ptr0"] = {"tensor": "whole"}
    request["args"]["out_ptr0"] = {"tensor": "out"}
    reply = worker.ask("who_wrote", argument="in_ptr0", element=78, **request)
    (write,) = reply["writes"]
    assert (write["argument"], write["element"], write["program"]) == ("out_ptr0", 68, [2, 1, 0])


def test_a_scan_can_keep_what_it_wrote_beside_the_tensors(worker: Talk) -> None:
    _, request = transposed(worker, keep={"out_ptr0": "kept", "in_ptr0": "same"})
    worker.ask("scan", mode="big", write=False, **request)
    expected = np.arange(70, dtype=np.float32).reshape(7, 10).T.reshape(-1)
    assert np.array_equal(worker.values("kept"), expected)
    assert np.array_equal(worker.values("same"), worker.values("in"))
    assert np.isnan(worker.values("out")).all()
    worker.ask("write", name="same", element=0, value=5.0)
    assert worker.values("in")[0] == 0.0


def test_floats_of_two_sizes_compare_only_when_asked(worker: Talk) -> None:
    worker.put("half", [1.0, 2.0, 3.0], "float16")
    worker.put("single", [1.0, 2.5, 3.0], "float32")
    assert worker.fail("compare", name="half", **{"with": "single"})["kind"] == "bad-request"
    reply = worker.ask("compare", name="half", widen=True, **{"with": "single"})
    assert (reply["worst"], reply["max_abs"], reply["different"]) == (1, 0.5, 1)


TWO_PHASES = """
@triton.jit
def phases(out_ptr0, sem_ptr, XBLOCK : tl.constexpr):
    x = tl.program_id(0)
    tl.store(out_ptr0 + (0), x, None)
    triton_helpers.x_grid_barrier(sem_ptr)
    tl.store(out_ptr0 + (0), 10 + x, None)
"""
TICKET = """
@triton.jit
def ticket(sem_ptr, out_ptr0, XBLOCK : tl.constexpr):
    tmp0 = tl.atomic_add(sem_ptr + (0), 1)
    tl.store(out_ptr0 + (tmp0), tl.program_id(0))
"""


def numbers(worker: Talk, text: str, function: str) -> dict[str, Any]:
    compiled(worker, text, function, {"out_ptr0": "*i32", "sem_ptr": "*i32"})
    for name in ("sem", "out"):
        worker.ask("zeros", name=name, shape=[4], stride=None, dtype="int32")
    return {
        "kernel": function,
        "args": {"sem_ptr": {"tensor": "sem"}, "out_ptr0": {"tensor": "out"}},
        "blocks": {"XBLOCK": 1},
        "grid": [3, 1, 1],
    }


def test_writes_around_a_grid_barrier_are_in_the_order_in_which_they_happen(worker: Talk) -> None:
    request = numbers(worker, TWO_PHASES, "phases")
    reply = worker.ask("who_wrote", argument="out_ptr0", element=0, **request)
    assert reply["mode"] == "full"
    assert [(w["program"][0], w["value"]) for w in reply["writes"]] == [
        (0, 0),
        (1, 1),
        (2, 2),
        (0, 10),
        (1, 11),
        (2, 12),
    ]
    assert reply["after"] == reply["last"]["value"] == 12


def test_programs_that_depend_on_one_another_run_in_order(worker: Talk) -> None:
    request = numbers(worker, TICKET, "ticket")
    reply = worker.ask("who_wrote", argument="out_ptr0", element=2, mode="big", **request)
    assert reply["mode"] == "full"
    assert [(w["program"], w["lane"], w["value"]) for w in reply["writes"]] == [([2, 0, 0], [], 2)]
    reply = worker.ask("who_wrote", argument="sem_ptr", element=0, **request)
    assert [(w["access"], w["value"]) for w in reply["writes"]] == [("atomic", 1)] * 3


@pytest.mark.parametrize("dtype", ["float16", "float32", "int64"])
def test_what_nothing_has_written_can_be_left_out_of_a_comparison(worker: Talk, dtype: str) -> None:
    worker.ask("empty", name="half", shape=[2, 3], stride=[1, 2], dtype=dtype, poison=True)
    for element, value in ((0, 1), (4, 2)):
        worker.ask("write", name="half", element=element, value=value)
    worker.put("whole", [[1, 7, 7], [7, 3, 7]], dtype)
    fields = {"name": "half", "with": "whole"}
    assert worker.ask("compare", **fields)["different"] == 5
    reply = worker.ask("compare", skip_unwritten=True, **fields)
    assert (reply["different"], reply["worst"], reply["max_abs"]) == (1, 4, 1.0)
