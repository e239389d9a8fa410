"""Breakpoints as they are typed: conditions, hits to let pass, values to write down."""

from __future__ import annotations

from pathlib import Path

import pytest

from aoti_tui.answer.opening import open_incident
from aoti_tui.replay.recorded.breakpoints import Breakpoint
from aoti_tui.session.kept.config import Config, load
from aoti_tui.session.kept.stops import Stops
from tests.cases import DEMO

KERNEL = "triton_red_fused_ge_index_scalar_tensor_sub_sum_where_1"


@pytest.mark.parametrize(
    ("typed", "condition", "ignore", "log"),
    [
        ("", "", 0, ""),
        ("tmp10 < 0", "tmp10 < 0", 0, ""),
        ("any(tmp10 < 0) after 2", "any(tmp10 < 0)", 2, ""),
        ("after 3 hits", "", 3, ""),
        ("log tmp4[0]", "", 0, "tmp4[0]"),
        ("tmp6 == -1 after 1 hit log max(tmp10)", "tmp6 == -1", 1, "max(tmp10)"),
    ],
)
def test_what_is_typed_is_what_is_set(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    typed: str,
    condition: str,
    ignore: int,
    log: str,
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    wrapper = DEMO / "jagged_reduce.wrapper.cpp"
    program = open_incident(wrapper).kernel_program(KERNEL)
    stops = Stops(str(wrapper), Config(hint_seen=True))
    assert stops.problem(program, 45, typed) == ""
    stops.set_condition(KERNEL, 45, typed)
    found = stops.of(KERNEL)
    assert found == (
        Breakpoint(kernel_line=45, condition=condition, ignore=ignore, log=log, file=KERNEL),
    )
    again = stops.condition(KERNEL, 45)
    stops.set_condition(KERNEL, 45, again)
    assert stops.of(KERNEL) == found, "editing what is shown changes nothing"


def test_a_condition_that_makes_no_sense_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    wrapper = DEMO / "jagged_reduce.wrapper.cpp"
    program = open_incident(wrapper).kernel_program(KERNEL)
    stops = Stops(str(wrapper), Config(hint_seen=True))
    assert stops.problem(program, 45, "tmp10 <")
    assert stops.problem(program, 45, "tmp10 < 0 log __import__('os')")
    assert stops.problem(program, 3, "tmp10 < 0")


def test_watches_are_there_again_in_the_next_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    first = Stops("a.wrapper.cpp", load(frozenset()))
    assert first.replace_watch("", "tmp10 - ks0") == ""
    first.replace_watch("", "max(tmp6)")
    again = load(frozenset())
    assert Stops("a.wrapper.cpp", again).watches == ("tmp10 - ks0", "max(tmp6)")
    assert Stops("b.wrapper.cpp", again).watches == ()
    Stops("a.wrapper.cpp", again).replace_watch("tmp10 - ks0", "tmp10 + ks0")
    Stops("a.wrapper.cpp", again).replace_watch("max(tmp6)", "")
    assert Stops("a.wrapper.cpp", load(frozenset())).watches == ("tmp10 + ks0",)
