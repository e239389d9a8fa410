"""Where the panes go: pure geometry, from the size of the screen to a rectangle for each pane.

Below 100 columns one pane is seen at a time, behind tabs, and a strip of the source over the run.
From 100 on the source keeps the left and the others share the right behind tabs; from 160 on
everything has its own place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

PANES = ("source", "call", "chain", "run", "nav")
OUTPUT = "out"
"""The pane that a script has in the place of the chain."""
DIVIDERS = ("source", "nav", "chain", "call", "front")
"""Edges that can be moved: the right one of source and navigator, the lower one of chain and call
site, and of the pane in front on a medium screen."""
MEDIUM = 100
WIDE = 160
MINIMUM = 5
"""Rows under which a pane with a border shows nothing."""
STRIP = 5
"""Rows of the source over the run on a narrow screen."""
LOWEST_STACK = 15
"""Rows of the body under which the run has no room to share."""


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
    moved: Mapping[str, int] = field(default_factory=dict)
    """How far each divider was moved from where it is by itself: columns to the right or rows
    down, by the name of the divider."""
    replaying: bool = False
    """A recording is there, so that the run pane needs room."""
    of_script: bool = False
    """A script is looked at: what it prints has the place of the chain."""

    @property
    def panes(self) -> tuple[str, ...]:
        """All panes, in the order of their digits."""
        return tuple(self.shown(place) for place in PANES)

    def shown(self, place: str) -> str:
        """The pane that has the place of one."""
        return OUTPUT if self.of_script and place == "chain" else place

    def places(self) -> View:
        """The view with each pane called by its place."""
        names = {self.shown(place): place for place in PANES}

        def place(pane: str) -> str:
            return names.get(pane, pane)

        return replace(
            self,
            active=place(self.active),
            side=place(self.side),
            maximized=place(self.maximized),
            hidden=frozenset(place(pane) for pane in self.hidden),
        )


@dataclass(frozen=True, slots=True)
class Divider:
    """An edge between panes. ``at`` is the first column or row past it."""

    name: str
    upright: bool
    at: int
    start: int
    """First row (of an upright one) or column that it goes along."""
    end: int
    """One past the last."""

    def touched(self, x: int, y: int) -> bool:
        """Whether a cell of the body is one of the two borders that meet at the edge."""
        across, along = (x, y) if self.upright else (y, x)
        return self.start <= along < self.end and across in (self.at - 1, self.at)


@dataclass(frozen=True, slots=True)
class Arrangement:
    places: dict[str, Rect]
    tabs: tuple[str, ...]
    """Panes reached through the tab line; empty when all are seen."""
    dividers: tuple[Divider, ...] = ()

    def divider_at(self, x: int, y: int) -> Divider | None:
        """The divider whose borders hold a cell of the body."""
        return next((one for one in self.dividers if one.touched(x, y)), None)


def arrange(width: int, height: int, view: View) -> Arrangement:
    """Rectangles of the panes to show in a body of ``width`` × ``height`` cells."""
    placed = _arranged(width, height, view.places())
    rectangles = {view.shown(place): rect for place, rect in placed.places.items()}
    tabs = tuple(view.shown(place) for place in placed.tabs)
    return Arrangement(rectangles, tabs, placed.dividers)


def _arranged(width: int, height: int, view: View) -> Arrangement:
    everything = Rect(0, 0, width, height)
    if view.maximized:
        return Arrangement({view.maximized: everything}, ())
    if width < MEDIUM:
        return _narrow(width, height, view)
    if width < WIDE:
        return _medium(width, height, view)
    return _wide(width, height, view)


def _narrow(width: int, height: int, view: View) -> Arrangement:
    """One pane; but over the run a few lines of the source, around the one that just ran."""
    if view.active != "run" or height < LOWEST_STACK or "run" in view.hidden:
        return Arrangement({view.active: Rect(0, 0, width, height)}, PANES)
    rows = STRIP + max(0, (height - LOWEST_STACK - 4) // 2)
    places = {"source": Rect(0, 0, width, rows), "run": Rect(0, rows, width, height - rows)}
    return Arrangement(places, PANES)


def _medium(width: int, height: int, view: View) -> Arrangement:
    right = [pane for pane in ("call", "chain", "run", "nav") if pane not in view.hidden]
    if not right:
        return Arrangement({"source": Rect(0, 0, width, height)}, ())
    front = view.side if view.side in right else right[0]
    share = 48 if view.replaying and front == "run" else 56
    left = _clamp(width * share // 100 + view.moved.get("source", 0), 30, width - 30)
    places = {"source": Rect(0, 0, left, height)}
    dividers = [Divider("source", True, left, 0, height)]
    side = Rect(left, 0, width - left, height)
    lower = _lower_pane(front, right) if height >= 34 else ""
    if not lower:
        places[front] = side
        return Arrangement(places, PANES, tuple(dividers))
    upper_height = height * 55 // 100 if front != "run" else height * 65 // 100
    upper_height = _clamp(upper_height + view.moved.get("front", 0), MINIMUM, height - MINIMUM)
    places[front] = Rect(side.x, 0, side.width, upper_height)
    places[lower] = Rect(side.x, upper_height, side.width, height - upper_height)
    dividers.append(Divider("front", False, upper_height, left, width))
    return Arrangement(places, PANES, tuple(dividers))


def _lower_pane(front: str, right: list[str]) -> str:
    if front != "run" and "run" in right:
        return "run"
    return next((pane for pane in ("chain", "call") if pane in right and pane != front), "")


def _wide(width: int, height: int, view: View) -> Arrangement:
    places: dict[str, Rect] = {}
    dividers: list[Divider] = []
    left = 0
    if "nav" not in view.hidden:
        left = _clamp(width * 19 // 100, 28, 44)
        left = _clamp(left + view.moved.get("nav", 0), 20, width - 80)
        places["nav"] = Rect(0, 0, left, height)
        dividers.append(Divider("nav", True, left, 0, height))
    stack = [pane for pane in ("chain", "call", "run") if pane not in view.hidden]
    rest = width - left
    source = rest
    if stack:
        source = _clamp(rest * 54 // 100 + view.moved.get("source", 0), 40, rest - 40)
        dividers.append(Divider("source", True, left + source, 0, height))
    places["source"] = Rect(left, 0, source, height)
    weights = {"chain": 36, "call": 34, "run": 30}
    if view.replaying:
        weights = {"chain": 22, "call": 20, "run": 58}
    top = natural = 0
    total = sum(weights[pane] for pane in stack)
    for position, pane in enumerate(stack):
        below = len(stack) - 1 - position
        bottom = height
        if below:
            natural += max(MINIMUM, height * weights[pane] // total)
            bottom = natural + view.moved.get(pane, 0)
            bottom = _clamp(bottom, top + MINIMUM, height - below * MINIMUM)
            dividers.append(Divider(pane, False, bottom, left + source, width))
        places[pane] = Rect(left + source, top, rest - source, bottom - top)
        top = bottom
    return Arrangement(places, (), tuple(dividers))


def _clamp(value: int, low: int, high: int) -> int:
    return max(low, min(value, max(low, high)))
