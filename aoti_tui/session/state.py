"""What is before the user, as one value: every pane shows a part of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from aoti_tui.answer.incident import Incident
from aoti_tui.answer.trial import Trial
from aoti_tui.failure.model import Failure, ProvenanceNode
from aoti_tui.index.model import Kernel, Launch
from aoti_tui.kernel.model import KernelProgram
from aoti_tui.replay.model import Recording, ReplayResult, SymbolValue, WorkerInfo
from aoti_tui.replay.recorded.breakpoints import Breakpoint
from aoti_tui.replay.script.expectations import Precision
from aoti_tui.session.values.lanes import Lane


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a finished replay gave: the scan of a launch and the recording of one program of it."""

    info: WorkerInfo
    result: ReplayResult
    recording: Recording
    program: KernelProgram
    symbols: tuple[SymbolValue, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """The cursor in a source: a line, and the name on it. ``path`` is ``""`` for the wrapper."""

    line: int = 1
    name: str = ""
    path: str = ""

    def at(self, line: int) -> Place:
        """Another line of the same file."""
        return replace(self, line=line, name="")


@dataclass(frozen=True, slots=True)
class Shown:
    """The trees of provenance that are looked at, and of what they are."""

    title: str = ""
    roots: tuple[ProvenanceNode, ...] = ()
    node: ProvenanceNode | None = None
    """The step that the cursor was put on."""


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """One moment of a session. :class:`~aoti_tui.session.session.Session` alone makes the next
    one, and keeps that the launch is one of the kernel, the recording one of the launch, and the
    position a step of the recording."""

    incident: Incident | None = None
    failure_number: int | None = None
    """Which of the incident's failures is open."""
    trial: Trial | None = None
    """What the last replay showed, while symbols are set to try something."""
    kernel: Kernel | None = None
    launch: Launch | None = None
    launch_chosen: bool = False
    """The user has picked the launch, rather than the failure."""
    outcome: Outcome | None = None
    """The replay of the launch; None before it ran."""
    position: int = -1
    precision: Precision | None = None
    """Errors of a recording beside float64; of no interest for any other recording."""
    explained: int = -1
    """Position of the step whose expression is shown: the last one, or one picked."""
    lane: Lane = ()
    selected: str = ""
    """The temporary or watch whose lanes are shown."""
    locked: bool = False
    """Stepping leaves ``selected`` as it is."""
    running: bool = False
    place: Place = field(default_factory=Place)
    chain: Shown = field(default_factory=Shown)
    needle: str = ""
    """What was searched for last in the sources."""
    breakpoints: tuple[tuple[str, Breakpoint], ...] = ()
    watches: tuple[str, ...] = ()

    @property
    def failure(self) -> Failure | None:
        """The open failure, as the log and the replays have it."""
        failures = self.incident.failures if self.incident is not None else ()
        number = self.failure_number
        return failures[number] if number is not None and number < len(failures) else None

    @property
    def shown(self) -> Failure | None:
        """The open failure with the values on the screen: those of a trial, while one is on."""
        failure = self.failure
        then = self.trial.failure if self.trial is not None else None
        same = (
            failure is not None
            and then is not None
            and (then.kernel, then.kernel_line) == (failure.kernel, failure.kernel_line)
        )
        return then if same else failure

    @property
    def recording(self) -> Recording | None:
        return self.outcome.recording if self.outcome is not None else None

    def differs(self, before: State, *names: str) -> bool:
        """Whether any of the fields is another one than before. Large ones (an incident, an
        outcome) are the same only when they are the very same."""
        for name in names:
            one, other = getattr(self, name), getattr(before, name)
            small = isinstance(one, Place | str | tuple | int)
            if one is not other and not (small and one == other):
                return True
        return False
