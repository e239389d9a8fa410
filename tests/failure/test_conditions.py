"""What a fix demands of the call: false for the call that failed, true for the good ones."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from aoti_tui.answer.incident import Incident
from aoti_tui.answer.opening import open_incident
from aoti_tui.artifacts.given import Given
from aoti_tui.failure.model import Failure, Fix
from aoti_tui.failure.prose.equations import equations
from tests.cases import CASES, DATA

OWN = sorted(path for path in (DATA / "conditions").iterdir() if path.is_dir())
KEPT = [
    (str(case), case.wrapper, case.log, case.inputs, case.folder / "inputs.good.pt")
    for case in CASES
    if case.inputs.exists() and case.log.exists()
] + [
    (
        path.name,
        path / "wrapper.cpp",
        path / "error.log",
        path / "inputs.bad.pt",
        path / "inputs.good.pt",
    )
    for path in OWN
]
BUILTINS = {"int": int, "max": max, "min": min, "len": len, "bool": bool}


def opened(wrapper: Path, log: Path, inputs: Path | None) -> Incident:
    return open_incident(wrapper, log=log.read_text().splitlines(), given=Given(inputs=inputs))


def failed(name: str, inputs: bool = True) -> Failure:
    folder = DATA / "conditions" / name
    given = folder / "inputs.bad.pt" if inputs else None
    (failure,) = opened(folder / "wrapper.cpp", folder / "error.log", given).failures
    return failure


def fix(failure: Failure, title: str) -> Fix:
    return next(one for one in failure.fixes if one.title.startswith(title))


def holds(requires: str, inputs: Path) -> bool:
    call = list(torch.load(inputs, weights_only=True))
    return bool(eval(requires, {"__builtins__": BUILTINS, "inputs": call, "constants": {}}))


@pytest.mark.parametrize(
    ("wrapper", "log", "bad", "good"),
    [case[1:] for case in KEPT],
    ids=[case[0] for case in KEPT],
)
def test_a_condition_is_false_for_the_failing_call_and_true_for_a_good_one(
    wrapper: Path, log: Path, bad: Path, good: Path
) -> None:
    failure = opened(wrapper, log, bad).failures[0]
    for requires in [one.requires for one in failure.fixes if one.requires is not None]:
        assert not holds(requires, bad), requires
        if good.exists():
            assert holds(requires, good), requires


@pytest.mark.parametrize(
    ("name", "requires"),
    [
        (
            "window_start",
            "-inputs[0].size(1) <= int(inputs[1].min()) and "
            "int(inputs[1].max()) + 15 < inputs[0].size(1)",
        ),
        (
            "cumsum_ends",
            "-inputs[0].size(0) <= int(inputs[1].cumsum(0).min()) and "
            "int(inputs[1].cumsum(0).max()) < inputs[0].size(0)",
        ),
        ("pos_table", "inputs[0].size(1) <= 64"),
        ("modulo_table", "int((inputs[0] % 64).max()) < 48"),
        (
            "third_rows",
            "-(inputs[0].size(0) // 3) <= int(inputs[1].min()) and "
            "int(inputs[1].max()) < inputs[0].size(0) // 3",
        ),
        (
            "libdevice_bound",
            "0 <= int(inputs[1].min()) and int(inputs[1].max()) < int(0.12*inputs[0].size(1))",
        ),
    ],
)
def test_the_inequality_is_said_in_the_callers_terms(name: str, requires: str) -> None:
    assert failed(name).fixes[0].requires == requires


def test_a_bound_with_tritons_casts_is_said_as_python_has_it() -> None:
    """As the fix says it, which is in the caller's sizes."""
    failure = failed("libdevice_bound")
    assert "libdevice" in failure.bound.text
    assert "libdevice" not in failure.cause.text
    assert "int(0.12*ks0) = 24" in failure.cause.text
    assert equations(failure.bound).startswith("int(0.12*ks0) = 24, where ks0 = s27")
    assert "beyond int(0.12*ks0)" in failed("libdevice_bound", inputs=False).cause.text


def test_a_computed_index_is_said_as_it_is_computed() -> None:
    requires = failed("rope_rows_computed").fixes[0].requires
    assert requires is not None
    assert "(inputs[1] + 1).masked_fill(inputs[1] + 1 >= 4096, 0).max()) < 2048" in requires


def test_a_position_table_that_is_too_short_offers_the_largest_size() -> None:
    assert 'Dim("…", max=64)' in fix(failed("pos_table"), "export with").text


def test_of_an_index_taken_modulo_the_table_is_too_short() -> None:
    said = fix(failed("modulo_table"), "give the table").text
    assert "taken modulo 64" in said
    assert "dimension 0 of table needs 64, and has 48" in said


def test_a_write_is_told_from_the_lookup_beside_it() -> None:
    assert fix(failed("scatter_dst"), "guard").title == "guard the write at aten.index_add"


@pytest.mark.parametrize(
    ("wrapper", "log", "bad", "good"),
    [case[1:] for case in KEPT],
    ids=[case[0] for case in KEPT],
)
def test_a_log_alone_gives_the_same_condition(
    wrapper: Path, log: Path, bad: Path, good: Path
) -> None:
    failure = opened(wrapper, log, None).failures[0]
    demanded = [one.requires for one in failure.fixes if one.requires is not None]
    # What ends where data of an inner buffer does needs the inputs' sizes.
    assert demanded or "give a call's arguments with --inputs" in failure.fixes[0].text
    for requires in demanded:
        assert not holds(requires, bad), requires
        if good.exists():
            assert holds(requires, good), requires


@pytest.mark.parametrize("name", [path.name for path in OWN])
def test_sizes_that_stand_in_for_a_calls_do_not_show(name: str) -> None:
    alone, given = failed(name, inputs=False).fixes[0], failed(name).fixes[0]
    assert alone.requires == given.requires
    assert "here the index" not in alone.text


def test_causes_that_no_data_can_make_true_are_not_offered() -> None:
    folder = DATA / "conditions" / "modulo_table"
    good = opened(folder / "wrapper.cpp", folder / "error.log", folder / "inputs.good.pt")
    (failure,) = good.failures
    codes = [failure.cause.code, *(cause.code for cause in failure.possible_causes)]
    assert codes == ["index-too-large", "index-equals-size"]
