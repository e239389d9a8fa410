"""Where the panes go: pure geometry, from the size of the screen to a rectangle for each pane.

Below 100 columns one pane is seen at a time, behind tabs. From 100 on the source keeps the left
and the others share the right behind tabs; from 160 on everything has its own place.
"""

from __future__ import annotations

from dataclasses import dataclass

PANES = ("source", "call", "chain", "run", "nav")
MEDIUM = 100
WIDE = 160
MINIMUM = 5
"""Rows under which a pane with a border shows nothing."""


@dataclass(frozen=True, slots=True)
class Rect:
    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class View:
    """What the user has chosen to see."""

    active: str = "source"
    """The pane seen on a narrow screen; elsewhere the last focused one."""
    side: str = "chain"
    """The pane in front on the right of a medium screen."""
    maximized: str = ""
    hidden: frozenset[str] = frozenset()
    shift: int = 0
    """Columns given to the source (negative: taken from it)."""
    replaying: bool = False
    """A recording is there, so that the run pane needs room."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    places: dict[str, Rect]
    tabs: tuple[str, ...]
    """Panes reached through the tab line; empty when all are seen."""


def arrange(width: int, height: int, view: View) -> Arrangement:
    """Rectangles of the panes to show in a body of ``width`` × ``height`` cells."""
    everything = Rect(0, 0, width, height)
    if view.maximized:
        return Arrangement({view.maximized: everything}, ())
    if width < MEDIUM:
        return Arrangement({view.active: everything}, PANES)
    if width < WIDE:
        return _medium(width, height, view)
    return _wide(width, height, view)


def _medium(width: int, height: int, view: View) -> Arrangement:
    right = [pane for pane in ("call", "chain", "run", "nav") if pane not in view.hidden]
    if not right:
        return Arrangement({"source": Rect(0, 0, width, height)}, ())
    front = view.side if view.side in right else right[0]
    share = 48 if view.replaying and front == "run" else 56
    left = _clamp(width * share // 100 + view.shift, 30, width - 30)
    places = {"source": Rect(0, 0, left, height)}
    side = Rect(left, 0, width - left, height)
    if height >= 34:
        lower = (
            "run"
            if front != "run" and "run" in right
            else next((pane for pane in ("chain", "call") if pane in right and pane != front), "")
        )
        if lower:
            upper_height = height * 55 // 100 if front != "run" else height * 65 // 100
            places[front] = Rect(side.x, 0, side.width, upper_height)
            places[lower] = Rect(side.x, upper_height, side.width, height - upper_height)
            return Arrangement(places, PANES)
    places[front] = side
    return Arrangement(places, PANES)


def _wide(width: int, height: int, view: View) -> Arrangement:
    places: dict[str, Rect] = {}
    left = 0
    if "nav" not in view.hidden:
        left = _clamp(width * 19 // 100, 28, 44)
        places["nav"] = Rect(0, 0, left, height)
    stack = [pane for pane in ("chain", "call", "run") if pane not in view.hidden]
    rest = width - left
    source = rest if not stack else _clamp(rest * 54 // 100 + view.shift, 40, rest - 40)
    places["source"] = Rect(left, 0, source, height)
    weights = {"chain": 36, "call": 34, "run": 30}
    if view.replaying:
        weights = {"chain": 22, "call": 20, "run": 58}
    top = 0
    total = sum(weights[pane] for pane in stack)
    for position, pane in enumerate(stack):
        last = position == len(stack) - 1
        rows = height - top if last else max(MINIMUM, height * weights[pane] // total)
        places[pane] = Rect(left + source, top, rest - source, rows)
        top += rows
    return Arrangement(places, ())


def _clamp(value: int, low: int, high: int) -> int:
    return max(low, min(value, max(low, high)))
