"""Breakpoints as the user sets them: on what is under the cursor, with words of what follows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from aoti_tui.replay.model import Recording
from aoti_tui.replay.recorded.breakpoints import Breakpoint, Stop
from aoti_tui.session import words
from aoti_tui.session.listed.entries import Entry, breakpoint_entries, name_of_line
from aoti_tui.tui.dialogs.ask import Ask
from aoti_tui.tui.panes.navigator import Navigator
from aoti_tui.tui.panes.pane import Pane
from aoti_tui.tui.panes.source import SourceView

if TYPE_CHECKING:
    from aoti_tui.tui.main_screen import MainScreen

Place = tuple[str, int]
"""A kernel's name and a kernel line."""


class Breaking:
    """Sets, changes, lists and clears breakpoints."""

    def __init__(self, screen: MainScreen) -> None:
        self.screen = screen

    def handlers(self) -> dict[str, Callable[[], None]]:
        return {
            "breakpoint": self._toggle_here,
            "breakpoint_state": self._toggle_state,
            "breakpoint_condition": self._ask_condition,
            "breakpoints": self._show_list,
            "clear_breakpoints": self._clear_all,
        }

    # -- where --------------------------------------------------------------------------------

    def _highlighted(self) -> Place | None:
        """The breakpoint under the navigator's cursor, when the navigator has the focus."""
        if self.screen.focused_pane() != "nav":
            return None
        return _place_of(self.screen.query_one(Navigator).highlighted)

    def _here(self) -> Place | None:
        """What the cursor of the focused pane is on: a breakpoint of the navigator, a temporary
        of the run pane, else the source's cursor line. None, with a message, where none will do."""
        pane = self.screen.focused_pane()
        highlighted = self._highlighted()
        if highlighted is not None:
            return highlighted
        if pane == "nav" and not self.screen.query_one("#source", Pane).display:
            self.screen.say(
                "No breakpoint is highlighted here, and the source is not on the screen: Enter "
                "goes to the row's line, 1 shows the source."
            )
            return None
        recording = self.screen.replaying.recording
        selected = self.screen.replaying.selected_temporary()
        if pane == "run" and selected is not None and recording is not None:
            return recording.kernel, recording.steps[selected.position].kernel_line
        return self._on_line(self.screen.query_one(SourceView).line)

    def _on_line(self, line: int) -> Place | None:
        """The kernel line that a line of the document is, or None with a message."""
        kernel = self.screen.query_one(SourceView).document.kernel_at(line)
        kernel_line = kernel.kernel_line(line) if kernel is not None else None
        if kernel is None or kernel_line is None:
            self.screen.say(
                f"No breakpoint on line {line}: only lines of a kernel's source run here. "
                "Put the cursor on a tmp line of a kernel."
            )
            return None
        return kernel.name, kernel_line

    # -- setting and clearing -----------------------------------------------------------------

    def _toggle_here(self) -> None:
        place = self._here()
        if place is not None:
            self._toggle(*place)

    def toggle_on_line(self, line: int) -> None:
        """Set or clear a breakpoint on a line of the document, or say why it cannot be."""
        place = self._on_line(line)
        if place is not None:
            self._toggle(*place)

    def _toggle(self, kernel: str, kernel_line: int) -> None:
        incident = self.screen.browsing.incident
        assert incident is not None
        stops = self.screen.stops
        told = stops.clear(kernel, kernel_line)
        if not told:
            program = incident.kernel_program(kernel)
            name = name_of_line(incident.index.kernels[kernel], program, kernel_line)
            told = stops.set(kernel, program, kernel_line, name)
            told += self._way_to(kernel, kernel_line)
        self.screen.say(told)
        self._changed()

    def set_at(self, kernel: str, kernel_line: int, condition: str) -> str:
        """Set a breakpoint on a kernel line; a sentence when none can be there."""
        incident = self.screen.browsing.incident
        assert incident is not None
        program = incident.kernel_program(kernel)
        problem = self.screen.stops.problem(program, kernel_line, condition)
        if problem:
            return f"No breakpoint: {problem}."
        told = self.screen.stops.set_condition(kernel, kernel_line, condition)
        self.screen.say(told + self._way_to(kernel, kernel_line))
        self._changed()
        return ""

    def _toggle_state(self) -> None:
        place = self._here()
        if place is not None:
            told = self.screen.stops.toggle_state(*place)
            self.screen.say(told or f"There is no breakpoint on line {place[1]}; b sets one.")
            self._changed()

    def remove(self, entry: Entry) -> None:
        """Clear the breakpoint of a row of the navigator."""
        place = _place_of(entry)
        if place is None:
            self.screen.say(f"Delete clears a breakpoint, and {entry.label} is none.")
        else:
            self.screen.say(self.screen.stops.clear(*place))
            self._changed()

    def _clear_all(self) -> None:
        self.screen.say(self.screen.stops.clear_all())
        self._changed()

    def _changed(self) -> None:
        self.screen.replaying.show()

    # -- conditions ---------------------------------------------------------------------------

    def _ask_condition(self) -> None:
        place = self._here()
        incident = self.screen.browsing.incident
        if place is None or incident is None:
            return
        kernel, kernel_line = place
        stops = self.screen.stops
        if kernel not in incident.index.kernels:
            self.screen.say(f"{kernel} is no kernel of this wrapper; b clears the breakpoint.")
            return
        program = incident.kernel_program(kernel)

        def typed(text: str | None) -> None:
            if text is not None:
                told = stops.set_condition(kernel, kernel_line, text)
                self.screen.say(told + self._way_to(kernel, kernel_line))
                self._changed()

        self.screen.app.push_screen(
            Ask(
                f"Stop at kernel line {kernel_line} only when",
                "A comparison of names of the kernel that must hold in some lane, such as "
                "tmp10 < 0. Empty: always. “after 2” lets two hits pass, “log tmp4” writes the "
                "value down instead of stopping.",
                value=stops.condition(kernel, kernel_line),
                check=lambda text: stops.problem(program, kernel_line, text),
            ),
            typed,
        )

    # -- what follows -------------------------------------------------------------------------

    def _way_to(self, kernel: str, kernel_line: int) -> str:
        """Which key gets to a breakpoint from where the program stands, or why none does."""
        one = self.screen.stops.at(kernel, kernel_line)
        if one is None or not one.enabled:
            return ""
        replaying = self.screen.replaying
        recording = replaying.recording if replaying.recorded else None
        if recording is not None and recording.kernel == kernel:
            return " " + self._way_in(recording, replaying.position, one)
        if replaying.kernel is not None and replaying.kernel.name != kernel:
            return (
                f" c runs {replaying.kernel.name}: Enter on a launch of {kernel} in the "
                "navigator (5) makes c run that."
            )
        return " c runs to it."

    def _way_in(self, recording: Recording, position: int, one: Breakpoint) -> str:
        program = f"program {words.program(recording.program)}"
        runs = [s.position for s in recording.steps if s.kernel_line == one.kernel_line]
        if not runs:
            return f"The line runs in no step of {program}; P records another."
        if one.log:
            return "c and C tell the value when they pass it."
        on = self.screen.stops.run(recording, position, 1)
        if _stops_at(on, one):
            return "c runs to it."
        back = self.screen.stops.run(recording, position, -1)
        if _stops_at(back, one):
            return "C runs back to it."
        if position in self.screen.stops.hits(recording, one, position):
            return "The program stands on it now."
        if runs[-1] > position and on.reason in ("breakpoint", "assert", "fault"):
            return f"c stops at line {recording.steps[on.position].kernel_line} first."
        if runs[0] < position and back.reason in ("breakpoint", "assert", "fault"):
            return f"C stops at line {recording.steps[back.position].kernel_line} first."
        reason = "its condition never holds" if one.condition else "it lets every hit pass"
        return f"It stops nowhere in {program}: {reason}."

    # -- the list -----------------------------------------------------------------------------

    def entries(self) -> tuple[Entry, ...]:
        """Rows of the navigator."""
        browsing = self.screen.browsing
        if browsing.incident is None:
            return ()
        current = browsing.kernel.name if browsing.kernel is not None else ""
        everything = self.screen.stops.everything()
        return breakpoint_entries(browsing.incident, everything, current, self._hits)

    def _hits(self, kernel: str, one: Breakpoint) -> int | None:
        replaying = self.screen.replaying
        recording = replaying.recording
        if recording is None or recording.kernel != kernel or not one.enabled:
            return None
        return len(self.screen.stops.hits(recording, one, replaying.position))

    def _show_list(self) -> None:
        everything = self.screen.stops.everything()
        if not everything:
            self.screen.say(
                "No breakpoint is set: b sets one on a line of a kernel or on a temporary, K with "
                "a condition."
            )
            return
        self.screen.arranging.open_pane("nav")
        self.screen.query_one(Navigator).go_to_group("Breakpoints")
        self.screen.say(
            "Enter goes to the line, b or delete clears the breakpoint, B disables or enables it, "
            "K changes its condition."
        )


def _place_of(entry: Entry | None) -> Place | None:
    if entry is None or entry.group != "Breakpoints" or not isinstance(entry.key, tuple):
        return None
    _, kernel, kernel_line = entry.key
    return str(kernel), int(kernel_line)


def _stops_at(stop: Stop, one: Breakpoint) -> bool:
    return stop.breakpoint is not None and stop.breakpoint.kernel_line == one.kernel_line
