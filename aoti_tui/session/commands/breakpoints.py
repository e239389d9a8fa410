"""Breakpoints as the user sets them, with words of what follows."""

from __future__ import annotations

from aoti_tui.replay.model import Recording
from aoti_tui.replay.recorded.breakpoints import Breakpoint, Stop
from aoti_tui.session import words
from aoti_tui.session.listed.entries import Entry, breakpoint_entries, name_of_line
from aoti_tui.session.session import Session

Line = tuple[str, int]
"""A kernel's name and a kernel line."""


class Breakpoints:
    """Sets, changes, lists and clears breakpoints; Line is what they stand on."""

    def __init__(self, session: Session) -> None:
        self.session = session

    # -- where --------------------------------------------------------------------------------

    def of_temporary(self) -> Line | None:
        """The line of the selected temporary, where it has a value."""
        recording, selected = self.session.state.recording, self.session.selected_temporary()
        if recording is None or selected is None:
            return None
        return recording.kernel, recording.steps[selected.position].kernel_line

    def on_line(self, line: int) -> Line | None:
        """The kernel line that a line of the document is, or None with a message."""
        kernel = self.session.document.kernel_at(line)
        kernel_line = kernel.kernel_line(line) if kernel is not None else None
        if kernel is None or kernel_line is None:
            self.session.say(
                f"No breakpoint on line {line}: only lines of a kernel's source run here. "
                "Put the cursor on a tmp line of a kernel."
            )
            return None
        return kernel.name, kernel_line

    # -- setting and clearing -----------------------------------------------------------------

    def toggle_on_line(self, line: int) -> None:
        """Set or clear a breakpoint on a line of the document, or say why it cannot be."""
        at = self.on_line(line)
        if at is not None:
            self.toggle(*at)

    def toggle(self, kernel: str, kernel_line: int) -> None:
        """Set a breakpoint on a kernel line, or clear the one that is there."""
        incident = self.session.state.incident
        assert incident is not None
        stops = self.session.stops
        told = stops.clear(kernel, kernel_line)
        if not told:
            program = incident.kernel_program(kernel)
            name = name_of_line(incident.index.kernels[kernel], program, kernel_line)
            told = stops.set(kernel, program, kernel_line, name)
            told += self._way_to(kernel, kernel_line)
        self.session.say(told)
        self._changed()

    def set_at(self, kernel: str, kernel_line: int, condition: str) -> str:
        """Set a breakpoint on a kernel line; a sentence when none can be there."""
        incident = self.session.state.incident
        assert incident is not None
        program = incident.kernel_program(kernel)
        problem = self.session.stops.problem(program, kernel_line, condition)
        if problem:
            return f"No breakpoint: {problem}."
        told = self.session.stops.set_condition(kernel, kernel_line, condition)
        self.session.say(told + self._way_to(kernel, kernel_line))
        self._changed()
        return ""

    def toggle_state(self, kernel: str, kernel_line: int) -> None:
        """Disable or enable the breakpoint of a line."""
        told = self.session.stops.toggle_state(kernel, kernel_line)
        self.session.say(told or f"There is no breakpoint on line {kernel_line}; b sets one.")
        self._changed()

    def remove(self, entry: Entry) -> None:
        """Clear the breakpoint that an entry stands for."""
        place = line_of_entry(entry)
        if place is None:
            self.session.say(f"Delete clears a breakpoint, and {entry.label} is none.")
        else:
            self.session.say(self.session.stops.clear(*place))
            self._changed()

    def clear_all(self) -> None:
        self.session.say(self.session.stops.clear_all())
        self._changed()

    def _changed(self) -> None:
        self.session.stops_changed()

    # -- what follows -------------------------------------------------------------------------

    def _way_to(self, kernel: str, kernel_line: int) -> str:
        """Which key gets to a breakpoint from where the program stands, or why none does."""
        one = self.session.stops.at(kernel, kernel_line)
        if one is None or not one.enabled:
            return ""
        state = self.session.state
        if state.recording is not None and state.recording.kernel == kernel:
            return " " + self._way_in(state.recording, state.position, one)
        if state.kernel is not None and state.kernel.name != kernel:
            return (
                f" c runs {state.kernel.name}: Enter on a launch of {kernel} in the "
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
        on = self.session.stops.run(recording, position, 1)
        if _stops_at(on, one):
            return "c runs to it."
        back = self.session.stops.run(recording, position, -1)
        if _stops_at(back, one):
            return "C runs back to it."
        if position in self.session.stops.hits(recording, one, position):
            return "The program stands on it now."
        if runs[-1] > position and on.reason in ("breakpoint", "assert", "fault"):
            return f"c stops at line {recording.steps[on.position].kernel_line} first."
        if runs[0] < position and back.reason in ("breakpoint", "assert", "fault"):
            return f"C stops at line {recording.steps[back.position].kernel_line} first."
        reason = "its condition never holds" if one.condition else "it lets every hit pass"
        return f"It stops nowhere in {program}: {reason}."

    # -- the list -----------------------------------------------------------------------------

    def entries(self) -> tuple[Entry, ...]:
        """What is listed of them."""
        state = self.session.state
        if state.incident is None:
            return ()
        current = state.kernel.name if state.kernel is not None else ""
        return breakpoint_entries(state.incident, state.breakpoints, current, self._hits)

    def _hits(self, kernel: str, one: Breakpoint) -> int | None:
        recording = self.session.state.recording
        if recording is None or recording.kernel != kernel or not one.enabled:
            return None
        return len(self.session.stops.hits(recording, one, self.session.state.position))


def line_of_entry(entry: Entry | None) -> Line | None:
    """The line of the breakpoint that an entry stands for; None for any other entry."""
    if entry is None or entry.group != "Breakpoints" or not isinstance(entry.key, tuple):
        return None
    _, kernel, kernel_line = entry.key
    return str(kernel), int(kernel_line)


def _stops_at(stop: Stop, one: Breakpoint) -> bool:
    return stop.breakpoint is not None and stop.breakpoint.kernel_line == one.kernel_line
