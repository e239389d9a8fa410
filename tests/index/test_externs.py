"""What an extern call is given and what it makes, whatever form the wrapper passes it in."""

from __future__ import annotations

import pytest

from aoti_tui.index.arguments import (
    ExternArgument,
    NumberList,
    Plain,
    Result,
    TensorList,
    TensorView,
)
from aoti_tui.index.cpp.expression import read
from aoti_tui.index.model import ExternCall, WrapperIndex
from aoti_tui.index.reader import read_wrapper

from .wrappers import index_of

BODY = """
void AOTInductorModel::run_impl(
    AtenTensorHandle* input_handles, AtenTensorHandle* output_handles
) {
    auto inputs = steal_from_raw_handles_to_raii_handles(input_handles, 2);
    auto arg0_1 = std::move(inputs[0]);
    auto arg1_1 = std::move(inputs[1]);
    static constexpr int64_t int_array_0[] = {2L, s0};
%s
} // AOTInductorModel::run_impl
"""
A, B = TensorView("arg0_1"), TensorView("arg1_1")


def wrapper(statements: str) -> WrapperIndex:
    index = read_wrapper(BODY % statements, "x")
    assert index.gaps == ()
    return index


def call(*arguments: str, op: str = "aoti_torch_cuda_op") -> ExternCall:
    text = f"    AOTI_TORCH_ERROR_CODE_CHECK({op}({', '.join(arguments)}));"
    return wrapper(text).externs[0]


def test_a_convolution_has_tensors_numbers_and_lists_without_their_lengths() -> None:
    found = call(
        "arg0_1",
        "arg1_1",
        "nullptr",
        "std::array<int64_t, 2>{2L, 2L}.cbegin()",
        "2",
        "0",
        "std::array<int64_t, 1>{s3}.cbegin()",
        "1",
        "1L",
        "&buf0_handle",
    )
    assert found.arguments == (
        A,
        B,
        Plain("none"),
        NumberList("int", (read("2L"), read("2L"))),
        read("0"),
        NumberList("int", (read("s3"),)),
        read("1L"),
    )
    assert found.results == (Result("buf0"),)
    assert (found.reads, found.writes) == ((A, B), (TensorView("buf0"),))


def test_results_that_nobody_keeps_hold_their_place() -> None:
    found = call("arg0_1", "0.5", "&var_0", "&out_handle", "nullptr", "&seed", "&last_handle")
    assert found.arguments == (A, read("0.5"), read("var_0"))
    assert found.results == (Result("out"), Result(None), Result(None), Result("last"))


@pytest.mark.parametrize(
    ("text", "argument"),
    [
        ("std::array<AtenTensorHandle, 2>{arg0_1, arg1_1}.cbegin()", TensorList((A, B))),
        ("std::vector<AtenTensorHandle>{arg0_1, nullptr}.data()", TensorList((A, None))),
        (
            "std::array<const AtenTensorHandle*, 2>{&temporary_reference(arg1_1.get()), "
            "nullptr}.data()",
            TensorList((B, None)),
        ),
        ("&temporary_reference(arg1_1.get())", B),
        (
            "wrap_with_raii_handle_if_needed(reinterpret_tensor_wrapper(arg1_1, 2, int_array_0, "
            "int_array_0, 4L))",
            TensorView("arg1_1", (read("2L"), read("s0")), (read("2L"), read("s0")), read("4L")),
        ),
        (
            "reinterpret_tensor(arg1_1, {s0, 4L}, {4L, 1L}, 0L)",
            TensorView("arg1_1", (read("s0"), read("4L")), (read("4L"), read("1L"))),
        ),
        ("std::array<double, 1>{2.0}.cbegin()", NumberList("float", (read("2.0"),))),
        (
            "std::array<bool, 2>{true, false}.data()",
            NumberList("bool", (read("true"), read("false"))),
        ),
        ("std::vector<int64_t>{}.data()", NumberList("int", ())),
        ("true", True),
        ("cached_torch_dtype_int64", Plain("dtype", "int64")),
        ("at::kFloat", Plain("dtype", "float32")),
        ("cached_torch_device_type_cuda", Plain("place", "cached_torch_device_type_cuda")),
        ('"mean"', Plain("string", "mean")),
        ("std::nullopt", Plain("none")),
        ("16L*s0", read("16L*s0")),
        ("-INFINITY", read("-INFINITY")),
        (
            "std::array<AtenTensorHandle, 1>{never}.data()",
            Plain("unknown", "std::array<AtenTensorHandle, 1>{never}.data()"),
        ),
        ("some.thing->else", Plain("unknown", "some.thing->else")),
    ],
)
def test_an_argument_has_one_type_in_every_form(text: str, argument: ExternArgument) -> None:
    assert call("arg0_1", text).arguments == (A, argument)


