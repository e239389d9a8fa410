"""Asking about values: of which lane, who made one, who uses one, what an expression gives."""

from __future__ import annotations

from aoti_tui.artifacts.strides import lane_of
from aoti_tui.replay.model import Block
from aoti_tui.replay.recorded.recording import who_made, who_uses
from aoti_tui.session import words
from aoti_tui.session.commands.places import Places
from aoti_tui.session.commands.replays import Replays
from aoti_tui.session.commands.writers import Writers
from aoti_tui.session.session import Session
from aoti_tui.session.values.lanes import Lane
from aoti_tui.session.values.nonfinite import non_finite
from aoti_tui.session.values.temporaries import (
    lanes_of_interest,
    operand_to_follow,
    relevant_assert,
    substituted,
    temporaries,
)


class Values:
    """Questions about the values of a recording; without one, about the source."""

    def __init__(
        self, session: Session, places: Places, replays: Replays, writers: Writers
    ) -> None:
        self.session = session
        self.places = places
        self.replays = replays
        self.writers = writers

    def select_lane(self, lane: Lane) -> None:
        if not lane:
            return  # one number, the same in all lanes
        self.session.change(lane=lane)
        chosen = self.session.selected_temporary()
        value = f": {chosen.name} = {chosen.value}" if chosen is not None else ""
        self.session.say(f"Lane {words.lane(lane)}{value}.")

    def select_failing(self, direction: int) -> None:
        recording = self.session.state.recording
        if recording is None:
            return
        lanes = lanes_of_interest(relevant_assert(recording, self.session.state.position))
        if not lanes:
            self.session.say(
                f"No lane of program {words.program(recording.program)} fails. "
                "P records another program."
            )
            return
        at = (
            lanes.index(self.session.state.lane)
            if self.session.state.lane in lanes
            else (-1 if direction > 0 else 0)
        )
        at = (at + direction) % len(lanes)
        self.session.change(lane=lanes[at])
        self.session.say(f"Failing lane {words.lane(lanes[at])}, {at + 1} of {len(lanes)}.")

    def lock(self) -> None:
        """Keep the lanes on the selected name while stepping, or let them follow again."""
        state = self.session.state
        if not state.locked and not state.selected:
            self.session.say("Select a temporary in the run pane (4) first; L then keeps it.")
            return
        state = self.session.change(locked=not state.locked)
        self.session.say(
            f"The lanes stay on {state.selected} while you step; L lets them follow again."
            if state.locked
            else "The lanes follow the steps again."
        )

    def go_non_finite(self, direction: int) -> None:
        """Go to the next step of a direction that gives a name its first NaN or infinity."""
        recording, outcome = self.session.state.recording, self.session.state.outcome
        if recording is None or outcome is None:
            return
        found = non_finite(recording, outcome.program)
        real = [one for one in found if one.lanes]
        here = self.session.state.position
        ahead = [one for one in real if (one.step.position - here) * direction > 0]
        if not ahead:
            self.session.say(words.no_non_finite(recording, found, direction))
            return
        one = ahead[0 if direction > 0 else -1]
        block = one.step.value
        lanes = [lane_of(block.shape, at) for at in one.lanes] if isinstance(block, Block) else []
        if lanes and self.session.state.lane not in lanes:
            self.session.change(lane=lanes[0])
        self.replays.move_to(one.step.position)
        self.session.say(words.non_finite(one, first=one is real[0]))

    def pick(self, name: str, *, follow: bool = False) -> None:
        """Show the lanes of a name, and how its value came about; ``follow`` goes to its step."""
        self.session.change(selected=name)
        temporary = self.session.selected_temporary()
        if follow and temporary is not None:
            self.replays.move_to(temporary.position)
        else:
            self.session.change(explained=temporary.position if temporary is not None else -1)

    def _step_of_interest(self, at_cursor: bool) -> int | None:
        """The step whose value the user means: the name under the cursor, else the current one."""
        recording = self.session.state.recording
        if recording is None:
            return None
        name = self.session.state.selected
        here = self.session.kernel_line_here()
        if at_cursor and here is not None and here[0].name == recording.kernel:
            name = self.session.state.place.name or name
        found = temporaries(recording, self.session.state.position, self.session.state.lane)
        return next((t.position for t in found if t.name == name), None)

    def who_made(self, *, at_cursor: bool = False) -> None:
        """Go to the step that made the value; asked there, to the step that made its operand.
        ``at_cursor``: of the name under the cursor, rather than the one selected."""
        recording, outcome = self.session.state.recording, self.session.state.outcome
        if recording is None or outcome is None:
            self._who_made_by_source()
            return
        position = self._step_of_interest(at_cursor)
        if position is None:
            self.session.say("Put the cursor on a temporary that has a value, then press w.")
            return
        if position == self.session.state.position:
            made = who_made(recording, outcome.program, position, self.session.state.lane)
            if any(load.in_bounds for load in made.loads):
                self.writers.look_upstream(made)
                return
            operand = operand_to_follow(made, outcome.program)
            if operand is None or operand.step is None:
                self.session.say(words.origin(made))
                return
            position = operand.step.position
        self.replays.jump_to(position)
        self.session.say(substituted(recording, outcome.program, position, self.session.state.lane))

    def _who_made_by_source(self) -> None:
        """Without a recording: the assignment in the source."""
        here, place = self.session.state.place, self.session.kernel_line_here()
        incident, name = self.session.state.incident, here.name
        if place is None or not name or incident is None:
            if name:
                self.places.follow(here.line, name)
            return
        kernel, kernel_line = place
        program = incident.kernel_program(kernel.name)
        made = program.by_name.get(name, ())
        before = [a for a in made if a.line < kernel_line] or [
            a for a in made if a.line != kernel_line
        ]
        if before:
            self.session.go_kernel_line(kernel.name, before[-1].line, name)
            self.session.say(f"{name} = {before[-1].text}")
        else:
            self.places.follow(here.line, name)

    def who_uses(self, *, at_cursor: bool = False) -> None:
        """Go to the step that uses a value."""
        recording, outcome = self.session.state.recording, self.session.state.outcome
        if recording is None or outcome is None:
            self._who_uses_by_source()
            return
        position = self._step_of_interest(at_cursor)
        users = who_uses(recording, outcome.program, position) if position is not None else ()
        later = [step for step in users if step.position > self.session.state.position] or list(
            users
        )
        if not later:
            self.session.say("Nothing uses this value afterwards.")
            return
        self.replays.jump_to(later[0].position)
        names = ", ".join(dict.fromkeys(step.name or step.kind for step in users))
        self.session.say(f"Used by {names}.")

    def _who_uses_by_source(self) -> None:
        place, name = self.session.kernel_line_here(), self.session.state.place.name
        incident = self.session.state.incident
        if place is None or not name or incident is None:
            self.session.say("u shows who uses a name of a kernel: put the cursor on one.")
            return
        kernel, kernel_line = place
        program = incident.kernel_program(kernel.name)
        users = [a for a in program.assignments if name in a.reads and a.line > kernel_line]
        if users:
            self.session.go_kernel_line(kernel.name, users[0].line, name)
            names = ", ".join(dict.fromkeys(name for user in users for name in user.names))
            self.session.say(f"{name} is used by {names}.")
        else:
            self.session.say(f"No assignment below this line uses {name}.")
