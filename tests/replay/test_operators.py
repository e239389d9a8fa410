"""Operators and scalars in every form that a wrapper passes them, replayed as the GPU runs them."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from aoti_tui.index.reader import read_wrapper
from aoti_tui.replay.model import ReplayResult
from tests.answer.wrappers import call, indices, inputs, wrapper
from tests.replay.models import Opened

KERNEL = "triton_poi_fused_index_0"
HANDLE = "    AtenTensorHandle buf5_handle;\n"
NAMED = "    RAIIAtenTensorHandle buf5(buf5_handle);\n"
LOOKUP = call(KERNEL, "buf5", size="arg3_1.size(0)", extent="u0")
DISPATCHER = (
    "    static auto op_aten_index_Tensor = c10::Dispatcher::singleton()\n"
    '    \t.findSchemaOrThrow("aten::index", "Tensor")\n'
    "    \t.typed<at::Tensor(at::Tensor const&, "
    "c10::List<::std::optional<at::Tensor>> const&)>();\n"
)


def run(open_session: Opened, folder: Path, body: str, *given: torch.Tensor) -> ReplayResult:
    """The last launch of a wrapper with this body."""
    torch.save(given, folder / "inputs.pt")
    index = read_wrapper(wrapper(body, KERNEL), "model.wrapper.cpp")
    assert index.gaps == ()
    return open_session(index, inputs=folder / "inputs.pt").run(index.launches[-1])


@pytest.mark.parametrize(
    "made",
    [
        # torch 2.8 and later
        HANDLE + "    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_cuda_index_Tensor(arg0_1, "
        "std::array<const AtenTensorHandle*, 1>{&temporary_reference(arg1_1.get())}.data(), 1, "
        "&buf5_handle));\n" + NAMED,
        # torch 2.6
        "    AtenTensorHandle var_0 = arg1_1.get();\n"
        "    const AtenTensorHandle* var_array_1[] = {&var_0};\n" + HANDLE + "    "
        "AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_cuda_index_Tensor(arg0_1, var_array_1, 1, "
        "&buf5_handle));\n" + NAMED,
        # torch 2.5
        "    auto buf5 = at::_ops::index_Tensor::call(arg0_1, {arg1_1});\n",
        "    auto buf5 = at::_ops::index_Tensor::call(arg0_1, "
        "c10::List<c10::optional<at::Tensor>>{arg1_1});\n",
        DISPATCHER + "    auto buf5 = op_aten_index_Tensor.call(arg0_1, {arg1_1});\n",
    ],
)
def test_a_selection_by_mask_is_made_of_the_elements_that_the_mask_keeps(
    opened: Opened, tmp_path: Path, made: str
) -> None:
    mask = torch.tensor([False, True, False, True, True])
    body = made + "    auto u0 = buf5.size(0);\n" + LOOKUP
    result = run(
        opened, tmp_path, body, *inputs(indices(7, 1, 7, 2, 9), mask, size=9)
    )  # the sevens are masked out
    (fired,) = result.asserts
    assert (fired.failing_lanes, fired.first_lane, fired.values["tmp0"]) == (1, (2,), 9)
    assert not fired.depends_on_made_up
    assert {s.name: s.value for s in result.symbols}["u0"] == 3


def test_a_left_out_index_keeps_the_whole_dimension(opened: Opened, tmp_path: Path) -> None:
    made = (
        HANDLE + "    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_cuda_index_Tensor(arg0_1, "
        "std::array<const AtenTensorHandle*, 2>{nullptr, &temporary_reference(arg1_1.get())}"
        ".data(), 2, &buf5_handle));\n" + NAMED + "    auto u0 = buf5.size(0);\n" + LOOKUP
    )
    table, column = torch.tensor([[1, 2], [3, 4], [5, 6]]), indices(1)
    result = run(opened, tmp_path, made, *inputs(table, column, size=6))
    (fired,) = result.asserts
    assert (fired.first_lane, fired.values["tmp0"]) == ((2,), 6)


@pytest.mark.parametrize(
    "made",
    [
        "    RAIIAtenTensorHandle scalar_to_tensor_0 = scalar_to_tensor_handle(2L*s0);\n",
        "    auto scalar_to_tensor_0 = torch::tensor(2L*s0);\n",
    ],
)
def test_a_number_that_becomes_a_tensor_has_its_value(
    opened: Opened, tmp_path: Path, made: str
) -> None:
    body = made + call(KERNEL, "scalar_to_tensor_0", extent="1L")
    (fired,) = run(opened, tmp_path, body, *inputs(indices(0, 0, 0))).asserts
    assert fired.values["tmp0"] == 6
    assert not fired.depends_on_made_up


def test_a_number_that_is_handed_out_is_an_output() -> None:
    text = (
        "output_handles[1] = reinterpret_cast<AtenTensorHandle>("
        "new at::Tensor(torch::tensor(2L*s0)));\n"
    )
    index = read_wrapper(wrapper("    " + text), "model.wrapper.cpp")
    assert index.gaps == ()
    assert [(o.position, o.name) for o in index.outputs] == [(1, "output1"), (0, "buf0")]


CUSTOM = (
    "    // Topologically Sorted Source Nodes: [c, s], Original ATen: [{}]\n" + HANDLE + "    "
    "AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_new_uninitialized_tensor(&buf5_handle));\n"
    + NAMED
    + "    aoti_torch_proxy_executor_call_function(proxy_executor, 0, 0, "
    "std::vector<int64_t>{{}}.data(), 2, std::vector<AtenTensorHandle>{{arg0_1, buf5}}.data());\n"
)


@pytest.mark.parametrize(
    ("operators", "check"),
    [
        ("aten.clone, mylib.shift", ""),
        ("mylib.shift, aten.clone", ""),
        (
            "aten.clone",
            'assert_size_stride(buf5, {s0, }, {1L, }, "torch.ops.mylib.shift.default");',
        ),
    ],
)
def test_an_operator_that_is_not_pytorchs_own_is_made_up_and_said_so(
    opened: Opened, tmp_path: Path, operators: str, check: str
) -> None:
    body = CUSTOM.format(operators) + f"    {check}\n" + call(KERNEL, "buf5")
    result = run(opened, tmp_path, body, *inputs(indices(50, 50, 50, 50)))
    source = next(a for a in result.arguments if a.name == "in_ptr0")
    assert source.source == "made-up"
    assert any("mylib.shift" in note and "made up" in note for note in result.notes)
    assert all(a.depends_on_made_up for a in result.asserts)


def test_an_operator_is_the_last_of_its_node_and_no_other_stands_in_for_it(
    opened: Opened, tmp_path: Path
) -> None:
    body = CUSTOM.format("aten.clone, aten.neg") + call(KERNEL, "buf5")
    (fired,) = run(opened, tmp_path, body, *inputs(indices(1, 2))).asserts
    assert fired.values["tmp0"] == -1
    body = CUSTOM.format("aten.clone, aten.topk") + call(KERNEL, "buf5")
    result = run(opened, tmp_path, body, *inputs(indices(1, 2)))
    assert next(a for a in result.arguments if a.name == "in_ptr0").source == "made-up"


def test_a_custom_operator_that_gives_nothing_back_may_have_changed_what_it_got(
    opened: Opened, tmp_path: Path
) -> None:
    body = (
        "    // Topologically Sorted Source Nodes: [s], Original ATen: [mylib.shift_]\n"
        "    aoti_torch_proxy_executor_call_function(proxy_executor, 0, 0, "
        "std::vector<int64_t>{}.data(), 1, std::vector<AtenTensorHandle>{arg0_1}.data());\n"
    )
    result = run(opened, tmp_path, body + call(KERNEL, "arg0_1"), *inputs(indices(50, 50)))
    assert next(a for a in result.arguments if a.name == "in_ptr0").source == "made-up"


def test_a_tensor_that_is_passed_by_value_is_a_number(opened: Opened, tmp_path: Path) -> None:
    text = wrapper(call(KERNEL, "arg1_1"), KERNEL)
    text = text.replace("'in_ptr0': '*i64'", "'in_ptr0': 'i64'")
    text = text.replace("tl.load(in_ptr0 + (x0), xmask)", "x0 + in_ptr0")
    torch.save(inputs(indices(0, 0, 0), torch.tensor(3)), tmp_path / "inputs.pt")
    index = read_wrapper(text, "model.wrapper.cpp")
    for given in ({"inputs": tmp_path / "inputs.pt"}, {}):
        result = opened(index, **given).run(index.launches[0])
        assert result.faults == ()
        passed = next(a for a in result.arguments if a.name == "in_ptr0")
        assert (passed.dtype, passed.shape) == ("i64", ())
        assert passed.source == ("input" if given else "made-up")
        if given:
            assert passed.value == 3
            assert result.asserts[0].values["tmp0"] == 5
