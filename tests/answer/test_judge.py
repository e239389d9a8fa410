"""Which launch made the assert of a log fire: every way in which several can fit."""

from __future__ import annotations

import pytest

from aoti_tui.answer.incident import Incident
from aoti_tui.answer.judge import Judged, Standing
from aoti_tui.failure.model import Failure
from aoti_tui.replay.questions.all_launches import replay_all
from tests.answer.conftest import Made
from tests.answer.wrappers import (
    ASSERT_LINE,
    MESSAGE,
    branch,
    call,
    indices,
    inputs,
    logged,
    loop,
    wrapper,
)

A, B = "triton_poi_fused_index_0", "triton_poi_fused_index_1"
FINE = indices(0, 1, 2, 3, 4, 0)
BAD = indices(0, 1, 2, 3, 9, 1)
"""Its fifth element is in program 1 of blocks of 4."""


def judged(incident: Incident) -> tuple[Failure, Judged]:
    """What the replay says of the log's only failure."""
    try:
        verdict = incident.judge(incident.failures[0])
    finally:
        incident.close()
    assert verdict.judged is not None
    return verdict.failure, verdict.judged


@pytest.mark.parametrize(("flag", "kernel"), [(True, A), (False, B)])
def test_the_kernel_of_the_branch_that_ran(made: Made, flag: bool, kernel: str) -> None:
    """Both branches look the same index up: only the one that the input chose can have fired."""
    text = wrapper(branch(call(A, "arg0_1"), call(B, "arg0_1")), A, B)
    incident = made(text, logged(1), inputs(BAD, flag=flag))
    before = incident.failures[0]
    failure, found = judged(incident)
    assert (before.kernel, failure.kernel, found.launch.kernel) == (kernel, kernel, kernel)
    assert failure.cause.confirmed
    assert found.standing is Standing.AGREES
    assert failure.rivals == ()


def test_what_is_not_reached_is_said_with_the_condition(made: Made) -> None:
    """The only kernel that fits stands in the branch that the inputs do not take."""
    text = wrapper(branch(call(A, "arg0_1")), A)
    incident = made(text, logged(1), inputs(BAD, flag=False))
    said = (
        "not reached: `if (arg2_1_scalar)` (:100) is false with these inputs; it depends on the "
        "value of input 2 (arg2_1)"
    )
    failure, found = judged(incident)
    for one in (incident.failures[0], failure):
        assert not one.cause.confirmed
        assert one.contradictions == (said.replace(":100", f":{found.launch.line - 2}"),)
    assert found.standing is Standing.UNREACHED
    assert found.result is not None
    assert found.result.asserts, "it was replayed all the same"


def test_replay_all_comes_to_the_same_launch(made: Made) -> None:
    text = wrapper(branch(call(A, "arg0_1"), call(B, "arg0_1")), A, B)
    incident = made(text, logged(1), inputs(BAD, flag=False))
    done = replay_all(incident.session())
    _, found = judged(incident)
    assert done.first is not None
    assert done.first.launch == found.launch


def test_the_kernel_that_agrees_with_the_log(made: Made) -> None:
    """Two kernels fit; the second one's bad value is in the program that the log names."""
    text = wrapper(call(A, "arg0_1") + call(B, "arg1_1"), A, B)
    incident = made(text, logged(1), inputs(FINE, BAD))
    before = incident.failures[0]
    assert not before.cause.confirmed
    assert [(r.kernel, r.decided_by) for r in before.rivals] == [
        (B, "data of input 1 (arg1_1)"),
    ]
    failure, found = judged(incident)
    assert (found.launch.kernel, failure.cause.confirmed) == (B, True)
    assert failure.rivals == ()
    assert any(A in note and "does not make the assert fire" in note for note in failure.notes)


