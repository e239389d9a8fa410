"""What a recording holds beyond plain assignments."""

from __future__ import annotations

import numpy as np

from .talking import Talk, compiled, line_of

STEPS = """
@triton.jit
def clip_row(row, n_rows):
    low = tl.maximum(row, 0)
    return tl.minimum(low, n_rows - 1)

@triton.jit
def steps(in_ptr0, out_ptr0, ks0, XBLOCK : tl.constexpr):
    HALF: tl.constexpr = XBLOCK // 2
    xindex = tl.arange(0, XBLOCK)
    xmask = xindex < 3
    tmp0 = tl.load(in_ptr0 + xindex, xmask, other=-1)
    row = clip_row(tmp0, ks0)
    total = 0
    for outer in range(2):
        for inner in range(0, 4, 2):
            total += inner
            if inner == 2:
                total = total * 10
    a, b = total, (row, tmp0)
    count = 3
    while count > 1:
        count -= 1
    tmp9 = tl.atomic_add(out_ptr0 + xindex, row, xmask)
    tl.device_assert(tmp9 < 100, "tmp9 < 100")
    tl.store(out_ptr0 + xindex, row * 2, xmask)
"""


def record(worker: Talk, **more: object):
    text = compiled(worker, STEPS, "steps", {"in_ptr0": "*i64", "out_ptr0": "*i64", "ks0": "i64"})
    worker.put("in", [7, -2, 1], "int64")
    worker.put("out", [5, 500, 6], "int64")
    args = {"in_ptr0": {"tensor": "in"}, "out_ptr0": {"tensor": "out"}, "ks0": {"int": 5}}
    reply = worker.ask(
        "record",
        kernel="steps",
        args=args,
        blocks={"XBLOCK": 4},
        grid=[1, 1, 1],
        program=[0, 0, 0],
        **more,
    )
    return text, reply


def test_helpers_are_one_level_deeper_and_return_before_their_caller_assigns(
    worker: Talk,
) -> None:
    text, reply = record(worker)
    names = [(s["name"], s["depth"], s["kind"]) for s in reply["steps"]]
    at = names.index(("low", 1, "assign"))
    assert names[at + 1] == ("", 1, "return")
    assert names[at + 2] == ("row", 0, "assign")
    helper = reply["steps"][at]
    assert helper["function"] == "clip_row"
    assert helper["kernel_line"] == line_of(text, "low = tl.maximum")
    returned = reply["steps"][at + 1]
    assert reply.block(returned["value"]).tolist() == [4, 0, 1, 0]


def test_loads_tell_elements_and_active_lanes(worker: Talk) -> None:
    _, reply = record(worker)
    (step,) = [s for s in reply["steps"] if s["name"] == "tmp0"]
    assert reply.block(step["value"]).tolist() == [7, -2, 1, -1]
    assert reply.block(step["active"]).tolist() == [True, True, True, False]
    (load,) = step["loads"]
    assert load["argument"] == "in_ptr0"
    assert reply.block(load["elements"]).tolist() == [0, 1, 2, 3]
    assert step["summary"] == {"min": -2, "max": 7, "nan": 0, "distinct": 4, "count": 4}
    assert step["value"]["dtype"] == "int64"


def test_iterations_and_changes(worker: Talk) -> None:
    _, reply = record(worker)
    totals = [
        (s["iteration"], reply.block(s["value"]).item(), s["changed"])
        for s in reply["steps"]
        if s["name"] == "total"
    ]
    assert totals == [
        ([], 0, True),
        ([0, 0], 0, False),
        ([0, 1], 2, True),
        ([0, 1], 20, True),
        ([1, 0], 20, False),
        ([1, 1], 22, True),
        ([1, 1], 220, True),
    ]
    counts = [
        (s["iteration"], reply.block(s["value"]).item())
        for s in reply["steps"]
        if s["name"] == "count"
    ]
    assert counts == [([], 3), ([0], 2), ([1], 1)]
    (half,) = [s for s in reply["steps"] if s["name"] == "HALF"]
    assert half["value"] == {"number": 2}


