"""Symbols and programs: what the user sets before or while a kernel runs."""

from __future__ import annotations

import re

from aoti_tui.answer.script import ScriptIncident
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.model import Program
from aoti_tui.session import words
from aoti_tui.session.commands.replays import Replays
from aoti_tui.session.session import Session
from aoti_tui.session.text import number

_NUMBER = r"(-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)?"
_SYMBOL = re.compile(r"(\w+)\s*=\s*(-?\d{1,18}(?:\.\d{1,18})?)?")
_OF_SCRIPT = re.compile(r"(\w+(?:\[\d+\])?)\s*=\s*" + _NUMBER)


class Symbols:
    """What the user may change about a replay."""

    def __init__(self, session: Session, replays: Replays) -> None:
        self.session = session
        self.replays = replays

    # -- symbols ------------------------------------------------------------------------------

    def set(self, name: str, value: float | None) -> None:
        """Give a symbol a value, or with None the one of the inputs again, and run again."""
        incident, launch = self.session.state.incident, self.session.state.launch
        if incident is None or launch is None:
            self.session.say("There is no launch to try it on: choose one in the navigator (5).")
            return
        whole = value is not None and value == int(value)
        wanted = int(value) if value is not None and whole else value
        try:
            incident.replayer().set_for(launch, name, wanted)
        except ReplayError as error:
            self.session.say(f"{error.what}: {error.why}. {error.do}", bad=True)
            return
        # Recordings of other launches were made without it.
        self.session.forget()
        whose = "script has" if isinstance(incident, ScriptIncident) else "inputs have"
        shown = f"as the {whose} it" if value is None else number(value)
        self.session.say(f"{name} is now {shown}; running again.")
        self.replays.start()

    def set_by_text(self, text: str) -> str:
        """Set a symbol as ``s7=3``, of a script's launch a scalar or an element as ``x_ptr[2]=3``;
        a sentence when it cannot be."""
        incident = self.session.state.incident
        is_script = isinstance(incident, ScriptIncident)
        match = (_OF_SCRIPT if is_script else _SYMBOL).fullmatch(text.strip())
        names = {s.name for s in incident.index.symbols} if incident is not None else set()
        if match is None and is_script:
            return "set tries another value: set n=3, set x_ptr[2]=0.5; set n= takes it back."
        if match is None:
            return "set sets a symbol: set s7=3; set s7= takes the value back."
        if not is_script and match[1] not in names:
            return f"The wrapper has no symbol {match[1]}."
        if self.session.state.running:
            return "A replay is running; escape cancels it."
        self.set(match[1], float(match[2]) if match[2] is not None else None)
        return ""

    # -- programs -----------------------------------------------------------------------------

    def programs_hint(self) -> str:
        """How a program is named, how many there are, and which fail."""
        outcome, grid = self.session.state.outcome, self.grid
        failing = (
            sorted({p for one in outcome.result.asserts for p in one.programs}) if outcome else []
        )
        hint = "Its number, or x,y,z for a grid of more dimensions."
        if grid is not None:
            hint += f" The grid is {grid[0]}×{grid[1]}×{grid[2]}."
        if failing:
            shown = ", ".join(words.program(p) for p in failing[:12])
            hint += f" {len(failing)} fail: {shown}{' …' if len(failing) > 12 else ''}."

        return hint

    @property
    def grid(self) -> Program | None:
        """The grid of the launch, once it is known."""
        outcome = self.session.state.outcome
        return outcome.result.grid if outcome is not None else None

    def program_problem(self, text: str) -> str:
        """Why a text names no program of the launch, or ``""``."""
        wanted, grid = parse_program(text), self.grid
        if wanted is None:
            return f"“{text}” is no program; type a number such as 2, or 2,0,0."
        if grid is not None and any(at >= size for at, size in zip(wanted, grid, strict=True)):
            return f"The grid is {grid[0]}×{grid[1]}×{grid[2]}; programs count from 0."
        return ""

    def record_program(self, text: str) -> str:
        """Record a program of the launch; a sentence when the text names none."""
        problem = self.program_problem(text)
        if not problem:
            self.replays.start(parse_program(text))
        return problem


def parse_program(text: str) -> Program | None:
    """``2`` or ``2,0,0`` as a program; None when it is neither."""
    if not re.fullmatch(r"\s*\(?\s*\d+(\s*,\s*\d+){0,2}\s*\)?\s*", text):
        return None
    x, y, z = (*(int(part) for part in re.findall(r"\d+", text)), 0, 0)[:3]
    return (x, y, z)
