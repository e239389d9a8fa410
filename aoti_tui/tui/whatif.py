"""Symbols and programs: what the user sets before or while a kernel runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.model import Program, SymbolValue
from aoti_tui.session import words
from aoti_tui.session.text import number
from aoti_tui.tui import tasks
from aoti_tui.tui.dialogs.ask import Ask
from aoti_tui.tui.dialogs.symbols import SetSymbol
from aoti_tui.tui.panes.navigator import Navigator

if TYPE_CHECKING:
    from aoti_tui.tui.main_screen import MainScreen


class Settings:
    """What the user may change about a replay."""

    def __init__(self, screen: MainScreen) -> None:
        self.screen = screen

    def handlers(self) -> dict[str, Callable[[], None]]:
        return {
            "set_symbol": self._ask_symbol,
            "choose_program": self._ask_program,
        }

    # -- symbols ------------------------------------------------------------------------------

    def _ask_symbol(self) -> None:
        if self.screen.replaying.running:
            self.screen.say("A replay is running; escape cancels it.")
            return
        self.screen.say("Working out the symbols …")
        tasks.read_symbols(self.screen)

    def open_dialog(self, symbols: tuple[SymbolValue, ...]) -> None:
        """Ask which symbol to set, now that their values are known."""
        self.screen.say("")
        self.learned(symbols)
        failure = self.screen.browsing.failure
        names = {symbol.name for symbol in symbols}
        text = failure.bound.tree if failure is not None else None
        # In the navigator the highlighted symbol is meant, else the one behind the bound.
        entry = self.screen.query_one(Navigator).highlighted
        meant = entry.label if entry is not None and self.screen.focused_pane() == "nav" else ""
        first = meant if meant in names else ""
        while text is not None and not first:
            first = text.name if text.name in names else ""
            text = text.children[0] if text.children else None

        def chosen(answer: tuple[str, float | None] | None) -> None:
            if answer is not None:
                self._set(*answer)

        self.screen.app.push_screen(SetSymbol(symbols, first), chosen)

    def _set(self, name: str, value: float | None) -> None:
        incident = self.screen.browsing.incident
        assert incident is not None
        session = incident.session()
        try:
            if value is None:
                session.unset_symbol(name)
            else:
                session.set_symbol(name, int(value) if value == int(value) else value)
        except ReplayError as error:
            self.screen.say(f"{error.what}: {error.why}. {error.do}", bad=True)
            return
        # Recordings of other launches were made without it.
        self.screen.replaying.forget()
        shown = "as the inputs have it" if value is None else number(value)
        self.screen.say(f"{name} is now {shown}; running again.")
        self.screen.replaying.start()

    def learned(self, symbols: tuple[SymbolValue, ...]) -> None:
        """Show symbols' values in the navigator."""
        values = {
            symbol.name: f"= {number(symbol.value)} "
            f"({'MADE-UP' if symbol.source == 'made-up' else symbol.source})"
            for symbol in symbols
        }
        self.screen.query_one(Navigator).set_values(values)

    def set_by_text(self, text: str) -> str:
        """Set a symbol as ``s7=3``; a sentence when it cannot be."""
        match = re.fullmatch(r"(\w+)\s*=\s*(-?\d+(?:\.\d+)?)?", text.strip())
        incident = self.screen.browsing.incident
        names = {s.name for s in incident.index.symbols} if incident is not None else set()
        if match is None:
            return "set sets a symbol: set s7=3; set s7= takes the value back."
        if match[1] not in names:
            return f"The wrapper has no symbol {match[1]}."
        if self.screen.replaying.running:
            return "A replay is running; escape cancels it."
        self._set(match[1], float(match[2]) if match[2] is not None else None)
        return ""

    # -- programs -----------------------------------------------------------------------------

    def _ask_program(self) -> None:
        replaying = self.screen.replaying
        outcome = replaying.outcome if replaying.recorded else None
        grid = outcome.result.grid if outcome is not None else None
        failing = (
            sorted({p for one in outcome.result.asserts for p in one.programs}) if outcome else []
        )
        hint = "Its number, or x,y,z for a grid of more dimensions."
        if grid is not None:
            hint += f" The grid is {grid[0]}×{grid[1]}×{grid[2]}."
        if failing:
            shown = ", ".join(words.program(p) for p in failing[:12])
            hint += f" {len(failing)} fail: {shown}{' …' if len(failing) > 12 else ''}."

        def typed(text: str | None) -> None:
            if text is not None:
                replaying.start(parse_program(text))

        self.screen.app.push_screen(
            Ask("Record which program?", hint, check=lambda text: _program_problem(text, grid)),
            typed,
        )


def parse_program(text: str) -> Program | None:
    """``2`` or ``2,0,0`` as a program; None when it is neither."""
    if not re.fullmatch(r"\s*\(?\s*\d+(\s*,\s*\d+){0,2}\s*\)?\s*", text):
        return None
    x, y, z = (*(int(part) for part in re.findall(r"\d+", text)), 0, 0)[:3]
    return (x, y, z)


def _program_problem(text: str, grid: Program | None) -> str:
    wanted = parse_program(text)
    if wanted is None:
        return f"“{text}” is no program; type a number such as 2, or 2,0,0."
    if grid is not None and any(at >= size for at, size in zip(wanted, grid, strict=True)):
        return f"The grid is {grid[0]}×{grid[1]}×{grid[2]}; programs count from 0."
    return ""
