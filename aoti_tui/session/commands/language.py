"""The command language: what users of gdb type, each word a command that has a key too."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Protocol

from aoti_tui.index.model import Kernel
from aoti_tui.replay.recorded.conditions import ConditionError, parse_condition
from aoti_tui.session import words
from aoti_tui.session.commands.breakpoints import Breakpoints
from aoti_tui.session.commands.places import Places
from aoti_tui.session.commands.symbols import Symbols
from aoti_tui.session.commands.values import Values
from aoti_tui.session.commands.watches import Watches
from aoti_tui.session.listed.entries import source_name
from aoti_tui.session.listed.everything import listed
from aoti_tui.session.listed.matching import best, fitting
from aoti_tui.session.session import Session
from aoti_tui.session.shown import shown_lanes
from aoti_tui.session.values.watches import evaluator, watched

HINT = (
    "777 or k46 (a line of the wrapper or kernel), a name, [3,1] (a lane) go there.  "
    "p tmp4 - ks0 prints · b tmp10 if tmp10 < 0 · info b · x arg0_1 (elements) · program 2 · "
    "set s7=3 · display tmp4 · run, next, step, continue, until, help, quit"
)
_LANE = re.compile(r"\[\s*(\d+(?:\s*,\s*\d+)*)\s*\]")
_BREAK = re.compile(r"(?P<where>\S+)?(?:\s+if\s+(?P<condition>.+))?")

WORDS = {
    # What gdb and pdb call our actions.
    **dict.fromkeys(("run", "r", "continue", "c", "cont"), "continue"),
    **dict.fromkeys(("reverse-continue", "rc"), "continue_back"),
    **dict.fromkeys(("next", "n"), "step"),
    **dict.fromkeys(("reverse-next", "rn", "reverse-step", "rs"), "step_back"),
    **dict.fromkeys(("step", "s"), "step_into"),
    **dict.fromkeys(("finish", "fin", "return"), "step_out"),
    **dict.fromkeys(("until", "u", "advance"), "run_to_cursor"),
    **dict.fromkeys(("where", "bt", "backtrace"), "go_assert"),
    **dict.fromkeys(("last", "origin"), "who_made"),
    **dict.fromkeys(("help", "h"), "help"),
    **dict.fromkeys(("quit", "q", "exit"), "quit"),
}
INFO = {
    **dict.fromkeys(("b", "break", "breakpoints"), "Breakpoints"),
    **dict.fromkeys(("symbols", "s"), "Symbols"),
    **dict.fromkeys(("inputs", "args"), "Inputs"),
    **dict.fromkeys(("kernels", "functions"), "Kernels"),
    **dict.fromkeys(("launches",), "Launches"),
    **dict.fromkeys(("guards",), "Guards"),
    **dict.fromkeys(("buffers",), "Buffers"),
    **dict.fromkeys(("constants",), "Constants"),
}


class Desk(Protocol):
    """What the language hands on to the front end that it is typed into."""

    def act(self, action: str) -> bool:
        """Do what a key does, by the action's id or label; False where there is no such one."""
        ...

    def show_group(self, group: str) -> bool:
        """Show a group of what is listed; False where it is empty."""
        ...

    def look_at(self, tensor: str) -> bool:
        """Show the elements of a tensor; False where the name is none."""
        ...