def test_tensors_of_an_optional_list_are_read() -> None:
    indices = (
        "std::array<const AtenTensorHandle*, 2>{&temporary_reference(arg1_1.get()), nullptr}.data()"
    )
    assert call("arg0_1", indices, "2", "&buf0_handle").reads == (A, B)


def test_a_custom_operator_gets_tensors_then_numbers() -> None:
    index = wrapper(
        "    AtenTensorHandle buf2_handle;\n"
        "    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_new_uninitialized_tensor(&buf2_handle));\n"
        "    RAIIAtenTensorHandle buf2(buf2_handle);\n"
        "    aoti_torch_proxy_executor_call_function(proxy_executor, 0, 1, "
        "std::vector<int64_t>{s0}.data(), 2, "
        "std::vector<AtenTensorHandle>{arg0_1, buf2}.data());"
    )
    (found,) = index.externs
    assert found.arguments == (A, read("s0"))
    assert found.results == (Result("buf2"),)
    assert not found.named


def test_one_name_for_several_results_says_which_part_is_taken() -> None:
    index = wrapper(
        "    auto buf7 = at::_ops::topk::call(arg0_1, 2L, -1L, true, true);\n"
        "    auto buf8 = std::get<0>(buf7);\n"
        "    auto buf9 = std::get<1>(buf7);"
    )
    (found,) = index.externs
    assert found.arguments == (A, read("2L"), read("-1L"), True, True)
    assert found.results == (Result("buf7"), Result("buf7", 1))
    assert [(b.name, b.of, b.part) for b in index.buffers if b.of] == [
        ("buf8", "buf7", 0),
        ("buf9", "buf7", 1),
    ]


@pytest.mark.parametrize(
    "name", ["2.5.1/cond", "2.6.0/embed_ln", "demo", "2.13.0/cpu_folding", "2.15.0/cond"]
)
def test_no_argument_of_a_real_wrapper_is_unknown(name: str) -> None:
    assert index_of(name).externs
    for extern in index_of(name).externs:
        for argument in extern.arguments:
            assert not isinstance(argument, Plain) or argument.kind != "unknown", extern.text


LOOP = """    while (1) {
        // subgraph: while_loop_cond_graph_0
        bool while_loop_cond_graph_0_buf0_scalar;
        AOTI_TORCH_ERROR_CODE_CHECK(
            aoti_torch_item_bool(arg1_1, &while_loop_cond_graph_0_buf0_scalar));
        %s
        // subgraph: while_loop_body_graph_0
        int64_t u0 = 2L;
    }"""


@pytest.mark.parametrize(
    ("leaving", "condition"),
    [
        ("if (!flag) break;", "flag"),
        ("if (! flag) { break; }", "flag"),
        ("if (!(buf5.item<bool>())) break;", "buf5.item<bool>()"),
        ("if (u0 >= s0) { break; }", "!(u0 >= s0)"),
        ("{ if (!flag) break; }", "flag"),
    ],
)
def test_a_loop_says_where_and_when_it_is_left(leaving: str, condition: str) -> None:
    index = wrapper(LOOP % leaving)
    scope = next(s for s in index.scopes if s.kind == "while")
    assert scope.exit is not None
    assert "break" in index.lines[scope.exit.line - 1]
    assert scope.exit.condition == read(condition)


def test_a_loop_without_an_exit_has_none() -> None:
    scopes = wrapper(LOOP % "while (flag) { if (!flag) break; }").scopes
    outer = next(s for s in scopes if s.condition == read("1"))
    assert outer.exit is None


def test_every_loop_of_a_real_wrapper_can_be_left() -> None:
    loops = [s for s in index_of("2.13.0/cpu_folding").scopes if s.kind == "while"]
    assert loops
    assert all(s.exit is not None and not s.exit.condition.problem for s in loops)


def test_functions_are_known_by_their_role() -> None:
    index = index_of("2.13.0/cpu_folding")
    assert (index.main.role, index.main.name) == ("main", "run_impl")
    facts = (*index.buffers, *index.symbols, *index.externs)
    assert {f.function.role for f in facts} == {"main", "constants"}
    made = [b.function for b in index.buffers if b.name.startswith("_FOLDED")]
    assert made
    assert not any(function.is_main for function in made)


