"""The navigator's entries and its filter."""

from collections import Counter
from importlib import resources
from pathlib import Path

import pytest

from aoti_tui.incident import open_incident
from aoti_tui.tui.entries import Entry, entries, filtered, fuzzy

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
    piece, letters = fuzzy("sum", "triton_sum_0"), fuzzy("sum", "some_uniform")
    assert piece is not None
    assert letters is not None
    assert piece < letters
    assert fuzzy("xyz", "zyx") is None
