"""Who wrote what a launch reads: every way a buffer is written, shared, reused or skipped."""

from __future__ import annotations

import pytest

from aoti_tui.flow.access import program_of_kernel
from aoti_tui.flow.dataflow import DataFlow
from aoti_tui.kernel.model import KernelProgram

from .small import alias, call, empty, last, launch, names, result, view, wrapper, written

READ = launch("store", "buf0", "buf9")
B0, B9 = empty("buf0"), empty("buf9")


@pytest.mark.parametrize(
    ("name", "statements", "expected"),
    [
        ("an input", alias("buf0", "arg0_1"), ["arg0_1"]),
        ("a plain store", B0 + launch("store", "arg0_1", "buf0"), ["store"]),
        (
            "what is in in_out_ptr0 is changed in place",
            B0 + launch("store", "arg0_1", "buf0") + launch("in_place", "buf0"),
            ["in_place"],
        ),
        (
            "an argument of the model is mutated",
            launch("in_place", "arg0_1") + alias("buf0", "arg0_1"),
            ["in_place"],
        ),
        (
            "an atomic adds to what stood there",
            B0 + call("zero_", "buf0") + launch("atomic", "arg0_1", "buf0"),
            ["atomic?", "zero_"],
        ),
        (
            "a store at a place that data tells leaves the rest",
            B0 + launch("store", "arg1_1", "buf0") + launch("scattered", "arg0_1", "buf0"),
            ["scattered?", "store"],
        ),
        (
            "a helper stores, called as a bare statement",
            B0 + call("zero_", "buf0") + launch("bare_helper", "arg0_1", "buf0"),
            ["bare_helper?", "zero_"],
        ),
        (
            "a helper of a helper stores",
            B0 + call("zero_", "buf0") + launch("nested_helper", "arg0_1", "buf0"),
            ["nested_helper?", "zero_"],
        ),
        (
            "a helper adds and gives back what was there",
            B0 + call("zero_", "buf0") + launch("atomic_helper", "arg0_1", "buf0"),
            ["atomic_helper?", "zero_"],
        ),
        (
            "a helper that only reads writes nothing",
            B0
            + empty("buf1")
            + launch("store", "arg0_1", "buf0")
            + launch("reading_helper", "buf0", "buf1"),
            ["store"],
        ),
        (
            "a view with an offset reaches a part",
            B0
            + launch("store", "arg0_1", "buf0")
            + launch("store", "arg1_1", view("buf0", offset="4L")),
            ["store?", "store"],
        ),
        (
            "a smaller view reaches a part",
            B0 + call("zero_", "buf0") + launch("store", "arg1_1", view("buf0")),
            ["store?", "zero_"],
        ),
        (
            "memory is taken over",
            empty("buf1")
            + launch("store", "arg0_1", "buf1")
            + "\n    auto buf0 = std::move(buf1);  // reuse"
            + launch("takes_over", "buf0", "arg1_1"),
            ["takes_over"],
        ),
        (
            "memory that is taken over keeps its contents until it is written",
            empty("buf1")
            + launch("store", "arg0_1", "buf1")
            + "\n    auto buf0 = std::move(buf1);  // reuse",
            ["store"],
        ),
        (
            "an alias is written under its other name",
            empty("buf1") + alias("buf0", "buf1") + launch("store", "arg0_1", "buf1"),
            ["store"],
        ),
        (
            "an op writes into its output",
            B0 + call("mm_out", "buf0", "arg0_1", "arg1_1"),
            ["mm_out"],
        ),
        ("an op makes its result", result("nonzero", "buf0", "arg0_1"), ["nonzero"]),
        (
            "an op works in place",
            B0 + launch("store", "arg0_1", "buf0") + call("fill_", "buf0", "1L"),
            ["fill_"],
        ),
        (
            "an op puts some elements",
            B0
            + launch("store", "arg0_1", "buf0")
            + call("scatter_", "buf0", "0L", "arg1_1", "arg0_1"),
            ["scatter_?", "store"],
        ),
        (
            "a kernel's source is not there",
            B0 + empty("buf1") + launch("lost", "arg0_1", "buf1", "buf0"),
            ["lost"],
        ),
        (
            "a kernel without source may have changed in_out_ptr0",
            B0 + call("zero_", "buf0") + empty("buf1") + launch("lost", "arg0_1", "buf0", "buf1"),
            ["lost?", "zero_"],
        ),
        (
            "what only goes in is not written, though the source is not there",
            empty("buf1")
            + empty("buf2")
            + launch("lost", "arg0_1", "buf1", "buf2")
            + alias("buf0", "arg0_1"),
            ["arg0_1"],
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and "\n" not in value else "",
)
def test_who_wrote_it(name: str, statements: str, expected: list[str]) -> None:
    index = wrapper(statements + B9 + READ)
    assert written(DataFlow(index), "buf0", last(index)) == expected


BRANCHES = """
    RAIIAtenTensorHandle buf0;
    if (flag) {{
{yes}
        buf0 = std::move(buf1);
    }} else {{
{no}
        buf0 = std::move(buf2);
    }}
"""


def branches() -> str:
    flag = "\n    bool flag;\n    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_item_bool(arg1_1, &flag));"
    return flag + BRANCHES.format(
        yes=empty("buf1") + launch("store", "arg0_1", "buf1"),
        no=empty("buf2") + launch("bare_helper", "arg0_1", "buf2") + launch("in_place", "buf2"),
    )


def test_after_a_branch_either_side_can_have_written() -> None:
    index = wrapper(branches() + B9 + READ)
    flow = DataFlow(index)
    assert set(names(flow.storages("buf0", flow.before(last(index))))) == {"buf1", "buf2"}
    assert set(written(flow, "buf0", last(index))) == {"store?", "in_place?", "bare_helper?"}


def test_in_a_branch_the_other_side_did_not_run() -> None:
    index = wrapper(
        B0
        + "\n    bool flag;\n    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_item_bool(arg1_1, &flag));"
        + "\n    if (flag) {"
        + launch("store", "arg0_1", "buf0")
        + "\n    } else {"
        + launch("in_place", "buf0")
        + "\n    }"
    )
    assert written(DataFlow(index), "buf0", index.launches[1]) == []


LOOP = """
    while (1) {
        // subgraph: while_loop_cond_graph_0
        bool go;
        AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_item_bool(arg1_1, &go));
        if (!go) break;
        // subgraph: while_loop_body_graph_0
"""


def test_a_loop_carries_what_its_last_round_made() -> None:
    """``buf0`` starts as ``buf1`` and is ``buf2`` from the second round on."""
    index = wrapper(
        empty("buf1")
        + launch("store", "arg0_1", "buf1")
        + alias("buf0", "buf1")
        + LOOP
        + empty("buf2")
        + launch("reading_helper", "buf0", "buf2")
        + "\n        buf0 = std::move(buf2);\n    }"
    )
    flow = DataFlow(index)
    reader = index.launches[1]
    assert set(names(flow.storages("buf0", flow.before(reader)))) == {"buf1", "buf2"}
    assert set(written(flow, "buf0", reader)) == {"store", "reading_helper~"}


def test_a_loop_changes_memory_from_round_to_round() -> None:
    index = wrapper(B0 + call("zero_", "buf0") + LOOP + launch("in_place", "buf0") + "\n    }")
    assert written(DataFlow(index), "buf0", last(index)) == ["zero_"]
    flow = DataFlow(index)
    at = flow.before(last(index))
    (storage,) = flow.storages("buf0", at)
    assert [w.earlier for w in flow.writers(storage, at)] == [True, False]


def test_a_slice_of_a_pool_is_memory_of_its_own() -> None:
    def taken(name: str, offset: str) -> str:
        return f"""
    AtenTensorHandle {name}_handle;
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch__alloc_from_pool(pool0, {offset}, \
cached_torch_dtype_float32, 1, int_array_2, int_array_1, &{name}_handle));
    RAIIAtenTensorHandle {name}({name}_handle);"""

    index = wrapper(
        empty("pool0")
        + taken("buf0", "0L")
        + taken("buf1", "16L")
        + launch("store", "arg0_1", "buf0")
        + launch("store", "arg0_1", "buf1")
        + B9
        + READ
    )
    flow = DataFlow(index)
    at = flow.before(last(index))
    assert names(flow.storages("buf0", at)) == ["buf0"]
    (storage,) = flow.storages("buf0", at)
    assert [w.view.base for w in flow.writers(storage, at)] == ["buf0"]


CONSTANTS = (
    """
    static constexpr int64_t int_array_1[] = {1L};
    static constexpr int64_t int_array_2[] = {4L};"""
    + empty("buf0", "int_array_2")
    + launch("in_place", "buf0")
    + "\n    output_handles[0] = buf0.release();"
)


def test_a_folded_constant_is_made_in_a_function_of_its_own() -> None:
    index = wrapper(alias("buf0", "arg0_1") + B9 + READ, CONSTANTS)
    flow = DataFlow(index)
    constants = index.launches[0].function
    assert constants.role == "constants"
    (storage,) = flow.storages("folded", flow.end(constants))
    assert storage.name == "buf0"
    assert [w.launch.kernel for w in flow.writers(storage, flow.end(constants)) if w.launch] == [
        "in_place"
    ]


def test_one_name_in_two_functions_is_two_buffers() -> None:
    """``buf0`` of the constants has 4 elements, ``buf0`` of the model 8."""
    index = wrapper(B0 + call("zero_", "buf0") + B9 + READ, CONSTANTS)
    flow = DataFlow(index)
    sizes = {}
    for one in (index.launches[0], last(index)):
        argument = one.argument("in_out_ptr0") or one.argument("in_ptr0")
        assert argument is not None
        assert argument.tensor is not None
        layout = flow.sizes_of(argument.tensor, flow.before(one))
        assert layout is not None
        sizes[one.function.role] = [str(size) for size in layout[0]]
    assert sizes == {"constants": ["4"], "main": ["8"]}
    assert written(flow, "buf0", last(index)) == ["zero_"]
    assert [v.base for v in flow.views_of("buf0", index.main)] == ["buf0", "buf0"]


def test_a_view_of_an_input_is_that_input_with_an_offset() -> None:
    index = wrapper(
        alias("buf1", "arg0_1") + f"\n    auto buf0 = {view('buf1', offset='4L')};" + B9 + READ
    )
    flow = DataFlow(index)
    found = flow.offset_in("buf0", flow.before(last(index)))
    assert found is not None
    assert found[0] == "arg0_1"
    assert sum(offset.evaluate_int({}) for offset in found[1]) == 4


def test_a_symbol_is_asked_for_at_a_moment() -> None:
    index = wrapper(B9 + "\n    int64_t s1 = 2L*s0;" + launch("store", "arg0_1", "buf9"))
    flow = DataFlow(index)
    at = flow.before(last(index))
    found = flow.symbol("s1", at)
    assert found is not None
    assert flow.symbol("s1", flow.before(found)) is None
    assert flow.symbol("s0", at) is not None


def test_only_kernels_that_can_matter_are_understood() -> None:
    """A wrapper has hundreds of kernels, and each takes milliseconds."""
    other = empty("buf1") + launch("atomic", "arg1_1", "buf1")
    index = wrapper(B0 + launch("store", "arg0_1", "buf0") + other + B9 + READ)
    asked: list[str] = []

    def program_of(kernel: str) -> KernelProgram:
        asked.append(kernel)
        return program_of_kernel(index.kernels[kernel])

    flow = DataFlow(index, program_of)
    assert flow.before(last(index)).number == flow.events(index.main)[-1].number
    assert asked == []
    assert written(flow, "buf0", last(index)) == ["store"]
    assert asked == ["store"]
