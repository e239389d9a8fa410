"""What the facts of real wrappers are, format by format."""

from __future__ import annotations

import pytest

from aoti_tui.index.arguments import TensorView
from aoti_tui.index.cpp.expression import read
from aoti_tui.index.expression import Expr
from aoti_tui.index.model import Argument, ModelFrame, Scope
from aoti_tui.index.reader import read_wrapper

from .wrappers import index_of, text_of

LOOKUP = "triton_red_fused_ge_index_scalar_tensor_sub_sum_where_1"


def exprs(texts: str) -> tuple[Expr, ...]:
    return tuple(map(read, texts.split()))


def test_demo_launch_has_each_argument_beside_its_parameter() -> None:
    launch = index_of("demo").launches_of(LOOKUP)[0]
    assert launch.line == 1375
    assert [(a.parameter, a.text) for a in launch.arguments] == [
        ("in_ptr0", "buf0"),
        ("in_ptr1", "arg4_1"),
        ("out_ptr0", "buf4"),
        ("ks0", "s7"),
        ("xnumel", "s19"),
        ("r0_numel", "640L"),
    ]
    assert launch.source_nodes == ("sub", "ge", "where", "index", "sum_1")
    assert launch.aten[-1] == "aten.sum"
    assert launch.grid == ()


def test_demo_symbol_and_guards_lead_to_input_2() -> None:
    index = index_of("demo")
    symbol = index.symbol("s7")
    assert symbol is not None
    assert (symbol.line, symbol.kind, symbol.position, symbol.dim) == (1356, "input_dim", 2, 0)
    assert [(g.check, g.value, g.enforced) for g in index.guards_of(2, 0)] == [
        ("min", "2", "AOTI_RUNTIME_CHECK_INPUTS"),
        ("max", "230400", "AOTI_RUNTIME_CHECK_INPUTS"),
        ("stride", "640", "AOTI_RUNTIME_CHECK_INPUTS"),
    ]
    assert [(g.check, g.value) for g in index.guards_of(2) if g.dim is None] == [
        ("dtype", "float32"),
        ("device", "cuda"),
    ]


def test_demo_kernel_lines_count_from_the_async_compile_line() -> None:
    index = index_of("demo")
    kernel = index.kernels[LOOKUP]
    assert kernel.source_line == 732
    assert "device_assert" in kernel.lines[46 - 1]
    assert kernel.wrapper_line(46) == 777
    assert kernel.kernel_line(777) == 46
    assert "device_assert" in index.lines[777 - 1]
    assert index.kernel_at(777) == kernel
    assert kernel.heuristic == "reduction"
    assert dict(kernel.size_hints) == {"x": 8, "r0_": 1024}
    assert kernel.constants["r0_numel"] == 640
    # The block of a looped reduction stands nowhere in the wrapper.
    assert dict(kernel.blocks) == {"XBLOCK": 1}
    assert (kernel.num_warps, kernel.shared_memory) == (8, 32)


def test_blocks_of_a_two_dimensional_grid_follow_the_numel_names() -> None:
    kernel = index_of("demo").kernels[
        "triton_poi_fused_clamp_ge_index_copy_scalar_tensor_sub_where_zeros_like_4"
    ]
    assert dict(kernel.blocks) == {"XBLOCK": 16, "YBLOCK": 8}
    assert [axis.written for axis in kernel.grid] == [
        "((xnumel + (16 - 1)) / (16))",
        "((ynumel + (8 - 1)) / (8))",
        "1",
    ]
    assert kernel.mutated == ("out_ptr0",)


def test_views_of_constants_and_reuse() -> None:
    index = index_of("demo")
    (mm,) = index.externs
    assert mm.writes == (TensorView("buf3"),)
    assert mm.reads == (
        TensorView("buf1"),
        TensorView("proj_weight", exprs("16L 16L"), exprs("1L 16L")),
    )
    weight = index.constant_named("proj_weight")
    assert weight is not None
    assert (weight.fqn, weight.shape, weight.dtype) == ("proj.weight", (16, 16), "float32")
    reused = next(b for b in index.buffers if b.name == "buf7")
    assert (reused.kind, reused.of) == ("reuse", "buf3")
    assert [(o.position, o.name) for o in index.outputs] == [(0, "buf7")]


