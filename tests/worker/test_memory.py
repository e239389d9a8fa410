"""No access reaches memory before it has been checked against its tensor."""

from __future__ import annotations

from typing import Any

import pytest

from .talking import Talk, compiled, line_of

SCATTER = """
@triton.jit
def scatter(in_ptr0, in_ptr1, out_ptr0, ks0, XBLOCK : tl.constexpr):
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)
    tmp0 = tl.load(in_ptr0 + xindex)
    tmp1 = tl.load(in_ptr1 + tmp0)
    tmp2 = tmp1 + 1.0
    tl.store(out_ptr0 + (tmp0 + ks0), tmp2)
"""
SIGNATURE = {"in_ptr0": "*i64", "in_ptr1": "*fp32", "out_ptr0": "*fp32", "ks0": "i64"}


def arguments(offset: int = 0) -> dict[str, Any]:
    return {
        "in_ptr0": {"tensor": "index"},
        "in_ptr1": {"tensor": "table"},
        "out_ptr0": {"tensor": "out"},
        "ks0": {"int": offset},
    }


def prepare(worker: Talk, index: list[int], size: int = 4) -> str:
    text = compiled(worker, SCATTER, "scatter", SIGNATURE)
    worker.put("index", index, "int64")
    worker.put("table", [10.0 * n for n in range(size)], "float32", [size])
    worker.ask("zeros", name="out", shape=[size], stride=None, dtype="float32")
    return text


@pytest.mark.parametrize("mode", ["full", "big"])
@pytest.mark.parametrize(
    "wild", [4, -1, 2**31, -(2**31), 2**40, -(2**40), 2**61, 2**62, -(2**62), 2**63 - 1, -(2**63)]
)
def test_wild_accesses_are_named_and_harm_nothing(worker: Talk, wild: int, mode: str) -> None:
    text = prepare(worker, [0, 1, 2, 3, 3, 2, wild, 0])
    result = worker.ask(
        "scan",
        kernel="scatter",
        args=arguments(),
        blocks={"XBLOCK": 4},
        grid=[2, 1, 1],
        mode=mode,
        write=True,
    )
    load, store = result["faults"]
    assert load == {
        "file": "scatter",
        "kernel_line": line_of(text, "tmp1 ="),
        "access": "load",
        "argument": "in_ptr1",
        "element": wild,
        "size": 4,
        "program": [1, 0, 0],
        "lane": [2],
        "count": 1,
    }
    assert (store["access"], store["argument"], store["element"]) == ("store", "out_ptr0", wild)
    assert worker.values("out").tolist() == [1.0, 11.0, 21.0, 31.0]
    assert worker.values("table").tolist() == [0.0, 10.0, 20.0, 30.0]


def test_a_masked_out_wild_access_is_no_fault(worker: Talk) -> None:
    compiled(
        worker,
        """
        @triton.jit
        def masked(in_ptr0, out_ptr0, XBLOCK : tl.constexpr):
            xindex = tl.arange(0, XBLOCK)
            xmask = xindex < 3
            far = xindex.to(tl.int64) * 1000000000000
            tmp0 = tl.load(in_ptr0 + far, xmask & (xindex < 1), other=5.0)
            tl.store(out_ptr0 + xindex, tmp0, xmask)
        """,
        "masked",
        {"in_ptr0": "*fp32", "out_ptr0": "*fp32"},
    )
    worker.put("in", [2.0], "float32")
    worker.ask("zeros", name="out", shape=[3], stride=None, dtype="float32")
    args = {"in_ptr0": {"tensor": "in"}, "out_ptr0": {"tensor": "out"}}
    result = worker.ask(
        "scan", kernel="masked", args=args, blocks={"XBLOCK": 4}, grid=[1], write=True
    )
    assert result["faults"] == []
    assert worker.values("out").tolist() == [2.0, 5.0, 5.0]


def test_a_tensor_without_elements_has_no_valid_access(worker: Talk) -> None:
    prepare(worker, [0, 0, 0, 0], size=0)
    result = worker.ask(
        "scan", kernel="scatter", args=arguments(), blocks={"XBLOCK": 4}, grid=[1], mode="full"
    )
    assert [(f["access"], f["element"], f["size"], f["count"]) for f in result["faults"]] == [
        ("load", 0, 0, 4),
        ("store", 0, 0, 4),
    ]


