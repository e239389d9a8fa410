"""What a launch needs, with which arguments an op is called, and which block sizes are chosen."""

from __future__ import annotations

import pytest

from aoti_tui.flow.access import kernel_access, parameters_behind
from aoti_tui.flow.events import events_of
from aoti_tui.index.model import Buffer, ExternCall, Kernel, TensorView
from aoti_tui.kernel.model import KernelProgram
from aoti_tui.kernel.parse import parse_kernel
from aoti_tui.replay.client import WorkerClient
from aoti_tui.replay.data.extern_arguments import CannotConvert, extern_arguments
from aoti_tui.replay.plan.geometry import blocks_of, grid_of
from aoti_tui.replay.plan.kernels import KernelBook
from aoti_tui.replay.plan.plan import Planner

from .models import REDUCE, demo_index, launch_of, model


def planner(name: str | None = None) -> Planner:
    index = demo_index() if name is None else model(name)
    return Planner(index, KernelBook(index, WorkerClient(), ""))


def test_the_last_launch_needs_the_product_and_both_reductions() -> None:
    plans = planner()
    plan = plans.plan(demo_index().launches[-1])
    assert [(s.line, s.what) for s in plan.steps] == [
        (1367, "triton_red_fused_cumsum_0"),
        (1375, REDUCE),
        (1386, "triton_red_fused_prepare_softmax_online_2"),
        (1394, "triton_poi_fused_zeros_like_3"),
        (1396, "triton_poi_fused_clamp_ge_index_copy_scalar_tensor_sub_where_zeros_like_4"),
        (1407, "mm_out"),
    ]
    assert plan.constants == ("proj_weight", "proj_bias")


def test_a_launch_that_only_writes_needs_nothing() -> None:
    plan = planner().plan(launch_of(demo_index(), "triton_poi_fused_zeros_like_3"))
    assert plan.steps == ()
    assert [e.fact.name for e in plan.events if isinstance(e.fact, Buffer)] == ["buf1"]


def test_a_slice_leaves_out_what_an_assert_does_not_use() -> None:
    plans = planner()
    launch = launch_of(demo_index(), REDUCE)
    assert [s.what for s in plans.plan(launch, frozenset({"in_ptr1"})).steps] == []
    assert [s.what for s in plans.plan(launch, frozenset({"in_ptr0"})).steps] == [
        "triton_red_fused_cumsum_0"
    ]


def test_memory_taken_over_without_being_read_needs_no_old_contents() -> None:
    """``buf2 = std::move(buf0);  // reuse`` where the kernel only stores to its in_out_ptr0."""
    plans = planner("gather_half")
    plan = plans.plan(plans.index.launches[0])
    assert plan.steps == ()
    access = plans._kernels.access(plans.index.launches[0].kernel)
    assert access is not None
    assert "in_out_ptr0" in access.writes
    assert "in_out_ptr0" not in access.reads


def test_parameters_behind_an_assert() -> None:
    index = demo_index()
    program = parse_kernel(index.kernels[REDUCE].source, REDUCE)
    check = program.assert_at(46)
    assert check is not None
    behind = parameters_behind(program, ["tmp10", "ks0", "xmask"])
    assert "in_ptr0" in behind
    assert "in_ptr1" not in behind
    assert {"ks0", "xnumel", "r0_numel"} <= behind


def test_access_of_a_scatter_keeps_what_it_does_not_write() -> None:
    index = demo_index()
    kernel = index.kernels[
        "triton_poi_fused_clamp_ge_index_copy_scalar_tensor_sub_where_zeros_like_4"
    ]
    access = kernel_access(kernel, parse_kernel(kernel.source, kernel.function))
    assert access.reads == {"in_ptr0", "in_ptr1", "out_ptr0"}
    assert access.loads == {"in_ptr0", "in_ptr1"}
    assert access.writes == {"out_ptr0"}


def test_events_come_in_the_wrappers_order() -> None:
    index = demo_index()
    book = KernelBook(index, WorkerClient(), "")
    lines = [e.line for e in events_of(index, "run_impl", book.access)]
    assert lines == sorted(lines)
    assert len(lines) == len(index.symbols) + len(index.buffers) + len(index.externs) + len(
        index.launches
    )