def test_tuples_are_taken_apart(worker: Talk) -> None:
    _, reply = record(worker)
    (a,) = [s for s in reply["steps"] if s["name"] == "a"]
    assert reply.block(a["value"]).item() == 220
    (b,) = [s for s in reply["steps"] if s["name"] == "b"]
    assert b["value"] == {"text": "tuple of 2"}


def test_atomics_asserts_and_stores_are_steps(worker: Talk) -> None:
    text, reply = record(worker)
    atomic, asserted, stored = reply["steps"][-3:]
    assert (atomic["kind"], atomic["name"]) == ("atomic", "tmp9")
    assert reply.block(atomic["value"]).tolist() == [5, 500, 6, 0]
    assert atomic["target"]["argument"] == "out_ptr0"
    assert reply.block(atomic["target"]["elements"]).tolist() == [0, 1, 2, 3]
    assert reply.block(atomic["active"]).tolist() == [True, True, True, False]
    assert asserted["kind"] == "assert"
    assert asserted["kernel_line"] == line_of(text, "tl.device_assert(")
    assert reply.block(asserted["failing"]).tolist() == [False, True, False, False]
    assert (stored["kind"], stored["name"]) == ("store", "out_ptr0")
    assert reply.block(stored["value"]).tolist() == [8, 0, 2, 0]
    assert reply.block(stored["active"]).tolist() == [True, True, True, False]
    assert reply.block(stored["target"]["elements"]).tolist() == [0, 1, 2, 3]
    (fired,) = reply["asserts"]
    assert fired["first"]["values"]["tmp9"] == 500


def test_recording_changes_no_tensor(worker: Talk) -> None:
    record(worker)
    assert worker.values("out").tolist() == [5, 500, 6]


def test_blocks_beyond_the_limit_are_summarised_and_say_so(worker: Talk) -> None:
    _, reply = record(worker, lanes_limit=2)
    (step,) = [s for s in reply["steps"] if s["name"] == "tmp0"]
    assert step["value"] == {"dtype": "int64", "shape": [4], "omitted": True}
    assert step["summary"]["max"] == 7
    (scalar,) = [s for s in reply["steps"] if s["name"] == "a"]
    assert reply.block(scalar["value"]).item() == 220


def test_summaries_count_nan_and_stop_counting_distinct_values(worker: Talk) -> None:
    compiled(
        worker,
        """
        @triton.jit
        def summed(in_ptr0, out_ptr0, XBLOCK : tl.constexpr):
            xindex = tl.arange(0, XBLOCK)
            tmp0 = tl.load(in_ptr0 + xindex)
            tmp1 = tmp0.to(tl.bfloat16)
            tmp2 = tmp0 > 0
            tmp3 = in_ptr0 + xindex
            tl.store(out_ptr0 + xindex, tmp0)
        """,
        "summed",
        {"in_ptr0": "*fp32", "out_ptr0": "*fp32"},
    )
    worker.ask("made_up", name="in", shape=[2048], stride=None, dtype="float32", seed=3)
    worker.ask("write", name="in", element=5, value=float("nan"))
    worker.ask("zeros", name="out", shape=[2048], stride=None, dtype="float32")
    reply = worker.ask(
        "record",
        kernel="summed",
        args={"in_ptr0": {"tensor": "in"}, "out_ptr0": {"tensor": "out"}},
        blocks={"XBLOCK": 2048},
        grid=[1],
        program=[0, 0, 0],
    )
    values = worker.values("in")
    steps = {s["name"]: s for s in reply["steps"]}
    summary = steps["tmp0"]["summary"]
    assert (summary["nan"], summary["distinct"], summary["count"]) == (1, None, 2048)
    assert summary["max"] == np.nanmax(values)
    assert steps["tmp1"]["value"]["dtype"] == "bfloat16"
    assert steps["tmp1"]["value"]["packed"] == "f4"
    assert steps["tmp2"]["summary"]["distinct"] == 2
    pointer = steps["tmp3"]["value"]
    assert (pointer["dtype"], pointer["argument"]) == ("pointer", "in_ptr0")
    assert reply.block(pointer)[-1] == 2047
    assert worker.ask("describe", name="in")["summary"] == summary
