"""Where the panes go, at the sizes people use."""

import pytest

from aoti_tui.tui.layout import DIVIDERS, PANES, Rect, View, arrange


def covered(places: dict[str, Rect], width: int, height: int) -> bool:
    """Whether the rectangles tile the body: no cell twice, none left out."""
    seen: set[tuple[int, int]] = set()
    for rect in places.values():
        for y in range(rect.y, rect.y + rect.height):
            for x in range(rect.x, rect.x + rect.width):
                if (x, y) in seen:
                    return False
                seen.add((x, y))
    return len(seen) == width * height


@pytest.mark.parametrize("replaying", [False, True])
@pytest.mark.parametrize("size", [(80, 18), (100, 24), (120, 40), (160, 38), (200, 54)])
def test_panes_tile_the_body(size: tuple[int, int], replaying: bool) -> None:
    result = arrange(*size, View(replaying=replaying))
    assert covered(result.places, *size)


def test_narrow_shows_one_pane_behind_tabs() -> None:
    result = arrange(80, 18, View(active="chain"))
    assert list(result.places) == ["chain"]
    assert result.tabs == PANES


def test_medium_keeps_the_source_beside_one_more() -> None:
    result = arrange(100, 24, View(side="nav"))
    assert set(result.places) == {"source", "nav"}


def test_wide_shows_everything_and_needs_no_tabs() -> None:
    result = arrange(160, 38, View())
    assert set(result.places) == set(PANES)
    assert result.tabs == ()


def test_a_recording_gets_room() -> None:
    idle = arrange(160, 38, View()).places["run"].height
    assert arrange(160, 38, View(replaying=True)).places["run"].height > idle


def test_hidden_panes_leave_their_room_to_others() -> None:
    result = arrange(160, 38, View(hidden=frozenset({"nav", "call"})))
    assert set(result.places) == {"source", "chain", "run"}
    assert covered(result.places, 160, 38)


def test_zoom_gives_everything() -> None:
    assert arrange(160, 38, View(maximized="run")).places == {"run": Rect(0, 0, 160, 38)}


@pytest.mark.parametrize("by", [-500, 500])
def test_no_divider_pushes_a_pane_off_the_screen(by: int) -> None:
    moved = dict.fromkeys(DIVIDERS, by)
    for size in ((100, 30), (120, 40), (160, 38)):
        places = arrange(*size, View(moved=moved)).places
        assert covered(places, *size)
        assert all(rect.width >= 20 and rect.height >= 5 for rect in places.values())


def test_dividers_are_where_two_borders_meet() -> None:
    result = arrange(160, 38, View())
    source = result.places["source"]
    for x, name in ((source.x, "nav"), (source.x - 1, "nav"), (source.x + source.width, "source")):
        found = result.divider_at(x, 3)
        assert found is not None
        assert found.name == name
    call = result.places["call"]
    assert [d.name for d in result.dividers if not d.upright] == ["chain", "call"]
    assert result.divider_at(call.x + 5, call.y) == result.divider_at(call.x + 5, call.y - 1)
    assert result.divider_at(source.x + 5, 5) is None
    assert arrange(80, 18, View()).dividers == ()
