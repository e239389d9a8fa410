"""The wrappers that torch.compile writes in Python are read into the same index as those in C++."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache

import pytest

from aoti_tui.index.model import Launch, WrapperIndex
from aoti_tui.index.reader import read_wrapper

from .wrappers import DATA

FOLDER = DATA / "output_code"
# name: inputs, symbols, guards, checks, allocations, externs, outputs; counted with grep
COUNTS = {
    "benchmark_kernel": (5, 3, 2, 2, 1, 0, 1),
    "cpu_part": (5, 3, 2, 3, 2, 3, 1),
    "cudagraph": (5, 0, 20, 5, 2, 1, 1),
    "gnn": (8, 3, 11, 5, 3, 1, 1),
    "memory_planning": (7, 0, 22, 7, 3, 4, 2),
    "multi_kernel": (2, 0, 6, 2, 1, 0, 1),
    "train_dropout": (5, 0, 16, 5, 5, 2, 6),
    "unbacked_item": (4, 3, 1, 6, 2, 0, 1),
    "while_loop": (3, 0, 14, 13, 4, 2, 1),
    "versions/2.5.1.user_triton": (6, 3, 3, 3, 3, 0, 3),
    "versions/2.7.1.user_triton": (6, 3, 3, 3, 3, 0, 1),
    "versions/2.9.1.train_classifier_backward": (12, 2, 21, 10, 4, 2, 7),
    "versions/2.14.1.gnn": (8, 3, 11, 5, 3, 1, 1),
}


def text_of(name: str) -> str:
    path = FOLDER / f"{name}.py" if "/" in name else FOLDER / name / "output_code.py"
    return path.read_text()


@cache
def index_of(name: str) -> WrapperIndex:
    return read_wrapper(text_of(name), f"{name}.py")


def _calls(name: str) -> Iterator[tuple[str, int]]:
    """The functions that the wrapper itself calls, outside of kernels' texts, with their lines."""
    module = ast.parse(text_of(name))
    examples = ("get_args", "benchmark_compiled_module")
    for part in module.body:
        if getattr(part, "name", "") not in examples:
            for node in ast.walk(part):
                if isinstance(node, ast.Call):
                    yield ast.unparse(node.func), node.lineno


@pytest.mark.parametrize("name", COUNTS)
def test_everything_that_the_file_does_is_indexed(name: str) -> None:
    index = index_of(name)
    calls = list(_calls(name))
    assert index.gaps == ()
    assert len(index.kernels) == sum(c == "async_compile.triton" for c, _ in calls)
    assert {la.line for la in index.launches} == {at for c, at in calls if c.endswith(".run")}
    found = (
        len(index.inputs),
        sum(s.name[0] in "su" and s.name[1:].isdigit() for s in index.symbols),
        len(index.guards),
        len(index.checks),
        sum(b.kind == "allocation" for b in index.buffers),
        len(index.externs),
        len(index.outputs),
    )
    assert found == COUNTS[name]


@pytest.mark.parametrize("name", COUNTS)
def test_every_line_number_points_at_its_text(name: str) -> None:
    index = index_of(name)
    for kernel in index.kernels.values():
        assert f"{kernel.name} = async_compile.triton(" in index.lines[kernel.line - 1]
        for number, text in enumerate(kernel.lines, 1):
            assert index.lines[(kernel.wrapper_line(number) or 0) - 1] == text
        ast.parse(kernel.source)
    for launch in index.launches:
        assert ".run(" in index.lines[launch.line - 1]
    for buffer in index.buffers:
        assert buffer.name.partition("[")[0] in index.lines[buffer.line - 1]
    for symbol in index.symbols:
        assert symbol.name in index.lines[symbol.line - 1]
    for extern in index.externs:
        assert extern.text in index.lines[extern.line - 1]


@pytest.mark.parametrize("name", COUNTS)
def test_every_argument_of_a_launch_stands_beside_its_parameter(name: str) -> None:
    index = index_of(name)
    for launch in index.launches:
        types = {p.name: p for p in index.kernels[launch.kernel].parameters}
        for argument in launch.arguments:
            parameter = types[argument.parameter]
            assert (argument.tensor is not None) == parameter.is_pointer, (launch.line, argument)


