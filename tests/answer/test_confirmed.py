"""What may be called confirmed: a replay, or an exact argument, that makes this very assert fire
in a program that the log names; and what each other argument is worth."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from aoti_tui.answer.incident import Incident
from aoti_tui.answer.opening import open_incident
from aoti_tui.artifacts.given import Given
from aoti_tui.failure.model import Failure
from aoti_tui.replay.client import WorkerClient
from aoti_tui.replay.session import ReplaySession
from tests.answer.conftest import Made
from tests.answer.wrappers import MESSAGE, call, indices, inputs, logged, wrapper
from tests.cases import DATA

A = "triton_poi_fused_index_0"


def replayed(incident: Incident) -> Failure:
    return incident.judge(incident.failures[0]).failure


def codes(failure: Failure) -> list[str]:
    """The codes of the cause and of what else is possible."""
    return [cause.code for cause in (failure.cause, *failure.possible_causes)]


# -- elements of the inputs -----------------------------------------------------------------------


def test_an_element_that_a_program_of_the_log_reads(made: Made) -> None:
    """Element 4 is read in program 1 of blocks of 4, which the log names."""
    failure = made(
        wrapper(call(A, "arg0_1"), A), logged(1), inputs(indices(0, 1, 2, 3, 9, 1))
    ).failures[0]
    assert (failure.cause.code, failure.cause.confirmed) == ("index-too-large", True)


def test_an_element_that_only_other_programs_read(made: Made) -> None:
    """The log names program 0, and the only bad element is one of program 1: before a replay as
    after it, nothing is confirmed and the reasons that fit are offered."""
    incident = made(wrapper(call(A, "arg0_1"), A), logged(0), inputs(indices(0, 1, 2, 3, 9, 1)))
    before = incident.failures[0]
    assert before.contradictions == (
        "arg0_1[4] = 9 would fail in other programs than those the log names",
    )
    for failure in (before, replayed(incident)):
        assert (failure.cause.code, failure.cause.confirmed) == ("index-too-large", False)
        assert codes(failure) == ["index-too-large", "other-inputs"]


def test_inputs_that_are_all_in_range(made: Made) -> None:
    """Without a replay, the smallest and largest element say already that nothing can fail."""
    incident = made(wrapper(call(A, "arg0_1"), A), logged(1), inputs(indices(0, 1, 2, 3, 4, 0)))
    before = incident.failures[0]
    assert before.contradictions == (
        "this assert cannot fail with what is given: tmp0 lies in 0 to 4, which the size ks0 = 5 "
        "allows",
    )
    for failure in (before, replayed(incident)):
        assert codes(failure) == ["other-inputs", "compiler-fault"]
        assert not failure.cause.confirmed
        assert all(fix.requires is None for fix in failure.fixes)


def test_a_second_assert_of_the_log_that_cannot_have_failed(made: Made) -> None:
    """Inputs in the wrong order: of two asserts of one launch that the log names in one program,
    one fails with the given inputs and the other cannot. They are not the failed run's."""
    text = wrapper(call(A, "arg0_1"), A)
    other = "index out of bounds: 0 <= tmp0 < 7"
    check = f'        tl.device_assert(((0 <= tmp0) & (tmp0 < 7)) | ~(xmask), "{other}")\n'
    stored = text.index("        tmp1 = ")
    text = text[:stored] + check + text[stored:]
    log = logged(1) + logged(1, line=24).replace(MESSAGE, other)
    incident = made(text, log, inputs(indices(0, 1, 2, 3, 6, 1)))
    fails, cannot = incident.failures
    assert "of this launch too, which cannot fail" in fails.contradictions[0]
    assert (fails.cause.code, fails.cause.confirmed) == ("index-too-large", False)
    assert "other-inputs" in codes(fails)
    assert codes(cannot) == ["other-inputs", "compiler-fault"]


# -- what an index can be -------------------------------------------------------------------------


def test_an_interval_confirms_nothing_before_a_replay() -> None:
    """A search among 6 boundaries gives 0 to 6, so 6 is the only index that can fail; with these
    inputs, the replay shows, it gives 0 to 5."""
    folder = DATA / "packed_searchsorted_valid"
    incident = open_incident(
        folder / "wrapper.cpp",
        log=(folder / "error.log").read_text(),
        given=Given(inputs=folder / "inputs.pt"),
    )
    cause = incident.failures[0].cause
    assert (cause.code, cause.confirmed) == ("index-equals-size", False)
    assert "the only failing value that tmp1 can have is the size 6" in cause.text
    assert cause.confirm_with == "aoti-tui explain WRAPPER --log LOG --inputs INPUTS.pt"


@pytest.mark.parametrize(
    ("edges", "code", "confirmed"),
    [
        (None, "index-equals-size", False),
        (torch.linspace(-8, 8, 33), "index-equals-size", True),
        (torch.linspace(-8, 80, 33), "other-inputs", False),
    ],
)
def test_boundaries_that_are_a_weight(
    worker: WorkerClient,
    tmp_path: Path,
    edges: torch.Tensor | None,
    code: str,
    confirmed: bool,
) -> None:
    """Without the weight, the replay makes its boundaries up: the size alone says what the index
    was, and --constants what would show it. With it, the replay decides."""
    folder = DATA / "bucketize_small_table"
    given = Given(inputs=folder / "inputs.table_one_short.pt")
    if edges is not None:
        torch.save({"edges": edges}, tmp_path / "constants.pt")
        given = Given(inputs=given.inputs, constants=tmp_path / "constants.pt")
    incident = open_incident(
        folder / "wrapper.cpp",
        log=(folder / "error.table_one_short.log").read_text(),
        given=given,
    )
    incident.workshop.session = ReplaySession(incident.index, given, client=worker)
    failure = replayed(incident)
    assert (failure.cause.code, failure.cause.confirmed) == (code, confirmed)
    if edges is None:
        assert "--constants" in failure.cause.confirm_with
        assert "made-up-data" in codes(failure)


# -- sizes and lane numbers -----------------------------------------------------------------------


def test_a_size_of_0_fails_in_every_lane_that_has_data(made: Made) -> None:
    text = wrapper(call(A, "arg0_1", size="0L"), A)
    failure = made(text, logged(1), inputs(indices(0, 0, 0, 0, 0))).failures[0]
    assert (failure.cause.code, failure.cause.confirmed) == ("empty-dimension", True)


def test_a_size_of_0_behind_a_mask_that_data_decide(made: Made) -> None:
    """Whether any lane looks anything up is up to the data: only a replay tells."""
    text = wrapper(call(A, "arg0_1", size="0L"), A)
    text = text.replace("| ~(xmask), ", "| ~(xmask & tmp9), ").replace(
        "        tl.device_assert(", "        tmp9 = tmp0 > 0\n        tl.device_assert("
    )
    incident = made(text, logged(1, line=24), inputs(indices(0, 0, 0, 0, 0)))
    assert not incident.failures[0].cause.confirmed


@pytest.mark.parametrize(("program", "confirmed"), [(0, False), (1, True)])
def test_lane_numbers_beyond_the_size(made: Made, program: int, confirmed: bool) -> None:
    """The index is the lane's own number, so that sizes say which programs fail: 6 rows in blocks
    of 4 leave a table of 5 in program 1."""
    text = wrapper(call(A, "arg0_1"), A).replace(
        "tmp0 = tl.load(in_ptr0 + (x0), xmask)", "tmp0 = x0"
    )
    failure = made(text, logged(program), inputs(indices(0, 0, 0, 0, 0, 0))).failures[0]
    assert (failure.cause.code, failure.cause.confirmed) == ("index-equals-size", confirmed)
