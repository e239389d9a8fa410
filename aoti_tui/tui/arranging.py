"""Arranging the screen: which pane is where, in front, hidden or alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from textual.geometry import Offset
from textual.widgets import ProgressBar

from aoti_tui.failure.prose.words import plural
from aoti_tui.session.kept.config import save_choices
from aoti_tui.session.request import RunRequest
from aoti_tui.tui.body import Body
from aoti_tui.tui.dialogs.jump_mode import JumpMode
from aoti_tui.tui.host import Host
from aoti_tui.tui.layout import DIVIDERS, MEDIUM, OUTPUT, PANES, Divider, View, arrange
from aoti_tui.tui.panes.headline import Headline
from aoti_tui.tui.panes.message_line import MessageLine
from aoti_tui.tui.panes.navigator import Navigator
from aoti_tui.tui.panes.pane import Pane
from aoti_tui.tui.panes.run import RunPane
from aoti_tui.tui.panes.source import SourceView
from aoti_tui.tui.tabs import TabLine

LETTERS = "sdfghjkl"
SPARE_LETTERS = "qwertyuiop"


LEAST_WIDTH, LEAST_HEIGHT = 20, 5
"""The smallest terminal in which anything can be seen."""
LOW = 12
"""Rows below which the verdict must leave some to a pane."""
MOST_ANSWER = 8
"""Rows of the verdict on top."""


class Arranging:
    """Owns the :class:`View` that the layout is worked out from."""

    def __init__(self, screen: Host) -> None:
        self.screen = screen
        config = screen.config
        self.view = View(
            moved={name: by for name, by in config.moved.items() if name in DIVIDERS},
            hidden=frozenset(config.hidden) & frozenset((*PANES, OUTPUT)),
            of_script=isinstance(screen.request, RunRequest),
        )

    def handlers(self) -> dict[str, Callable[[], None]]:
        return {
            **{f"pane_{n}": self._opener(place) for n, place in enumerate(PANES, 1)},
            "jump_mode": self.jump_mode,
            "maximize": self.toggle_zoom,
            "wider": lambda: self._move_side(4),
            "narrower": lambda: self._move_side(-4),
            "taller": lambda: self._grow(2),
            "shorter": lambda: self._grow(-2),
            "reset_layout": self.reset,
            "hide": self.hide,
            "filter": self._filter,
        }

    def _opener(self, place: str) -> Callable[[], None]:
        return lambda: self.open_pane(self.view.shown(place))

    def place_panes(self) -> None:
        """Give the answer the rows it needs and the panes theirs."""
        screen = self.screen
        width, height = screen.size
        if not width or not height:
            return
        too_small = width < LEAST_WIDTH or height < LEAST_HEIGHT
        screen.query_one("#too-small").display = too_small
        if too_small:
            return
        headline = screen.query_one(Headline)
        needed = headline.rows(width)
        rows = min(needed, self._most_answer(width, height))
        headline.styles.height = rows
        headline.fit(width, rows)
        opening = screen.query_one("#opening", ProgressBar)
        used = (
            rows
            + 1
            + screen.query_one(MessageLine).lay(width, height)
            + (1 if opening.display else 0)
        )
        result = arrange(width, max(1, height - used - 1), self.view)
        note = "" if needed <= rows else f"A: {plural(needed - rows, 'more line')}"
        tabs = screen.query_one(TabLine)
        tabs.load(result.tabs, frozenset(result.places), note)
        if not tabs.display:
            result = arrange(width, max(1, height - used), self.view)
        screen.query_one(Body).arrangement = result
        for pane in screen.query(Pane):
            pane.place(result.places.get(str(pane.id)))

    def _most_answer(self, width: int, height: int) -> int:
        """Rows of the verdict: few where source and run share a narrow screen."""
        if height < LOW:
            return max(1, height // 5)
        if width < MEDIUM and self.view.active == "run" and not self.view.maximized:
            return max(2, min(MOST_ANSWER, 2 + (height - 24) // 3))
        return min(max(3, height // 3), MOST_ANSWER)

    def open_pane(self, pane: str) -> None:
        """Bring a pane to the front and focus it."""
        hidden = self.view.hidden - {pane}
        side = pane if pane != "source" else self.view.side
        maximized = pane if self.view.maximized else ""
        self.change(active=pane, side=side, hidden=hidden, maximized=maximized)
        self.screen.query_one(f"#{pane}", Pane).focus_content()

    def bring_to_front(self, pane: str) -> None:
        """Show a pane because of what happens in it. The focus stays where it is, unless that
        would be covered: then it goes along."""
        focused = self.screen.focused_pane()
        if self.screen.size.width < MEDIUM:
            self.change(active=pane, side=pane)
        else:
            self.change(side=pane)
        if focused and focused not in self.screen.query_one(Body).arrangement.places:
            self.open_pane(pane)

    def change(self, **changes: object) -> None:
        """Change fields of the view; places the panes again when that matters."""
        view = replace(self.view, **changes)  # type: ignore[arg-type]
        if view != self.view:
            self.view = view
            self.place_panes()

    def focused(self, pane: str) -> None:
        """A pane has got the focus: it is in front from now on."""
        self.change(active=pane, side=pane if pane != "source" else self.view.side)

    def toggle_zoom(self, pane: str = "") -> None:
        """Give a pane (the focused one) everything, or give the others their places back."""
        pane = pane or self.screen.focused_pane() or self.view.active
        self.change(maximized="" if self.view.maximized else pane)

    def hide(self) -> None:
        """Hide the focused pane; on the source, show all that are hidden."""
        pane = self.screen.focused_pane()
        if self.view.hidden and pane == "source":
            self.change(hidden=frozenset())
            self.screen.say("All panes are shown again.")
        elif pane in ("", "source"):
            self.screen.say("The source stays; - hides the pane that has the focus.")
        else:
            self.change(hidden=self.view.hidden | {pane})
            self.screen.query_one(SourceView).focus()
            self.screen.say("Hidden. Its digit brings it back, - on the source brings all back.")
        self.screen.config.hidden = sorted(self.view.hidden)
        self._remember()

    # -- edges between panes ------------------------------------------------------------------

    def _divider(self, name: str) -> Divider | None:
        dividers = self.screen.query_one(Body).arrangement.dividers
        return next((one for one in dividers if one.name == name), None)

    def _move_side(self, columns: int) -> None:
        """Move the right edge of the navigator when it has the focus, else that of the source."""
        name = "nav" if self.screen.focused_pane() == "nav" else "source"
        divider = self._divider(name) or self._divider("source")
        if divider is None:
            self.screen.say("There is no other pane beside this one.")
            return
        self.move(divider, divider.at + columns)
        self.keep()

    def _grow(self, rows: int) -> None:
        """Make the focused pane taller, downwards where another is below it."""
        pane = self.screen.focused_pane()
        arrangement = self.screen.query_one(Body).arrangement
        place = arrangement.places.get(pane)
        level = [d for d in arrangement.dividers if not d.upright]
        if place is not None and place.x == (level[0].start if level else -1):
            below = next((d for d in level if d.at == place.y + place.height), None)
            above = next((d for d in level if d.at == place.y), None)
            if below is not None:
                self.move(below, below.at + rows)
            elif above is not None:
                self.move(above, above.at - rows)
            self.keep()
        else:
            self.screen.say("This pane has its whole column; z gives it the screen.")

    def move(self, divider: Divider, to: int) -> None:
        """Put a divider at a column or row of the body, or as near as the panes' least sizes
        allow."""
        by_itself = {n: by for n, by in self.view.moved.items() if n != divider.name}
        self.change(moved=by_itself)
        start = self._divider(divider.name)
        if start is None:
            return
        self.change(moved={**by_itself, divider.name: to - start.at})
        now = self._divider(divider.name)
        if now is not None and now.at != to:
            # What went past the end must not have to be dragged back first.
            self.view = replace(self.view, moved={**by_itself, divider.name: now.at - start.at})

    def keep(self) -> None:
        """Remember where the dividers are."""
        self.screen.config.moved = dict(self.view.moved)
        self._remember()

    def reset(self) -> None:
        """Every pane back where it is by itself, and all of them shown."""
        self.change(moved={}, hidden=frozenset(), maximized="")
        self.screen.config.hidden = []
        self.keep()
        self.screen.say("All panes are shown, each in its own place.")

    def _remember(self) -> None:
        problem = save_choices(self.screen.config)
        if problem:
            self.screen.say(problem, bad=True)

    def jump_mode(self) -> None:
        """Put a letter on every pane and tab, and go where the next key says."""
        targets: dict[str, tuple[str, Offset]] = {}
        places = [pane for pane in self.screen.query(Pane) if pane.display]
        for letter, pane in zip(LETTERS, places, strict=False):
            targets[letter] = (str(pane.id), Offset(pane.region.x + 2, pane.region.y))
        shown = {str(pane.id) for pane in places}
        tabs = self.screen.query_one(TabLine)
        missing = [pane for pane in self.view.panes if pane not in shown] if tabs.display else []
        for letter, name in zip(SPARE_LETTERS, missing, strict=False):
            targets[letter] = (name, Offset(tabs.column_of(name), tabs.region.y))

        def chosen(pane: str | None) -> None:
            if pane is not None:
                self.open_pane(pane)

        self.screen.app.push_screen(JumpMode(targets), chosen)

    def _filter(self) -> None:
        """Filter the table of temporaries where it is focused, else the navigator."""
        pane = self.screen.query_one(RunPane)
        if self.screen.focused_pane() == "run" and pane.view is not None and pane.view.count:
            pane.open_filter()
            return
        self.open_pane("nav")
        self.screen.query_one(Navigator).focus_filter()