def test_a_checked_layout_is_a_fact() -> None:
    index = wrapper('    assert_size_stride(arg0_1, {s0, 16L}, {16L, 1L}, "input");')
    (check,) = index.checks
    assert check.layout == TensorView(
        "arg0_1", (read("s0"), read("16L")), (read("16L"), read("1L"))
    )
    assert check.condition.problem
    assert "s0" in check.condition.names()


@pytest.mark.parametrize(
    ("statement", "name", "type_"),
    [
        ("double scale = 0.5*s0;", "scale", "float"),
        ("auto zuf1 = 0.5*zuf0;", "zuf1", "float"),
        ("int64_t s65 = (1.0/4.0)*s0;", "s65", "int"),
        ("auto s1 = s0;", "s1", "int"),
        (
            "bool buf3_scalar;\n"
            "    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_item_bool(arg0_1, &buf3_scalar));",
            "buf3_scalar",
            "flag",
        ),
    ],
)
def test_a_symbol_has_a_type(statement: str, name: str, type_: str) -> None:
    symbol = wrapper(f"    {statement}").symbol(name)
    assert symbol is not None
    assert symbol.type == type_


@pytest.mark.parametrize(
    "indices",
    [
        "{arg1_1, std::nullopt}",
        "c10::List<std::optional<at::Tensor>>({arg1_1, std::nullopt})",
        "c10::List<c10::optional<at::Tensor>>{arg1_1, c10::nullopt}",
    ],
)
def test_a_call_through_the_dispatcher_is_known_by_its_schema(indices: str) -> None:
    """torch 2.5 finds an operator once and calls what it found."""
    index = wrapper(
        "    static auto op_aten_index_Tensor = c10::Dispatcher::singleton()\n"
        '    \t.findSchemaOrThrow("aten::index", "Tensor")\n'
        "    \t.typed<at::Tensor(at::Tensor const&, "
        "c10::List<::std::optional<at::Tensor>> const&)>();\n"
        f"    auto buf7 = op_aten_index_Tensor.call(arg0_1, {indices});"
    )
    (found,) = index.externs
    assert (found.op, found.named, found.custom) == ("index_Tensor", True, "")
    assert found.arguments == (A, TensorList((B, None)))
    assert (found.reads, found.writes) == ((A, B), (TensorView("buf7"),))


def test_the_schema_says_what_a_custom_operator_changes() -> None:
    index = wrapper(
        "    static auto op_mylib_shift_ = c10::Dispatcher::singleton()\n"
        '    \t.findSchemaOrThrow("mylib::shift_", "")\n'
        "    \t.typed<void(at::Tensor const&, at::Tensor&, int64_t)>();\n"
        "    op_mylib_shift_.call(arg0_1, arg1_1, 2L);"
    )
    (found,) = index.externs
    assert (found.named, found.custom) == (False, "mylib.shift_")
    assert (found.reads, found.writes) == ((A, B), (B,))


@pytest.mark.parametrize("pointers", ["&var_0, nullptr", "&temporary_reference(arg1_1.get()), {}"])
def test_a_list_of_pointers_has_a_name_of_its_own(pointers: str) -> None:
    """torch 2.5 to 2.7 name the list, and each optional tensor in it."""
    index = wrapper(
        "    AtenTensorHandle var_0 = arg1_1.get();\n"
        f"    const AtenTensorHandle* var_array_1[] = {{{pointers}}};\n"
        "    AtenTensorHandle buf7_handle;\n"
        "    AOTI_TORCH_ERROR_CODE_CHECK("
        "aoti_torch_cuda_index_Tensor(arg0_1, var_array_1, 2, &buf7_handle));\n"
        "    RAIIAtenTensorHandle buf7(buf7_handle);"
    )
    assert index.externs[0].arguments == (A, TensorList((B, None)))


@pytest.mark.parametrize(
    ("number", "dtype"),
    [("2L*s0", "int64"), ("0.5*s0", "float64"), ("zuf0", "float64")],
)
def test_a_number_becomes_a_tensor(number: str, dtype: str) -> None:
    index = wrapper(
        "    auto zuf0 = 0.5*s0;\n"
        f"    RAIIAtenTensorHandle scalar_to_tensor_0 = scalar_to_tensor_handle({number});\n"
        "    output_handles[1] = scalar_to_tensor_0.release();"
    )
    assert index.externs[0].arguments == (read(number), Plain("dtype", dtype))
    assert index.outputs[0].name == "scalar_to_tensor_0"
