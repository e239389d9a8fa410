"""Breakpoints as the user sets them, with words of what follows."""

from __future__ import annotations

import os

from aoti_tui.replay.model import Recording
from aoti_tui.replay.recorded.breakpoints import Breakpoint, Stop
from aoti_tui.session import words
from aoti_tui.session.kept.stops import sources_of
from aoti_tui.session.listed.entries import (
    Entry,
    breakpoint_entries,
    name_of_line,
    source_name,
)
from aoti_tui.session.session import Session
from aoti_tui.session.text import line_words

Line = tuple[str, int]
"""A source (a kernel by its name, a file of a script) and a line of it."""


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
        step = recording.steps[selected.position]
        return step.file, step.kernel_line

    def on_line(self, line: int) -> Line | None:
        """The source line that a line of the document is, or None with a message."""
        found = self.session.source_line(line)
        if found is None:
            where = "a tmp line of a kernel"
            if self.session.document.is_script:
                where = "a line of a @triton.jit function"
            self.session.say(
                f"No breakpoint on line {line}: only lines of a kernel's source run here. "
                f"Put the cursor on {where}."
            )
        return found

    # -- setting and clearing -----------------------------------------------------------------

    def toggle_on_line(self, line: int) -> None:
        """Set or clear a breakpoint on a line of the document, or say why it cannot be."""
        at = self.on_line(line)
        if at is not None:
            self.toggle(*at)

    def toggle(self, source: str, line: int) -> None:
        """Set a breakpoint on a line, or clear the one that is there."""
        incident = self.session.state.incident
        assert incident is not None
        stops = self.session.stops
        told = stops.clear(source, line)
        if not told:
            program = incident.program_at(source, line)
            assert program is not None
            name = name_of_line(incident.text_of(source, line), program, line)
            told = stops.set(source, program, line, name)
            told += self._way_to(source, line)
        self.session.say(told)
        self._changed()

    def set_at(self, source: str, line: int, condition: str, *, once: bool = False) -> str:
        """Set a breakpoint on a line; a sentence when none can be there."""
        incident = self.session.state.incident
        assert incident is not None
        program = incident.program_at(source, line)
        if program is None:
            return f"No breakpoint: {line_words(source, line)} runs in no kernel."
        problem = self.session.stops.problem(program, line, condition)
        if problem:
            return f"No breakpoint: {problem}."
        told = self.session.stops.set_condition(source, line, condition, once=once)
        number = self.session.stops.number_at(source, line)
        self.session.say(f"{told}{self._way_to(source, line)} It is number {number}.")
        self._changed()
        return ""

    def toggle_state(self, source: str, line: int) -> None:
        """Disable or enable the breakpoint of a line."""
        told = self.session.stops.toggle_state(source, line)
        self.session.say(told or f"There is no breakpoint on line {line}; b sets one.")
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

    def _way_to(self, source: str, line: int) -> str:
        """Which key gets to a breakpoint from where the program stands, or why none does."""
        one = self.session.stops.at(source, line)
        if one is None or not one.enabled:
            return ""
        state = self.session.state
        if state.recording is not None and source in sources_of(state.recording):
            return " " + self._way_in(state.recording, state.position, one)
        kernel = state.kernel
        if kernel is not None and source not in (kernel.name, kernel.source_path):
            return (
                f" c runs {kernel.name}: Enter on a launch of {os.path.basename(source)} in the "
                "navigator (5) makes c run that."
            )
        return " c runs to it."

    def _way_in(self, recording: Recording, position: int, one: Breakpoint) -> str:
        program = f"program {words.program(recording.program)}"
        runs = [s.position for s in recording.steps if one.is_on(recording, s)]
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
        current = source_name(state.kernel) if state.kernel is not None else ""
        return breakpoint_entries(state.incident, state.breakpoints, current, self._hits)

    def _hits(self, source: str, one: Breakpoint) -> int | None:
        recording = self.session.state.recording
        if recording is None or not one.enabled or source not in sources_of(recording):
            return None
        return len(self.session.stops.hits(recording, one, self.session.state.position))


def line_of_entry(entry: Entry | None) -> Line | None:
    """The line of the breakpoint that an entry stands for; None for any other entry."""
    if entry is None or entry.group != "Breakpoints" or not isinstance(entry.key, tuple):
        return None
    _, source, line = entry.key
    return str(source), int(line)


def _stops_at(stop: Stop, one: Breakpoint) -> bool:
    return stop.breakpoint == one
