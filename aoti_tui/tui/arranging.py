"""Arranging the screen: which pane is where, in front, hidden or alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.geometry import Offset
from textual.widgets import ProgressBar

from aoti_tui.tui.config import save_choices
from aoti_tui.tui.dialogs.jump_mode import JumpMode
from aoti_tui.tui.layout import PANES, View, arrange
from aoti_tui.tui.panes.headline import Headline
from aoti_tui.tui.panes.navigator import Navigator
from aoti_tui.tui.panes.pane import Pane
from aoti_tui.tui.panes.source import SourceView
from aoti_tui.tui.tabs import TabLine

if TYPE_CHECKING:
    from aoti_tui.tui.main_screen import MainScreen

LETTERS = "sdfghjkl"
SPARE_LETTERS = "qwertyuiop"


class Arranging:
    """Owns the :class:`View` that the layout is worked out from."""

    def __init__(self, screen: MainScreen) -> None:
        self.screen = screen
        config = screen.config
        self.view = View(shift=config.shift, hidden=frozenset(config.hidden) & frozenset(PANES))

    def handlers(self) -> dict[str, Callable[[], None]]:
        return {
            **{f"pane_{n}": self._opener(pane) for n, pane in enumerate(PANES, 1)},
            "jump_mode": self.jump_mode,
            "maximize": self.toggle_zoom,
            "wider": lambda: self._shift(4),
            "narrower": lambda: self._shift(-4),
            "hide": self.hide,
            "filter": self._filter,
        }

    def _opener(self, pane: str) -> Callable[[], None]:
        return lambda: self.open_pane(pane)

    def place_panes(self) -> None:
        """Give the answer the rows it needs and the panes theirs."""
        screen = self.screen
        width, height = screen.size
        if not width or not height:
            return
        headline = screen.query_one(Headline)
        needed = headline.rows(width)
        rows = min(needed, max(3, height // 5))
        headline.styles.height = rows
        headline.fit(width)
        opening = screen.query_one("#opening", ProgressBar)
        used = rows + 1 + screen.lay_message(width) + (1 if opening.display else 0)
        result = arrange(width, max(1, height - used - 1), self.view)
        note = "" if needed <= rows else f"A: {needed - rows} more lines"
        tabs = screen.query_one(TabLine)
        tabs.load(result.tabs, frozenset(result.places), note)
        if not tabs.display:
            result = arrange(width, max(1, height - used), self.view)
        for pane in screen.query(Pane):
            pane.place(result.places.get(str(pane.id)))

    def open_pane(self, pane: str) -> None:
        """Bring a pane to the front and focus it."""
        hidden = self.view.hidden - {pane}
        side = pane if pane != "source" else self.view.side
        maximized = pane if self.view.maximized else ""
        self.change(active=pane, side=side, hidden=hidden, maximized=maximized)
        self.screen.query_one(f"#{pane}", Pane).focus_content()

    def change(self, **changes: object) -> None:
        """Change fields of the view; places the panes again when that matters."""
        view = replace(self.view, **changes)  # type: ignore[arg-type]
        if view != self.view:
            self.view = view
            self.place_panes()

    def focused(self, pane: str) -> None:
        """A pane has got the focus: it is in front from now on."""
        self.change(active=pane, side=pane if pane != "source" else self.view.side)

    def toggle_zoom(self) -> None:
        """Give the focused pane everything, or give the others their places back."""
        pane = self.screen.focused_pane() or self.view.active
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

    def _shift(self, columns: int) -> None:
        self.change(shift=self.view.shift + columns)
        self.screen.config.shift = self.view.shift
        self._remember()

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
        missing = [pane for pane in PANES if pane not in shown] if tabs.display else []
        for letter, name in zip(SPARE_LETTERS, missing, strict=False):
            targets[letter] = (name, Offset(tabs.column_of(name), tabs.region.y))

        def chosen(pane: str | None) -> None:
            if pane is not None:
                self.open_pane(pane)

        self.screen.app.push_screen(JumpMode(targets), chosen)

    def _filter(self) -> None:
        self.open_pane("nav")
        self.screen.query_one(Navigator).focus_filter()
