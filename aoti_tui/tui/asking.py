"""Commands that ask something first: each asks, and hands the answer to the engine."""

from __future__ import annotations

import os
from collections.abc import Callable

from aoti_tui.failure.model import Failure
from aoti_tui.replay.model import SymbolValue
from aoti_tui.session.commands.breakpoints import Line, line_of_entry
from aoti_tui.session.commands.search import Hit
from aoti_tui.session.commands.writers import element_problem
from aoti_tui.session.kept.config import HISTORY, save_memory
from aoti_tui.session.state import State
from aoti_tui.session.text import line_words, number
from aoti_tui.tui.dialogs.ask import Ask
from aoti_tui.tui.host import Host
from aoti_tui.tui.panes.navigator import Navigator
from aoti_tui.tui.panes.pane import Pane


class Asking:
    """Dialogs over the main screen."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self._command = ""

    def handlers(self) -> dict[str, Callable[[], None]]:
        return {
            "search": self.search,
            "command": self.command,
            "watch": self.watch,
            "who_wrote": self.who_wrote,
            "set_symbol": self.set_symbol,
            "choose_program": self.choose_program,
            "breakpoint": self._at_cursor(self.host.engine.breakpoints.toggle),
            "breakpoint_state": self._at_cursor(self.host.engine.breakpoints.toggle_state),
            "breakpoint_condition": self._at_cursor(self._condition),
            "breakpoints": self.list_breakpoints,
            "clear_breakpoints": self.host.engine.breakpoints.clear_all,
        }

    # -- search and commands ------------------------------------------------------------------

    def search(self) -> None:
        """Look for what is typed while it is typed; Enter goes to what is chosen."""
        # Dialogs are imported when they open: the first screen does not wait for them.
        from aoti_tui.tui.dialogs.search import Search

        engine = self.host.engine

        def chosen(answer: tuple[str, Hit | None] | None) -> None:
            if answer is not None:
                with engine.session.together():
                    engine.search.take(*answer)

        self.host.app.push_screen(Search(engine.search.find, self.host.state.needle), chosen)

    def command(self) -> None:
        from aoti_tui.session.language.completing import completions
        from aoti_tui.session.language.table import HINT

        engine, config = self.host.engine, self.host.config

        def typed(text: str | None) -> None:
            if text is not None and text.strip():
                self._command = text.strip()
                config.history = [o for o in config.history if o != self._command][-HISTORY:]
                config.history.append(self._command)
                save_memory(config)
                with engine.session.together():
                    problem = engine.language.do(self._command)
                if problem:
                    self.host.say(problem, bad=True)

        self.host.app.push_screen(
            Ask(
                "Command",
                HINT,
                value=self._command,
                history=config.history,
                complete=lambda text: completions(engine.language.parts, text),
            ),
            typed,
        )

    # -- breakpoints --------------------------------------------------------------------------

    def _at_cursor(self, do: Callable[[str, int], None]) -> Callable[[], None]:
        def act() -> None:
            line = self._line()
            if line is not None:
                do(*line)

        return act

    def _line(self) -> Line | None:
        """What the cursor of the focused pane is on: a breakpoint of the navigator, a temporary
        of the run pane, else the source's cursor line. None, with a message, where none will do."""
        pane, breakpoints = self.host.focused_pane(), self.host.engine.breakpoints
        if pane == "nav":
            highlighted = line_of_entry(self.host.query_one(Navigator).highlighted)
            if highlighted is not None:
                return highlighted
            if not self.host.query_one("#source", Pane).display:
                self.host.say(
                    "No breakpoint is highlighted here, and the source is not on the screen: "
                    "Enter goes to the row's line, 1 shows the source."
                )
                return None
        temporary = breakpoints.of_temporary() if pane == "run" else None
        return temporary or breakpoints.on_line(self.host.state.place.line)

    def _condition(self, source: str, line: int) -> None:
        incident, engine = self.host.state.incident, self.host.engine
        assert incident is not None
        stops = engine.session.stops
        program = incident.program_at(source, line)
        if program is None:
            what = line_words(source, line) if os.path.isabs(source) else source
            self.host.say(f"{what} is no kernel of this wrapper; b clears the breakpoint.")
            return

        def typed(text: str | None) -> None:
            if text is not None:
                engine.breakpoints.set_at(source, line, text)

        self.host.app.push_screen(
            Ask(
                f"Stop at {line_words(source, line)} only when",
                "A comparison of names of the kernel that must hold in some lane, such as "
                "tmp10 < 0. Empty: always. “after 2” lets two hits pass, “log tmp4” writes the "
                "value down instead of stopping.",
                value=stops.condition(source, line),
                check=lambda text: stops.problem(program, line, text),
            ),
            typed,
        )

    def list_breakpoints(self) -> None:
        if not self.host.state.breakpoints:
            self.host.say(
                "No breakpoint is set: b sets one on a line of a kernel or on a temporary, K with "
                "a condition."
            )
            return
        self.host.open_pane("nav")
        self.host.query_one(Navigator).go_to_group("Breakpoints")
        self.host.say(
            "Enter goes to the line, b or delete clears the breakpoint, B disables or enables it, "
            "K changes its condition."
        )

    # -- values -------------------------------------------------------------------------------

    def watch(self, old: str = "") -> None:
        """Ask for an expression, or for another one instead of ``old``."""
        watches = self.host.engine.watches

        def typed(text: str | None) -> None:
            if text is not None:
                with self.host.engine.session.together():
                    watches.put(text, old)

        end = "Empty: removes it." if old else "Enter on its row changes it, delete removes it."
        self.host.app.push_screen(
            Ask(
                "Watch which expression?",
                "Of temporaries, size parameters and block sizes: tmp10 - ks0, max(tmp6), "
                f"count(tmp4 < 0). Its row stays above the temporaries. {end}",
                value=old,
                check=lambda text: watches.problem(text.strip(), old),
            ),
            typed,
        )

    def who_wrote(self) -> None:
        writers = self.host.engine.writers
        outputs = writers.outputs()
        if outputs is None:
            return
        hint = "Such as out_ptr0[123] (element of the memory) or out_ptr0[3,7] (by its shape)."
        if outputs:
            hint += f" This kernel writes {', '.join(outputs)}."

        def typed(text: str | None) -> None:
            if text is not None:
                writers.find(text)

        self.host.app.push_screen(
            Ask(
                "Which element is wrong?",
                hint,
                value=f"{outputs[0]}[0]" if outputs else "",
                check=element_problem,
            ),
            typed,
        )

    # -- what if ------------------------------------------------------------------------------

    def set_symbol(self) -> None:
        incident = self.host.state.incident
        assert incident is not None
        if self.host.state.running:
            self.host.say("A replay is running; escape cancels it.")
            return
        self.host.say("Working out the symbols …")
        session, launch = self.host.engine.session, self.host.state.launch
        session.front.start(
            "symbols", lambda tell: incident.replayer().symbols_of(launch), self._ask_symbol
        )

    def _ask_symbol(self, symbols: tuple[SymbolValue, ...]) -> None:
        """Ask which symbol to set, now that their values are known."""
        from aoti_tui.tui.dialogs.symbols import SetSymbol

        self.host.say("")
        navigator = self.host.query_one(Navigator)
        navigator.set_values(symbol_values(symbols))
        # In the navigator the highlighted symbol is meant, else the one behind the bound.
        entry = navigator.highlighted if self.host.focused_pane() == "nav" else None
        names = {symbol.name for symbol in symbols}
        meant = entry.label if entry is not None and entry.label in names else ""

        def chosen(answer: tuple[str, float | None] | None) -> None:
            if answer is None:
                return
            name, value = answer
            engine = self.host.engine
            with engine.session.together():
                if "[" not in name:
                    engine.symbols.set(name, value)
                elif value is not None:
                    problem = engine.language.do(f"set {name} = {number(value, 17)}")
                    if problem:
                        self.host.say(problem, bad=True)

        guilty = _guilty_element(self.host.state)
        first = meant or (guilty.name if guilty is not None else "")
        first = first or _behind_bound(self.host.state.failure, names)
        shown = (guilty, *symbols) if guilty is not None else symbols
        self.host.app.push_screen(SetSymbol(shown, first), chosen)

    def choose_program(self) -> None:
        symbols = self.host.engine.symbols

        def typed(text: str | None) -> None:
            if text is not None:
                symbols.record_program(text)

        self.host.app.push_screen(
            Ask("Record which program?", symbols.programs_hint(), check=symbols.program_problem),
            typed,
        )


def symbol_values(symbols: tuple[SymbolValue, ...]) -> dict[str, str]:
    """Values of symbols and where they come from, for the navigator."""
    return {
        symbol.name: f"= {number(symbol.value)} "
        f"({'MADE-UP' if symbol.source == 'made-up' else symbol.source})"
        for symbol in symbols
    }


def _guilty_element(state: State) -> SymbolValue | None:
    """The first bad element of a given input, to set another value."""
    failure = state.failure
    bad = failure.bad if failure is not None else None
    if bad is None or state.incident is None or bad.position is None or not state.incident.inputs:
        return None
    one = bad.first[0]
    index = ",".join(map(str, one.index))
    name = f"{state.incident.index.inputs[bad.position].name}[{index}]" if index else ""
    how = f"the guilty element of input {bad.position}"
    return SymbolValue(name, one.value, "input", how) if name else None


def _behind_bound(failure: Failure | None, names: set[str]) -> str:
    """The first symbol on the way from an assert's bound to its input."""
    node = failure.bound.tree if failure is not None else None
    while node is not None:
        if node.name in names:
            return node.name
        node = node.children[0] if node.children else None
    return ""
