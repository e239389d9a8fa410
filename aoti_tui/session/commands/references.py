"""What values should be: an expression of torch, or what float64 gives."""

from __future__ import annotations

from aoti_tui.answer.script import ScriptIncident
from aoti_tui.failure.prose.words import plural
from aoti_tui.replay.model import Recording
from aoti_tui.replay.script.expectations import Departure, Precision
from aoti_tui.session import words
from aoti_tui.session.commands.replays import Replays
from aoti_tui.session.session import Session
from aoti_tui.session.text import number

_HOW = "expect compares a name of the kernel: expect m = torch.max(x_ptr)."


class References:
    """Compares the recorded program of a script's launch; a wrapper's has no tensors of torch."""

    def __init__(self, session: Session, replays: Replays) -> None:
        self.session = session
        self.replays = replays

    def expect(self, text: str) -> str:
        """Whether ``NAME = EXPR`` holds; goes to where it does not. A sentence when it cannot be
        asked."""
        incident, recording = self._at_hand()
        if incident is None or recording is None:
            return self._why_not("expect")
        if "=" not in text:
            return _HOW
        self.session.say(f"Comparing {text} …")
        self.session.front.start(
            "replay",
            lambda tell: incident.script.expect(recording, text),
            lambda found: self._compared(recording, found),
        )
        return ""

    def _compared(self, recording: Recording, found: Departure) -> None:
        program = words.program(recording.program)
        if not found.line:
            self.session.say(f"{found.name} is {found.expression} in program {program}.")
            return
        where = f" in lane {words.lane(found.lane)}" if found.lane else ""
        told = (
            f"{found.name} departs{where}: {number(found.actual)}, expected "
            f"{number(found.expected)} ({plural(found.count, 'lane')} of program {program})."
        )
        made = [
            step.position
            for step in recording.steps
            if (step.name, step.file, step.kernel_line) == (found.name, found.file, found.line)
        ]
        if made and self.session.state.recording is recording:
            self.session.leave()
            self.replays.stand_at(made[-1], found.lane, told, bad=True)
        else:
            self.session.say(told, bad=True)

    def precision(self) -> None:
        """Run the program in float64 beside itself, and go to the next step that lost precision."""
        incident, recording = self._at_hand()
        if incident is None or recording is None:
            self.session.say(self._why_not("precision"))
            return
        known = self.session.state.precision
        if known is not None and known.recording is recording:
            self._go_lossy(known)
            return
        self.session.say("Running the program again in float64 …")
        self.session.front.start(
            "replay", lambda tell: incident.script.precision(recording), self._known
        )

    def _known(self, found: Precision) -> None:
        if self.session.state.recording is found.recording:
            self.session.change(precision=found)
            self._go_lossy(found)

    def _go_lossy(self, found: Precision) -> None:
        """The first step that lost precision, or the next one after where the user stands."""
        parted = f" From line {found.parted} on the two runs go other ways." if found.parted else ""
        if not found.lossy:
            largest = max(found.errors.values(), default=0.0)
            self.session.say(
                f"No step loses precision: the largest relative error is {largest:.1e}.{parted}"
            )
            return
        here = self.session.state.position
        first = found.lossy[0]
        to = next((at for at in found.lossy if at > here), first) if here in found.lossy else first
        step = found.recording.steps[to]
        lane, actual, exact = found.worst[to]
        which = found.lossy.index(to) + 1
        self.session.leave()
        self.replays.stand_at(
            to,
            lane,
            f"{step.name} loses precision here ({which} of {len(found.lossy)}): relative error "
            f"{found.errors[to]:.1e}, {number(actual)} where float64 gives {number(exact)}."
            f"{parted}",
            bad=True,
        )

    def _at_hand(self) -> tuple[ScriptIncident | None, Recording | None]:
        state = self.session.state
        incident = state.incident if isinstance(state.incident, ScriptIncident) else None
        return incident, state.recording

    def _why_not(self, what: str) -> str:
        if not isinstance(self.session.state.incident, ScriptIncident):
            return f"{what} looks into the kernels of a script: aoti-tui run main.py."
        return "Nothing is recorded yet: c runs the launch."