def test_template_gets_its_grid_from_the_launch() -> None:
    index = index_of("max_autotune_mm")
    kernel = index.kernels["triton_tem_fused_mm_relu_0"]
    assert dict(kernel.blocks) == {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32}
    assert kernel.grid == ()
    assert kernel.call_parameters == ("arg_A", "arg_B", "out_ptr0", "out_ptr1", "ks0")
    (bmm,) = index.launches_of("triton_tem_fused_bmm_relu_transpose_view_1")
    assert bmm.grid == exprs("1L s65 1")
    derived = index.symbol("s65")
    assert derived is not None
    assert derived.expression.written == "(1.0/4.0)*arg1_1_size_0"


def test_user_kernel_has_two_names_and_the_grid_of_its_launch() -> None:
    index = index_of("2.8.0/user_triton")
    kernel = index.kernels["my_axpy_kernel_0"]
    assert kernel.function == "my_axpy_kernel"
    assert kernel.heuristic == "user_autotune"
    assert dict(kernel.blocks) == {"BLOCK": 256}
    launch = index.launches_of("my_axpy_kernel_0")[0]
    assert launch.grid[0].written.startswith("c10::div_floor_integer(")
    assert launch.grid[1:] == exprs("1L 1L")
    out = next(a for a in launch.arguments if a.parameter == "out_ptr")
    assert out == Argument("out_ptr", "RAIIAtenTensorHandle(tmp_buf0_0)", TensorView("buf0"))


def test_combo_kernel_blocks_are_those_of_its_branches() -> None:
    kernel = index_of("combo_kernels").kernels["triton_per_fused_1"]
    assert dict(kernel.blocks) == {"R0_BLOCK_0": 64, "R0_BLOCK_1": 32, "XBLOCK": 1}
    assert kernel.grid[0].written == "xnumel_0 + xnumel_1"


def test_split_scan_puts_the_reduction_in_the_first_grid_dimension() -> None:
    kernel = index_of("2.9.1/reductions").kernels["triton_spl_fused_cumsum_1"]
    assert kernel.heuristic == "split_scan"
    assert dict(kernel.blocks) == {"XBLOCK": 1, "R0_BLOCK": 2048}


def test_symbol_read_from_a_tensor_and_its_checks() -> None:
    index = index_of("unbacked_item")
    symbol = index.symbol("u0")
    assert symbol is not None
    assert (symbol.kind, symbol.tensor, symbol.position) == ("item", "arg1_1", 1)
    assert symbol.expression.written == "arg1_1.item()"
    assert index.symbol("u0_raw") is None
    assert (index.checks[0].condition, index.checks[0].enforced) == (read("u0 >= 2L"), "always")
    assert index.checks[0].message == "Expected u0 >= 2 but received "


def test_branches_are_scopes_with_their_subgraph() -> None:
    index = index_of("2.15.0/cond")
    condition = read("arg5_1_scalar == 0")
    assert index.scopes == (
        Scope("if", 1313, condition, "false_graph_0"),
        Scope("else", 1349, condition, "true_graph_0"),
    )
    relu = index.launches_of("triton_poi_fused_addmm_relu_1")[0]
    assert relu.scopes == (index.scopes[1],)
    assert relu.source_nodes == ("cond", "relu", "linear")
    alias = next(b for b in index.buffers if b.name == "true_graph_0_arg2_1")
    assert (alias.kind, alias.of) == ("alias", "a_weight")
    assert [b.kind for b in index.buffers if b.name == "buf1"] == [
        "declaration",
        "reuse",
        "reuse",
    ]
    # The checks of torch 2.15 inside run_impl hang on the same variable as the guards.
    assert {c.enforced for c in index.checks} == {"AOTI_RUNTIME_CHECK_INPUTS"}


def test_profiling_build_carries_model_lines() -> None:
    launch = index_of("2.13.0/jagged__profile").launches[0]
    assert launch.model_frames == (
        ModelFrame("/srv/build/models.py", 17, "forward", "off = torch.cumsum(lengths, 0)"),
    )
    assert [s.kind for s in launch.scopes] == ["block"]


