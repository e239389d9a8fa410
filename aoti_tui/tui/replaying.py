"""Watching it happen: the replay in its thread, the recording, breakpoints and stepping."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from aoti_tui.index.model import Kernel, Launch
from aoti_tui.replay.model import (
    ArgumentValue,
    Block,
    FiredAssert,
    Program,
    Recording,
    ReplayResult,
    Step,
)
from aoti_tui.replay.recording import (
    fails,
    next_step,
    previous_step,
    who_made,
    who_uses,
)
from aoti_tui.tui import telling
from aoti_tui.tui.document import NAME
from aoti_tui.tui.messages import Outcome
from aoti_tui.tui.panes.lanes import LaneView
from aoti_tui.tui.panes.run import RunPane, RunView
from aoti_tui.tui.panes.source import Marks, SourceView
from aoti_tui.tui.stepping import (
    Lane,
    Temporary,
    changed_lanes,
    inline_values,
    lane_test,
    lanes_of_interest,
    marked_positions,
    masked_lanes,
    position_at_line,
    relevant_assert,
    substituted,
    temporaries,
)
from aoti_tui.tui.stops import Stops

if TYPE_CHECKING:
    from aoti_tui.tui.main_screen import MainScreen


@dataclass(frozen=True, slots=True)
class KnownLaunch:
    """What a replay found out about the launch on the screen."""

    arguments: tuple[ArgumentValue, ...] = ()
    grid: Program | None = None
    blocks: Mapping[str, int] = field(default_factory=dict)


class Replaying:
    """The recording and where in it one stands. Runs on the interface's thread."""

    def __init__(self, screen: MainScreen, stops: Stops) -> None:
        self.screen = screen
        self.stops = stops
        self.outcome: Outcome | None = None
        self.position = -1
        self.lane: Lane = ()
        self.selected = ""
        self._explained = -1
        """Position of the step whose expression is shown: the last one, or one picked."""
        self.running = False
        self._kernel: Kernel | None = None
        self._launch: Launch | None = None
        self._then: Callable[[], None] | None = None

    def handlers(self) -> dict[str, Callable[[], None]]:
        return {
            "continue": self.continue_on,
            "continue_back": lambda: self.continue_from(self.position, -1),
            "step": lambda: self.step(1, "over"),
            "step_back": lambda: self.step(-1, "over"),
            "step_into": lambda: self.step(1, "into"),
            "step_out": lambda: self.step(1, "out"),
            "run_to_cursor": self.run_to_cursor,
            "next_failing": lambda: self.select_failing(1),
            "previous_failing": lambda: self.select_failing(-1),
            "who_made": self.who_made,
            "who_uses": self.who_uses,
        }

    # -- state --------------------------------------------------------------------------------

    @property
    def recording(self) -> Recording | None:
        return self.outcome.recording if self.outcome is not None else None

    @property
    def recorded(self) -> bool:
        """Whether the recording is of the launch on the screen."""
        recording = self.recording
        return (
            recording is not None
            and self._launch is not None
            and recording.launch_line == self._launch.line
        )

    def focus(self, kernel: Kernel | None, launch: Launch | None) -> None:
        """The kernel and launch that run next."""
        self._kernel, self._launch = kernel, launch
        self.show()

    def known_arguments(self) -> KnownLaunch:
        if not self.recorded or self.outcome is None:
            return KnownLaunch()
        result = self.outcome.result
        return KnownLaunch(result.arguments, result.grid, result.blocks)

    def selected_temporary(self) -> Temporary | None:
        recording = self.recording
        if recording is None:
            return None
        found = temporaries(recording, self.position, self.lane)
        return next((t for t in found if t.name == self.selected), None)

    # -- running ------------------------------------------------------------------------------

    def continue_on(self) -> None:
        """Start the replay, or go on to the next stop."""
        if self.running:
            self.screen.say("A replay is running already; escape cancels it.")
        elif self.recorded:
            recording = self.recording
            assert recording is not None
            at_end = self.position >= len(recording.steps) - 1
            self.continue_from(-1 if at_end else self.position, 1)
        else:
            self.start()

    def start(self, program: Program | None = None, then: Callable[[], None] | None = None) -> None:
        """Replay the launch on the screen; ``then`` runs instead of going to the first stop."""
        if self._launch is None or self._kernel is None:
            self.screen.say(
                "There is no launch to run: choose a kernel or a launch in the navigator (5)."
            )
            return
        if not self._kernel.has_source:
            self.screen.say(
                f"{self._kernel.name} cannot be run: the wrapper does not hold its source. "
                "Name the folder with the kernels' .py files with --kernels."
            )
            return
        self._then = then
        self.running = True
        self.screen.query_one(RunPane).progress("Starting the worker …", None)
        self.screen.start_replay(self._launch, program)

    def finished(self, outcome: Outcome) -> None:
        """A replay came back: show what it found, then stop where the user wants to look."""
        self.running = False
        self.screen.query_one(RunPane).idle()
        self.outcome = outcome
        self.screen.browsing.adopt_launch(outcome.recording.launch_line)
        self.position = -1
        self.lane = _first_lane(outcome.result, outcome.recording)
        self.selected = ""
        then, self._then = self._then, None
        self.screen.browsing.show_call()
        self.screen.replay_arrived()
        if then is not None:
            then()
        else:
            self.continue_from(-1, 1)

    def failed(self) -> None:
        self.running = False
        self._then = None
        self.screen.query_one(RunPane).idle()
        self.show()

    # -- moving -------------------------------------------------------------------------------

    def continue_from(self, position: int, direction: int) -> None:
        """Go to the next stop of a direction: a breakpoint, a failing assert, a bad access."""
        recording = self.recording
        if recording is None or self.outcome is None:
            return
        stop = self.stops.run(recording, position, direction)
        logged = "".join(f" {line}." for line in stop.logged)
        if stop.reason in ("end", "start"):
            where = "end" if direction > 0 else "beginning"
            told = f"The {where} of program {telling.program(recording.program)}. "
            told += telling.verdict(self.outcome) if direction > 0 else ""
            self._stand(max(0, stop.position), told + logged)
            return
        step = recording.steps[stop.position]
        if _is_bad(step):
            told = telling.bad_step(self.outcome, step)
        else:
            told = f"Stopped at {stop.text}: {step.name or step.kind}."
        self._stand(stop.position, told + logged, bad=_is_bad(step))

    def step(self, direction: int, how: str) -> None:
        recording = self.recording
        if recording is None:
            return
        move = next_step if direction > 0 else previous_step
        position = move(recording, self.position, how)
        if position is None:
            end = "last" if direction > 0 else "first"
            other = "N goes back" if direction > 0 else "n goes on"
            self.screen.say(f"This is the {end} step of the program; {other}.")
            return
        step = recording.steps[position]
        self._stand(position, self._why(step), bad=_is_bad(step))

    def move_to(self, position: int) -> None:
        recording = self.recording
        if recording is not None and 0 <= position < len(recording.steps):
            step = recording.steps[position]
            self._stand(position, self._why(step), bad=_is_bad(step))

    def run_to_cursor(self) -> None:
        place = self.screen.browsing.kernel_line_here()
        if place is None:
            self.screen.say("t runs to a line of a kernel: put the cursor into one.")
            return
        if not self.recorded:
            self.start(then=self.run_to_cursor)
            return
        recording = self.recording
        assert recording is not None
        position = position_at_line(recording, place[1], self.position)
        if position is None:
            self.screen.say(
                f"Kernel line {place[1]} did not run in program "
                f"{telling.program(recording.program)}: nothing is computed on it."
            )
        else:
            self.move_to(position)

    def _why(self, step: Step) -> str:
        """What there is to say of standing at a step: only failures need words."""
        if self.outcome is None or not _is_bad(step):
            return ""
        return telling.bad_step(self.outcome, step)

    def _stand(self, position: int, message: str, *, bad: bool = False) -> None:
        recording = self.recording
        assert recording is not None
        self.position = self._explained = position
        step = recording.steps[position]
        if step.name and step.kind == "assign":
            self.selected = step.name
        elif step.kind == "assert":
            self.selected = self._name_in(step) or self.selected
            lanes = lanes_of_interest(step)
            if lanes and self.lane not in lanes:
                self.lane = lanes[0]
        elif step.kind in ("store", "atomic"):
            self.selected = self._name_in(step) or self.selected
        if step.faults:
            self.lane = step.faults[0].lane
        self.show()
        function = self.outcome.program.function if self.outcome else ""
        if step.depth == 0 or step.function == function:
            self.screen.browsing.go_kernel_line(
                recording.kernel, step.kernel_line, self.selected, remember=False
            )
        self.screen.say(message, bad=bad)

    def _name_in(self, step: Step) -> str:
        """The name that an assert checks or a store writes."""
        assert self.outcome is not None
        program = self.outcome.program
        found = program.assert_at(step.kernel_line)
        if found is not None:
            return found.index or ""
        store = next((s for s in program.stores if s.line == step.kernel_line), None)
        names = NAME.findall(ast.unparse(store.value)) if store and store.value else []
        return next((name for name in names if name in program.by_name), "")

    # -- lanes and values ---------------------------------------------------------------------

    def select_lane(self, lane: Lane) -> None:
        self.lane = lane
        self.show()

    def select_failing(self, direction: int) -> None:
        recording = self.recording
        if recording is None:
            return
        lanes = lanes_of_interest(relevant_assert(recording, self.position))
        if not lanes:
            self.screen.say(
                f"No lane of program {telling.program(recording.program)} fails. "
                "P records another program."
            )
            return
        at = lanes.index(self.lane) if self.lane in lanes else (-1 if direction > 0 else 0)
        at = (at + direction) % len(lanes)
        self.lane = lanes[at]
        self.show()
        self.screen.say(f"Failing lane {telling.lane(self.lane)}, {at + 1} of {len(lanes)}.")

    def pick(self, name: str, follow: bool) -> None:
        self.selected = name
        temporary = self.selected_temporary()
        if follow and temporary is not None:
            self.move_to(temporary.position)
        else:
            self._explained = temporary.position if temporary is not None else self.position
            self.show()

    def _step_of_interest(self) -> int | None:
        """The step whose value the user means: the name under the cursor, else the current one."""
        recording = self.recording
        if recording is None:
            return None
        name = self.selected
        if self.screen.focused_pane() == "source":
            at = self.screen.query_one(SourceView).name_at_cursor
            place = self.screen.browsing.kernel_line_here()
            if at is not None and place is not None and place[0].name == recording.kernel:
                name = at.name
        found = temporaries(recording, self.position, self.lane)
        return next((t.position for t in found if t.name == name), None)

    def who_made(self) -> None:
        """Go to the step that made the value; asked there, to the step that made its operand."""
        recording, outcome = self.recording, self.outcome
        if recording is None or outcome is None or not self.recorded:
            self._who_made_by_source()
            return
        position = self._step_of_interest()
        if position is None:
            self.screen.say("Put the cursor on a temporary that has a value, then press w.")
            return
        if position == self.position:
            made = who_made(recording, outcome.program, position, self.lane)
            operand = next((o for o in reversed(made.operands) if o.step is not None), None)
            if operand is None or operand.step is None:
                self.screen.say(telling.origin(made))
                return
            position = operand.step.position
        self.move_to(position)
        self.screen.say(substituted(recording, outcome.program, position, self.lane))

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
        recording, outcome = self.recording, self.outcome
        if recording is None or outcome is None or not self.recorded:
            self._who_uses_by_source()
            return
        position = self._step_of_interest()
        users = who_uses(recording, outcome.program, position) if position is not None else ()
        later = [step for step in users if step.position > self.position] or list(users)
        if not later:
            self.screen.say("Nothing uses this value afterwards.")
            return
        self.move_to(later[0].position)
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

    # -- showing ------------------------------------------------------------------------------

    def show(self) -> None:
        """Bring run pane and source marks up to date."""
        self.screen.query_one(RunPane).load(self._view())
        self.mark()
        self.screen.refresh_keys()

    def _view(self) -> RunView:
        outcome = self.outcome
        if outcome is None or not self.recorded:
            return RunView(telling.idle(self._kernel, self._launch, self.screen.given))
        recording = outcome.recording
        failing, asserts = marked_positions(recording)
        shown = temporaries(recording, self.position, self.lane)
        selected = next((t for t in shown if t.name == self.selected), None)
        bad = bool(outcome.result.asserts or outcome.result.faults)
        return RunView(
            status=telling.status(outcome, self.position),
            message=telling.found(outcome),
            bad=bad,
            expression=substituted(recording, outcome.program, self._explained, self.lane)
            if self._explained >= 0
            else "",
            temporaries=shown,
            selected=self.selected,
            lanes=self._lane_view(recording, selected),
            count=len(recording.steps),
            position=self.position,
            failing=failing,
            asserts=asserts,
            stops=self.stops.positions(recording),
        )

    def _lane_view(self, recording: Recording, selected: Temporary | None) -> LaneView | None:
        if selected is None or not isinstance(selected.block, Block):
            return None
        asserted = relevant_assert(recording, self.position)
        return LaneView(
            name=selected.name,
            block=selected.block,
            lane=self.lane,
            failing=lane_test(asserted.failing if asserted is not None else None),
            masked=masked_lanes(recording, self.position),
            changed=changed_lanes(recording, recording.steps[selected.position]),
        )

    def mark(self) -> None:
        """Put breakpoints, asserts, the position and values beside the source on the screen."""
        view = self.screen.query_one(SourceView)
        document = view.document
        marks = Marks(breakpoints=self.stops.lines(document))
        incident = self.screen.browsing.incident
        failing = {
            line
            for failure in (incident.failures if incident is not None else ())
            if (line := document.line_of(failure.kernel, failure.kernel_line)) is not None
        }
        asserts: set[int] = set()
        kernel = document.kernel_at(view.line)
        if kernel is not None and incident is not None:
            for found in incident.kernel_program(kernel.name).asserts:
                line = kernel.wrapper_line(found.line)
                if line is not None and not found.disabled:
                    asserts.add(line)
        marks = replace(marks, failing=frozenset(failing), asserts=frozenset(asserts))
        recording, outcome = self.recording, self.outcome
        if recording is not None and outcome is not None and self.position >= 0:
            step = recording.steps[self.position]
            line = document.line_of(recording.kernel, step.kernel_line)
            inline = {}
            for number, value in inline_values(
                recording, outcome.program, self.position, self.lane
            ).items():
                at = document.line_of(recording.kernel, number)
                if at is not None:
                    inline[at] = value
            marks = replace(marks, step=line, inline=inline)
        view.set_marks(marks)


def _is_bad(step: Step) -> bool:
    return fails(step) or bool(step.faults)


def _first_lane(result: ReplayResult, recording: Recording) -> Lane:
    for fired in _in_order(result):
        if fired.first_program == recording.program:
            return fired.first_lane
    step = next((s for s in recording.steps if _is_bad(s)), None)
    lanes = lanes_of_interest(step)
    if lanes:
        return lanes[0]
    widest = max(
        (s.value.shape for s in recording.steps if isinstance(s.value, Block)),
        key=len,
        default=(),
    )
    return (0,) * len(widest)


def _in_order(result: ReplayResult) -> list[FiredAssert]:
    return sorted(result.asserts, key=lambda fired: fired.order)


def program_to_record(
    result: ReplayResult, wanted: Program | None, logged: tuple[Program, ...]
) -> Program:
    """Which program to record: the one asked for; else the first that failed, of the log's where
    the replay agrees with it; else the first of the grid."""
    if wanted is not None:
        return wanted
    for fired in _in_order(result):
        agreed = next((p for p in logged if p in fired.programs), None)
        return agreed or fired.first_program
    for fault in result.faults:
        return fault.program
    return (0, 0, 0)
