"""What a launch needs, with which arguments an op is called, and which block sizes are chosen."""

from __future__ import annotations

import pytest

from aoti_tui.flow.access import kernel_access, parameters_behind
from aoti_tui.flow.dataflow import DataFlow
from aoti_tui.index.arguments import (
    ExternArgument,
    NumberList,
    Plain,
    Result,
    TensorList,
    TensorView,
)
from aoti_tui.index.expression import Expr, number
from aoti_tui.index.late import Late
from aoti_tui.index.model import Buffer, ExternCall, Kernel, KernelFacts
from aoti_tui.index.nodes import Name, Number
from aoti_tui.kernel.model import KernelProgram
from aoti_tui.kernel.parse import parse_kernel
from aoti_tui.replay.data.extern_arguments import CannotConvert, extern_arguments
from aoti_tui.replay.plan.geometry import blocks_of, grid_of
from aoti_tui.replay.plan.plan import Planner

from .models import REDUCE, demo_index, launch_of, model


def planner(name: str | None = None) -> Planner:
    index = demo_index() if name is None else model(name)
    return Planner(DataFlow(index))


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
    access = DataFlow(plans.index).access(plans.index.launches[0])
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
    lines = [e.line for e in DataFlow(index).events(index.main)]
    assert lines == sorted(lines)
    assert len(lines) == len(index.symbols) + len(index.buffers) + len(index.externs) + len(
        index.launches
    )


S3 = Expr("s3", Name("s3"))


def call(*arguments: ExternArgument, results: tuple[Result, ...] = ()) -> ExternCall:
    return ExternCall("op", 1, "", demo_index().main, arguments=arguments, results=results)


def test_every_kind_of_argument_is_handed_to_the_worker() -> None:
    extern = call(
        TensorView("arg1_1"),
        TensorList((TensorView("w"), None)),
        Plain("none"),
        NumberList("int", (number(2), S3)),
        NumberList("float", (number(2),)),
        NumberList("bool", (number(1), number(0))),
        number(0),
        S3,
        Expr("0.5", Number(0.5)),
        True,
        Plain("dtype", "int64"),
        Plain("place", "the device"),
        Plain("string", "mean"),
    )
    args, outputs = extern_arguments(
        extern, lambda view: f"t:{view.base}", lambda value: value.evaluate({"s3": 7})
    )
    assert args == [
        {"tensor": "t:arg1_1"},
        {"tensors": ["t:w", None]},
        {"none": True},
        {"ints": [2, 7]},
        {"floats": [2.0]},
        {"bools": [True, False]},
        {"int": 0},
        {"int": 7},
        {"float": 0.5},
        {"bool": True},
        {"dtype": "int64"},
        {"none": True},
        {"string": "mean"},
    ]
    assert outputs == []


def test_results_that_nobody_keeps_hold_their_place() -> None:
    made = (Result("out"), Result(None), Result("pair"), Result("pair", 1))
    _, outputs = extern_arguments(call(results=made), lambda v: v.base, lambda _: 0)
    assert outputs == ["out", None, "pair", "pair#1"]


def test_an_argument_in_no_known_form_is_said() -> None:
    with pytest.raises(CannotConvert, match=r"'\{a, b\}'"):
        extern_arguments(call(Plain("unknown", "{a, b}")), lambda v: v.base, lambda _: 0)


PARAMETERS = ("XBLOCK", "R0_BLOCK")


def kernel_with(
    blocks: dict[str, int], hints: dict[str, int], heuristic: str = "reduction"
) -> tuple[Kernel, KernelProgram]:
    source = "def k(xnumel, XBLOCK: tl.constexpr, R0_BLOCK: tl.constexpr):\n    x = XBLOCK\n"
    facts = KernelFacts("k", size_hints=hints, blocks=blocks)
    kernel = Kernel("k", 1, 1, None, (), heuristic, (), Late.known(facts))
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
    grid = grid_of(index.kernels[REDUCE], launch, lambda axis: values[axis.written], lambda _: 0)
    assert grid == (0, 1, 1)
