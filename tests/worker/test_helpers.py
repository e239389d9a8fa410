"""Inductor's triton_helpers, in the forms of every torch that kernels were written against."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from .talking import Talk, compiled

ROWS, COLS = 4, 32


def reduce_rows(worker: Talk, expressions: list[str], data: np.ndarray, more: str = "") -> Any:
    """Each expression over `x` (rows by columns) and `i` (column numbers), one result a row."""
    stores = "\n".join(
        f"    tl.store(out_ptr0 + {ROWS * n} + xindex, (r{n}).to(tl.float32)[:, None])"
        for n in range(len(expressions))
    )
    names = ", ".join(f"r{n}" for n in range(len(expressions)))
    value = expressions[0] if len(expressions) == 1 else None
    unpack = f"    r0 = {value}" if value else f"    {names} = {', '.join(expressions)}"
    text = (
        "@triton.jit\n"
        "def rows(in_ptr0, out_ptr0, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):\n"
        "    xindex = tl.arange(0, XBLOCK)[:, None]\n    i = tl.arange(0, R0_BLOCK)[None, :]\n"
        f"    x = tl.load(in_ptr0 + {COLS} * xindex + i)\n    i = tl.broadcast_to(i, x.shape)\n"
        f"{more}{unpack}\n{stores}\n"
    )
    compiled(worker, text, "rows", {"in_ptr0": "*fp32", "out_ptr0": "*fp32"})
    worker.put("in", data, "float32")
    count = len(expressions)
    worker.ask("zeros", name="out", shape=[count, ROWS], stride=None, dtype="float32")
    worker.ask(
        "scan",
        kernel="rows",
        args={"in_ptr0": {"tensor": "in"}, "out_ptr0": {"tensor": "out"}},
        blocks={"XBLOCK": ROWS, "R0_BLOCK": COLS},
        grid=[1],
        write=True,
    )
    return worker.values("out").reshape(count, ROWS)


def table() -> np.ndarray:
    data = np.random.default_rng(5).standard_normal((ROWS, COLS)).astype(np.float32)
    data[1, 3] = data[1, 9] = data[1].max() + 1
    return data


def test_sums_products_extremes(worker: Talk) -> None:
    data = table()
    found = reduce_rows(
        worker,
        [
            "tl.sum(x, 1)",
            "triton_helpers.max2(x, 1)",
            "triton_helpers.min2(x, 1)",
            "triton_helpers.prod(x, 1)",
            "triton_helpers.any(x > 2, 1)",
            "tl.max(x, 1)",
            "triton_helpers.fmax2(x, 1)",
        ],
        data,
    )
    np.testing.assert_allclose(found[0], data.astype(np.float64).sum(1), rtol=1e-5)
    np.testing.assert_array_equal(found[1], data.max(1))
    np.testing.assert_array_equal(found[2], data.min(1))
    np.testing.assert_allclose(found[3], data.astype(np.float64).prod(1), rtol=1e-5)
    np.testing.assert_array_equal(found[4], (data > 2).any(1))
    np.testing.assert_array_equal(found[5], data.max(1))
    np.testing.assert_array_equal(found[6], data.max(1))


def test_nan_wins_in_helpers_and_loses_in_tl_max(worker: Talk) -> None:
    data = table()
    data[2, 7] = math.nan
    found = reduce_rows(worker, ["triton_helpers.max2(x, 1)", "tl.max(x, 1)"], data)
    assert np.isnan(found[0]).tolist() == [False, False, True, False]
    np.testing.assert_array_equal(found[1], np.nanmax(data, 1))


def test_positions_prefer_the_first_of_equals_and_nan(worker: Talk) -> None:
    data = table()
    data[2, [5, 20]] = math.nan
    expected = [int(np.argmax(row)) for row in data]
    assert expected[1:3] == [3, 5]
    for name in ("max_with_index", "max_with_first_index"):
        found = reduce_rows(
            worker, ["v", "at"], data, f"    v, at = triton_helpers.{name}(x, i, 1)\n"
        )
        assert found[1].tolist() == expected
    found = reduce_rows(
        worker, ["v", "at"], data, "    v, at = triton_helpers.min_with_index(x, i, 1)\n"
    )
    assert found[1].tolist() == [int(np.argmin(row)) for row in data]


def test_welford(worker: Talk) -> None:
    data = table() + 1000
    more = (
        "    w = tl.full(x.shape, 1, tl.float32)\n"
        "    m, s, n = triton_helpers.welford(x, w * 0, w, 1)\n"
    )
    found = reduce_rows(worker, ["m", "s", "n"], data, more)
    wide = data.astype(np.float64)
    np.testing.assert_allclose(found[0], wide.mean(1), rtol=1e-6)
    np.testing.assert_allclose(found[1], wide.var(1) * COLS, rtol=1e-3)
    assert found[2].tolist() == [COLS] * ROWS


@pytest.mark.parametrize("extra", ["", ", True", ", use_fast_math=False"])
def test_online_softmax_with_and_without_the_parameter_of_torch_2_9(
    worker: Talk, extra: str
) -> None:
    data = table()
    data[3] = -math.inf
    more = (
        "    m0 = tl.full(x.shape, float('-inf'), tl.float32)\n"
        "    s0 = tl.zeros(x.shape, tl.float32)\n"
        f"    m1, s1 = triton_helpers.online_softmax_combine(m0, s0, x{extra})\n"
        f"    m, s = triton_helpers.online_softmax_reduce(m1, s1, 1{extra})\n"
    )
    found = reduce_rows(worker, ["m", "s"], data, more)
    top = data[:3].max(1, keepdims=True)
    np.testing.assert_array_equal(found[0][:3], top[:, 0])
    np.testing.assert_allclose(found[1][:3], np.exp(data[:3] - top).sum(1), rtol=1e-6)


def test_argmax_argmin_of_triton_itself(worker: Talk) -> None:
    data = table()
    found = reduce_rows(worker, ["tl.argmax(x, 1)", "tl.argmin(x, 1)"], data)
    assert found[0].tolist() == data.argmax(1).tolist()
    assert found[1].tolist() == data.argmin(1).tolist()


def on_one_row(worker: Talk, text: str, signature: dict[str, str], args: dict[str, Any]) -> None:
    compiled(worker, text, "one", signature)
    worker.ask(
        "scan",
        kernel="one",
        args={name: {"tensor": tensor} for name, tensor in args.items()},
        blocks={"XBLOCK": 16},
        grid=[1],
        write=True,
    )


@pytest.mark.parametrize(("stable", "descending"), [(True, False), (True, True), (False, False)])
def test_sort_with_index(worker: Talk, stable: bool, descending: bool) -> None:
    data = [3.0, 1.0, math.nan, 1.0, -2.0, 5.0, 3.0, 0.0, 9.0, 9.0, -1.0, 1.0, 4.0, 8.0, 8.0, 2.0]
    worker.put("in", data, "float32")
    worker.ask("zeros", name="values", shape=[16], stride=None, dtype="float32")
    worker.ask("zeros", name="places", shape=[16], stride=None, dtype="int16")
    on_one_row(
        worker,
        f"""
        @triton.jit
        def one(in_ptr0, out_ptr0, out_ptr1, XBLOCK : tl.constexpr):
            xindex = tl.arange(0, XBLOCK)[None, :]
            tmp0 = tl.load(in_ptr0 + xindex)
            tmp1 = tl.broadcast_to(xindex.to(tl.int16), [1, XBLOCK])
            tmp2, tmp3 = triton_helpers.sort_with_index(
                tmp0, tmp1, None, 1, stable={stable}, descending={descending}
            )
            tl.store(out_ptr0 + xindex, tmp2)
            tl.store(out_ptr1 + xindex, tmp3)
        """,
        {"in_ptr0": "*fp32", "out_ptr0": "*fp32", "out_ptr1": "*i16"},
        {"in_ptr0": "in", "out_ptr0": "values", "out_ptr1": "places"},
    )
    found, places = worker.values("values"), worker.values("places").astype(int)
    array = np.array(data, np.float32)
    np.testing.assert_array_equal(array[places], found)
    assert sorted(places.tolist()) == list(range(16))
    keys = np.where(np.isnan(array), np.inf, array)
    order = np.argsort(-keys if descending else keys, kind="stable")
    np.testing.assert_array_equal(found, array[order])
    if stable:
        assert places.tolist() == order.tolist()


def test_sort_keeps_elements_beyond_the_count_at_the_end(worker: Talk) -> None:
    worker.put("in", [5.0, 4.0, 3.0, 2.0, 1.0, 0.0] + [-9.0] * 10, "float32")
    worker.ask("zeros", name="values", shape=[16], stride=None, dtype="float32")
    on_one_row(
        worker,
        """
        @triton.jit
        def one(in_ptr0, out_ptr0, XBLOCK : tl.constexpr):
            rnumel = 6
            xindex = tl.arange(0, XBLOCK)[None, :]
            tmp0 = tl.load(in_ptr0 + xindex)
            tmp1, tmp2 = triton_helpers.sort_with_index(tmp0, xindex, rnumel, 1)
            tl.store(out_ptr0 + xindex, tmp1)
        """,
        {"in_ptr0": "*fp32", "out_ptr0": "*fp32"},
        {"in_ptr0": "in", "out_ptr0": "values"},
    )
    assert worker.values("values")[:6].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


@pytest.mark.parametrize(
    "call",
    [
        "triton_helpers.bucketize_binary_search(tmp0, in_ptr1, tl.int32, {right}, 5, [XBLOCK])",
        "triton_helpers.bucketize_binary_search(tmp0, in_ptr1, 5, 5, 1, 0, tl.int32, {right},"
        " None, None, None, [XBLOCK], )",
        "triton_helpers.bucketize_binary_search(tmp0, in_ptr1, 5, 5, 1, 0, tl.int32, {right},"
        " None, None, None, )",
    ],
    ids=["torch 2.5", "torch 2.6", "torch 2.8"],
)
@pytest.mark.parametrize("right", [True, False])
def test_bucketize_in_the_forms_of_three_releases(worker: Talk, call: str, right: bool) -> None:
    edges = [-1.0, 0.0, 0.0, 2.0, 3.5]
    values = [-5.0, -1.0, -0.5, 0.0, 1.0, 2.0, 2.5, 3.5, 9.0, math.inf, -math.inf, 0.1] + [1.0] * 4
    worker.put("in", values, "float32")
    worker.put("edges", edges, "float32")
    worker.ask("zeros", name="found", shape=[16], stride=None, dtype="int32")
    on_one_row(
        worker,
        f"""
        @triton.jit
        def one(in_ptr0, in_ptr1, out_ptr0, XBLOCK : tl.constexpr):
            xindex = tl.arange(0, XBLOCK)
            tmp0 = tl.load(in_ptr0 + xindex)
            tmp1 = {call.format(right=right)}
            tl.store(out_ptr0 + xindex, tmp1)
        """,
        {"in_ptr0": "*fp32", "in_ptr1": "*fp32", "out_ptr0": "*i32"},
        {"in_ptr0": "in", "in_ptr1": "edges", "out_ptr0": "found"},
    )
    expected = np.searchsorted(edges, np.array(values), side="right" if right else "left")
    assert worker.values("found").tolist() == expected.tolist()


def test_scans_of_sums_and_of_the_kernels_own_function(worker: Talk) -> None:
    data = np.arange(16, dtype=np.float32) - 5
    worker.put("in", data, "float32")
    for name in ("sums", "maxima", "backwards"):
        worker.ask("zeros", name=name, shape=[16], stride=None, dtype="float32")
    on_one_row(
        worker,
        """
        @triton.jit
        def _triton_helper_fn_add0(arg0_0, arg1_0):
            tmp0 = arg0_0 + arg1_0
            return tmp0

        @triton.jit
        def _triton_helper_fn_first(a, i, b, j):
            keep = a >= b
            return tl.where(keep, a, b), tl.where(keep, i, j)

        @triton.jit
        def one(in_ptr0, out_ptr0, out_ptr1, out_ptr2, XBLOCK : tl.constexpr):
            xindex = tl.arange(0, XBLOCK)[None, :]
            tmp0 = tl.load(in_ptr0 + xindex)
            tmp1, = tl.associative_scan((tmp0,), 1, _triton_helper_fn_add0)
            tl.store(out_ptr0 + xindex, tmp1)
            tmp2, tmp3 = tl.associative_scan((-tmp0, xindex), 1, _triton_helper_fn_first)
            tl.store(out_ptr1 + xindex, tmp3.to(tl.float32))
            tl.store(out_ptr2 + xindex, tl.cumsum(tmp0, 1, reverse=True))
        """,
        {"in_ptr0": "*fp32", "out_ptr0": "*fp32", "out_ptr1": "*fp32", "out_ptr2": "*fp32"},
        {"in_ptr0": "in", "out_ptr0": "sums", "out_ptr1": "maxima", "out_ptr2": "backwards"},
    )
    np.testing.assert_array_equal(worker.values("sums"), np.cumsum(data))
    assert worker.values("maxima").tolist() == [0.0] * 16
    np.testing.assert_array_equal(worker.values("backwards"), np.cumsum(data[::-1])[::-1])


def test_frexp_select_one_and_integer_powers(worker: Talk) -> None:
    worker.put("in", [0.0, 1.0, -6.0, math.inf] + [0.75] * 12, "float32")
    for name in ("mantissa", "chosen"):
        worker.ask("zeros", name=name, shape=[16], stride=None, dtype="float32")
    for name in ("exponent", "power"):
        worker.ask("zeros", name=name, shape=[16], stride=None, dtype="int32")
    on_one_row(
        worker,
        """
        @triton.jit
        def one(in_ptr0, out_ptr0, out_ptr1, out_ptr2, out_ptr3, XBLOCK : tl.constexpr):
            xindex = tl.arange(0, XBLOCK)
            tmp0 = tl.load(in_ptr0 + xindex)
            tmp1, tmp2 = triton_helpers.frexp(tmp0)
            tl.store(out_ptr0 + xindex, tmp1)
            tl.store(out_ptr1 + xindex, tmp2)
            tmp3 = triton_helpers.select_one(tmp0, xindex == 2, dim=-1, keep_dims=True)
            tl.store(out_ptr2 + xindex, tl.broadcast_to(tmp3, [XBLOCK]))
            tmp4 = triton_helpers.pow_integer(xindex, xindex)
            tl.store(out_ptr3 + xindex, tmp4)
        """,
        {"in_ptr0": "*fp32", "out_ptr0": "*fp32", "out_ptr1": "*i32", "out_ptr2": "*fp32"}
        | {"out_ptr3": "*i32"},
        {"in_ptr0": "in", "out_ptr0": "mantissa", "out_ptr1": "exponent"}
        | {"out_ptr2": "chosen", "out_ptr3": "power"},
    )
    assert worker.values("mantissa")[:5].tolist() == [0.0, 0.5, -0.75, math.inf, 0.75]
    assert worker.values("exponent")[:5].tolist() == [0, 1, 3, 0, 0]
    assert worker.values("chosen").tolist() == [-6.0] * 16
    powers = [(n**n + 2**31) % 2**32 - 2**31 for n in range(16)]
    assert worker.values("power").tolist() == powers


def test_random_numbers_follow_philox_and_do_not_depend_on_the_block(worker: Talk) -> None:
    text = """
    @triton.jit
    def draw(out_ptr0, out_ptr1, XBLOCK : tl.constexpr):
        xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)
        tl.store(out_ptr0 + xindex, tl.rand(42, xindex.to(tl.uint32)))
        tmp1 = triton_helpers.randint64(42, xindex.to(tl.uint32), -5, 6)
        tl.store(out_ptr1 + xindex, tmp1)
    """
    compiled(worker, text, "draw", {"out_ptr0": "*fp32", "out_ptr1": "*i64"})
    found = []
    for block in (64, 256):
        worker.ask("zeros", name="rand", shape=[256], stride=None, dtype="float32")
        worker.ask("zeros", name="whole", shape=[256], stride=None, dtype="int64")
        args = {"out_ptr0": {"tensor": "rand"}, "out_ptr1": {"tensor": "whole"}}
        worker.ask(
            "scan",
            kernel="draw",
            args=args,
            blocks={"XBLOCK": block},
            grid=[256 // block],
            mode="big",
            write=True,
        )
        found.append((worker.values("rand"), worker.values("whole")))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])
    rand, whole = found[0]
    assert 0.4 < rand.mean() < 0.6
    assert set(whole.tolist()) == set(range(-5, 6))


CAUTION = "of inline PTX a CPU runs only what calculates with values"


def test_inline_ptx_that_asks_for_its_thread_is_flagged_and_unsupported(worker: Talk) -> None:
    text = """
    @triton.jit
    def ptx(out_ptr0, XBLOCK : tl.constexpr):
        xindex = tl.arange(0, XBLOCK)
        asm: tl.constexpr = "mov.u32 $0, %laneid;"
        tmp0 = tl.inline_asm_elementwise(asm, "=r,r", [xindex], tl.int32, True, 1)
        tl.store(out_ptr0 + xindex, tmp0)
    """
    from .talking import line_of, source

    whole = source(text)
    reply = worker.ask(
        "kernel", key="ptx", source=whole, function="ptx", signature={"out_ptr0": "*i32"}
    )
    line = line_of(whole, "tmp0 =")
    ptx = {"file": "ptx", "kernel_line": line, "text": CAUTION}
    assert reply["flags"] == [ptx]
    worker.ask("zeros", name="out", shape=[4], stride=None, dtype="int32")
    args = {"out_ptr0": {"tensor": "out"}}
    error = worker.fail("scan", kernel="ptx", args=args, blocks={"XBLOCK": 4}, grid=[1])
    assert (error["kind"], error["kernel_line"]) == ("unsupported", line)


def test_random_numbers_four_at_a_time(worker: Talk) -> None:
    compiled(
        worker,
        """
        @triton.jit
        def draw(out_ptr0, out_ptr1, XBLOCK : tl.constexpr):
            xoffset = tl.program_id(0) * XBLOCK
            xindex = xoffset + tl.arange(0, XBLOCK)
            tl.store(out_ptr0 + xindex, triton_helpers.rand4x(7, xindex, XBLOCK))
            r0, r1, r2, r3 = tl.rand4x(7, xoffset // 4 + tl.arange(0, XBLOCK // 4))
            tl.store(out_ptr1 + xoffset + 4 * tl.arange(0, XBLOCK // 4) + 2, r2)
        """,
        "draw",
        {"out_ptr0": "*fp32", "out_ptr1": "*fp32"},
    )
    for name in ("all", "third"):
        worker.ask("zeros", name=name, shape=[64], stride=None, dtype="float32")
    args = {"out_ptr0": {"tensor": "all"}, "out_ptr1": {"tensor": "third"}}
    launch = {"kernel": "draw", "args": args, "blocks": {"XBLOCK": 16}, "grid": [4]}
    worker.ask("scan", **launch, mode="big", write=True)
    drawn = worker.values("all")
    assert len(set(drawn.tolist())) == 64
    np.testing.assert_array_equal(drawn[2::4], worker.values("third")[2::4])
