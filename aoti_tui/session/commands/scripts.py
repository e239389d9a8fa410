"""A script that runs: taking in what happens, going to what is wrong, letting it go on."""

from __future__ import annotations

from dataclasses import dataclass, replace

from aoti_tui.answer.script import ScriptIncident
from aoti_tui.answer.script_words import difference_words, finding_words, verdict
from aoti_tui.index.model import LaunchId
from aoti_tui.replay.model import Finding, Program, Recording, Step
from aoti_tui.replay.recorded.recording import fails, stores_to
from aoti_tui.replay.script.model import Difference, ScriptRun, ScriptStop
from aoti_tui.replay.script.sources import functions_of
from aoti_tui.session.commands.places import Places
from aoti_tui.session.commands.replays import Replays
from aoti_tui.session.session import Session
from aoti_tui.session.state import State
from aoti_tui.session.text import line_words
from aoti_tui.session.values.lanes import Lane

_AT_STOP = (
    "The script stands here: n and N step, w asks who made a value, 2 shows the call, 3 the output."
)


@dataclass(frozen=True, slots=True)
class Spot:
    """Where in a launch something is to be looked at."""

    told: str
    launch: LaunchId | None = None
    file: str = ""
    line: int = 0
    program: Program | None = None
    lane: Lane = ()
    argument: str = ""
    element: int | None = None
    is_written: bool = False
    """``argument[element]`` is what was written wrong, rather than what was touched wrongly."""
    is_recorded: bool = True
    """There is a program to look into."""
    visit: int = 0
    """How often the program stood at this line before: a loop comes by several times."""
    function_line: int = 0
    """At which the function begins that the line is of."""


