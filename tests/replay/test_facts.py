"""What the values of a failing launch say about its cause."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from aoti_tui.replay.model import SymbolValue
from aoti_tui.replay.questions.facts import collect_facts
from aoti_tui.replay.questions.truncated import truncated_symbols
from aoti_tui.replay.recorded.fired import fired_in
from aoti_tui.replay.session import ReplaySession
from aoti_tui.session.jobs import program_to_record

from .models import DATA, REDUCE, Opened, demo_index, launch_of, model


def test_an_empty_dimension(demo: ReplaySession) -> None:
    launch = launch_of(demo_index(), REDUCE)
    facts = collect_facts(demo, launch, demo.run(launch), 46, "tmp6", "tmp10", "ks0")
    assert facts.fired
    assert not facts.made_up
    assert facts.bound == 0
    assert (facts.raw_min, facts.raw_max, facts.raw_samples) == (-1, -1, (-1,))
    assert (facts.index_min, facts.index_max) == (-1, -1)
    assert (facts.failing_lanes, facts.lanes_examined, facts.complete) == (4, 4, True)
    # The failing lane's row is loaded: the mask of the assert is that of the load.
    assert facts.masked_from_accesses is False


@pytest.mark.parametrize(
    ("name", "bad", "line", "names", "bound", "raw", "counts"),
    [
        ("gather_half", "below_minus_n", 38, ("tmp0", "tmp4", "ks0"), 7, (-8, -8), (0, 0, 1)),
        ("unbacked_item", "count_too_small", 24, ("x1", "x1", "ks0"), 3, (3, 4), (16, 16, 0)),
        (
            "symbol_arithmetic",
            "idx_hits_bound",
            42,
            ("tmp14", "tmp18", "ks0*((ks1 + ks2) // 2)"),
            24,
            (24, 24),
            (3, 0, 0),
        ),
    ],
)
def test_values_over_all_failing_lanes(
    opened: Opened,
    name: str,
    bad: str,
    line: int,
    names: tuple[str, str, str],
    bound: int,
    raw: tuple[int, int],
    counts: tuple[int, int, int],
) -> None:
    session = opened(model(name), inputs=DATA / name / f"inputs.{bad}.pt")
    launch = next(
        la
        for la in session.index.launches
        if any(a.line == line for a in session.kernels.program(la.kernel).asserts)
    )
    facts = collect_facts(session, launch, session.run(launch), line, *names)
    assert facts.bound == bound
    assert (facts.raw_min, facts.raw_max) == raw
    assert (facts.at_bound, facts.above_bound, facts.too_negative) == counts
    assert facts.lanes_examined == facts.failing_lanes


def test_an_assert_that_does_not_fire(opened: Opened) -> None:
    session = opened(model("gather_half"), inputs=DATA / "gather_half" / "inputs.good.pt")
    launch = session.index.launches[0]
    facts = collect_facts(session, launch, session.run(launch), 38, "tmp0", "tmp4", "ks0")
    assert not facts.fired
    assert facts.bound is None


def test_a_size_that_the_reciprocal_truncates(opened: Opened, tmp_path: Path) -> None:
    """``s65 = (1.0/4.0)*arg1_1_size_0`` of 10 rows: the wrapper goes on with 2."""
    path = tmp_path / "inputs.pt"
    torch.save((torch.zeros(10, 64), torch.zeros(5, dtype=torch.int64)), path)
    session = opened(model("max_autotune_mm"), inputs=path)
    (found,) = truncated_symbols(session.index, session.symbols())
    assert (found.name, found.got, found.exact, found.missed_whole) == ("s65", 2, 2.5, False)


def test_a_whole_size_is_not_truncated() -> None:
    index = model("max_autotune_mm")
    values = (
        SymbolValue("arg1_1_size_0", 12, "input", ""),
        SymbolValue("s65", 3, "input", ""),
    )
    assert truncated_symbols(index, values) == ()


def test_values_are_of_a_program_that_the_log_names(demo: ReplaySession) -> None:
    """The header shows them, and the program that is recorded is that one too."""
    launch = launch_of(demo_index(), REDUCE)
    result = demo.run(launch)
    (fired,) = result.asserts
    for logged, shown in ((((2, 0, 0),), (2, 0, 0)), ((), fired.first_program)):
        facts = collect_facts(
            demo, launch, result, 46, "tmp6", "tmp10", "ks0", programs_limit=1, logged=logged
        )
        assert facts.first_program == shown == program_to_record(result, None, logged)
        assert facts.first_values is not None
        assert facts.first_values["x0"] == shown[0]


def test_an_assert_speaks_of_the_program_that_is_recorded(demo: ReplaySession) -> None:
    """Each of the demo's four programs fails on a row of its own."""
    launch = launch_of(demo_index(), REDUCE)
    (fired,) = demo.run(launch).asserts
    for number in range(4):
        there = fired_in(fired, demo.record(launch, (number, 0, 0)))
        assert there is not None
        assert there.first_program == (number, 0, 0)
        assert (there.values["x0"], there.values["tmp10"]) == (number, -1)
    elsewhere = replace(fired, kernel_line=fired.kernel_line + 1)
    assert fired_in(elsewhere, demo.record(launch, (1, 0, 0))) is None