def test_one_that_fails_before_in_other_programs_is_a_contradiction(made: Made) -> None:
    """The GPU stops at the first failing launch, but the log names the second one's program."""
    text = wrapper(call(A, "arg0_1") + call(B, "arg1_1"), A, B)
    other = indices(9, 0, 0, 0, 0, 0)
    failure, found = judged(made(text, logged(1), inputs(other, BAD)))
    assert found.launch.kernel == B
    assert not failure.cause.confirmed
    assert any(f"{A} (:" in said and "fails before it" in said for said in failure.contradictions)
    assert [r.kernel for r in failure.rivals] == [A]


def test_of_two_that_agree_the_first_is_the_one(made: Made) -> None:
    text = wrapper(call(A, "arg0_1") + call(B, "arg0_1"), A, B)
    failure, found = judged(made(text, logged(1), inputs(BAD)))
    assert (found.launch.kernel, failure.cause.confirmed) == (A, True)
    assert failure.rivals == ()


def test_one_kernel_launched_three_times_where_the_second_fires(made: Made) -> None:
    body = call(A, "arg0_1") + call(A, "arg1_1") + call(A, "arg0_1")
    failure, found = judged(made(wrapper(body, A), logged(1), inputs(FINE, BAD)))
    first, second, _ = failure.launches
    assert (found.launch, failure.launch) == (second, second)
    assert failure.cause.confirmed
    assert [(s.kind, s.position) for s in failure.index.sources] == [("input", 1)]
    assert any(f"(:{first.line}) does not make" in note for note in failure.notes)


def test_another_bound_of_a_later_launch_is_that_launchs_bound(made: Made) -> None:
    """The same kernel with a table of 20 rows, then with one of 7."""
    body = call(A, "arg0_1", "20L") + call(A, "arg0_1", "7L")
    failure, _ = judged(made(wrapper(body, A), logged(1), inputs(BAD)))
    assert (failure.bound.value, failure.cause.confirmed) == (7, True)


def test_two_asserts_of_one_kernel_with_one_text(made: Made) -> None:
    """The first of them always holds: the second one fired, and nothing fails before it."""
    second = f'        tl.device_assert(((0 <= tmp0) & (tmp0 < ks0)) | ~(xmask), "{MESSAGE}")'
    first = f'        tl.device_assert((0 <= x0) | ~(xmask), "{MESSAGE}")'
    text = wrapper(call(A, "arg0_1"), A)
    assert second in text
    log = logged(1, line=99)
    failure, found = judged(made(text.replace(second, f"{first}\n{second}"), log, inputs(BAD)))
    assert (found.candidate.kernel_line, failure.cause.confirmed) == (ASSERT_LINE + 1, True)
    assert (failure.contradictions, failure.rivals) == ((), ())


def test_a_loop_that_runs_zero_times(made: Made) -> None:
    text = wrapper(loop(call(A, "arg0_1")) + call(B, "arg1_1"), A, B)
    failure, found = judged(made(text, logged(1), inputs(BAD, BAD, flag=False)))
    assert (found.launch.kernel, failure.cause.confirmed) == (B, True)
    assert any("never runs" in note and A in note for note in failure.notes)


def test_an_empty_grid(made: Made) -> None:
    """Input 0 has no element, so the wrapper skips the first launch."""
    text = wrapper(call(A, "arg0_1") + call(B, "arg1_1", extent="6L"), A, B)
    failure, found = judged(made(text, logged(1), inputs(indices(), BAD)))
    assert (found.launch.kernel, failure.cause.confirmed) == (B, True)
    assert any("runs no program" in note and A in note for note in failure.notes)


def test_an_empty_grid_contradicts_where_nothing_else_fits(made: Made) -> None:
    incident = made(wrapper(call(A, "arg0_1"), A), logged(0), inputs(indices()))
    failure, found = judged(incident)
    assert found.standing is Standing.EMPTY
    for one in (incident.failures[0], failure):
        assert not one.cause.confirmed
        assert any("the grid is 0×1×1" in said for said in one.contradictions)
    assert [c.code for c in (failure.cause, *failure.possible_causes)] == [
        "empty-grid",
        "other-inputs",
    ]


