"""The navigator's entries and its filter."""

from collections import Counter
from importlib import resources
from pathlib import Path

import pytest

from aoti_tui.answer.opening import open_incident
from aoti_tui.session.listed.entries import Entry, entries
from aoti_tui.session.listed.matching import best, filtered, fitting, fuzzy

FOLDER = Path(str(resources.files("aoti_tui.demo")))


@pytest.fixture(scope="module")
def everything() -> tuple[Entry, ...]:
    log = (FOLDER / "error.empty_weights.log").read_text()
    return entries(open_incident(FOLDER / "jagged_reduce.wrapper.cpp", log=log))


def test_counts(everything: tuple[Entry, ...]) -> None:
    counts = Counter(entry.group for entry in everything)
    assert (counts["Failures"], counts["Kernels"], counts["Launches"]) == (1, 6, 6)
    assert (counts["Inputs"], counts["Constants"], counts["Outputs"]) == (3, 2, 1)


def test_what_failed_is_marked(everything: tuple[Entry, ...]) -> None:
    kernels = [e.label for e in everything if e.group == "Kernels" and e.failed]
    assert kernels == ["triton_red_fused_ge_index_scalar_tensor_sub_sum_where_1"]
    assert {e.label for e in everything if e.group == "Inputs" and e.failed} == {
        "arg2_1",
        "arg4_1",
    }


@pytest.mark.parametrize(
    ("query", "label"),
    [
        ("proj.weight", "proj.weight"),
        ("s7", "s7"),
        ("arg4 input", "arg4_1"),
        ("aten.addmm mm", "mm_out"),
        ("trcum", "triton_red_fused_cumsum_0"),
    ],
)
def test_filter_finds(everything: tuple[Entry, ...], query: str, label: str) -> None:
    assert label in [entry.label for entry in filtered(everything, query)]


def test_filter_leaves_out_what_does_not_fit(everything: tuple[Entry, ...]) -> None:
    assert filtered(everything, "zzqq") == []
    assert filtered(everything, "  ") == list(everything)


def test_a_piece_of_text_fits_better_than_letters_in_order() -> None:
    piece, letters = fuzzy("sum", "triton_sum_0"), fuzzy("sum", "set_up_mask")
    assert piece is not None
    assert letters is not None
    assert piece < letters
    assert fuzzy("xyz", "zyx") is None


def test_letters_in_order_go_on_nearby_or_at_the_next_part(everything: tuple[Entry, ...]) -> None:
    assert {entry.label for entry in filtered(everything, "trcum")} == {"triton_red_fused_cumsum_0"}
    assert fuzzy("tprs", "triton_poi_fused_relu_sub") is not None
    assert fuzzy("cmsm", "triton_red_fused_cumsum_0") is not None
    assert fuzzy("trcum", "triton_poi_fused_clamp_index_sub_where_maximum_4") is None
    assert fuzzy("46", "arg4_1 input 6") is None


def test_whole_words_come_before_beginnings_pieces_and_letters() -> None:
    names = ["s7", "s7_total", "x_s7", "s77", "x_s77", "abs7", "sum_7"]
    costs = [fuzzy("s7", name) for name in names]
    assert None not in costs
    assert costs == sorted(costs, key=lambda cost: cost or 0)
    assert len(set(costs)) == len(costs)


def test_the_best_fit_is_the_thing_of_that_name(everything: tuple[Entry, ...]) -> None:
    def first(query: str) -> tuple[str, str]:
        found = best(fitting(everything, query))
        assert found is not None
        return found.group, found.label

    assert first("cumsum") == ("Kernels", "triton_red_fused_cumsum_0")
    assert first("s7") == ("Symbols", "s7")
    assert first("arg4_1") == ("Inputs", "arg4_1")
    assert first("proj.weight") == ("Constants", "proj.weight")


@pytest.mark.parametrize("query", ["triton cumsum", "trcum", "arg4 size", "opt-in", "cmsm 13"])
def test_what_fits_fits_each_beginning_of_the_query(
    everything: tuple[Entry, ...], query: str
) -> None:
    # The navigator looks again only at what fitted the shorter query.
    narrowed: list[Entry] = list(everything)
    for end in range(1, len(query) + 1):
        narrowed = [entry for _, entry in fitting(narrowed, query[:end])]
        assert narrowed == [entry for _, entry in fitting(everything, query[:end])]