class Scripts:
    """What only a script has: it goes on by itself, stops, and ends."""

    def __init__(self, session: Session, places: Places, replays: Replays) -> None:
        self.session = session
        self.places = places
        self.replays = replays
        self._at: int = -1
        """Which of the wrong things was gone to last."""
        self._stops: dict[tuple[object, ...], list[ScriptStop]] = {}
        """Where each program stood, in order."""
        session.observe(self._observed)
        places.choices |= {"finding": self._go_finding, "difference": self._go_difference}

    @property
    def incident(self) -> ScriptIncident | None:
        """The script that runs; None while a wrapper is looked at."""
        incident = self.session.state.incident
        return incident if isinstance(incident, ScriptIncident) else None

    # -- what happens -------------------------------------------------------------------------

    def follow(self) -> None:
        """Be told of all that happens from now on."""
        incident = self.incident
        if incident is not None:
            incident.script.live.changed = lambda: self.session.front.post(self.news)
            self._tell_lines()
            self.news()

    def news(self) -> None:
        """Take in what has happened since."""
        incident = self.incident
        if incident is None:
            return
        before, run = incident.run, incident.script.live.run()
        if run is before:
            return
        self.session.grown(incident.grown(run))
        self._show_source(run)
        if run.stop is not None and run.stop is not before.stop:
            self._stopped(run.stop)
        elif run.ended is not None and before.ended is None:
            self._ended(run)

    def _ended(self, run: ScriptRun) -> None:
        """Say how, and have a launch at hand that c records."""
        self.session.say(verdict(run), bad=run.is_wrong)
        incident, state = self.incident, self.session.state
        if incident is not None and state.launch is None and incident.index.launches:
            self.places.take_launch(incident.index.launches[0], chosen=False)

    def _show_source(self, run: ScriptRun) -> None:
        """A module has no file of its own: the first kernel's is shown once there is one."""
        first = next(iter(run.kernels.values()), None)
        if first is not None and not len(self.session.document):
            self.session.go_source_line(first.function.file, first.function.line, remember=False)

    def _stopped(self, stop: ScriptStop) -> None:
        incident = self.incident
        assert incident is not None
        if stop.difference is not None:
            self._go(_of_difference(incident.run, stop.difference))
        elif stop.finding is not None:
            self._go(_of_finding(incident.run, stop.finding))
        else:
            told = verdict(incident.run)
            place = (stop.file, stop.line, stop.program, stop.lane, stop.argument, stop.element)
            spot = Spot(told, stop.launch, *place, function_line=_function_line(incident.run, stop))
            self._go(replace(spot, visit=self._visits(stop)), record=stop.why != "pause")

    def _visits(self, stop: ScriptStop) -> int:
        """How often its program stood at the line before this stop."""
        key = (stop.process, stop.launch, stop.program, stop.file, stop.line)
        stops = self._stops.setdefault(key, [])
        if not any(one is stop for one in stops):
            stops.append(stop)
        return next(at for at, one in enumerate(stops) if one is stop)

    # -- going to what is wrong ---------------------------------------------------------------

    def next_wrong(self) -> None:
        """Go to the next finding or failed comparison, in the order in which they happened."""
        incident = self.incident
        assert incident is not None
        run = incident.run
        spots = [_of_finding(run, one) for one in run.findings]
        spots += [_of_difference(run, one) for one in run.differences]
        if not spots:
            self.session.say(f"Nothing is wrong so far. {verdict(run)}.")
            return
        self._at = (self._at + 1) % len(spots)
        self.session.leave()
        spot = spots[self._at]
        self._go(spot)
        self.session.say(f"{self._at + 1} of {len(spots)}: {spot.told}", bad=True)

    def go_to_stop(self) -> None:
        """Back to where the script stands."""
        incident = self.incident
        if incident is not None and incident.run.stop is not None:
            self.session.leave()
            self._stopped(incident.run.stop)
        else:
            self.session.say("The script stands nowhere; F goes to the next thing that is wrong.")

    def _go_finding(self, number: int) -> None:
        if self.incident is not None:
            self.session.leave()
            self._at = number
            self._go(_of_finding(self.incident.run, self.incident.run.findings[number]))

    def _go_difference(self, number: int) -> None:
        if self.incident is not None:
            self.session.leave()
            run = self.incident.run
            self._at = len(run.findings) + number
            self._go(_of_difference(run, run.differences[number]))

    def _go(self, spot: Spot, *, record: bool = True) -> None:
        """Show a place, and record the program that is guilty there."""
        incident = self.incident
        assert incident is not None
        launch = incident.index.launch(spot.launch) if spot.launch is not None else None
        if launch is not None:
            self.places.take_launch(launch)
        if spot.file:
            self.session.go_source_line(spot.file, spot.line, remember=False)
        self.session.say(spot.told, bad=True)
        if launch is None or not (record and spot.is_recorded):
            return
        program = spot.program or (0, 0, 0)
        told = spot.told if incident.run.stop is None else _AT_STOP
        recording = self.session.state.recording
        if recording is not None and recording.program == program:
            self._stand(spot, told)
        else:
            self.replays.start(program, lambda: self._stand(spot, told))

    def _stand(self, spot: Spot, told: str) -> None:
        recording = self.session.state.recording
        found = guilty_step(recording, spot) if recording is not None else None
        if found is None:
            self.replays.continue_from(-1, 1)
        else:
            self.replays.stand_at(*found, told, bad=True)

    # -- going on -----------------------------------------------------------------------------

    def continue_on(self) -> None:
        """Go on in the recorded program to its next stop; from its end, with the script."""
        state, incident = self.session.state, self.incident
        if incident is None or state.running:
            self.replays.continue_on()
        elif state.recording is not None:
            at_end = state.position >= len(state.recording.steps) - 1
            if at_end and incident.stands:
                self.go_on()
            else:
                self.replays.continue_on()
        elif incident.run.phase in ("starting", "running"):
            self.session.say(f"{incident.run.title} is running; escape stops it at a launch.")
        elif incident.stands and not state.launch_chosen:
            self.go_on()
        else:
            self.replays.start()

    def go_on(self) -> None:
        """Let the script run to its next stop, whatever the recorded program has left."""
        incident = self.incident
        if incident is None:
            return
        stop = incident.run.stop
        if stop is None:
            ended = incident.run.ended is not None
            self.session.say(verdict(incident.run) if ended else "The script is running.")
            return
        incident.script.live.go_on(stop.process)
        self.session.say("The script goes on.")
        self.news()

    def pause(self) -> bool:
        """Stop at the next launch; False when the script does not run."""
        incident = self.incident
        if incident is None or incident.run.phase not in ("starting", "running"):
            return False
        incident.script.live.pause()
        self.session.say("The script stops at its next launch.")
        return True

    @property
    def exit_code(self) -> int:
        """The script's own once it has ended, else that of a program that was left."""
        incident = self.incident
        ended = incident.run.ended if incident is not None else None
        return ended.code if ended is not None else 0

    def _observed(self, state: State, before: State) -> None:
        if state.differs(before, "breakpoints"):
            self._tell_lines()

    def _tell_lines(self) -> None:
        incident = self.incident
        if incident is not None:
            lines = [
                (source, one.kernel_line)
                for source, one in self.session.stops.everything()
                if one.enabled and one.kernel_line is not None and not one.log
            ]
            incident.script.live.stop_at_lines(lines)

    # -- the caller ---------------------------------------------------------------------------

    def go_to_call(self) -> None:
        """From a launch to the line of the script that made it."""
        launch = self.session.state.launch
        if launch is None:
            self.session.say("There is no launch yet: choose one in the navigator (5).")
            return
        self.session.go_source_line(launch.site.file, launch.site.line)
        self.session.say(
            f"{launch.kernel} is launched at {line_words(launch.site.file, launch.line)}. "
            "2 shows what it is given, ctrl+o goes back."
        )