def call(op: str, *arguments: str, reads: str = "", writes: str = "") -> ExternCall:
    return ExternCall(
        op,
        1,
        "",
        reads=tuple(TensorView(n) for n in reads.split()),
        writes=tuple(TensorView(n) for n in writes.split()),
        arguments=arguments,
    )


def test_arguments_of_a_convolution() -> None:
    extern = call(
        "convolution",
        "arg1_1",
        "w",
        "nullptr",
        "std::array<int64_t, 2>{2L, 2L}.cbegin()",
        "2",
        "0",
        "std::array<int64_t, 1>{s3}.cbegin()",
        "1",
        "1L",
        "&buf0_handle",
        reads="arg1_1 w",
        writes="buf0",
    )
    args, outputs = extern_arguments(
        extern,
        lambda view: f"t:{view.base}",
        lambda text: {"s3": 7, "2L": 2, "1L": 1, "0": 0}[text],
    )
    assert args == [
        {"tensor": "t:arg1_1"},
        {"tensor": "t:w"},
        {"none": True},
        {"ints": [2, 2]},
        {"int": 0},
        {"ints": [7]},
        {"int": 1},
    ]
    assert outputs == ["buf0"]


def test_results_that_nobody_keeps_hold_their_place() -> None:
    extern = call(
        "_scaled_dot_product_flash_attention",
        "q",
        "0.5",
        "&var_0",
        "&out_handle",
        "nullptr",
        "&seed",
        "&last_handle",
        reads="q",
        writes="out last",
    )
    args, outputs = extern_arguments(extern, lambda v: v.base, lambda text: {"var_0": 0.25}[text])
    assert args == [{"tensor": "q"}, {"float": 0.5}, {"float": 0.25}]
    assert outputs == ["out", None, None, "last"]


def test_an_unknown_tensor_in_a_list_is_said() -> None:
    extern = call("cat", "std::array<AtenTensorHandle, 2>{a, b}.cbegin()", "2", reads="a")
    with pytest.raises(CannotConvert, match="'b'"):
        extern_arguments(extern, lambda v: v.base, lambda _: 0)


PARAMETERS = ("XBLOCK", "R0_BLOCK")


def kernel_with(
    blocks: dict[str, int], hints: dict[str, int], heuristic: str = "reduction"
) -> tuple[Kernel, KernelProgram]:
    source = "def k(xnumel, XBLOCK: tl.constexpr, R0_BLOCK: tl.constexpr):\n    x = XBLOCK\n"
    kernel = Kernel("k", "k", 1, 1, None, (), heuristic, (), (), size_hints=hints, blocks=blocks)
    return kernel, parse_kernel(source, "k")


@pytest.mark.parametrize(
    ("blocks", "hints", "heuristic", "sizes", "chosen"),
    [
        ({"XBLOCK": 1}, {"x": 8, "r0_": 1000}, "reduction", (1, 1024), ("R0_BLOCK",)),
        ({"XBLOCK": 1}, {"x": 8, "r0_": 100_000}, "reduction", (1, 2048), ("R0_BLOCK",)),
        ({"XBLOCK": 64}, {"x": 64, "r0_": 4096}, "reduction", (64, 64), ("R0_BLOCK",)),
        ({"XBLOCK": 1}, {"x": 1, "r0_": 16}, "split_scan", (1, 256), ("R0_BLOCK",)),
        ({"XBLOCK": 2, "R0_BLOCK": 8}, {"x": 2}, "reduction", (2, 8), ()),
        ({}, {"x": 5, "r0_": 3}, "reduction", (8, 4), ("XBLOCK", "R0_BLOCK")),
    ],
)
def test_block_sizes_that_the_wrapper_does_not_tell(
    blocks: dict[str, int],
    hints: dict[str, int],
    heuristic: str,
    sizes: tuple[int, int],
    chosen: tuple[str, ...],
) -> None:
    found = blocks_of(*kernel_with(blocks, hints, heuristic))
    assert tuple(found.sizes[name] for name in PARAMETERS) == sizes
    assert found.chosen == chosen


def test_a_grid_is_filled_up_and_never_negative() -> None:
    index = demo_index()
    launch = launch_of(index, REDUCE)
    values = {"xnumel": -3, "1": 1}
    grid = grid_of(index.kernels[REDUCE], launch, lambda text: values[text], lambda _: 0)
    assert grid == (0, 1, 1)