def test_a_view_counts_from_its_own_data_pointer(worker: Talk) -> None:
    prepare(worker, [-2, -1, 1, 2])
    worker.ask("view", name="table", base="table", shape=[2], stride=[1], offset=2, dtype=None)
    result = worker.ask(
        "scan", kernel="scatter", args=arguments(2), blocks={"XBLOCK": 4}, grid=[1], write=True
    )
    # Two elements lie before the view in its storage, so -2 and -1 exist; 2 does not.
    assert [(f["access"], f["element"], f["size"]) for f in result["faults"]] == [
        ("load", 2, 2),
        ("store", 4, 4),
    ]
    assert worker.values("out").tolist() == [1.0, 11.0, 0.0, 31.0]


def test_two_arguments_on_one_tensor_see_each_others_stores(worker: Talk) -> None:
    compiled(
        worker,
        """
        @triton.jit
        def both(in_ptr0, out_ptr0, out_ptr1, XBLOCK : tl.constexpr):
            xindex = tl.arange(0, XBLOCK)
            tl.store(out_ptr0 + xindex, xindex + 5)
            tmp0 = tl.load(in_ptr0 + xindex)
            tl.store(out_ptr1 + xindex, tmp0 * 2)
        """,
        "both",
        {"in_ptr0": "*i64", "out_ptr0": "*i64", "out_ptr1": "*i64"},
    )
    worker.put("shared", [0, 0], "int64")
    worker.put("out", [0, 0], "int64")
    args = {
        "in_ptr0": {"tensor": "shared"},
        "out_ptr0": {"tensor": "shared"},
        "out_ptr1": {"tensor": "out"},
    }
    worker.ask("scan", kernel="both", args=args, blocks={"XBLOCK": 2}, grid=[1], write=True)
    assert worker.values("out").tolist() == [10, 12]
    assert worker.values("shared").tolist() == [5, 6]


def test_pointers_of_two_arguments_in_one_block(worker: Talk) -> None:
    compiled(
        worker,
        """
        @triton.jit
        def mixed(in_ptr0, in_ptr1, out_ptr0, XBLOCK : tl.constexpr):
            xindex = tl.arange(0, XBLOCK)
            where = tl.where(xindex < 2, in_ptr0 + xindex, in_ptr1 + xindex)
            tmp0 = tl.load(where)
            tl.store(out_ptr0 + xindex, tmp0)
        """,
        "mixed",
        {"in_ptr0": "*i64", "in_ptr1": "*i64", "out_ptr0": "*i64"},
    )
    worker.put("a", [1, 2, 3, 4], "int64")
    worker.put("b", [5, 6, 7], "int64")
    worker.put("out", [0, 0, 0, 0], "int64")
    args = {n: {"tensor": t} for n, t in zip(SIGNATURE, ("a", "b", "out"), strict=False)}
    result = worker.ask(
        "scan", kernel="mixed", args=args, blocks={"XBLOCK": 4}, grid=[1], write=True
    )
    assert worker.values("out").tolist() == [1, 2, 7, 0]
    (fault,) = result["faults"]
    assert (fault["argument"], fault["element"], fault["size"]) == ("in_ptr1", 3, 3)


def test_block_pointers_are_checked_where_the_kernel_does_not(worker: Talk) -> None:
    compiled(
        worker,
        """
        @triton.jit
        def window(in_ptr0, out_ptr0, XBLOCK : tl.constexpr):
            block = tl.make_block_ptr(in_ptr0, [3, 4], [4, 1], [1, 2], [4, 4], [1, 0])
            tmp0 = tl.load(block, boundary_check=(0, 1), padding_option="zero")
            tmp1 = tl.sum(tmp0, 1)
            tl.store(out_ptr0 + tl.arange(0, 4), tmp1)
            block = tl.advance(block, [1, 0])
            tmp2 = tl.load(block)
            tl.store(out_ptr0 + 4 + tl.arange(0, 4), tl.sum(tmp2, 1))
        """,
        "window",
        {"in_ptr0": "*fp32", "out_ptr0": "*fp32"},
    )
    worker.put("in", [float(n) for n in range(12)], "float32", [12])
    worker.ask("zeros", name="out", shape=[8], stride=None, dtype="float32")
    args = {"in_ptr0": {"tensor": "in"}, "out_ptr0": {"tensor": "out"}}
    result = worker.ask(
        "scan", kernel="window", args=args, blocks={"XBLOCK": 1}, grid=[1], write=True
    )
    assert worker.values("out").tolist() == [13.0, 21.0, 0.0, 0.0, 21.0, 0.0, 0.0, 0.0]
    (fault,) = result["faults"]
    assert (fault["element"], fault["size"], fault["lane"]) == (12, 12, [0, 2])


