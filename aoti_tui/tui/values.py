"""Asking about values: of which lane, who made one, who uses one, what an expression gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from aoti_tui.artifacts.strides import lane_of
from aoti_tui.replay.model import Block
from aoti_tui.replay.recorded.recording import who_made, who_uses
from aoti_tui.session import words
from aoti_tui.session.values.formats import TOLD
from aoti_tui.session.values.lanes import Lane
from aoti_tui.session.values.nonfinite import non_finite
from aoti_tui.session.values.temporaries import (
    lanes_of_interest,
    operand_to_follow,
    relevant_assert,
    substituted,
    temporaries,
)
from aoti_tui.session.values.watches import SIGN
from aoti_tui.tui.panes.run import RunPane
from aoti_tui.tui.panes.source import SourceView

if TYPE_CHECKING:
    from aoti_tui.tui.main_screen import MainScreen


class Values:
    """Questions about the values of a recording; without one, about the source."""

    def __init__(self, screen: MainScreen) -> None:
        self.screen = screen
        self.replaying = screen.replaying

    def handlers(self) -> dict[str, Callable[[], None]]:
        return {
            "next_failing": lambda: self.select_failing(1),
            "previous_failing": lambda: self.select_failing(-1),
            "next_nan": lambda: self.go_non_finite(1),
            "previous_nan": lambda: self.go_non_finite(-1),
            "lock": self.lock,
            "number_format": self.next_format,
            "who_made": self.who_made,
            "who_uses": self.who_uses,
        }

    def select_lane(self, lane: Lane) -> None:
        if not lane:
            return  # one number, the same in all lanes
        self.replaying.lane = lane
        self.replaying.show()
        chosen = self.replaying.selected_temporary()
        value = f": {chosen.name} = {chosen.value}" if chosen is not None else ""
        self.screen.say(f"Lane {words.lane(lane)}{value}.")

    def select_failing(self, direction: int) -> None:
        recording = self.replaying.recording
        if recording is None:
            return
        lanes = lanes_of_interest(relevant_assert(recording, self.replaying.position))
        if not lanes:
            self.screen.say(
                f"No lane of program {words.program(recording.program)} fails. "
                "P records another program."
            )
            return
        at = (
            lanes.index(self.replaying.lane)
            if self.replaying.lane in lanes
            else (-1 if direction > 0 else 0)
        )
        at = (at + direction) % len(lanes)
        self.replaying.lane = lanes[at]
        self.replaying.show()
        self.screen.say(
            f"Failing lane {words.lane(self.replaying.lane)}, {at + 1} of {len(lanes)}."
        )

    def lock(self) -> None:
        """Keep the lanes on the selected name while stepping, or let them follow again."""
        replaying = self.replaying
        if not replaying.locked and not replaying.selected:
            self.screen.say("Select a temporary in the run pane (4) first; L then keeps it.")
            return
        replaying.locked = not replaying.locked
        replaying.show()
        self.screen.say(
            f"The lanes stay on {replaying.selected} while you step; L lets them follow again."
            if replaying.locked
            else "The lanes follow the steps again."
        )

    def next_format(self) -> None:
        self.screen.say(TOLD[self.screen.query_one(RunPane).next_format()])

    def go_non_finite(self, direction: int) -> None:
        """Go to the next step of a direction that gives a name its first NaN or infinity."""
        recording, outcome = self.replaying.recording, self.replaying.outcome
        if recording is None or outcome is None:
            return
        found = non_finite(recording, outcome.program)
        real = [one for one in found if one.lanes]
        here = self.replaying.position
        ahead = [one for one in real if (one.step.position - here) * direction > 0]
        if not ahead:
            self.screen.say(words.no_non_finite(recording, found, direction))
            return
        one = ahead[0 if direction > 0 else -1]
        block = one.step.value
        lanes = [lane_of(block.shape, at) for at in one.lanes] if isinstance(block, Block) else []
        if lanes and self.replaying.lane not in lanes:
            self.replaying.lane = lanes[0]
        self.replaying.move_to(one.step.position)
        self.screen.say(words.non_finite(one, first=one is real[0]))

    def pick(self, name: str, follow: bool) -> None:
        if follow and name.startswith(SIGN):
            self.screen.watching.ask(name.removeprefix(SIGN))
            return
        self.replaying.selected = name
        temporary = self.replaying.selected_temporary()
        if follow and temporary is not None:
            self.replaying.move_to(temporary.position)
        else:
            self.replaying.explained = temporary.position if temporary is not None else -1
            self.replaying.show()

    def _step_of_interest(self) -> int | None:
        """The step whose value the user means: the name under the cursor, else the current one."""
        recording = self.replaying.recording
        if recording is None:
            return None
        name = self.replaying.selected
        if self.screen.focused_pane() == "source":
            at = self.screen.query_one(SourceView).name_at_cursor
            place = self.screen.browsing.kernel_line_here()
            if at is not None and place is not None and place[0].name == recording.kernel:
                name = at.name
        found = temporaries(recording, self.replaying.position, self.replaying.lane)
        return next((t.position for t in found if t.name == name), None)

    def who_made(self) -> None:
        """Go to the step that made the value; asked there, to the step that made its operand."""
        recording, outcome = self.replaying.recording, self.replaying.outcome
        if recording is None or outcome is None or not self.replaying.recorded:
            self._who_made_by_source()
            return
        position = self._step_of_interest()
        if position is None:
            self.screen.say("Put the cursor on a temporary that has a value, then press w.")
            return
        if position == self.replaying.position:
            made = who_made(recording, outcome.program, position, self.replaying.lane)
            if any(load.in_bounds for load in made.loads):
                self.screen.writers.look_upstream(made)
                return
            operand = operand_to_follow(made, outcome.program)
            if operand is None or operand.step is None:
                self.screen.say(words.origin(made))
                return
            position = operand.step.position
        self._jump_to(position)
        self.screen.say(substituted(recording, outcome.program, position, self.replaying.lane))

    def _jump_to(self, position: int) -> None:
        """Stand at a step far away, so that ctrl+o comes back to this one."""
        browsing = self.screen.browsing
        if position != self.replaying.position:
            browsing.jumps.leave(browsing.here)
        self.replaying.move_to(position)

    def _who_made_by_source(self) -> None:
        """Without a recording: the assignment in the source."""
        browsing = self.screen.browsing
        place, at = browsing.kernel_line_here(), self.screen.query_one(SourceView).name_at_cursor
        if place is None or at is None or browsing.incident is None:
            if at is not None:
                browsing.follow(self.screen.query_one(SourceView).line, at.name)
            return
        kernel, kernel_line = place
        program = browsing.incident.kernel_program(kernel.name)
        made = program.by_name.get(at.name, ())
        before = [a for a in made if a.line < kernel_line] or [
            a for a in made if a.line != kernel_line
        ]
        if before:
            browsing.go_kernel_line(kernel.name, before[-1].line, at.name)
            self.screen.say(f"{at.name} = {before[-1].text}")
        else:
            browsing.follow(self.screen.query_one(SourceView).line, at.name)

    def who_uses(self) -> None:
        recording, outcome = self.replaying.recording, self.replaying.outcome
        if recording is None or outcome is None or not self.replaying.recorded:
            self._who_uses_by_source()
            return
        position = self._step_of_interest()
        users = who_uses(recording, outcome.program, position) if position is not None else ()
        later = [step for step in users if step.position > self.replaying.position] or list(users)
        if not later:
            self.screen.say("Nothing uses this value afterwards.")
            return
        self._jump_to(later[0].position)
        names = ", ".join(dict.fromkeys(step.name or step.kind for step in users))
        self.screen.say(f"Used by {names}.")

    def _who_uses_by_source(self) -> None:
        browsing = self.screen.browsing
        place, at = browsing.kernel_line_here(), self.screen.query_one(SourceView).name_at_cursor
        if place is None or at is None or browsing.incident is None:
            self.screen.say("u shows who uses a name of a kernel: put the cursor on one.")
            return
        kernel, kernel_line = place
        program = browsing.incident.kernel_program(kernel.name)
        users = [a for a in program.assignments if at.name in a.reads and a.line > kernel_line]
        if users:
            browsing.go_kernel_line(kernel.name, users[0].line, at.name)
            names = ", ".join(dict.fromkeys(name for user in users for name in user.names))
            self.screen.say(f"{at.name} is used by {names}.")
        else:
            self.screen.say(f"No assignment below this line uses {at.name}.")
