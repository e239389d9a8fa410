"""Every failure with a known answer is explained as it was worked out by hand."""

from __future__ import annotations

import pytest

from aoti_tui.answer.incident import Incident
from aoti_tui.answer.opening import open_incident
from aoti_tui.artifacts.given import Given
from aoti_tui.cli.json_output import failure_json
from tests.cases import CASES, Case
from tests.workers import shared_worker

# The hand-written answer says index-too-large, but its only failing index is 32000 in a table of
# 32000 rows, which is what index-equals-size means.
_CAUSE = {("embedding_ln", "id_too_large"): "index-equals-size"}
# Data that other kernels or arithmetic change first needs a replay; the inputs decide the others
# without running a kernel.
_NEEDS_REPLAY = {
    ("jagged_index_copy", "lengths_overrun"),
    ("scan_positions", "long_row"),
    ("nan_to_int", "empty_batch"),
    ("symbol_arithmetic", "idx_hits_bound"),
    ("where_two_inputs", "b_bad_taken"),
}
# What the index can be names the cause, but only the boundaries, which are a weight, make the
# assert fire: see test_confirmed.py.
_NEEDS_WEIGHTS = {("bucketize_small_table", "table_one_short")}


def opened(case: Case, inputs: bool = False) -> Incident:
    given = Given(inputs=case.inputs) if inputs else Given()
    return open_incident(
        case.wrapper, log=case.log.read_text(), given=given, client=shared_worker()
    )


@pytest.mark.parametrize("case", CASES, ids=str)
def test_kernel_lines_launches_and_sources(case: Case) -> None:
    incident = opened(case)
    assert len(incident.failures) == 1
    found = failure_json(incident.failures[0])
    expected = case.expected
    for key in (
        "message",
        "kernel",
        "kernel_line",
        "wrapper_line",
        "launch_lines",
        "candidates",
    ):
        assert found[key] == expected[key], key
    for part in ("bound", "index"):
        assert found[part]["text"] == expected[part]["text"]
        assert found[part]["sources"] == expected[part]["sources"]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_inputs_that_share_the_bounds_size_are_named(case: Case) -> None:
    found = failure_json(opened(case, inputs=True).failures[0])
    named = found["bound"].get("may_also_name", [])
    assert all(source in named for source in case.expected["bound"]["may_also_name"])


@pytest.mark.parametrize("case", CASES, ids=str)
def test_without_inputs_nothing_is_claimed(case: Case) -> None:
    failure = opened(case).failures[0]
    assert not failure.cause.confirmed
    causes = (failure.cause, *failure.possible_causes)
    wanted = _CAUSE.get((case.model, case.bad), case.expected["cause_with_inputs"])
    assert wanted in {c.code for c in causes}
    assert all(c.confirm_with for c in causes)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_inputs_alone_settle_what_needs_no_replay(case: Case) -> None:
    failure = opened(case, inputs=True).failures[0]
    if (case.model, case.bad) in _NEEDS_REPLAY:
        assert not failure.cause.confirmed
    else:
        wanted = _CAUSE.get((case.model, case.bad), case.expected["cause_with_inputs"])
        sure = (case.model, case.bad) not in _NEEDS_WEIGHTS
        assert (failure.cause.code, failure.cause.confirmed) == (wanted, sure)


@pytest.mark.parametrize("case", [c for c in CASES if (c.model, c.bad) in _NEEDS_REPLAY], ids=str)
def test_a_replay_settles_the_rest(case: Case) -> None:
    incident = opened(case, inputs=True)
    try:
        failure = incident.judge(incident.failures[0]).failure
    finally:
        incident.close()
    assert (failure.cause.code, failure.cause.confirmed) == (
        case.expected["cause_with_inputs"],
        True,
    )
    assert any("of the log" in n and "failed in the replay too" in n for n in failure.notes)
