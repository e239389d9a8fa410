"""A scan of many programs at once finds what running them one by one finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .talking import Talk, compiled, line_of

GATHER = """
@triton.jit
def gather(in_ptr0, in_ptr1, out_ptr0, ks0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = ks0
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < ks0)) | ~(xmask), "out of bounds: 0 <= tmp4 < ks0")
    tmp6 = tl.load(in_ptr1 + (tmp4), xmask)
    tl.device_assert((tmp6 < 90.0) | ~(xmask), "too large: tmp6 < 90.0")
    tl.store(out_ptr0 + (x0), tmp6, xmask)
"""
GATHER_SIGNATURE = {
    "in_ptr0": "*i64",
    "in_ptr1": "*fp32",
    "out_ptr0": "*fp32",
    "ks0": "i64",
    "xnumel": "i32",
}
TWO_DIMENSIONS = """
@triton.jit
def tiles(in_ptr0, out_ptr0, ynumel, xnumel, YBLOCK : tl.constexpr, XBLOCK : tl.constexpr):
    yoffset = (tl.program_id(1) + tl.program_id(2) * tl.num_programs(1)) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[:, None]
    ymask = yindex < ynumel
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[None, :]
    xmask = xindex < xnumel
    tmp0 = tl.load(in_ptr0 + (xindex + xnumel*yindex), xmask & ymask)
    tl.device_assert((tmp0 < 8) | ~(xmask & ymask), "tmp0 < 8")
    tl.store(out_ptr0 + (yindex + ynumel*xindex), tmp0, xmask & ymask)