def _launch(name: str, kernel: str) -> Launch:
    return index_of(name).launches_of(kernel)[0]


def _said(launch: Launch) -> dict[str, str]:
    return {
        a.parameter: a.tensor.base if a.tensor is not None else str(a.value)
        for a in launch.arguments
    }


GATHER = "triton_poi_fused_index_index_add_mul_select_unsqueeze_zeros_like_1"


def test_a_launch_says_what_it_passes_and_what_of_the_model_it_runs() -> None:
    launch = _launch("gnn", GATHER)
    assert _said(launch) == {
        "in_ptr0": "arg2_1",
        "in_ptr1": "buf0",
        "in_ptr2": "arg7_1",
        "out_ptr0": "buf1",
        "ks0": "s43",
        "ks1": "s77",
        "ynumel": "s43",
        "xnumel": "32",
    }
    assert launch.source_nodes[:3] == ("zeros_like", "dst", "src")
    assert launch.aten[0] == "aten.zeros_like"
    assert launch.function.name == "call"


def test_a_size_that_is_passed_as_a_number_is_the_dimension_that_is_checked_to_have_it() -> None:
    index = index_of("gnn")
    rows = index.symbol("s77")
    assert rows is not None
    assert (rows.kind, rows.position, rows.dim) == ("input_dim", 6, 0)
    assert rows.expression.written == "arg6_1.size(0)"
    assert [i.position for i in index.inputs if i.is_scalar] == [0, 1, 5]


@pytest.mark.parametrize("name", ["gnn", "versions/2.14.1.gnn"])
def test_a_fixed_size_is_a_guard_that_is_always_on(name: str) -> None:
    guards = index_of(name).guards_of(6, 1)
    assert [(g.check, g.value, g.enforced) for g in guards] == [
        ("equals", "32", "always"),
        ("stride", "1", "always"),
    ]


def test_a_count_that_is_read_off_a_tensor_is_checked_before_it_is_used() -> None:
    index = index_of("unbacked_item")
    count = index.symbol("u0")
    assert count is not None
    assert (count.kind, count.tensor, count.position) == ("item", "arg0_1", 0)
    checks = [(str(c.condition), c.message) for c in index.checks if c.layout is None]
    assert checks == [
        ("u0 >= 2", "u0 >= 2"),
        ("u0 <= 4096", "u0 <= 4096"),
        ("2 <= u0", "2 <= u0"),
        ("u0 <= 4096", "u0 <= 4096"),
    ]


def test_a_partition_is_a_part_of_call() -> None:
    launch = _launch("cudagraph", "triton_poi_fused_embedding_0")
    assert launch.function.name == "partition_0"
    assert launch.function == index_of("cudagraph").main
    assert _said(launch)["in_ptr1"] == "arg0_1"


def test_a_body_of_a_loop_works_on_what_it_is_given() -> None:
    launch = _launch("while_loop", "triton_poi_fused_add_cos_index_squeeze_view_zeros_2")
    assert launch.function.name == "while_loop_body_graph_0"
    assert _said(launch)["in_ptr2"] == "arg2_1"
    assert [(s.kind, s.subgraph) for s in launch.scopes] == [("while", "while_loop_body_graph_0")]
    assert [str(s.condition) for s in launch.scopes] == ["should_loop.item()"]


def test_launches_are_numbered_in_the_order_in_which_they_run() -> None:
    index = index_of("while_loop")
    launched = [(la.function.name, la.kernel.rpartition("_")[2]) for la in index.launches]
    assert launched == [
        ("call", "0"),
        ("while_loop_cond_graph_0", "1"),
        ("while_loop_body_graph_0", "2"),
        ("while_loop_body_graph_0", "3"),
    ]
    lines = [la.line for la in index.launches]
    assert lines[0] > max(lines[1:]), "the loop's functions stand before call"
    (called_at,) = {b.line for b in index.buffers if b.name == "buf1_cond_result"} - {278}
    assert index.place(lines[1]) < index.place(called_at), "a result is there after its call"


