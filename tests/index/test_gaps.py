"""What is not understood is said, and never hides what stands beside it."""

from __future__ import annotations

import pytest

from aoti_tui.index.arguments import TensorView
from aoti_tui.index.cpp.expression import read
from aoti_tui.index.reader import read_wrapper

from .wrappers import index_of, text_of

BODY = """
void AOTInductorModel::run_impl(
    AtenTensorHandle*
        input_handles, // array of input AtenTensorHandle
    DeviceStreamType stream
) {
    auto inputs = steal_from_raw_handles_to_raii_handles(input_handles, 2);
    auto arg0_1 = std::move(inputs[0]);
%s
    output_handles[0] = arg0_1.release();
} // AOTInductorModel::run_impl
"""


@pytest.mark.parametrize(
    "statement",
    [
        "mystery_call(buf0, 3L)",
        "std::vector<int> zork{1, 2}",
        "goto out",
        "*pointer = 3",
        "if (arg0_1_weird) { mystery_call(1); }",
    ],
)
@pytest.mark.parametrize("name", ["demo", "2.5.1/mixed", "2.15.0/cond"])
def test_an_unknown_statement_is_a_gap_and_only_a_gap(name: str, statement: str) -> None:
    before = index_of(name)
    line = before.launches[-1].site.end_line + (2 if "2.5" in name else 1)
    lines = list(before.lines)
    lines[line - 1 : line - 1] = [f"    {statement};"]
    after = read_wrapper("\n".join(lines), name)
    assert [g.line for g in after.gaps] == [line]
    assert after.gaps[0].text.rstrip(";") in statement
    assert [la.kernel for la in after.launches] == [la.kernel for la in before.launches]
    assert len(after.outputs) == len(before.outputs)


def test_text_that_is_not_cpp_does_not_take_its_neighbours_along() -> None:
    index = read_wrapper(BODY % "    frobnicate x = y + ;\n    int64_t s0 = 3L;", "x")
    assert "frobnicate" in index.gaps[0].text
    assert index.gaps[0].line == 9
    assert [s.name for s in index.symbols] == ["s0"]
    assert [o.name for o in index.outputs] == ["arg0_1"]


def test_unknown_statement_inside_a_known_block_is_a_gap() -> None:
    index = read_wrapper(
        BODY
        % (
            "    if ((reinterpret_cast<std::uintptr_t>(arg0_1.data_ptr()) & (16 -1)) != 0) {\n"
            '        AOTI_TORCH_WARN("x");\n        surprise(arg0_1);\n    }'
        ),
        "x",
    )
    assert [(g.line, g.text) for g in index.gaps] == [(11, "surprise(arg0_1)")]


def test_a_construct_nobody_writes_is_a_gap_but_is_read_inside() -> None:
    index = read_wrapper(BODY % "    switch (x) { case 1: { int64_t s5 = 2L; } }", "x")
    assert index.gaps
    assert [s.name for s in index.symbols] == ["s5"]


@pytest.mark.parametrize("name", ["demo", "2.5.1/mixed", "2.15.0/cond", "2.13.0/cpu_folding"])
@pytest.mark.parametrize("share", [0.1, 0.35, 0.6, 0.85, 0.97])
def test_a_cut_file_keeps_all_that_came_before(name: str, share: float) -> None:
    text = text_of(name)
    start = text.index("::run_impl(")
    end = text.index("} // AOTInductorModel::run_impl")
    cut = start + int((end - start) * share)
    whole, part = index_of(name), read_wrapper(text[:cut], name)
    last = text[:cut].count("\n")
    assert [la.line for la in part.launches if la.line <= last] == [
        la.line for la in whole.launches if la.site.end_line <= last
    ]
    assert [s.name for s in part.symbols if s.line <= last] == [
        s.name for s in whole.symbols if s.line <= last
    ]
    assert any("file ends" in g.reason for g in part.gaps)


def test_a_file_cut_before_run_impl_says_so() -> None:
    text = text_of("demo")
    part = read_wrapper(text[: text.index("void AOTInductorModel::run_impl")], "x")
    assert part.launches == ()
    assert len(part.kernels) == 6
    assert [i.name for i in part.inputs] == ["arg2_1", "arg3_1", "arg4_1"]
    assert [g.reason for g in part.gaps] == ["run_impl is not in the file"]


def test_a_kernel_cut_in_its_source_is_a_gap() -> None:
    text = text_of("demo")
    cut = text.index("tl.store", text.index("triton_red_fused_prepare_softmax_online_2("))
    part = read_wrapper(text[:cut], "x")
    kernel = part.kernels["triton_red_fused_prepare_softmax_online_2"]
    assert kernel.source_line == 818
    assert any("not valid Python" in g.reason or "file ends" in g.reason for g in part.gaps)


