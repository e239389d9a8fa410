"""What a grid of lanes shows, worked out from blocks."""

from array import array

import pytest

from aoti_tui.artifacts.strides import place_of
from aoti_tui.replay.model import Block, Summary
from aoti_tui.session.values.lanes import LaneView, Scale, projected


def ints(shape: tuple[int, ...], *values: int) -> Block:
    return Block("int64", shape, memoryview(array("q", values)))


def bools(shape: tuple[int, ...], *values: bool) -> Block:
    return Block("bool", shape, memoryview(bytes(values)).cast("?"))


def test_a_value_that_lanes_share_fails_where_any_of_them_fails() -> None:
    failing = bools((2, 3), False, False, True, False, False, False)
    assert projected(failing, (2, 1), any) == [True, False]
    assert projected(failing, (1, 3), any) == [False, False, True]
    assert projected(failing, (2, 3), any) == [False, False, True, False, False, False]


def test_a_mask_of_rows_covers_their_columns() -> None:
    rows = bools((2, 1), True, False)
    assert projected(rows, (2, 3), any) == [True, True, True, False, False, False]
    columns = bools((1, 3), True, False, True)
    assert projected(columns, (2, 3), all) == [True, False, True, True, False, True]
    assert projected(columns, (3,), all) == [True, False, True]
    assert projected(bools((1, 2, 1), True, False), (2, 2, 2), any) == [
        *(True, True, False, False),
        *(True, True, False, False),
    ]


def test_blocks_that_do_not_match_say_nothing() -> None:
    assert projected(bools((4,), True, True, True, True), (2, 3), any) == ()
    assert projected(None, (2, 3), any) == ()


def test_the_scale_goes_from_the_least_to_the_greatest() -> None:
    scale = Scale(-1, 7)
    assert [scale.glyph(v) for v in (-1, 0, 3, 7)] == ["▁", "▂", "▅", "█"]
    assert [scale.glyph(v) for v in (float("nan"), float("inf"), -float("inf"))] == ["N", "↑", "↓"]


def test_the_legend_counts_every_sign_and_names_the_ends() -> None:
    view = LaneView(
        "tmp4",
        ints((4,), -1, 3, 3, 8),
        (0,),
        failing=[True, False, False, True],
        changed=[False, True, True, False],
        summary=Summary(-1, 8, 0, 3, 4),
    )
    assert view.legend() == ("✗ 2 fail", "✱ 2 changed", "of 4", "▁ -1 … █ 8", "3 distinct")
    same = LaneView("tmp1", ints((2,), 5, 5), (0,))
    assert same.scale is None
    assert same.legend() == ("2 lanes", "all 5")


@pytest.mark.parametrize(
    ("lane", "shape", "flat"),
    [((1, 2), (2, 3), 5), ((1, 2), (2, 1), 1), ((1, 2), (3,), 2), ((2,), (1, 3), 2), ((), (2,), 0)],
)
def test_a_lane_is_found_in_blocks_of_other_shapes(
    lane: tuple[int, ...], shape: tuple[int, ...], flat: int
) -> None:
    assert place_of(shape, lane) == flat