def test_a_block_outside_of_the_grid(made: Made) -> None:
    """6 elements in blocks of 4 are 2 programs: the log's block 401 is another run's."""
    incident = made(wrapper(call(A, "arg0_1"), A), logged(401), inputs(BAD))
    failure, found = judged(incident)
    assert not found.agrees
    for one in (incident.failures[0], failure):
        assert (one.cause.code, one.cause.confirmed) == ("index-too-large", False)
        assert any("block [401, 0, 0]" in said and "2×1×1" in said for said in one.contradictions)
    assert [c.code for c in failure.possible_causes] == ["other-block-sizes", "other-inputs"]


def test_the_launch_whose_grid_has_the_logs_block(made: Made) -> None:
    """Without inputs: a grid of 2 programs cannot have block 3, one of 5 can."""
    text = wrapper(call(A, "arg0_1", extent="6L") + call(B, "arg1_1", extent="20L"), A, B)
    failure = made(text, logged(3)).failures[0]
    assert (failure.kernel, failure.rivals) == (B, ())


def test_inputs_that_do_not_fire(made: Made) -> None:
    incident = made(wrapper(call(A, "arg0_1"), A), logged(1), inputs(FINE))
    failure, found = judged(incident)
    assert found.standing is Standing.SILENT
    assert not failure.cause.confirmed
    assert any("did not make this assert fire" in said for said in failure.contradictions)
    offered = [cause.code for cause in (failure.cause, *failure.possible_causes)]
    assert offered == ["other-inputs", "compiler-fault"]
    assert not any("explain WRAPPER" in c.confirm_with for c in failure.possible_causes)


def test_a_program_of_the_log_that_does_not_fail(made: Made) -> None:
    """The replay fails in program 1, the log names program 0 as well, or instead."""
    text = wrapper(call(A, "arg0_1"), A)
    failure, found = judged(made(text, logged(0, 1), inputs(BAD)))
    assert (found.standing, failure.cause.confirmed) == (Standing.PARTLY, True)
    assert any("1 program that did not fail" in note for note in failure.notes)
    failure, found = judged(made(text, logged(0), inputs(BAD)))
    assert (found.standing, failure.cause.confirmed) == (Standing.ELSEWHERE, False)
    assert any("1 program that did not fail" in said for said in failure.contradictions)


def test_made_up_data_confirm_nothing(made: Made) -> None:
    text = wrapper(call(A, "arg0_1") + call(B, "arg1_1"), A, B)
    incident = made(text, logged(1))
    before = incident.failures[0]
    assert [r.kernel for r in before.rivals] == [B]
    failure, _ = judged(incident)
    assert not failure.cause.confirmed
    assert any("made-up data" in note for note in failure.notes)
    assert [r.decided_by for r in failure.rivals] == ["data that is made up: arg1_1, s0"]


def test_without_inputs_the_branch_is_what_decides(made: Made) -> None:
    text = wrapper(branch(call(A, "arg0_1"), call(B, "arg0_1")), A, B)
    failure = made(text, logged(1)).failures[0]
    (rival,) = failure.rivals
    assert rival.kernel == B
    assert "arg2_1_scalar" in rival.decided_by
    assert "the value of input 2 (arg2_1)" in rival.decided_by


def test_one_launch_is_scanned_once(made: Made) -> None:
    """A result at hand is not scanned again, nor is the launch that the search has just run."""
    incident = made(wrapper(call(A, "arg0_1"), A), logged(1), inputs(BAD))
    session = incident.session()
    try:
        result = session.run(incident.index.launches[0])
        verdict = incident.judge(incident.failures[0], scanned=result)
    finally:
        incident.close()
    assert verdict.judged is not None
    assert verdict.judged.result is result