def test_strings_and_comments_that_look_like_code_are_not_code() -> None:
    noise = (
        '    in_spec_ = R"({ "x": "}", call_triton_fake_0(buf9, stream); tl.device_assert(1) '
        '/* " })";\n'
        "    // int64_t s99 = 1L; call_triton_fake_1(buf0); {{{\n"
        "    /* void AOTInductorModel::run_impl( } } */\n"
    )
    text = text_of("demo").replace("    out_spec_ = ", noise + "    out_spec_ = ", 1)
    index = read_wrapper(text, "x")
    assert list(index.kernels) == list(index_of("demo").kernels)
    assert len(index.launches) == 6
    assert index.symbol("s99") is None
    assert index.gaps == ()


def test_an_unclosed_macro_does_not_swallow_the_model() -> None:
    text = text_of("demo").replace(
        "AOTIRuntimeError AOTInductorModelDelete(", "BROKEN_MACRO({ x {\nAOTIRuntimeError F(", 1
    )
    assert text != text_of("demo")
    index = read_wrapper(text, "x")
    assert len(index.launches) == 6
    assert index.gaps == ()


def test_number_inputs_are_inputs_with_a_value() -> None:
    index = read_wrapper(
        BODY
        % (
            "    int64_t arg1_1;\n"
            "    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_item_int64(inputs[1], &arg1_1));\n"
            "    int64_t s1 = arg1_1;"
        ),
        "x",
    )
    assert [(i.position, i.name, i.is_scalar) for i in index.inputs] == [
        (0, "arg0_1", False),
        (1, "arg1_1", True),
    ]
    assert [(s.name, s.kind, s.expression.written, s.position) for s in index.symbols] == [
        ("arg1_1", "item", "inputs[1].item()", 1),
        ("s1", "expression", "arg1_1", None),
    ]
    assert index.gaps == ()


@pytest.mark.parametrize(
    ("statements", "name", "expression"),
    [
        (
            "bool u0_raw;\n"
            "    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_item_bool(arg0_1, &u0_raw));\n"
            "    int64_t u0 = u0_raw ? 1 : 0;",
            "u0",
            "arg0_1.item() ? 1 : 0",
        ),
        (
            "at::Half zuf0_tmp;\n"
            "    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_item_float16(arg0_1, &zuf0_tmp));\n"
            "    float zuf0 = float(zuf0_tmp);",
            "zuf0",
            "float(arg0_1.item())",
        ),
    ],
)
def test_raw_values_are_resolved(statements: str, name: str, expression: str) -> None:
    index = read_wrapper(BODY % f"    {statements}", "x")
    symbol = index.symbol(name)
    assert symbol is not None
    assert (symbol.kind, symbol.expression.written, symbol.tensor) == ("item", expression, "arg0_1")
    assert index.gaps == ()


def test_offsets_of_nested_views_add_up() -> None:
    index = read_wrapper(
        BODY
        % (
            "    static constexpr int64_t int_array_0[] = {2L, };\n"
            "    auto tmp_tensor_handle_0 = "
            "reinterpret_tensor_wrapper(arg0_1, 1, int_array_0, int_array_0, 4L);\n"
            "    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_cuda_mm_out(arg0_1, "
            "reinterpret_tensor_wrapper(tmp_tensor_handle_0, 1, int_array_0, int_array_0, 2L*s0)));"
        ),
        "x",
    )
    assert index.externs[0].reads == (
        TensorView("arg0_1", (read("2L"),), (read("2L"),), read("4L + 2L*s0")),
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0",
        "{" * 5000,
        'R"(',
        "/*",
        "void A::run_impl(" * 500,
        "void A::run_impl(){" + "(" * 5000,
        "void A::run_impl(){" + "if (1) {" * 3000,
        "void A::run_impl(){ auto x = " + "f(" * 3000,
    ],
)
def test_nonsense_gives_an_index_with_gaps_and_no_error(text: str) -> None:
    index = read_wrapper(text, "x")
    assert index.launches == ()
    assert index.gaps


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ("grid_2, 8, 32,", f"grid_2, {'8' * 5000}, {'3' * 5000},"),
        ("int64_t s7 = arg4_1_size[0];", f"int64_t s7 = {'7' * 5000}L;"),
        ("tl.program_id(0)", "(" * 5000),
        ("s19", "(" * 5000 + "s19"),
        ("arg4_1_size[0]", f"arg4_1_size[{'1' * 5000}]"),
        ("output_handles[0]", f"output_handles[{'1' * 5000}]"),
        ("constants_info_[0]", f"constants_info_[{'1' * 5000}]"),
    ],
)
def test_numbers_and_brackets_beyond_reason_spoil_nothing_else(written: str, instead: str) -> None:
    text = text_of("demo")
    assert written in text
    index = read_wrapper(text.replace(written, instead), "x")
    assert list(index.kernels) == list(index_of("demo").kernels)
    assert [i.name for i in index.inputs] == ["arg2_1", "arg3_1", "arg4_1"]


def test_progress_runs_to_one() -> None:
    seen: list[float] = []
    read_wrapper(text_of("demo"), "x", progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