"""
LOOPED = """
@triton.jit
def looped(in_ptr0, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    _tmp2 = tl.full([XBLOCK, R0_BLOCK], 0, tl.int64)
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        tmp0 = tl.load(in_ptr0 + (r0_index + r0_numel*xindex), r0_mask & xmask, other=0)
        tl.device_assert((tmp0 < 8) | ~(r0_mask & xmask), "tmp0 < 8")
        tmp1 = _tmp2 + tmp0
        _tmp2 = tl.where(r0_mask & xmask, tmp1, _tmp2)
    tmp2 = tl.sum(_tmp2, 1)[:, None]
    tl.device_assert((tmp2 < 100) | ~xmask, "tmp2 < 100")
    tl.store(out_ptr0 + (xindex), tmp2, xmask)
"""
NO_X_DIM = """
@triton.jit
def rows(in_ptr0, out_ptr0, xnumel, rnumel):
    XBLOCK: tl.constexpr = 1
    RBLOCK: tl.constexpr = 16
    xoffset = tl.program_id(0) * XBLOCK
    xindex = tl.full([1], xoffset, tl.int32)
    rindex = tl.arange(0, RBLOCK)[:]
    tmp0 = tl.load(in_ptr0 + (rindex + 16*xindex), None)
    tmp1 = tl.broadcast_to(tmp0, [RBLOCK])
    tmp3 = triton_helpers.promote_to_tensor(tl.sum(tmp1, 0))
    tl.device_assert(tmp3 < 90, "tmp3 < 90")
    tl.store(out_ptr0 + (xindex), tmp3, None)
"""
COMBO = """
@triton.jit
def combo(in_ptr0, out_ptr0, out_ptr1):
    pid = tl.program_id(0)
    XBLOCK: tl.constexpr = 32
    num_xblocks_0 = tl.cdiv(100, XBLOCK)
    num_xblocks_1 = num_xblocks_0 + tl.cdiv(60, XBLOCK)
    if pid < num_xblocks_0:
        xindex = pid * XBLOCK + tl.arange(0, XBLOCK)[:]
        xmask = xindex < 100
        tmp0 = tl.load(in_ptr0 + xindex, xmask)
        tl.store(out_ptr0 + xindex, tmp0 + 1, xmask)
    elif pid < num_xblocks_1:
        xindex = (pid - num_xblocks_0) * XBLOCK + tl.arange(0, XBLOCK)[:]
        xmask = xindex < 60
        tmp1 = tl.load(in_ptr0 + xindex, xmask)
        tl.device_assert((tmp1 < 8) | ~xmask, "tmp1 < 8")
        tl.store(in_ptr0 + xindex, tmp1 * 2, xmask)
        for step in range(0, pid):
            tl.store(out_ptr1 + xindex, tmp1 + step, xmask)
    else:
        pass
"""


def both_ways(worker: Talk, names: list[str], **launch: Any) -> Any:
    """The scan in both modes; findings and every tensor must agree."""
    full = worker.ask("scan", **launch, mode="full", write=False)
    big = worker.ask("scan", **launch, mode="big", write=False)
    assert (full["mode"], big["mode"]) == ("full", "big")
    for key in ("asserts", "faults", "flags", "programs"):
        assert full[key] == big[key]
    kept = {name: worker.values(name) for name in names}
    worker.ask("scan", **launch, mode="full", write=True)
    one_by_one = {name: worker.values(name) for name in names}
    for name in names:
        for element, value in enumerate(kept[name].tolist()):
            if value != one_by_one[name][element]:
                worker.ask("write", name=name, element=element, value=value)
    worker.ask("scan", **launch, mode="big", write=True)
    for name in names:
        np.testing.assert_array_equal(worker.values(name), one_by_one[name])
    return full


def test_a_gather_with_bad_indices(worker: Talk) -> None:
    text = compiled(worker, GATHER, "gather", GATHER_SIGNATURE)
    index = np.arange(1000) % 100
    index[[70, 500, 501, 999]] = [100, -101, -1, 2**40]
    worker.put("index", index, "int64")
    worker.put("table", np.arange(100), "float32")
    worker.ask("zeros", name="out", shape=[1000], stride=None, dtype="float32")
    found = both_ways(
        worker,
        ["out"],
        kernel="gather",
        args={
            "in_ptr0": {"tensor": "index"},
            "in_ptr1": {"tensor": "table"},
            "out_ptr0": {"tensor": "out"},
            "ks0": {"int": 100},
            "xnumel": {"int": 1000},
        },
        blocks={"XBLOCK": 64},
        grid=[16, 1, 1],
    )
    bounds, values = found["asserts"]
    # Program 1 fails both asserts: the index at lane 6 first.
    assert [bounds["order"], values["order"]] == [0, 1]
    assert bounds["kernel_line"] == line_of(text, "0 <= tmp4 < ks0")
    assert bounds["programs"] == [[1, 0, 0], [7, 0, 0], [15, 0, 0]]
    assert bounds["failing_lanes"] == 3
    first = bounds["first"]
    assert (first["program"], first["lane"]) == ([1, 0, 0], [6])
    assert (first["values"]["tmp4"], first["values"]["x0"], first["values"]["ks0"]) == (
        100,
        70,
        100,
    )
    assert first["values"]["xoffset"] == 64
    assert "tmp6" not in first["values"]
    assert values["first"]["lane"] == [26]
    assert values["first"]["values"]["tmp6"] == 90.0
    (fault,) = found["faults"]
    assert (fault["element"], fault["program"], fault["count"]) == (100, [1, 0, 0], 3)


def test_a_two_dimensional_grid_with_overflowing_y(worker: Talk) -> None:
    compiled(
        worker,
        TWO_DIMENSIONS,
        "tiles",
        {"in_ptr0": "*i32", "out_ptr0": "*i32", "ynumel": "i32", "xnumel": "i32"},
    )
    data = np.arange(30 * 20).reshape(30, 20) % 8
    data[17, 9] = 8
    data[3, 19] = 9
    worker.put("in", data, "int32")
    worker.ask("zeros", name="out", shape=[20, 30], stride=None, dtype="int32")
    found = both_ways(
        worker,
        ["out"],
        kernel="tiles",
        args={
            "in_ptr0": {"tensor": "in"},
            "out_ptr0": {"tensor": "out"},
            "ynumel": {"int": 30},
            "xnumel": {"int": 20},
        },
        blocks={"YBLOCK": 4, "XBLOCK": 8},
        grid=[3, 4, 2],
    )
    (fired,) = found["asserts"]
    # Row 17 is in y block 4, which is program (1, 0, 1); row 3, column 19 in (2, 0, 0).
    assert fired["programs"] == [[1, 0, 1], [2, 0, 0]]
    assert fired["first"]["lane"] == [1, 1]
    assert fired["first"]["values"]["tmp0"] == 8
    np.testing.assert_array_equal(worker.values("out").reshape(20, 30), data.T)


def test_a_looped_reduction_with_asserts_in_and_after_the_loop(worker: Talk) -> None:
    compiled(
        worker,
        LOOPED,
        "looped",
        {"in_ptr0": "*i64", "out_ptr0": "*i64", "xnumel": "i32", "r0_numel": "i32"},
    )
    data = np.zeros((37, 50), dtype=np.int64)
    data[5, 49] = 8
    data[5, 3] = 3
    data[20] = 7
    data[36, 0] = 9
    worker.put("in", data, "int64")
    worker.ask("zeros", name="out", shape=[37], stride=None, dtype="int64")
    found = both_ways(
        worker,
        ["out"],
        kernel="looped",
        args={
            "in_ptr0": {"tensor": "in"},
            "out_ptr0": {"tensor": "out"},
            "xnumel": {"int": 37},
            "r0_numel": {"int": 50},
        },
        blocks={"XBLOCK": 2, "R0_BLOCK": 16},
        grid=[19, 1, 1],
    )
    inside, after = found["asserts"]
    assert inside["programs"] == [[2, 0, 0], [18, 0, 0]]
    assert (inside["first"]["lane"], inside["first"]["values"]["r0_offset"]) == ([1, 1], 48)
    assert after["programs"] == [[10, 0, 0]]
    assert after["first"]["values"]["tmp2"] == 350
    np.testing.assert_array_equal(worker.values("out"), data.sum(1))


def test_rows_without_an_x_dimension(worker: Talk) -> None:
    compiled(worker, NO_X_DIM, "rows", {"in_ptr0": "*i64", "out_ptr0": "*i64"}, rnumel=16)
    worker.put("in", np.arange(160) % 13, "int64")
    worker.ask("zeros", name="out", shape=[10], stride=None, dtype="int64")
    found = both_ways(
        worker,
        ["out"],
        kernel="rows",
        args={
            "in_ptr0": {"tensor": "in"},
            "out_ptr0": {"tensor": "out"},
            "xnumel": {"int": 10},
        },
        blocks={},
        grid=[10, 1, 1],
    )
    sums = (np.arange(160) % 13).reshape(10, 16).sum(1)
    np.testing.assert_array_equal(worker.values("out"), sums)
    expected = [[int(row), 0, 0] for row in np.flatnonzero(sums >= 90)]
    assert expected
    assert found["asserts"][0]["programs"] == expected


def test_programs_that_part_ways_undo_what_they_stored(worker: Talk) -> None:
    compiled(worker, COMBO, "combo", {"in_ptr0": "*i64", "out_ptr0": "*i64", "out_ptr1": "*i64"})
    worker.put("in", np.arange(100) % 9, "int64")
    worker.ask("zeros", name="out0", shape=[100], stride=None, dtype="int64")
    worker.ask("zeros", name="out1", shape=[60], stride=None, dtype="int64")
    found = both_ways(
        worker,
        ["in", "out0", "out1"],
        kernel="combo",
        args={
            "in_ptr0": {"tensor": "in"},
            "out_ptr0": {"tensor": "out0"},
            "out_ptr1": {"tensor": "out1"},
        },
        blocks={},
        grid=[7, 1, 1],
    )
    assert found["asserts"][0]["programs"] == [[4, 0, 0], [5, 0, 0]]
    assert found["asserts"][0]["failing_lanes"] == len([n for n in range(60) if n % 9 == 8])
    doubled = np.arange(100) % 9
    doubled[:60] *= 2
    np.testing.assert_array_equal(worker.values("in"), doubled)


@pytest.mark.parametrize("mode", ["full", "big"])
def test_stopping_at_the_first_failure(worker: Talk, mode: str) -> None:
    compiled(worker, GATHER, "gather", GATHER_SIGNATURE)
    worker.put("index", [0] * 8 + [5] + [0] * 7, "int64")
    worker.put("table", [1.0, 2.0], "float32")
    worker.ask("zeros", name="out", shape=[16], stride=None, dtype="float32")
    result = worker.ask(
        "scan",
        kernel="gather",
        args={
            "in_ptr0": {"tensor": "index"},
            "in_ptr1": {"tensor": "table"},
            "out_ptr0": {"tensor": "out"},
            "ks0": {"int": 2},
            "xnumel": {"int": 16},
        },
        blocks={"XBLOCK": 4},
        grid=[4],
        mode=mode,
        stop_at_first=True,
    )
    assert result["asserts"][0]["programs"] == [[2, 0, 0]]
    assert result["programs"] == (3 if mode == "full" else 4)


def test_an_empty_grid_runs_nothing(worker: Talk) -> None:
    compiled(worker, GATHER, "gather", GATHER_SIGNATURE)
    worker.put("index", [0], "int64")
    worker.put("table", [1.0], "float32")
    args = {
        "in_ptr0": {"tensor": "index"},
        "in_ptr1": {"tensor": "table"},
        "out_ptr0": {"tensor": "table"},
        "ks0": {"int": 1},
        "xnumel": {"int": 0},
    }
    for mode in ("full", "big"):
        result = worker.ask(
            "scan", kernel="gather", args=args, blocks={"XBLOCK": 4}, grid=[0, 1, 1], mode=mode
        )
        assert (result["programs"], result["asserts"], result["faults"]) == (0, [], [])


COOPERATIVE = """
@triton.jit
def cooperative(
    in_ptr0, out_ptr0, sem_ptr, ws_ptr, xnumel, r0_numel,
    XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr, RSPLIT : tl.constexpr
):
    RSPLIT_NEXT_POWER_OF_2: tl.constexpr = triton_helpers.constexpr_next_power_of_2(RSPLIT)
    HAS_RSPLIT: tl.constexpr = RSPLIT > 1
    rsplit_id = tl.program_id(0)
    num_rblocks = (r0_numel + R0_BLOCK - 1) // R0_BLOCK
    rsplit_chunk = (num_rblocks + RSPLIT - 1) // RSPLIT * R0_BLOCK
    rsplit_start = rsplit_chunk * rsplit_id
    rsplit_end = rsplit_chunk * (rsplit_id + 1)
    rsplit_end = tl.where(rsplit_end < r0_numel, rsplit_end, r0_numel)
    xindex = tl.program_id(1) * XBLOCK + tl.arange(0, XBLOCK)[:, None]
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    rsplit_arange = tl.arange(0, RSPLIT_NEXT_POWER_OF_2)[None, :]
    rsplit_mask = rsplit_arange < RSPLIT
    _tmp1 = tl.full([XBLOCK, R0_BLOCK], 0, tl.int64)
    for r0_offset in tl.range(rsplit_start, rsplit_end, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        tmp0 = tl.load(in_ptr0 + (r0_index + r0_numel*xindex), r0_mask, other=0)
        _tmp1 = tl.where(r0_mask, _tmp1 + tmp0, _tmp1)
    tmp1 = tl.sum(_tmp1, 1)[:, None]
    if HAS_RSPLIT:
        tmp1_ws = (ws_ptr + 0).to(tl.pointer_type(tl.int64))
        tl.store(tmp1_ws + (xindex * RSPLIT + rsplit_id), tmp1, None)
        triton_helpers.x_grid_barrier(sem_ptr + tl.program_id(1))
        tmp1_peers = tl.load(
            tmp1_ws + (xindex * RSPLIT + rsplit_arange),
            rsplit_mask,
            other=triton_helpers.if_mask(rsplit_mask, 0),
        )
        tmp1 = tl.sum(tmp1_peers, 1)[:, None]
    tl.device_assert(tmp1 < 2000, "tmp1 < 2000")
    if rsplit_id == (1 % RSPLIT):
        tl.store(out_ptr0 + xindex, tmp1)
"""


def cooperative_launch(worker: Talk) -> dict[str, Any]:
    compiled(
        worker,
        COOPERATIVE,
        "cooperative",
        {
            "in_ptr0": "*i64",
            "out_ptr0": "*i64",
            "sem_ptr": "*i32",
            "ws_ptr": "*u8",
            "xnumel": "i32",
            "r0_numel": "i32",
        },
    )
    worker.put("in", np.arange(140), "int64")
    for name, size, dtype in (("out", 2, "int64"), ("sem", 2, "int32"), ("ws", 64, "uint8")):
        worker.ask("zeros", name=name, shape=[size], stride=None, dtype=dtype)
    return {
        "kernel": "cooperative",
        "args": {
            "in_ptr0": {"tensor": "in"},
            "out_ptr0": {"tensor": "out"},
            "sem_ptr": {"tensor": "sem"},
            "ws_ptr": {"tensor": "ws"},
            "xnumel": {"int": 2},
            "r0_numel": {"int": 70},
        },
        "blocks": {"XBLOCK": 1, "R0_BLOCK": 16, "RSPLIT": 3},
        "grid": [3, 2, 1],
    }


def test_programs_that_meet_at_a_grid_barrier(worker: Talk) -> None:
    launch = cooperative_launch(worker)
    result = worker.ask("scan", **launch, mode="big", write=True)
    assert result["mode"] == "full"
    assert result["faults"] == []
    sums = np.arange(140).reshape(2, 70).sum(1)
    assert worker.values("out").tolist() == sums.tolist()
    # Both sums are above the limit, and every program of a row sees the whole sum.
    programs = result["asserts"][0]["programs"]
    assert programs == [[x, y, 0] for x in range(3) for y in range(2)]


def test_recording_one_program_of_a_cooperative_grid(worker: Talk) -> None:
    launch = cooperative_launch(worker)
    reply = worker.ask("record", **launch, program=[2, 1, 0])
    steps = reply["steps"]
    (peers,) = [step for step in steps if step["name"] == "tmp1_peers"]
    parts = [np.arange(70, 140)[start : start + 32].sum() for start in (0, 32, 64)]
    assert reply.block(peers["value"]).tolist() == [[*parts, 0]]
    assert [a["programs"] for a in reply["asserts"]] == [[[2, 1, 0]]]
    offsets = [s for s in steps if s["name"] == "r0_offset"]
    assert [reply.block(s["value"]).item() for s in offsets] == [64]


LOOKBACK = """
@triton.jit
def _triton_helper_fn_add0(arg0_0, arg1_0):
    tmp0 = arg0_0 + arg1_0
    return tmp0

@triton.jit
def split_scan(
    in_ptr0, out_ptr0, ws_ptr, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr
):
    tmp2_ws = ws_ptr.to(tl.pointer_type(tl.uint64))
    roffset = tl.program_id(0) * R0_BLOCK
    rindex = roffset + tl.arange(0, R0_BLOCK)[:]
    rmask = rindex < r0_numel
    tmp0 = tl.load(in_ptr0 + rindex, rmask, other=0.0)
    tmp1 = tl.broadcast_to(tmp0, [R0_BLOCK])
    tmp3 = tl.reduce(tmp1, 0, _triton_helper_fn_add0)
    tmp4 = triton_helpers.exclusive_scan_decoupled_lookback(
        tmp2_ws,
        tmp3,
        tl.program_id(0),
        _triton_helper_fn_add0,
        DTYPE_VALUE_AS_UINT=tl.uint32,
        DTYPE_PACK=tl.uint64,
    )
    tmp5 = tl.associative_scan(tmp1, 0, _triton_helper_fn_add0)
    tmp6 = _triton_helper_fn_add0(tmp4, tmp5)
    tmp7 = tl.where(roffset == 0, tmp5, tmp6)
    tl.store(out_ptr0 + rindex, tmp7, rmask)
"""


def test_a_scan_split_over_programs(worker: Talk) -> None:
    compiled(
        worker,
        LOOKBACK,
        "split_scan",
        {"in_ptr0": "*fp32", "out_ptr0": "*fp32", "ws_ptr": "*u8", "r0_numel": "i32"},
        xnumel=1,
    )
    worker.put("in", np.arange(60), "float32")
    worker.ask("zeros", name="out", shape=[60], stride=None, dtype="float32")
    worker.ask("zeros", name="ws", shape=[64], stride=None, dtype="uint8")
    launch = {
        "kernel": "split_scan",
        "args": {
            "in_ptr0": {"tensor": "in"},
            "out_ptr0": {"tensor": "out"},
            "ws_ptr": {"tensor": "ws"},
            "r0_numel": {"int": 60},
        },
        "blocks": {"XBLOCK": 1, "R0_BLOCK": 16},
        "grid": [4, 1, 1],
    }
    recorded = worker.ask("record", **launch, program=[2, 0, 0])
    (prefix,) = [s for s in recorded["steps"] if s["name"] == "tmp4"]
    assert recorded.block(prefix["value"]).item() == sum(range(32))
    result = worker.ask("scan", **launch, mode="big", write=True)
    assert result["mode"] == "full"
    np.testing.assert_array_equal(worker.values("out"), np.cumsum(np.arange(60)))
