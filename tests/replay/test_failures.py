"""Failures of real models: the replay finds the log's assert, and good inputs fire nothing."""

from __future__ import annotations

import re

import pytest

from aoti_tui.replay.questions.all_launches import replay_all

from .models import DATA, Opened, expected, launch_of, model

FAILURES = [
    # model, bad inputs, first failing lane's raw index and bound
    ("unbacked_item", "count_too_small", {"x1": 3, "ks0": 3}),
    ("symbol_arithmetic", "idx_hits_bound", {"tmp18": 24}),
    ("gather_half", "below_minus_n", {"tmp0": -8, "tmp4": -1, "ks0": 7}),
]
_LOGGED = re.compile(r":(\d+): .*?block: \[(\d+),(\d+),(\d+)\].*?Assertion `(.*?)` failed")


def logged_programs(name: str, bad: str, line: int, message: str) -> set[tuple[int, int, int]]:
    text = (DATA / name / f"error.{bad}.log").read_text()
    return {
        (int(m[2]), int(m[3]), int(m[4]))
        for m in _LOGGED.finditer(text)
        if int(m[1]) == line and m[5] == message
    }


@pytest.mark.parametrize(("name", "bad", "values"), FAILURES)
def test_the_logs_assert_fires_in_the_logs_programs(
    opened: Opened, name: str, bad: str, values: dict[str, int]
) -> None:
    facts = expected(name, bad)
    session = opened(model(name), inputs=DATA / name / f"inputs.{bad}.pt")
    result = session.run(launch_of(session.index, facts["kernel"]))
    fired = result.asserts[0]
    assert (fired.kernel_line, fired.message) == (facts["kernel_line"], facts["message"])
    logged = logged_programs(name, bad, fired.kernel_line, fired.message)
    assert logged
    assert logged <= set(fired.programs)
    assert {key: fired.values[key] for key in values} == values
    assert not fired.depends_on_made_up


def test_an_assert_that_rests_on_an_unknown_constant_says_so(opened: Opened) -> None:
    facts = expected("bucketize_small_table", "table_one_short")
    inputs = DATA / "bucketize_small_table" / "inputs.table_one_short.pt"
    session = opened(model("bucketize_small_table"), inputs=inputs)
    launch = launch_of(session.index, facts["kernel"])
    plan = session.plan(launch)
    assert plan.constants == ("edges",)
    fired = session.run(launch).asserts[0]
    assert fired.depends_on_made_up


@pytest.mark.parametrize(
    ("name", "launches"),
    [("unbacked_item", 3), ("symbol_arithmetic", 2), ("gather_half", 1), ("user_triton_kernel", 3)],
)
def test_good_inputs_fire_nothing_in_any_launch(opened: Opened, name: str, launches: int) -> None:
    session = opened(model(name), inputs=DATA / name / "inputs.good.pt")
    report = replay_all(session)
    assert report.first is None
    assert [o.status for o in report.outcomes] == ["ok"] * launches
    assert report.notes == ()


def test_all_launches_stop_at_the_first_failure(opened: Opened) -> None:
    inputs = DATA / "unbacked_item" / "inputs.count_too_small.pt"
    session = opened(model("unbacked_item"), inputs=inputs)
    report = replay_all(session)
    assert report.first is not None
    assert report.first.launch.kernel == "triton_poi_fused_arange_index_copy_zeros_1"
    assert [o.status for o in report.outcomes] == ["ok", "assert"]


def test_a_symbol_read_from_an_inputs_value(opened: Opened) -> None:
    inputs = DATA / "unbacked_item" / "inputs.count_too_small.pt"
    session = opened(model("unbacked_item"), inputs=inputs)
    symbols = {s.name: (s.value, s.source, s.how) for s in session.symbols()}
    assert symbols["u0"] == (3, "input", "value of arg1_1")
