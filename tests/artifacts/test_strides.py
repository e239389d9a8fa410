"""Between places in memory, indices by dimensions, and lanes of a block."""

from __future__ import annotations

import itertools

import pytest

from aoti_tui.artifacts.strides import flat_of, index_of, lane_of, place_of


@pytest.mark.parametrize(
    ("shape", "stride", "element", "index"),
    [
        ((3, 4), (4, 1), 7, (1, 3)),
        ((3, 4), (1, 3), 7, (1, 2)),
        ((3, 4), (8, 1), 17, (2, 1)),
        ((3, 4), (8, 1), 6, None),
        ((3, 4), (4, 1), 12, None),
        ((3, 4), (0, 1), 1, None),
        ((3, 1), (1, 1), 2, (2, 0)),
        ((), (), 0, ()),
        ((), (), 1, None),
    ],
)
def test_an_element_of_memory_has_the_index_that_its_strides_give(
    shape: tuple[int, ...], stride: tuple[int, ...], element: int, index: tuple[int, ...] | None
) -> None:
    assert index_of(shape, stride, element) == index


@pytest.mark.parametrize("shape", [(5,), (2, 3), (2, 1, 4)])
def test_lanes_and_places_are_each_other_undone(shape: tuple[int, ...]) -> None:
    lanes = list(itertools.product(*(range(size) for size in shape)))
    assert [lane_of(shape, at) for at in range(len(lanes))] == lanes
    assert [flat_of(shape, lane) for lane in lanes] == list(range(len(lanes)))
    assert [place_of(shape, lane) for lane in lanes] == list(range(len(lanes)))


@pytest.mark.parametrize(
    ("shape", "lane", "place"),
    [
        ((4,), (2, 3), 3),
        ((2, 1), (1, 7), 1),
        ((1, 8), (5, 7), 7),
        ((2, 8), (3,), 3),
        ((2, 8), (), 0),
        ((2, 8), (2, 0), None),
        ((2, 8), (0, -1), None),
        ((0, 8), (0, 0), None),
    ],
)
def test_a_lane_finds_what_is_broadcast_to_it(
    shape: tuple[int, ...], lane: tuple[int, ...], place: int | None
) -> None:
    assert place_of(shape, lane) == place
