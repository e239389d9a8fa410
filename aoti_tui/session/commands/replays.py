"""Running a launch and moving in its recording."""

from __future__ import annotations

import ast
from collections.abc import Callable

from aoti_tui.replay.model import Block, Program, Recording, ReplayResult, Step
from aoti_tui.replay.recorded.fired import fired_in
from aoti_tui.replay.recorded.recording import fails, next_step, previous_step
from aoti_tui.session import words
from aoti_tui.session.commands.places import Places
from aoti_tui.session.jobs import Replayed, replayed
from aoti_tui.session.session import Session
from aoti_tui.session.state import Outcome
from aoti_tui.session.text import NAME, line_words
from aoti_tui.session.values.lanes import Lane
from aoti_tui.session.values.temporaries import lanes_of_interest, position_at_line


class Replays:
    """Starts replays, and goes from step to step of what they recorded."""

    def __init__(self, session: Session, places: Places) -> None:
        self.session = session
        self.places = places
        self._then: Callable[[], None] | None = None

    # -- running ------------------------------------------------------------------------------

    def continue_on(self) -> None:
        """Start the replay, or go on to the next stop."""
        state = self.session.state
        if state.running:
            self.session.say("A replay is running already; escape cancels it.")
        elif state.recording is not None:
            at_end = state.position >= len(state.recording.steps) - 1
            self.continue_from(-1 if at_end else state.position, 1)
        else:
            self.start()

    def start(self, program: Program | None = None, then: Callable[[], None] | None = None) -> None:
        """Replay the launch; ``then`` runs instead of going to the first stop."""
        state = self.session.state
        launch, kernel, incident = state.launch, state.kernel, state.incident
        if launch is None or kernel is None or incident is None:
            self.session.say(
                "There is no launch to run: choose a kernel or a launch in the navigator (5)."
            )
            return
        if not kernel.has_source:
            self.session.say(
                f"{kernel.name} cannot be run: the wrapper does not hold its source. "
                "Name the folder with the kernels' .py files with --kernels."
            )
            return
        self._then = then
        self.session.change(running=True)
        failure = state.failure if state.failure and launch in state.failure.launches else None
        search = not state.launch_chosen
        self.session.front.start(
            "replay",
            lambda tell: replayed(incident, launch, program, failure, search=search, tell=tell),
            self._finished,
        )

    def _finished(self, found: Replayed) -> None:
        """Show what a replay found, then stop where the user wants to look."""
        self.session.change(running=False)
        self.places.show_trial(found.trial)
        if found.judged is not None:
            self.places.replace_failure(*found.judged)
        self.session.with_outcome(found.outcome)
        self.session.change(lane=_first_lane(found.outcome.result, found.outcome.recording))
        self._judge(found)
        then, self._then = self._then, None
        if then is not None:
            then()
        else:
            self.continue_from(-1, 1)

    def _judge(self, found: Replayed) -> None:
        """Have the failure confirmed by what was scanned, while the user looks at it."""
        failure, incident = found.to_judge, self.session.state.incident
        if failure is None or incident is None:
            return
        result = found.outcome.result
        self.session.front.start(
            "judge",
            lambda tell: incident.judge(failure, scanned=result).failure,
            lambda after: self.places.replace_failure(failure, after),
        )

    def failed(self) -> None:
        """The replay was refused or cancelled."""
        self._then = None
        self.session.change(running=False)

    # -- moving -------------------------------------------------------------------------------

    def continue_from(self, position: int, direction: int) -> None:
        """Go to the next stop of a direction: a breakpoint, a failing assert, a bad access."""
        outcome = self.session.state.outcome
        if outcome is None:
            return
        recording = outcome.recording
        stop = self.session.stops.run(recording, position, direction)
        logged = "".join(f" {line}." for line in stop.logged)
        if stop.reason in ("end", "start"):
            where = "end" if direction > 0 else "beginning"
            told = f"The {where} of program {words.program(recording.program)}{self._of()}. "
            told += words.verdict(outcome) if direction > 0 else ""
            if direction > 0:
                told += f" C goes back, c {self._after_end()}."
            self._stand(max(0, stop.position), told + logged)
            return
        step = recording.steps[stop.position]
        one = stop.breakpoint
        if one is not None and one.once and one.kernel_line is not None:
            self.session.stops.clear(one.file, one.kernel_line)
            self.session.stops_changed()
        if _is_bad(step):
            told = words.bad_step(outcome, step)
        else:
            told = f"Stopped at {stop.text}: {step.name or step.kind}."
        self._stand(stop.position, told + logged, bad=_is_bad(step))

    def _after_end(self) -> str:
        incident = self.session.state.incident
        waits = incident is not None and incident.stands
        return "goes on with the script" if waits else "runs it again"

    def _of(self) -> str:
        """`` of its kernel``, when the cursor is in another one."""
        kernel, recording = self.session.kernel_here(), self.session.state.recording
        if recording is None or kernel is None or kernel.name == recording.kernel:
            return ""
        return f" of {recording.kernel} (:{recording.site.line})"

    def stand_at(self, position: int, lane: Lane, message: str, *, bad: bool = False) -> None:
        """Stop at a step with a lane selected: the one that writes, or that goes wrong."""
        if lane:
            self.session.change(lane=tuple(lane))
        self._stand(position, message, bad=bad)

    def step(self, direction: int, how: str) -> None:
        recording, at = self.session.state.recording, self.session.state.position
        if recording is None:
            return
        move = next_step if direction > 0 else previous_step
        position = move(recording, at, how)
        if position is None and how == "out" and not (at >= 0 and recording.steps[at].depth):
            self.session.say(f"{recording.kernel} itself runs, and no helper to step out of.")
        elif position is None:
            end = "last" if direction > 0 else "first"
            other = "N goes back" if direction > 0 else "n goes on"
            self.session.say(f"This is the {end} step of the program; {other}.")
        else:
            self.move_to(position)

    def move_to(self, position: int) -> None:
        outcome = self.session.state.outcome
        if outcome is not None and 0 <= position < len(outcome.recording.steps):
            step = outcome.recording.steps[position]
            # What there is to say of standing at a step: only failures need words.
            why = words.bad_step(outcome, step) if _is_bad(step) else ""
            self._stand(position, why, bad=_is_bad(step))

    def jump_to(self, position: int) -> None:
        """Stand at a step far away, so that ctrl+o comes back to this one."""
        if position != self.session.state.position:
            self.session.leave()
        self.move_to(position)

    def run_to_cursor(self) -> None:
        place = self.session.source_line(self.session.state.place.line)
        if place is None:
            self.session.say("t runs to a line of a kernel: put the cursor into one.")
            return
        here, kernel = self.session.kernel_here(), self.session.state.kernel
        if kernel is not None and here is not None and here.name != kernel.name:
            self.places.take_kernel(here.name)
        recording = self.session.state.recording
        if recording is None:
            self.start(then=self.run_to_cursor)
            return
        position = position_at_line(recording, *place, self.session.state.position)
        if position is None:
            where = line_words(*place)
            self.session.say(
                f"{where[0].upper()}{where[1:]} did not run in program "
                f"{words.program(recording.program)}: nothing is computed on it."
            )
        else:
            self.move_to(position)

    def _stand(self, position: int, message: str, *, bad: bool = False) -> None:
        outcome, lane = self.session.state.outcome, self.session.state.lane
        assert outcome is not None
        step = outcome.recording.steps[position]
        lanes = lanes_of_interest(step) if step.kind == "assert" else ()
        if lanes and lane not in lanes:
            lane = lanes[0]
        if step.faults:
            lane = step.faults[0].lane
        selected = self.session.state.selected
        if not self.session.state.locked:
            # What a step assigns, checks or writes.
            name = step.name if step.kind == "assign" else _name_in(outcome, step)
            selected = name or selected
        self.session.change(position=position, explained=position, lane=lane, selected=selected)
        self.session.go_source_line(step.file, step.kernel_line, selected, remember=False)
        self.session.say(message + words.flags_at(outcome.recording, step), bad=bad)


def _name_in(outcome: Outcome, step: Step) -> str:
    """The name that an assert checks or a store writes."""
    program = outcome.program
    found = program.assert_at(step.kernel_line)
    if found is not None:
        return found.index or ""
    store = next((s for s in program.stores if s.line == step.kernel_line), None)
    names = NAME.findall(ast.unparse(store.value)) if store and store.value else []
    return next((name for name in names if name in program.by_name), "")


def _is_bad(step: Step) -> bool:
    return fails(step) or bool(step.faults)


def _first_lane(result: ReplayResult, recording: Recording) -> Lane:
    for fired in sorted(result.asserts, key=lambda fired: fired.order):
        there = fired_in(fired, recording)
        if there is not None:
            return there.first_lane
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
