"""Commands that run a launch and move in its recording."""

from __future__ import annotations

from collections.abc import Callable

from aoti_tui.index.model import Launch
from aoti_tui.session import words
from aoti_tui.session.language.naming import named_line
from aoti_tui.session.language.parts import Parts
from aoti_tui.session.text import line_words
from aoti_tui.session.values.temporaries import position_at_line

MOST = 10_000
"""Steps that one command takes at most."""


class Running:
    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    def handlers(self) -> dict[str, Callable[[str], str]]:
        return {
            "continue": self._continue,
            "run": self._run,
            "next": lambda text: self._steps(text, 1, "over"),
            "step": lambda text: self._steps(text, 1, "into"),
            "finish": lambda text: self._steps(text, 1, "out"),
            "reverse-next": lambda text: self._steps(text, -1, "over"),
            "reverse-step": lambda text: self._steps(text, -1, "into"),
            "reverse-finish": lambda text: self._steps(text, -1, "out"),
            "reverse-continue": self._back,
            "until": self._until,
            "program": self._program,
            "launch": self._launch,
            "kernel": self._kernel,
            "go-on": self._go_on,
        }

    # -- going --------------------------------------------------------------------------------

    def _continue(self, text: str) -> str:
        times = count_of(text)
        if times is None:
            return f"“{text}” is no count: c 2 goes on to the second stop."
        scripts, replays = self.parts.scripts, self.parts.replays
        if times > 1 and self.parts.state.recording is None and scripts.incident is None:
            replays.start(then=lambda: self._stops(times, -1))
        elif times > 1:
            self._stops(times, self.parts.state.position)
        else:
            scripts.continue_on()
        return ""

    def _stops(self, times: int, first: int) -> None:
        """Go on to the stop after several others, or to the end before it."""
        replays, position = self.parts.replays, first
        for _ in range(times):
            before = position
            replays.continue_from(position, 1)
            position = self.parts.state.position
            if position == before:
                return

    def _run(self, text: str) -> str:
        if text:
            return "run takes nothing: program 2 records another program, launch 1344 chooses."
        scripts, state = self.parts.scripts, self.parts.state
        if scripts.incident is None and not state.running and state.recording is not None:
            self.parts.replays.continue_from(-1, 1)
        else:
            scripts.continue_on()
        return ""

    def _back(self, text: str) -> str:
        times = count_of(text)
        if times is None:
            return f"“{text}” is no count: rc 2 goes back to the second stop."
        for _ in range(times):
            before = self.parts.state.position
            self.parts.replays.continue_from(before, -1)
            if self.parts.state.position in (before, 0):
                break
        return ""

    def _steps(self, text: str, direction: int, how: str) -> str:
        times = count_of(text)
        if times is None:
            return f"“{text}” is no count: n 3 takes three steps."
        for _ in range(times):
            before = self.parts.state.position
            self.parts.replays.step(direction, how)
            if self.parts.state.position == before:
                break
        else:
            self._tell_step()
        return ""

    def _tell_step(self) -> None:
        """What the step assigns: keys have panes for it, a command says it."""
        value = words.step_value(self.parts.state)
        if value:
            self.parts.tell(value)

    def _until(self, text: str) -> str:
        if not text:
            session, recording = self.parts.session, self.parts.state.recording
            if recording is not None and self.parts.state.position >= 0:
                step = recording.steps[self.parts.state.position]
                at, here = session.place_of(step.file, step.kernel_line), session.state.place
                if at is not None and (at.path, at.line) == (here.path, here.line):
                    return "It stands on the cursor's line already: until k46 or tmp10 says where."
            self.parts.replays.run_to_cursor()
            return ""
        found = named_line(self.parts.session, text)
        if isinstance(found, str):
            return found
        if self.parts.state.recording is None:
            self.parts.replays.start(then=lambda: self._to(found))
        else:
            self._to(found)
        return ""

    def _to(self, line: tuple[str, int]) -> None:
        recording, position = self.parts.state.recording, self.parts.state.position
        if recording is None:
            return
        to = position_at_line(recording, *line, position)
        if to is None:
            program = words.program(recording.program)
            self.parts.refuse(
                f"{line_words(*line).capitalize()} did not run in program {program}: nothing is "
                "computed on it."
            )
        else:
            self.parts.replays.move_to(to)
            self._tell_step()

    def _go_on(self, text: str) -> str:
        if self.parts.scripts.incident is None:
            return "go-on is for a script, and a wrapper is open: c runs its launch."
        self.parts.scripts.go_on()
        return ""

    # -- what runs ----------------------------------------------------------------------------

    def _program(self, text: str) -> str:
        symbols, state = self.parts.symbols, self.parts.state
        if text:
            return symbols.record_program(text)
        outcome = state.outcome
        asserts = outcome.result.asserts if outcome is not None else ()
        failing = sorted({p for one in asserts for p in one.programs})
        program = state.recording.program if state.recording is not None else None
        grid = symbols.grid
        values = {"program": program, "grid": grid, "failing": failing}
        self.parts.tell(symbols.programs_hint(), values)
        return ""

    def _launch(self, text: str) -> str:
        launches = self.parts.incident.index.launches
        if not text:
            one = self.parts.state.launch
            if one is None:
                return "No launch is chosen: info launches lists them."
            self._tell_launch(one)
            return ""
        digits = text.lstrip(":")
        fits = [la for la in launches if digits.isdigit() and la.line == int(digits)]
        fits = fits or [la for la in launches if digits.isdigit() and la.id == int(digits)]
        if not fits:
            shown = ", ".join(str(la.line) for la in launches[:12])
            more = " …" if len(launches) > 12 else ""
            return f"No launch stands on line {text}; there are {shown or 'none'}{more}."
        self.parts.session.leave()
        self.parts.places.take_launch(fits[0])
        self._tell_launch(fits[0])
        return ""

    def _tell_launch(self, one: Launch) -> None:
        values = {"kernel": one.kernel, "line": one.line, "launch": int(one.id)}
        self.parts.tell(f"c runs {one.kernel} (launch :{one.line}).", values)

    def _kernel(self, text: str) -> str:
        kernels = self.parts.incident.index.kernels
        if not text:
            kernel = self.parts.state.kernel
            if kernel is None:
                return "No kernel is current: info kernels lists them."
            self.parts.tell(f"{kernel.name}.", {"name": kernel.name})
            return ""
        fits = [name for name in kernels if name == text] or [n for n in kernels if text in n]
        if len(fits) != 1:
            known = ", ".join((fits or list(kernels))[:8])
            why = "is several" if fits else "is no kernel"
            return f"“{text}” {why}; there is {known}."
        self.parts.places.show_kernel(fits[0])
        self.parts.tell(f"{fits[0]}.", {"name": fits[0]})
        return ""


def count_of(text: str) -> int | None:
    """How often: 1 for nothing, None for what is no count."""
    if not text:
        return 1
    return int(text) if text.isdigit() and 0 < int(text) <= MOST else None