def test_atomics_take_turns_and_are_checked(worker: Talk) -> None:
    compiled(
        worker,
        """
        @triton.jit
        def count(in_ptr0, out_ptr0, out_ptr1, XBLOCK : tl.constexpr):
            xindex = tl.arange(0, XBLOCK)
            tmp0 = tl.load(in_ptr0 + xindex)
            tmp1 = tl.atomic_add(out_ptr0 + tmp0, 1)
            tl.store(out_ptr1 + xindex, tmp1)
        """,
        "count",
        {"in_ptr0": "*i64", "out_ptr0": "*i32", "out_ptr1": "*i32"},
    )
    worker.put("bins", [0, 1, 0, 0, 1, 7, 0, 1], "int64")
    worker.put("counts", [10, 20], "int32")
    worker.put("found", [0] * 8, "int32")
    args = {
        "in_ptr0": {"tensor": "bins"},
        "out_ptr0": {"tensor": "counts"},
        "out_ptr1": {"tensor": "found"},
    }
    result = worker.ask(
        "scan", kernel="count", args=args, blocks={"XBLOCK": 8}, grid=[1], write=True
    )
    assert worker.values("counts").tolist() == [14, 23]
    assert worker.values("found").tolist() == [10, 20, 11, 12, 21, 0, 13, 22]
    (fault,) = result["faults"]
    assert (fault["access"], fault["argument"], fault["element"]) == ("atomic", "out_ptr0", 7)


def test_a_compare_and_swap_lock_and_a_float_atomic(worker: Talk) -> None:
    text = compiled(
        worker,
        """
        @triton.jit
        def locked(lock_ptr, out_ptr0, XBLOCK : tl.constexpr):
            while tl.atomic_cas(lock_ptr, 0, 1) == 1:
                pass
            tmp0 = tl.load(out_ptr0)
            tl.store(out_ptr0, tmp0 * 2 + 1)
            tl.atomic_xchg(lock_ptr, 0)
            tl.atomic_add(out_ptr0 + 1 + tl.arange(0, XBLOCK) * 0, 0.5)
        """,
        "locked",
        {"lock_ptr": "*i32", "out_ptr0": "*fp32"},
    )
    worker.put("lock", [0], "int32")
    worker.put("out", [0.0, 0.0], "float32")
    args = {"lock_ptr": {"tensor": "lock"}, "out_ptr0": {"tensor": "out"}}
    result = worker.ask(
        "scan",
        kernel="locked",
        args=args,
        blocks={"XBLOCK": 4},
        grid=[3],
        mode="big",
        write=True,
    )
    assert result["mode"] == "full"
    assert worker.values("out").tolist() == [7.0, 6.0]
    assert worker.values("lock").tolist() == [0]
    (flag,) = result["flags"]
    assert flag["kernel_line"] == line_of(text, "tl.atomic_add(")
    assert "no fixed order" in flag["text"]


def test_reading_what_nothing_wrote_is_flagged(worker: Talk) -> None:
    text = prepare(worker, [0, 1, 2, 3])
    worker.ask("empty", name="table", shape=[4], stride=None, dtype="float32", poison=True)
    worker.ask("write", name="table", element=1, value=float("nan"))
    result = worker.ask("scan", kernel="scatter", args=arguments(), blocks={"XBLOCK": 4}, grid=[1])
    assert result["flags"] == [
        {
            "file": "scatter",
            "kernel_line": line_of(text, "tmp1 ="),
            "text": "in_ptr1 is read where nothing has been written yet",
        }
    ]
    for element in range(4):
        worker.ask("write", name="table", element=element, value=float("nan"))
    again = worker.ask("scan", kernel="scatter", args=arguments(), blocks={"XBLOCK": 4}, grid=[1])
    assert again["flags"] == []