def test_kernels_that_compete_for_a_launch_each_get_their_arguments() -> None:
    index = index_of("multi_kernel")
    first, second = index.launches
    assert first.line == second.line
    assert {first.kernel, second.kernel} == set(index.kernels)
    assert [a.text for a in first.arguments] == ["arg1_1", "arg0_1", "buf2", "9", "1024"]


def test_a_kernel_that_benchmarks_itself_launches_nothing() -> None:
    index = index_of("benchmark_kernel")
    assert "def call(args)" in "\n".join(next(iter(index.kernels.values())).lines)
    assert len(index.launches) == 1


@pytest.mark.parametrize(
    ("version", "function"), [("2.5.1", "grid_wrapper_for_lookup_kernel_0"), ("2.7.1", "")]
)
def test_a_users_kernel_has_the_grid_that_its_launch_gives(version: str, function: str) -> None:
    name = f"versions/{version}.user_triton"
    launch = _launch(name, "lookup_kernel_0")
    assert [str(axis) for axis in launch.grid] == ["s2", "(31 + s1) // 32", "1"]
    assert [a.parameter for a in launch.arguments][-3:] == ["n_rows", "d", "BLOCK"]
    assert function in text_of(name)


@pytest.mark.parametrize(
    ("name", "buffer", "kind", "of"),
    [
        ("gnn", "buf5", "reuse", "buf0"),
        ("gnn", "buf3", "allocation", None),
        ("cudagraph", "buf2", "reuse", "buf1"),
        ("cpu_part", "buf0", "result", None),
        ("cpu_part", "buf1", "alias", "buf0"),
        ("memory_planning", "buf0", "pool", "pool2"),
        ("while_loop", "buf1[1]", "declaration", None),
        ("versions/2.9.1.train_classifier_backward", "buf1", "reuse", "addmm"),
    ],
)
def test_a_buffer_knows_where_its_memory_comes_from(
    name: str, buffer: str, kind: str, of: str | None
) -> None:
    found = next(b for b in index_of(name).buffers if b.name == buffer)
    assert (found.kind, found.of) == (kind, of)


@pytest.mark.parametrize(
    ("name", "op", "reads", "writes"),
    [
        ("gnn", "addmm_out", ["arg4_1", "arg6_1", "arg3_1"], ["buf0"]),
        ("cudagraph", "mm_out", ["buf0", "arg2_1"], ["buf1"]),
        ("cpu_part", "cumsum", ["arg1_1"], ["buf0"]),
        ("cpu_part", "cpp_fused__to_copy_add_mul_sub_0", ["arg1_1"], ["buf2"]),
        ("cpu_part", "copy_", ["buf2"], ["buf3"]),
        ("train_dropout", "randint_low_out", [], ["buf1"]),
    ],
)
def test_a_call_of_an_operator_knows_what_it_reads_and_writes(
    name: str, op: str, reads: list[str], writes: list[str]
) -> None:
    extern = next(e for e in index_of(name).externs if e.op == op)
    assert [v.base for v in extern.reads] == reads
    assert [v.base for v in extern.writes] == writes


def test_what_is_not_understood_is_a_gap_with_its_line() -> None:
    text = text_of("gnn").replace("buf5 = buf0; del buf0", "buf5 = mystery[buf0:]; del buf0")
    text = text.replace("            del buf3\n", "            for each in buf3: pass\n")
    index = read_wrapper(text, "gnn.py")
    assert [(g.line, g.text.partition(";")[0]) for g in index.gaps] == [
        (index.gaps[0].line, "buf5 = mystery[buf0:]"),
        (index.gaps[1].line, "for each in buf3: pass"),
    ]
    for gap in index.gaps:
        assert gap.text in index.lines[gap.line - 1]
    assert len(index.launches) == len(index_of("gnn").launches)


def test_a_file_that_is_cut_off_still_gives_a_gap_and_no_error() -> None:
    text = text_of("gnn")
    index = read_wrapper(text[: text.index("return (buf5") - 200], "gnn.py")
    assert index.gaps


