"""The user is told which element of which input is wrong, and never a wrong one."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from aoti_tui.answer.opening import open_incident
from aoti_tui.artifacts.given import Given
from aoti_tui.cli.json_output import failure_json
from aoti_tui.failure.model import Failure
from aoti_tui.failure.prose.headline import heading_of
from aoti_tui.failure.prose.report import report
from aoti_tui.failure.prose.text import explanation, whole_answer
from aoti_tui.failure.prose.words import element_line
from tests.cases import DATA, Case
from tests.failure.test_causes import diagnosed
from tests.workers import shared_worker

# Looked up by hand in the inputs files.
LINES = {
    ("combo_kernels", "combo_oob"): "arg3_1[5] = 9: valid -9..8; 1 bad element of 7",
    ("scatter_add_atomic", "idx_past_rows"): (
        "arg1_1[6, 23] = 9 (element 167): valid 0..4; 1 bad element of 168"
    ),
    ("max_autotune_mm", "row_oob"): "arg2_1[0] = 44: valid -32..31; 1 bad element of 5",
    ("embedding_ln", "id_too_large"): (
        "arg5_1[1, 4] = 32000 (element 13): valid -32000..31999; 1 bad element of 27"
    ),
    ("embedding_ln", "id_too_negative"): (
        "arg5_1[2, 2] = -32001 (element 20): valid -32000..31999; 1 bad element of 27"
    ),
    ("gnn_message_passing", "bad_dst"): (
        "arg3_1[1, 29] = 40 (element 59): valid -9..8; "
        "1 bad element of the 30 read here (60 in all)"
    ),
}


def explained(case: Case, inputs: Path | None = None, *, replay: bool = False) -> Failure:
    given = Given(inputs=inputs or case.inputs)
    incident = open_incident(
        case.wrapper, log=case.log.read_text(), given=given, client=shared_worker()
    )
    try:
        failure = incident.failures[0]
        return incident.judge(failure).failure if replay else failure
    finally:
        incident.close()


@pytest.mark.parametrize(("model", "bad"), LINES, ids=lambda part: part)
def test_the_wrong_element_is_named_from_the_inputs_file_alone(model: str, bad: str) -> None:
    failure = explained(Case(model, bad))
    line = LINES[(model, bad)]
    assert failure.bad is not None
    assert element_line(failure.bad) == line
    assert f"data   {line}" in explanation(failure, "wrapper.cpp")
    assert line in report((failure,), "wrapper.cpp")
    found = failure_json(failure)["bad_elements"]
    assert found["text"] == line
    assert found["elements"][0]["value"] == failure.bad.first[0].value
    name = failure.bad.name
    assert f"no guard checks the values of {name}" in explanation(failure, "wrapper.cpp")


def verdict(failure: Failure) -> tuple[str, ...]:
    return heading_of(failure, given=True).lines


def test_the_verdict_names_element_table_size_fix_and_how_sure_it_is() -> None:
    assert verdict(explained(Case("combo_kernels", "combo_oob"))) == (
        "triton_poi_fused_0 failed: 0 <= tmp4 < ks0 in 1 program",
        "guilty: input 3 (arg3_1), element [5] = 9",
        "why: it indexes dimension 0 of input 2 (arg2_1), size 9: valid -9..8; "
        "9 is ks0 = s20 = arg1_1.size(0) = arg2_1.size(0)",
        "fix: validate the index before the call: -inputs[1].size(0) <= int(inputs[3].min()) and "
        "int(inputs[3].max()) < inputs[1].size(0)",
        "sure: confirmed by the inputs; nothing else fits; not replayed yet (c)",
        "guard: no guard checks the values of arg3_1",
    )


def test_a_chain_of_equalities_is_true() -> None:
    """4*ks0 is 32 and ks0 is 8: the two never stand in one chain."""
    failure = explained(Case("max_autotune_mm", "row_oob"))
    assert verdict(failure)[2].endswith("; 32 is 4*ks0, where ks0 = s65 = arg1_1.size(0)/4 = 8")
    assert "4*ks0 = 32, where ks0 = s65 = arg1_1.size(0)/4 = 8" in explanation(failure, "w")
    several = explained(Case("symbol_arithmetic", "idx_hits_bound"))
    assert (
        "ks0*((ks1 + ks2) // 2) = 24, where ks0 = s20 = arg0_1.size(1) = 6, "
        "ks1 = s52 = arg1_1.size(0) = 5, ks2 = s97 = arg0_1.size(0) = 4"
    ) in explanation(several, "w")


def test_several_bad_elements_are_counted_and_the_first_shown(tmp_path: Path) -> None:
    inputs = list(torch.load(DATA / "scatter_add_atomic" / "inputs.idx_past_rows.pt"))
    inputs[1][2, 3:9] = torch.tensor([5, 6, 7, -1, 8, 5])
    torch.save(tuple(inputs), tmp_path / "inputs.pt")
    failure = explained(Case("scatter_add_atomic", "idx_past_rows"), tmp_path / "inputs.pt")
    assert failure.bad is not None
    assert element_line(failure.bad) == (
        "arg1_1[2, 3] = 5, arg1_1[2, 4] = 6, arg1_1[2, 5] = 7, arg1_1[2, 6] = -1 and 3 more: "
        "valid 0..4; 7 bad elements of 168"
    )


def test_a_transposed_input_is_named_by_its_own_dimensions(tmp_path: Path) -> None:
    """The kernel reads memory by the strides it was compiled for; the element it met at place 45
    of that memory stands at [3, 6] of the tensor that the user holds."""
    inputs = list(torch.load(DATA / "scatter_add_atomic" / "inputs.idx_past_rows.pt"))
    memory = torch.zeros(24, 7, dtype=torch.int64)
    memory.view(-1)[45] = 11
    inputs[1] = memory.t()
    torch.save(tuple(inputs), tmp_path / "inputs.pt")
    failure = explained(Case("scatter_add_atomic", "idx_past_rows"), tmp_path / "inputs.pt")
    assert failure.bad is not None
    assert inputs[1][3, 6] == 11
    assert element_line(failure.bad).startswith("arg1_1[3, 6] = 11 (element 45)")


def test_rows_that_the_assert_does_not_read_are_not_blamed(tmp_path: Path) -> None:
    """The kernel checks sources (row 0) and destinations (row 1) with an assert each."""
    inputs = list(torch.load(DATA / "gnn_message_passing" / "inputs.bad_dst.pt"))
    inputs[1][0, 4] = 77
    torch.save(tuple(inputs), tmp_path / "inputs.pt")
    failure = explained(Case("gnn_message_passing", "bad_dst"), tmp_path / "inputs.pt")
    assert failure.bad is not None
    assert [one.index for one in failure.bad.first] == [(1, 29)]


@pytest.mark.parametrize(
    ("model", "bad"),
    [("jagged_index_copy", "lengths_overrun"), ("symbol_arithmetic", "idx_hits_bound")],
    ids=lambda part: part,
)
def test_computed_indices_are_blamed_on_no_element(model: str, bad: str) -> None:
    """Sums of lengths and remainders are nobody's element: lane and value are what is known."""
    failure = explained(Case(model, bad), replay=True)
    assert failure.bad is None
    raw = failure.index.raw
    assert failure.traced.startswith(f"{raw} = {failure.bound.value} in lane")
    assert "valid -" in failure.traced
    assert any(line.endswith(failure.traced) for line in verdict(failure))