def _of_finding(run: ScriptRun, one: Finding) -> Spot:
    told = finding_words(one)
    place = (one.file, one.line, one.program, one.lane, one.argument, one.element)
    return Spot(told, one.launch, *place)


def _of_difference(run: ScriptRun, one: Difference) -> Spot:
    told = difference_words(one)
    launch = run.launch(one.launch)
    if launch is None:
        return Spot(told, None, one.file, one.line)
    if one.program is None:
        return Spot(told, one.launch, one.file, one.line, is_recorded=False)
    place = (one.store_file, one.store_line, one.program, one.lane, one.argument, one.element)
    return Spot(told, one.launch, *place, is_written=True)


def _function_line(run: ScriptRun, stop: ScriptStop) -> int:
    """Where the kernel's function begins that a line is of."""
    lines = (one.line for one in functions_of(run.kernels) if one.file == stop.file)
    return max((line for line in lines if line <= stop.line), default=0)


def guilty_step(recording: Recording, spot: Spot) -> tuple[int, Lane] | None:
    """Step and lane of a recording at which something went wrong: that wrote the element, else
    the worst one on the line."""
    if spot.element is not None and spot.argument:
        written = stores_to(recording, spot.argument, spot.element)
        own = [(at, lane) for at, lane in written if not spot.lane or lane == spot.lane]
        if spot.is_written and (own or written):
            return (own or written)[-1]
    on_line = [s for s in recording.steps if (s.file, s.kernel_line) == (spot.file, spot.line)]
    bad = [step for step in on_line if fails(step) or step.faults]
    chosen = bad[:1] or [s for s in on_line if _touches(s, spot)][:1] or on_line[-1:]
    if not chosen:
        chosen = _last_before(recording, spot)
    return (chosen[0].position, spot.lane) if chosen else None


def _last_before(recording: Recording, spot: Spot) -> list[Step]:
    """What had just been calculated at a line that calculates nothing itself: a breakpoint()."""
    before = [
        step
        for step in recording.steps
        if step.file == spot.file and spot.function_line <= step.kernel_line < spot.line
    ]
    nearest = max((step.kernel_line for step in before), default=0)
    visits = [step for step in before if step.kernel_line == nearest]
    return visits[min(spot.visit, len(visits) - 1) :][:1] if visits else []


def _touches(step: Step, spot: Spot) -> bool:
    """Whether a step loads or stores the element in question."""
    places = [*step.loads, *([step.target] if step.target is not None else [])]
    return any(
        place.argument == spot.argument and spot.element in place.elements.values
        for place in places
    )