SHORT = """\
# AOT ID: ['0_inference']
import torch
from torch._inductor.async_compile import AsyncCompile
async_compile = AsyncCompile()

triton_poi_fused_0 = async_compile.triton('triton_poi_fused_0', '''
import triton
@triton_heuristics.pointwise(
    size_hints={'x': 8},
    triton_meta={'signature': {'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}},
    inductor_meta={'grid_type': 'Grid1D'},
)
@triton.jit
def triton_poi_fused_0(out_ptr0, xnumel, XBLOCK : tl.constexpr):
    pass
''', device_str='cuda')

def call(args):
    arg0_1, arg1_1 = args
    args.clear()
    assert_size_stride(arg0_1, (8, 4), (4, 1))
    with torch.cuda._DeviceGuard(0):
        torch.cuda.set_device(0)
        buf0 = empty_strided_cuda((8, 4), (4, 1), torch.float32)
        STATEMENT
    return (buf0, )
"""


@pytest.mark.parametrize(
    ("statement", "op", "reads", "writes"),
    [
        ("_c10d_functional.wait_tensor.default(buf0)", "wait_tensor", ["buf0"], ["buf0"]),
        (
            "_c10d_functional.all_gather_into_tensor_out.default(arg0_1, 2, '0', out=buf0)",
            "all_gather_into_tensor_out",
            ["arg0_1"],
            ["buf0"],
        ),
        (
            "buf1 = torch.ops._c10d_functional.all_to_all_single.default(buf0, [4], [4], '0')",
            "all_to_all_single",
            ["buf0"],
            ["buf1"],
        ),
        (
            "torch.ops.fsdp.split_with_sizes_copy.default(arg0_1, [8], 1, "
            "out=[reinterpret_tensor(buf0, (4, 8), (8, 1), 0)])",
            "split_with_sizes_copy_out",
            ["arg0_1"],
            ["buf0"],
        ),
        (
            "inductor_ops.resize_storage_bytes_(buf0, 0)",
            "resize_storage_bytes_",
            ["buf0"],
            ["buf0"],
        ),
        (
            "buf1 = torch.ops.aten.set_.source_Tensor(arg0_1, buf0)",
            "set__source_Tensor",
            ["arg0_1", "buf0"],
            ["arg0_1", "buf1"],
        ),
        (
            "aten.index_put_(buf0, [arg1_1, None], arg0_1, True)",
            "index_put_",
            ["buf0", "arg1_1", "arg0_1"],
            ["buf0"],
        ),
        (
            "buf1 = extern_kernels.convolution(arg0_1, arg1_1, stride=(1, 1), padding=(0, 0), "
            "dilation=(1, 1), transposed=False, output_padding=(0, 0), groups=1, bias=None)",
            "convolution",
            ["arg0_1", "arg1_1"],
            ["buf1"],
        ),
        ("buf0.copy_(arg0_1, False)", "copy_", ["arg0_1"], ["buf0"]),
        ("buf1 = torch.ops.mylib.scale.default(arg0_1, 2.0)", "scale", ["arg0_1"], ["buf1"]),
    ],
)
def test_operators_in_every_form(
    statement: str, op: str, reads: list[str], writes: list[str]
) -> None:
    index = read_wrapper(SHORT.replace("STATEMENT", statement), "short.py")
    assert index.gaps == ()
    (extern,) = index.externs
    assert extern.op == op
    assert [v.base for v in extern.reads] == reads
    assert [v.base for v in extern.writes] == writes


