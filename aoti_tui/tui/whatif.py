"""Breakpoints, symbols and programs: what the user sets before or while a kernel runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.model import Program, SymbolValue
from aoti_tui.tui import tasks, telling
from aoti_tui.tui.dialogs.ask import Ask
from aoti_tui.tui.dialogs.symbols import SetSymbol
from aoti_tui.tui.panes.navigator import Navigator
from aoti_tui.tui.panes.source import SourceView
from aoti_tui.tui.text import number

if TYPE_CHECKING:
    from aoti_tui.tui.main_screen import MainScreen


class Settings:
    """What the user may change about a replay."""

    def __init__(self, screen: MainScreen) -> None:
        self.screen = screen

    def handlers(self) -> dict[str, Callable[[], None]]:
        return {
            "breakpoint": self._breakpoint_here,
            "breakpoint_state": self._toggle_state,
            "breakpoint_condition": self._ask_condition,
            "set_symbol": self._ask_symbol,
            "choose_program": self._ask_program,
        }

    # -- breakpoints --------------------------------------------------------------------------

    def _breakpoint_here(self) -> None:
        selected = self.screen.replaying.selected_temporary()
        recording = self.screen.replaying.recording
        if self.screen.focused_pane() == "run" and selected is not None and recording is not None:
            line = recording.steps[selected.position].kernel_line
            self._toggle(recording.kernel, line)
            return
        self.toggle_breakpoint(self.screen.query_one(SourceView).line)

    def toggle_breakpoint(self, line: int) -> None:
        """Set or clear a breakpoint on a line of the document, or say why it cannot be."""
        kernel = self.screen.query_one(SourceView).document.kernel_at(line)
        kernel_line = kernel.kernel_line(line) if kernel is not None else None
        if kernel is None or kernel_line is None:
            self.screen.say(
                f"No breakpoint on line {line}: only lines of a kernel's source run here. "
                "Put the cursor on a tmp line of a kernel."
            )
            return
        self._toggle(kernel.name, kernel_line)

    def _toggle(self, kernel: str, kernel_line: int) -> None:
        incident = self.screen.browsing.incident
        assert incident is not None
        told = self.screen.stops.toggle(kernel, incident.kernel_program(kernel), kernel_line)
        self.screen.say(told)
        self._changed()

    def _toggle_state(self) -> None:
        place = self.screen.browsing.kernel_line_here()
        told = self.screen.stops.toggle_state(place[0].name, place[1]) if place else ""
        self.screen.say(told or "There is no breakpoint on this line; b sets one.")
        self._changed()

    def _changed(self) -> None:
        self.screen.replaying.show()
        self.screen.browsing.list_entries()

    def _ask_condition(self) -> None:
        place = self.screen.browsing.kernel_line_here()
        incident = self.screen.browsing.incident
        if place is None or incident is None:
            self.screen.say("A condition needs a line of a kernel under the cursor.")
            return
        kernel, kernel_line = place
        program = incident.kernel_program(kernel.name)
        stops = self.screen.stops

        def typed(text: str | None) -> None:
            if text is not None:
                self.screen.say(stops.set_condition(kernel.name, kernel_line, text))
                self._changed()

        self.screen.app.push_screen(
            Ask(
                f"Stop at kernel line {kernel_line} only when",
                "A comparison of names of the kernel that must hold in some lane, such as "
                "tmp10 < 0. Empty: always. “after 2” lets two hits pass, “log tmp4” writes the "
                "value down instead of stopping.",
                value=stops.condition(kernel.name, kernel_line),
                check=lambda text: stops.problem(program, kernel_line, text),
            ),
            typed,
        )

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
        first = ""
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
        shown = "as the inputs have it" if value is None else number(value)
        self.screen.replaying.forget()
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
            shown = ", ".join(telling.program(p) for p in failing[:12])
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
