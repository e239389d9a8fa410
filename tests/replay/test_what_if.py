"""Symbols set by the user, and values made up where nothing is known."""

from __future__ import annotations

import pytest

from aoti_tui.artifacts.given import Given
from aoti_tui.index.reader import read_wrapper
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.questions.all_launches import replay_all
from aoti_tui.replay.questions.elements import read_argument
from aoti_tui.replay.questions.sweep import sweep, values_to_try
from aoti_tui.replay.session import ReplaySession

from .models import DATA, DEMO, REDUCE, Opened, demo_index, launch_of, model


def test_setting_the_empty_dimension_to_a_size_cures_the_failure(demo: ReplaySession) -> None:
    launch = launch_of(demo_index(), REDUCE)
    demo.set_symbol("s7", 5)
    try:
        result = demo.run(launch)
        assert result.asserts == ()
        weights = next(a for a in result.arguments if a.name == "in_ptr1")
        # There is no row to repeat in an empty input: its data are invented.
        assert (weights.shape, weights.source) == ((5, 640), "made-up")
        assert next(s for s in result.symbols if s.name == "s7").source == "set"
    finally:
        demo.unset_symbol("s7")
    assert demo.run(launch).asserts[0].values["ks0"] == 0


def test_a_dimension_without_a_symbol_of_its_own_follows_the_one_it_shares(
    demo: ReplaySession,
) -> None:
    launch = launch_of(
        demo_index(), "triton_poi_fused_clamp_ge_index_copy_scalar_tensor_sub_where_zeros_like_4"
    )
    demo.set_symbol("s19", 2)
    try:
        shapes = {a.expression: (a.shape, a.source) for a in demo.run(launch).arguments}
    finally:
        demo.unset_symbol("s19")
    assert shapes["arg3_1"] == ((2, 16), "input")
    assert shapes["buf0"][0] == (2,)


def test_a_repeated_input_counts_as_made_up(demo: ReplaySession) -> None:
    demo.set_symbol("s19", 6)
    try:
        result = demo.run(launch_of(demo_index(), "triton_red_fused_cumsum_0"))
    finally:
        demo.unset_symbol("s19")
    offsets = next(a for a in result.arguments if a.name == "in_ptr0")
    assert (offsets.shape, offsets.source) == ((6,), "made-up")
    assert offsets.how == "input 0 repeated to [6]"


def test_a_derived_symbol_sets_the_size_it_comes_from(opened: Opened) -> None:
    session = opened(model("max_autotune_mm"), settings={"s65": 3})
    values = {s.name: (s.value, s.source) for s in session.symbols()}
    assert values["s65"] == (3, "set")
    assert values["arg1_1_size_0"] == (12, "set")


def test_unknown_symbols_are_refused_with_the_known_ones(demo: ReplaySession) -> None:
    with pytest.raises(ReplayError, match="s19, s7") as caught:
        demo.set_symbol("ks0", 0)
    assert caught.value.kind == "bad-inputs"


def test_without_inputs_nothing_fires_and_everything_says_that_it_is_made_up(
    opened: Opened,
) -> None:
    session = opened(demo_index())
    report = replay_all(session)
    assert report.first is None
    result = session.run(launch_of(demo_index(), REDUCE))
    assert result.depends_on_made_up
    made_up = {a.name for a in result.arguments if a.source == "made-up"}
    assert made_up == {"in_ptr0", "in_ptr1", "ks0", "xnumel"}
    buf0 = next(a for a in result.arguments if a.name == "in_ptr0")
    assert buf0.how == "computed from made-up data by triton_red_fused_cumsum_0 (:1367)"


def test_made_up_data_are_the_same_for_the_same_seed(opened: Opened) -> None:
    launch = launch_of(demo_index(), REDUCE)
    first, again, other = (
        list(read_argument(opened(demo_index(), seed=seed), launch, "in_ptr1").block.values)
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_made_up_indices_stay_inside_of_their_bound(opened: Opened) -> None:
    session = opened(model("gather_half"))
    found = read_argument(session, session.index.launches[0], "in_ptr0", 0, 64)
    block, summary = found.block, found.summary
    bound = next(s.value for s in session.symbols() if s.name == "s17")
    assert summary is not None
    assert summary.min is not None
    assert summary.min >= 0
    assert summary.max is not None
    assert 1 < summary.max < bound
    assert block.dtype == "int64"


def test_a_made_up_count_is_one_that_the_wrapper_accepts(opened: Opened) -> None:
    session = opened(model("unbacked_item"))
    values = {s.name: s for s in session.symbols()}
    assert values["u0"].source == "made-up"
    assert 2 <= values["u0"].value <= 4096
    assert replay_all(session).checks == ()


def test_the_wrappers_own_check_is_reported_when_it_does_not_hold(opened: Opened) -> None:
    inputs = DATA / "unbacked_item" / "inputs.good.pt"
    session = opened(model("unbacked_item"), inputs=inputs, settings={"u0": 1})
    result = session.run(session.index.launches[1])
    assert any("u0 >= 2L does not hold" in note for note in result.notes)


def test_a_sweep_shows_which_sizes_fire(demo: ReplaySession) -> None:
    assert values_to_try(demo_index(), "s19") == (
        (0, "0"),
        (1, "1"),
        (2, "guard minimum"),
        (4096, "guard maximum"),
    )
    points = sweep(demo, launch_of(demo_index(), REDUCE), "s7", ((0, "0"), (1, "1"), (3, "3")))
    assert [(p.value, p.fires) for p in points] == [(0, True), (1, False), (3, False)]
    assert "s7" not in demo.settings


def test_an_impossible_value_is_a_point_with_a_problem(demo: ReplaySession) -> None:
    (point,) = sweep(demo, launch_of(demo_index(), REDUCE), "s19", ((-3, "-3"),))
    assert point.result is None
    assert "buf0" in point.problem or "-3" in point.problem


def test_constants_of_another_model_are_refused(opened: Opened) -> None:
    session = opened(demo_index(), constants=DEMO / "inputs.empty_weights.pt")
    launch = demo_index().launches[-1]
    with pytest.raises(ReplayError, match="holds none of this model's constants") as caught:
        session.run(launch)
    assert caught.value.kind == "bad-inputs"


def test_only_what_shares_the_set_size_is_made_up() -> None:
    """arg3_1 has the guards of s20 too, but 7 elements where s20 is 9: it shares nothing."""
    folder = DATA / "combo_kernels"
    index = read_wrapper((folder / "wrapper.cpp").read_text(), "wrapper.cpp")
    with ReplaySession(index, Given(inputs=folder / "inputs.combo_oob.pt")) as session:
        session.set_symbol("s20", 10)
        result = session.run(launch_of(index, "triton_poi_fused_0"))
    shapes = {a.expression: (a.shape, a.source) for a in result.arguments if a.shape}
    assert shapes["arg3_1"] == ((7,), "input")
    assert shapes["arg2_1"] == ((10, 6), "made-up")
    assert result.asserts == ()