class Language:
    """Does what is typed. Every command also has a key or an action of its own."""

    def __init__(
        self,
        session: Session,
        places: Places,
        values: Values,
        breakpoints: Breakpoints,
        watches: Watches,
        symbols: Symbols,
        desk: Desk,
    ) -> None:
        self.session = session
        self.places = places
        self.values = values
        self.breakpoints = breakpoints
        self.desk = desk
        self._verbs: dict[str, Callable[[str], str]] = {
            **dict.fromkeys(("p", "print", "inspect"), self._print),
            **dict.fromkeys(("b", "break", "br", "tbreak"), self._break),
            **dict.fromkeys(("info", "i"), self._info),
            **dict.fromkeys(("x", "elements"), self._elements),
            "program": symbols.record_program,
            "set": symbols.set_by_text,
            **dict.fromkeys(("display", "watch"), watches.add),
            **dict.fromkeys(("goto", "g", "list", "l"), self._go),
        }

    def do(self, text: str) -> str:
        """Do a command; a sentence when it could not be done."""
        verb, _, rest = text.strip().lstrip(":").partition(" ")
        known = self._verbs.get(verb)
        if known is not None:
            return known(rest.strip())
        if not rest.strip() and self.desk.act(WORDS.get(verb, verb)):
            return ""
        if self.desk.act(text.strip()):
            return ""
        return self._go(text.strip())

    # -- going --------------------------------------------------------------------------------

    def _go(self, text: str) -> str:
        if text.isdigit():
            self.session.go(self.session.state.place.at(int(text)))
            return ""
        if re.fullmatch(r"k\d+", text):
            kernel = self._kernel()
            if kernel is None:
                return "No kernel is current: choose one in the navigator (5)."
            self.session.go_kernel_line(kernel.name, int(text[1:]))
            return ""
        lane = _LANE.fullmatch(text)
        if lane is not None:
            return self._lane(tuple(int(part) for part in lane[1].split(",")))
        if self._go_name(text):
            return ""
        if self.session.state.incident is not None and text:
            fits = fitting(listed(self.session.state.incident), text)
            exact = next((entry for _, entry in fits if entry.label == text), None)
            found = exact or (best(fits) if len(text) > 2 else None)
            if found is not None:
                self.places.choose(found)
                return ""
        return f"“{text}” is no command and nothing is called so. : shows the commands."

    def _kernel(self) -> Kernel | None:
        """The kernel that names and lines are of: that of the cursor, which is what the user
        sees, else the current one."""
        return self.session.kernel_here() or self.session.state.kernel

    def _go_name(self, name: str) -> bool:
        """To the assignment of a name of the kernel, and its step where it was run."""
        kernel, state = self._kernel(), self.session.state
        if kernel is None or state.incident is None:
            return False
        made = state.incident.kernel_program(kernel.name).by_name.get(name, ())
        if not made:
            return False
        self.session.go_kernel_line(kernel.name, made[0].line, name)
        if state.recording is not None and state.recording.kernel == kernel.name:
            self.values.pick(name)
        return True

    def _lane(self, lane: tuple[int, ...]) -> str:
        grid = shown_lanes(self.session.state)
        if grid is None:
            return "There are no lanes yet: c runs the kernel."
        shape = grid.block.shape
        fits = len(lane) == len(shape)
        if not fits or any(at >= size for at, size in zip(lane, shape, strict=True)):
            return f"{grid.name} has no lane {words.lane(lane)}: its block is {list(shape)}."
        self.values.select_lane(lane)
        return ""

    # -- values -------------------------------------------------------------------------------

    def _print(self, text: str) -> str:
        state = self.session.state
        recording = state.recording
        if not text:
            return "p prints an expression: p tmp4 - ks0."
        try:
            parse_condition(text)
            unknown = evaluator(recording).unknown(text) if recording is not None else ""
        except ConditionError as error:
            return str(error)
        if recording is None or unknown:
            return unknown or f"{text} has no value yet: c runs the kernel."
        lane = state.lane
        row = watched(recording, state.position, lane, (text,))[0]
        told = f"{text} = {row.value}"
        if row.block is not None and len(row.block) > 1:
            masked = ", which is masked out" if row.masked else ""
            told += f" in lane {words.lane(lane)}{masked}; {row.shape} {row.summary}"
        self.session.say(told)
        return ""

    def _elements(self, name: str) -> str:
        if not name:
            return "x shows the elements of a tensor: x in_ptr0, x buf0, x arg0_1."
        return "" if self.desk.look_at(name) else f"{name} is no tensor that is known."

    # -- running ------------------------------------------------------------------------------

    def _break(self, text: str) -> str:
        match = _BREAK.fullmatch(text)
        placed = self._break_in_file(match) if match is not None else None
        if placed is not None:
            return placed
        kernel, incident = self._kernel(), self.session.state.incident
        if match is None or kernel is None or incident is None:
            return "b sets a breakpoint: b 46, b tmp10, b tmp10 if tmp10 < 0."
        program = incident.kernel_program(kernel.name)
        source = source_name(kernel)
        where, condition = match["where"], match["condition"]
        if not where:
            self.desk.act("breakpoint")
            return ""
        made = program.by_name.get(where, ())
        digits = where.lstrip("k")
        if made:
            line = made[-1].line
        elif digits.isdigit():
            line = int(digits)
            if not where.startswith("k") and line > len(kernel.lines):
                # A line of the wrapper is meant: no kernel is that long.
                at = kernel.kernel_line(line)
                if at is None:
                    return f"Line {line} is not in {kernel.name}; k46 means its own line 46."
                line = at
        else:
            return f"{where} is assigned nowhere in {kernel.name}, and it is no line."
        return self.breakpoints.set_at(source, line, condition or "")

    def _break_in_file(self, match: re.Match[str]) -> str | None:
        """A breakpoint on ``main.py:24``, or on a line of the script's file that is shown."""
        incident, where = self.session.state.incident, match["where"] or ""
        file, _, line = where.rpartition(":")
        if incident is None or not line.isdigit():
            return None
        condition = match["condition"] or ""
        if not file and self.session.document.is_script:
            return self.breakpoints.set_at(self.session.document.path, int(line), condition)
        known = (document.path for _, document in self.session.documents() if document.is_script)
        path = next((path for path in known if path == file or os.path.basename(path) == file), "")
        return self.breakpoints.set_at(path, int(line), condition) if path else None

    def _info(self, text: str) -> str:
        group = INFO.get(text.split(" ", 1)[0] if text else "")
        if group is None:
            return f"info knows {', '.join(sorted({name.lower() for name in INFO.values()}))}."
        if group == "Breakpoints":
            self.desk.act("breakpoints")
        elif not self.desk.show_group(group):
            return f"There are no {group.lower()} in this wrapper."
        return ""
