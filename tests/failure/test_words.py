"""Small wordings: counts, elements, ranges, guards."""

from __future__ import annotations

from typing import Literal

import pytest

from aoti_tui.failure.model import BadElement, BadElements, GuardFinding, IndexedTensor
from aoti_tui.failure.prose.guards import guard_words, short_guard
from aoti_tui.failure.prose.words import element_line, indexed_words, integer, valid_words
from aoti_tui.index.model import RUNTIME_CHECKS, Enforced


@pytest.mark.parametrize(
    ("value", "said"), [(7, "7"), (7.0, "7"), (7.5, "7.5"), (-2, "-2"), (1e-7, "1e-07")]
)
def test_a_whole_number_has_no_point(value: float, said: str) -> None:
    assert integer(value) == said


@pytest.mark.parametrize(
    ("lowest", "highest", "said"),
    [
        (-9, 8, "valid -9..8"),
        (0, 8, "valid 0..8"),
        (None, 8, "valid up to 8"),
        (0, -1, "no value is valid"),
        (None, -1, "no value is valid"),
    ],
)
def test_valid_values(lowest: int | None, highest: int, said: str) -> None:
    assert valid_words(lowest, highest) == said


def bad(count: int, *first: BadElement, shape: tuple[int, ...] = (2, 3)) -> BadElements:
    return BadElements("ids", 1, shape, first, count, 0, 4, 5, 9, read=6)


@pytest.mark.parametrize(
    ("elements", "said"),
    [
        (
            bad(1, BadElement((1, 2), 5, 9)),
            "ids[1, 2] = 9 (element 5): valid 0..4; 1 bad element of 6",
        ),
        (
            bad(3, BadElement((0, 0), 0, 5), BadElement((0, 1), 1, 9)),
            "ids[0, 0] = 5, ids[0, 1] = 9 and 1 more: valid 0..4; 3 bad elements of 6",
        ),
        (
            bad(1, BadElement((), 0, 9), shape=()),
            "ids = 9: valid 0..4; 1 bad element of the 6 read here (1 in all)",
        ),
    ],
)
def test_bad_elements_on_one_line(elements: BadElements, said: str) -> None:
    assert element_line(elements) == said


@pytest.mark.parametrize(
    ("dim", "size", "said"),
    [
        (None, None, "table (in_ptr1)"),
        (0, 9, "table (in_ptr1), which has 9 rows"),
        (0, 1, "table (in_ptr1), which has 1 row"),
        (1, 9, "table (in_ptr1), whose dimension 1 has size 9"),
    ],
)
def test_the_tensor_that_is_indexed(dim: int | None, size: int | None, said: str) -> None:
    assert indexed_words(IndexedTensor("in_ptr1", "table", 0, dim, size)) == said


@pytest.mark.parametrize(
    ("low", "high", "enforced", "catches", "whole", "short"),
    [
        (2, 64, "always", None, "2 <= t.size(0) <= 64 is compiled in and runs on every call", ""),
        (
            2,
            None,
            RUNTIME_CHECKS,
            True,
            f"t.size(0) >= 2 is compiled in, but off: it only runs under {RUNTIME_CHECKS}=1; "
            "it would have caught this",
            f"guard t.size(0) >= 2 would catch it, but needs {RUNTIME_CHECKS}=1",
        ),
        (
            None,
            64,
            RUNTIME_CHECKS,
            False,
            f"t.size(0) <= 64 is compiled in, but off: it only runs under {RUNTIME_CHECKS}=1; "
            "the given input passes it",
            "guard t.size(0) <= 64 lets it in",
        ),
        (None, None, "absent", None, "no guard on t.size(0): any size is let in", ""),
    ],
)
def test_a_guard_in_a_sentence_and_in_short(
    low: int | None,
    high: int | None,
    enforced: Enforced | Literal["absent"],
    catches: bool | None,
    whole: str,
    short: str,
) -> None:
    guard = GuardFinding("t", 0, 0, low, high, None, enforced, 5, catches)
    assert guard_words(guard) == whole
    assert short_guard(guard) == (short or f"guard: {whole}")


def test_a_number_that_is_checked_is_no_size() -> None:
    unchecked = GuardFinding("n", 1, None, None, None, None, "absent", None)
    assert guard_words(unchecked) == "the value of n is not checked at all"
    checked = GuardFinding("n", 1, None, 2, None, None, "always", 9)
    assert guard_words(checked) == "the value of n >= 2, checked on every run"
