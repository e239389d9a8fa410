"""Watching it happen: the replay in its thread, the recording, breakpoints and stepping."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aoti_tui.index.model import Kernel, Launch, LaunchId
from aoti_tui.replay.model import (
    ArgumentValue,
    Block,
    FiredAssert,
    Program,
    Recording,
    ReplayResult,
    Step,
)
from aoti_tui.replay.recorded.recording import (
    fails,
    next_step,
    previous_step,
)
from aoti_tui.session import words
from aoti_tui.session.jumps import Place
from aoti_tui.session.kept.stops import Stops
from aoti_tui.session.outcome import Outcome
from aoti_tui.session.source.document import NAME
from aoti_tui.session.values.lanes import Lane, LaneView
from aoti_tui.session.values.temporaries import (
    Temporary,
    lanes_of_interest,
    position_at_line,
    temporaries,
)
from aoti_tui.tui.panes.run import RunPane
from aoti_tui.tui.panes.source import SourceView
from aoti_tui.tui.showing import marks_for, run_view

if TYPE_CHECKING:
    from aoti_tui.tui.main_screen import MainScreen


@dataclass(frozen=True, slots=True)
class KnownLaunch:
    """What a replay found out about the launch on the screen."""

    arguments: tuple[ArgumentValue, ...] = ()
    grid: Program | None = None
    blocks: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Kept:
    """A recording that was left for another one, and where one stood in it."""

    outcome: Outcome
    position: int
    lane: Lane
    selected: str


KEPT = 6
"""Recordings kept besides the one on the screen."""


class Replaying:
    """The recording and where in it one stands. Runs on the interface's thread."""

    def __init__(self, screen: MainScreen, stops: Stops) -> None:
        self.screen = screen
        self.stops = stops
        self.outcome: Outcome | None = None
        self.position = -1
        self.lane: Lane = ()
        self.selected = ""
        self.locked = False
        """Stepping leaves ``selected`` as it is."""
        self.explained = -1
        """Position of the step whose expression is shown: the last one, or one picked."""
        self.running = False
        self.kernel: Kernel | None = None
        self.launch: Launch | None = None
        self._then: Callable[[], None] | None = None
        self._kept: dict[LaunchId, Kept] = {}
        self.lanes_shown: tuple[object, LaneView | None] | None = None
        """The lanes on the screen, and the step and name that they were worked out for."""

    def handlers(self) -> dict[str, Callable[[], None]]:
        return {
            "continue": self.continue_on,
            "continue_back": lambda: self.continue_from(self.position, -1),
            "step": lambda: self.step(1, "over"),
            "step_back": lambda: self.step(-1, "over"),
            "step_into": lambda: self.step(1, "into"),
            "step_out": lambda: self.step(1, "out"),
            "run_to_cursor": self.run_to_cursor,
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
            recording is not None and self.launch is not None and recording.launch == self.launch.id
        )

    def focus(self, kernel: Kernel | None, launch: Launch | None) -> None:
        """The kernel and launch that run next; a recording that was made of it comes back."""
        self.kernel, self.launch = kernel, launch
        if launch is not None and not self.recorded and launch.id in self._kept:
            self._keep()
            kept = self._kept.pop(launch.id)
            self.outcome, self.position, self.lane, self.selected = (
                kept.outcome,
                kept.position,
                kept.lane,
                kept.selected,
            )
            self.explained = self.position
        self.show()

    def _keep(self) -> None:
        """Put the recording aside, so that going back to its launch finds it as it was left."""
        if self.outcome is not None:
            launch = self.outcome.recording.launch
            self._kept.pop(launch, None)
            self._kept[launch] = Kept(self.outcome, self.position, self.lane, self.selected)
            for oldest in list(self._kept)[:-KEPT]:
                del self._kept[oldest]

    def forget(self) -> None:
        """Other data is used from now on: what was recorded says nothing any more."""
        self._kept.clear()
        self.outcome = None
        self.position = self.explained = -1
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
        if self.launch is None or self.kernel is None:
            self.screen.say(
                "There is no launch to run: choose a kernel or a launch in the navigator (5)."
            )
            return
        if not self.kernel.has_source:
            self.screen.say(
                f"{self.kernel.name} cannot be run: the wrapper does not hold its source. "
                "Name the folder with the kernels' .py files with --kernels."
            )
            return
        self._then = then
        self.running = True
        self.screen.query_one(RunPane).progress("Starting the worker …", None)
        self.screen.start_replay(self.launch, program)

    def finished(self, outcome: Outcome) -> None:
        """A replay came back: show what it found, then stop where the user wants to look."""
        self.running = False
        self.screen.query_one(RunPane).idle()
        self._keep()
        self._kept.pop(outcome.recording.launch, None)
        # All of it at once: a position of one recording means nothing in another.
        self.outcome = outcome
        self.position = self.explained = -1
        self.lane = _first_lane(outcome.result, outcome.recording)
        self.selected = ""
        self.screen.browsing.adopt_launch(outcome.recording.launch)
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
            told = f"The {where} of program {words.program(recording.program)}{self._of()}. "
            told += words.verdict(self.outcome) if direction > 0 else ""
            if direction > 0:
                told += " C goes back, c runs it again."
            self._stand(max(0, stop.position), told + logged)
            return
        step = recording.steps[stop.position]
        if _is_bad(step):
            told = words.bad_step(self.outcome, step)
        else:
            told = f"Stopped at {stop.text}: {step.name or step.kind}."
        self._stand(stop.position, told + logged, bad=_is_bad(step))

    def _of(self) -> str:
        """`` of its kernel``, when the cursor is in another one."""
        view, recording = self.screen.query_one(SourceView), self.recording
        kernel = view.document.kernel_at(view.line)
        if recording is None or kernel is None or kernel.name == recording.kernel:
            return ""
        return f" of {recording.kernel} (:{recording.site.line})"

    def return_to(self, place: Place) -> str:
        """Stand again where a jump began; says so, or ``""`` where that is not known any more."""
        recording = self.recording
        if not self.recorded or recording is None or place.launch != recording.launch:
            return ""
        if not 0 <= place.step < len(recording.steps):
            return ""
        self.position = self.explained = place.step
        self.lane = place.lane
        step = recording.steps[place.step]
        self._select_name_of(step)
        self.show()
        return f"Back at step {place.step + 1} of {len(recording.steps)}."

    def stand_at_store(self, position: int, lane: Lane, message: str) -> None:
        """Stop at a store with the lane that writes selected."""
        self.lane = tuple(lane)
        self._stand(position, message)

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
        if self.kernel is not None and place[0].name != self.kernel.name:
            self.screen.browsing.take_kernel(place[0].name)
        if not self.recorded:
            self.start(then=self.run_to_cursor)
            return
        recording = self.recording
        assert recording is not None
        position = position_at_line(recording, place[1], self.position)
        if position is None:
            self.screen.say(
                f"Kernel line {place[1]} did not run in program "
                f"{words.program(recording.program)}: nothing is computed on it."
            )
        else:
            self.move_to(position)

    def _why(self, step: Step) -> str:
        """What there is to say of standing at a step: only failures need words."""
        if self.outcome is None or not _is_bad(step):
            return ""
        return words.bad_step(self.outcome, step)

    def _stand(self, position: int, message: str, *, bad: bool = False) -> None:
        recording = self.recording
        assert recording is not None
        self.position = self.explained = position
        step = recording.steps[position]
        self._select_name_of(step)
        lanes = lanes_of_interest(step) if step.kind == "assert" else ()
        if lanes and self.lane not in lanes:
            self.lane = lanes[0]
        if step.faults:
            self.lane = step.faults[0].lane
        self.show()
        function = self.outcome.program.function if self.outcome else ""
        if step.depth == 0 or step.function == function:
            self.screen.browsing.go_kernel_line(
                recording.kernel, step.kernel_line, self.selected, remember=False
            )
        self.screen.say(message + words.flags_at(recording, step.kernel_line), bad=bad)

    def _select_name_of(self, step: Step) -> None:
        """Select what a step assigns, checks or writes, unless another name is locked."""
        if not self.locked:
            name = step.name if step.kind == "assign" else self._name_in(step)
            self.selected = name or self.selected

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

    def show(self) -> None:
        """Bring run pane and source marks up to date."""
        self.screen.query_one(RunPane).load(run_view(self))
        self.screen.browsing.list_breakpoints()
        self.mark()
        self.screen.refresh_keys()

    def mark(self) -> None:
        """Put breakpoints, asserts, the position and values beside the source on the screen."""
        view = self.screen.query_one(SourceView)
        view.set_marks(marks_for(self, view.document, view.line))


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