@pytest.mark.parametrize(
    ("statement", "name", "kind", "said"),
    [
        ("s0 = arg0_1.size(0)", "s0", "input_dim", "arg0_1.size(0)"),
        ("x = arg0_1.size(); s1 = x[1]", "s1", "input_dim", "arg0_1.size(1)"),
        ("u0 = buf0.size(0)", "u0", "buffer_dim", "buf0.size(0)"),
        ("zuf0 = arg1_1.item()", "zuf0", "item", "arg1_1.item()"),
        ("u1 = 1 if arg1_1.item() else 0", "u1", "item", "1 if arg1_1.item() else 0"),
        ("u0 = arg1_1.item(); ps0 = (-7) // u0", "ps0", "expression", "-7 // u0"),
        ("u0 = arg1_1.item(); ps0 = u0**2", "ps0", "expression", "u0*u0"),
        ("u0 = arg1_1.item(); ps0 = math.floor(u0/2)", "ps0", "expression", "int(floor(u0/2))"),
    ],
)
def test_numbers_in_every_form(statement: str, name: str, kind: str, said: str) -> None:
    index = read_wrapper(SHORT.replace("STATEMENT", statement), "short.py")
    assert index.gaps == ()
    symbol = index.symbol(name)
    assert symbol is not None
    assert (symbol.kind, str(symbol.expression)) == (kind, said)


def test_sizes_divide_as_python_does() -> None:
    text = SHORT.replace("STATEMENT", "u0 = arg1_1.item(); ps0 = (-7) // u0; ps1 = (-7) % u0")
    index = read_wrapper(text, "short.py")
    values = {s.name: s.expression.known({"u0": 2}) for s in index.symbols}
    assert (values["ps0"], values["ps1"]) == (-4, 1)


def test_a_launch_of_a_kernel_that_is_not_there_is_kept_with_a_gap() -> None:
    statement = "triton_poi_fused_9.run(buf0, 32, stream=stream0)"
    index = read_wrapper(SHORT.replace("STATEMENT", statement), "short.py")
    assert [la.kernel for la in index.launches] == ["triton_poi_fused_9"]
    assert [g.reason for g in index.gaps] == [
        "launch of triton_poi_fused_9, whose source is not in the file"
    ]


def test_a_branch_gives_what_its_function_returns() -> None:
    branch = (
        "def true_graph_0(args):\n    true_graph_0_arg0_1, = args\n    args.clear()\n"
        "    true_graph_0_buf0 = empty_strided_cuda((8, ), (1, ), torch.float32)\n"
        "    triton_poi_fused_0.run(true_graph_0_arg0_1, 8, stream=stream0)\n"
        "    return (true_graph_0_buf0, )\n\n"
    )
    statement = (
        "if arg1_1.item():\n            # subgraph: true_graph_0\n"
        "            true_graph_0_args = [arg0_1]\n"
        "            buf2 = true_graph_0(true_graph_0_args)\n        buf3 = buf2[0]"
    )
    text = SHORT.replace("STATEMENT", statement).replace("def call", branch + "def call")
    index = read_wrapper(text, "short.py")
    assert index.gaps == ()
    (launch,) = index.launches
    assert [a.tensor.base for a in launch.arguments if a.tensor] == ["arg0_1"]
    (scope,) = launch.scopes
    assert (scope.kind, scope.subgraph, str(scope.condition)) == (
        "if",
        "true_graph_0",
        "arg1_1.item()",
    )
    given = next(b for b in index.buffers if b.name == "buf3")
    assert (given.kind, given.of) == ("alias", "true_graph_0_buf0")


def test_a_file_of_a_docstring_and_a_wrapper_counts_the_wrapper_alone() -> None:
    doubled = f'"""Compile-time auto-tuning block:\n{SHORT}"""\n'.replace("'''", "\\'\\'\\'")
    index = read_wrapper(doubled + SHORT.replace("STATEMENT", "pass"), "short.py")
    assert index.gaps == ()
    (kernel,) = index.kernels.values()
    assert kernel.line > len(SHORT.split("\n"))


def test_a_seed_that_torch_draws_itself_is_a_call_that_writes_it() -> None:
    text = (
        "# AOT ID: ['0_forward']\nimport torch\n"
        "def call(args):\n"
        "    seed_cuda_0 = empty_strided((), (), device='cuda', dtype=torch.int64)\n"
        "    torch.randint(2**31, size=(), dtype=torch.int64, out=seed_cuda_0)\n"
        "    return (seed_cuda_0, )\n"
    )
    index = read_wrapper(text, "output_code.py")
    assert index.gaps == ()
    (drawn,) = index.externs
    assert drawn.line == 5
    assert [view.base for view in drawn.writes] == ["seed_cuda_0"]