def test_short_names_keep_the_launch_name() -> None:
    assert list(index_of("2.15.0/jagged__shortnames").kernels) == [
        "triton_red__0",
        "triton_poi__1",
        "triton_poi__2",
    ]


def test_torch_2_5_launch_is_put_together_from_its_locals() -> None:
    index = index_of("2.5.1/mixed")
    launch = index.launches[0]
    assert launch.kernel == "triton_poi_fused_clone_constant_pad_nd_mul_0"
    assert [(a.parameter, a.text) for a in launch.arguments] == [
        ("in_ptr0", "arg0_1"),
        ("in_ptr1", "arg1_1"),
        ("out_ptr0", "buf0"),
        ("ks0", "ps0"),
        ("ks1", "s0"),
        ("ks2", "s1"),
        ("xnumel", "triton_poi_fused_clone_constant_pad_nd_mul_0_xnumel"),
    ]
    assert launch.arguments[2].tensor == TensorView("buf0")
    assert launch.grid[1:] == exprs("1L 1L")
    kernel = index.kernels[launch.kernel]
    assert kernel.function == "triton_"
    assert kernel.source_path == "mixed.autotune.py.gz"
    assert [p.type for p in kernel.parameters][:4] == ["*fp32", "*fp32", "*fp32", "i32"]
    assert dict(kernel.blocks) == {"XBLOCK": 256}
    assert (kernel.num_warps, kernel.shared_memory) == (4, 0)


def test_torch_2_5_view_handed_out_and_array_of_branch_results() -> None:
    assert [(o.position, o.name) for o in index_of("2.5.1/mixed").outputs] == [
        (0, "buf0"),
        (1, "buf3"),
        (2, "buf5"),
    ]
    cond = index_of("2.5.1/cond")
    assert cond.scopes[0].condition == read("arg5_1.item<bool>()")
    assert [b.of for b in cond.buffers if b.name == "buf0[0]"] == [
        None,
        "true_graph_0_buf1",
        "false_graph_0_buf1",
    ]
    assert all(s.name not in ("a_weight", "true_graph_0_arg1_1") for s in cond.symbols)


def test_torch_2_6_views_are_resolved_to_their_base() -> None:
    (mm,) = index_of("2.6.0/embed_ln").externs
    assert mm.reads == (
        TensorView("buf3", exprs("s0*s1 64L"), exprs("64L 1L")),
        TensorView("fc_weight", exprs("64L 128L"), exprs("1L 64L")),
    )


@pytest.mark.parametrize("name", ["2.5.1/mixed", "2.7.1/jagged"])
def test_without_sources_the_launches_are_still_there(name: str) -> None:
    bare = read_wrapper(text_of(name), name)
    full = index_of(name)
    assert [la.line for la in bare.launches] == [la.line for la in full.launches]
    assert [a.text for la in bare.launches for a in la.arguments] == [
        a.text for la in full.launches for a in la.arguments
    ]
    assert not any(k.has_source for k in bare.kernels.values())
    assert bare.gaps == ()


def test_cpu_wrapper_has_no_kernels_but_pools_loops_and_folded_constants() -> None:
    index = index_of("2.13.0/cpu_folding")
    assert index.device == "cpu"
    assert dict(index.kernels) == {}
    folded = {b.name: b.of for b in index.buffers if b.name.startswith("_FOLDED")}
    assert folded == {"_FOLDED_CONST_permute": "l_weight", "_FOLDED_CONST_sum_1": "buf1"}
    assert [c.name for c in index.constants if c.folded] == list(folded)
    pooled = next(b for b in index.buffers if b.name == "buf0" and b.function.is_main)
    assert (pooled.kind, pooled.of, pooled.offset) == ("pool", "pool0", read("64L*s77"))
    loops = [(s.kind, s.subgraph) for s in index.scopes if s.kind == "while"]
    assert loops == [("while", "while_loop_cond_graph_0"), ("while", "while_loop_body_graph_0")]
    custom = next(e for e in index.externs if e.op == "proxy_executor_call_function")
    assert (custom.reads, custom.writes) == ((TensorView("buf9"),), (TensorView("buf17"),))
    assert custom.aten == ("mytoy.twice",)
    size = index.symbol("u1")
    assert size is not None
    assert (size.kind, size.tensor, size.dim) == ("buffer_dim", "buf11", 0)