def copying(folder: Path, stored: str) -> Failure:
    """A model whose first kernel stores ``stored`` and whose second one uses that as its index."""
    wrapper = (DATA / "jagged_index_copy" / "wrapper.cpp").read_text()
    for before, after in (
        ("tmp8, r0_mask)", f"{stored}, r0_mask)"),
        ("tmp6 = tl.where(tmp4, tmp2, tmp5)", "tmp6 = tmp0"),
    ):
        assert before in wrapper
        wrapper = wrapper.replace(before, after)
    inputs = list(torch.load(DATA / "jagged_index_copy" / "inputs.lengths_overrun.pt"))
    inputs[0] = torch.tensor([3, 2, 25, 1, 2, -21])
    return diagnosed(folder, wrapper, tuple(inputs), 40, "0 <= tmp10 < ks0")


def test_a_copied_index_is_followed_through_the_launch_before(tmp_path: Path) -> None:
    failure = copying(tmp_path, "tmp2")
    assert failure.bad is not None
    assert failure.bad.found_by == "replay"
    assert element_line(failure.bad) == (
        "arg0_1[2] = 25, arg0_1[5] = -21: valid -20..19; 2 elements of 6 read by the failing lanes"
    )


def test_of_two_inputs_the_one_that_the_failing_lane_took_is_named() -> None:
    """``torch.where(mask, a, b)``: where the lane fails the mask is false, so b is to blame."""
    failure = explained(Case("where_two_inputs", "b_bad_taken"), replay=True)
    assert failure.bad is not None
    assert failure.bad.found_by == "replay"
    assert element_line(failure.bad) == (
        "arg2_1[8] = 15: valid -15..14; 1 element of 30 read by the failing lanes"
    )


def test_a_sum_is_not_taken_for_a_copy(tmp_path: Path) -> None:
    """The running sums 3, 5, 30 … stand where the lengths stood: none of them is an element."""
    failure = copying(tmp_path, "tmp8")
    assert failure.bad is None
    assert failure.traced.startswith("tmp6 = 30 in lane")
    assert "loaded from buf0[2], computed by triton_red_fused_cumsum_0 (:1092)" in failure.traced


@pytest.mark.parametrize("model", ["combo_kernels", "scatter_add_atomic", "max_autotune_mm"])
def test_fixes_fit_bad_data(model: str) -> None:
    bad = {m: b for m, b in LINES if m == model}[model]
    failure = explained(Case(model, bad), replay=True)
    titles = [fix.title for fix in failure.fixes]
    assert titles[0] == "validate the index before the call"
    assert "export with the edge cases" not in titles
    assert not any("AOTI_RUNTIME_CHECK_INPUTS" in title for title in titles)
    text = explanation(failure, "wrapper.cpp")
    assert "all 1 programs" not in text
    assert " 1 lanes" not in text
    assert "1 failing lanes" not in text


@pytest.mark.parametrize(("model", "bad"), LINES, ids=lambda part: part)
def test_the_whole_answer_says_nothing_twice(model: str, bad: str) -> None:
    lines = whole_answer(explained(Case(model, bad)), ("a note", "a note"))
    assert len(lines) == len(set(lines))
    assert lines.count("a note") == 1
    assert sum(LINES[(model, bad)] in line for line in lines) == 1
