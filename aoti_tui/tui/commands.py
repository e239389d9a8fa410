"""The command line (``:``): what users of gdb type, each word an action of the screen."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from aoti_tui.replay.recorded.conditions import ConditionError, parse_condition
from aoti_tui.session import words
from aoti_tui.session.listed.entries import entries
from aoti_tui.session.listed.matching import best, fitting
from aoti_tui.session.values.watches import evaluator, watched
from aoti_tui.tui.actions import ACTIONS, BY_ID
from aoti_tui.tui.dialogs.ask import Ask
from aoti_tui.tui.panes.lanes import LaneGrid
from aoti_tui.tui.panes.navigator import Navigator
from aoti_tui.tui.whatif import parse_program

if TYPE_CHECKING:
    from aoti_tui.tui.main_screen import MainScreen

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


class Commands:
    """Asks for a command and does it. Every command also has a key or an action of its own."""

    def __init__(self, screen: MainScreen) -> None:
        self.screen = screen
        self._verbs: dict[str, Callable[[str], str]] = {
            **dict.fromkeys(("p", "print", "inspect"), self._print),
            **dict.fromkeys(("b", "break", "br", "tbreak"), self._break),
            **dict.fromkeys(("info", "i"), self._info),
            **dict.fromkeys(("x", "elements"), self._elements),
            "program": self._program,
            "set": self._set,
            **dict.fromkeys(("display", "watch"), self._watch),
            **dict.fromkeys(("goto", "g", "list", "l"), self._go),
        }
        self._last = ""

    def handlers(self) -> dict[str, Callable[[], None]]:
        return {"command": self.ask}

    def ask(self) -> None:
        def typed(text: str | None) -> None:
            if text is not None and text.strip():
                self._last = text.strip()
                problem = self.do(self._last)
                if problem:
                    self.screen.say(problem, bad=True)

        self.screen.app.push_screen(Ask("Command", HINT, value=self._last), typed)

    def do(self, text: str) -> str:
        """Do a command; a sentence when it could not be done."""
        verb, _, rest = text.strip().lstrip(":").partition(" ")
        known = self._verbs.get(verb)
        if known is not None:
            return known(rest.strip())
        action = WORDS.get(verb) or (verb if verb in BY_ID else "")
        if action and not rest.strip():
            self.screen.action_act(action)
            return ""
        labels = {one.label.lower(): one.id for one in ACTIONS}
        if text.strip().lower() in labels:
            self.screen.action_act(labels[text.strip().lower()])
            return ""
        return self._go(text.strip())

    # -- going --------------------------------------------------------------------------------

    def _go(self, text: str) -> str:
        browsing = self.screen.browsing
        if text.isdigit():
            view = browsing.source
            line = max(view.document.first, min(int(text), view.document.last))
            browsing.go(browsing.here.at(line))
            return ""
        if re.fullmatch(r"k\d+", text):
            if browsing.kernel is None:
                return "No kernel is current: choose one in the navigator (5)."
            browsing.go_kernel_line(browsing.kernel.name, int(text[1:]))
            return ""
        lane = _LANE.fullmatch(text)
        if lane is not None:
            return self._lane(tuple(int(part) for part in lane[1].split(",")))
        if self._go_name(text):
            return ""
        if browsing.incident is not None and text:
            fits = fitting(entries(browsing.incident), text)
            exact = next((entry for _, entry in fits if entry.label == text), None)
            found = exact or (best(fits) if len(text) > 2 else None)
            if found is not None:
                browsing.choose(found)
                return ""
        return f"“{text}” is no command and nothing is called so. : shows the commands."

    def _go_name(self, name: str) -> bool:
        """To the assignment of a name of the current kernel, and its step where it was run."""
        browsing, replaying = self.screen.browsing, self.screen.replaying
        if browsing.kernel is None or browsing.incident is None:
            return False
        made = browsing.incident.kernel_program(browsing.kernel.name).by_name.get(name, ())
        if not made:
            return False
        browsing.go_kernel_line(browsing.kernel.name, made[0].line, name)
        if replaying.recorded:
            self.screen.values.pick(name, False)
        return True

    def _lane(self, lane: tuple[int, ...]) -> str:
        grid = self.screen.query_one(LaneGrid).view
        if grid is None or not self.screen.replaying.recorded:
            return "There are no lanes yet: c runs the kernel."
        shape = grid.block.shape
        fits = len(lane) == len(shape)
        if not fits or any(at >= size for at, size in zip(lane, shape, strict=True)):
            return f"{grid.name} has no lane {words.lane(lane)}: its block is {list(shape)}."
        self.screen.values.select_lane(lane)
        return ""

    # -- values -------------------------------------------------------------------------------

    def _print(self, text: str) -> str:
        replaying = self.screen.replaying
        recording = replaying.recording if replaying.recorded else None
        if not text:
            return "p prints an expression: p tmp4 - ks0."
        try:
            parse_condition(text)
            unknown = evaluator(recording).unknown(text) if recording is not None else ""
        except ConditionError as error:
            return str(error)
        if recording is None or unknown:
            return unknown or f"{text} has no value yet: c runs the kernel."
        lane = replaying.lane
        row = watched(recording, replaying.position, lane, (text,))[0]
        told = f"{text} = {row.value}"
        if row.block is not None and len(row.block) > 1:
            masked = ", which is masked out" if row.masked else ""
            told += f" in lane {words.lane(lane)}{masked}; {row.shape} {row.summary}"
        self.screen.say(told)
        return ""

    def _watch(self, text: str) -> str:
        return self.screen.watching.add(text)

    def _elements(self, name: str) -> str:
        if not name:
            return "x shows the elements of a tensor: x in_ptr0, x buf0, x arg0_1."
        return "" if self.screen.tensors.look_at(name) else f"{name} is no tensor that is known."

    # -- running ------------------------------------------------------------------------------

    def _break(self, text: str) -> str:
        match = _BREAK.fullmatch(text)
        browsing = self.screen.browsing
        if match is None or browsing.kernel is None or browsing.incident is None:
            return "b sets a breakpoint: b 46, b tmp10, b tmp10 if tmp10 < 0."
        kernel = browsing.kernel
        program = browsing.incident.kernel_program(kernel.name)
        where, condition = match["where"], match["condition"]
        if not where:
            self.screen.action_act("breakpoint")
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
        return self.screen.breaking.set_at(kernel.name, line, condition or "")

    def _program(self, text: str) -> str:
        wanted = parse_program(text)
        if wanted is None:
            return f"“{text}” is no program; type a number such as 2, or 2,0,0."
        self.screen.replaying.start(wanted)
        return ""

    def _set(self, text: str) -> str:
        return self.screen.settings.set_by_text(text)

    def _info(self, text: str) -> str:
        group = INFO.get(text.split(" ", 1)[0] if text else "")
        if group is None:
            return f"info knows {', '.join(sorted({name.lower() for name in INFO.values()}))}."
        navigator = self.screen.query_one(Navigator)
        if group == "Breakpoints":
            self.screen.action_act("breakpoints")
        elif any(entry.group == group for entry in navigator.entries):
            self.screen.arranging.open_pane("nav")
            navigator.go_to_group(group)
        else:
            return f"There are no {group.lower()} in this wrapper."
        return ""
