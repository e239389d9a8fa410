"""What a script's process tells, as immutable facts: launches, findings, differences, output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from aoti_tui.index.model import LaunchId, ModelFrame, Site
from aoti_tui.replay.model import Finding, Program

Why = Literal[
    "finding", "difference", "exception", "breakpoint", "breakpoint-call", "pause", "unknown"
]
"""Why a process stands: something that is wrong, or what the user asked for."""
Phase = Literal["starting", "running", "stopped", "ended"]
STOPS: Final = ("finding", "difference", "exception", "breakpoint", "breakpoint-call")
"""What the interface has a script stop at."""


@dataclass(frozen=True, slots=True)
class JitFunction:
    """A ``@triton.jit`` function: a kernel or a helper. ``lines`` are those of its file."""

    name: str
    file: str
    line: int
    end_line: int
    source: str


@dataclass(frozen=True, slots=True)
class SeenKernel:
    """A kernel that was launched. ``name`` is the only one so called: it names the file where
    two are alike."""

    name: str
    function: JitFunction
    parameters: tuple[tuple[str, bool], ...]
    """Names, and whether each is a ``constexpr``."""
    helpers: tuple[JitFunction, ...] = ()


@dataclass(frozen=True, slots=True)
class Passed:
    """One argument of a launch, as the script has it. Strides, offset and sizes count elements."""

    parameter: str
    kind: str
    """``tensor``, ``scalar``, ``constexpr``, ``none``, ``function``, ``tuple``, ``descriptor``."""
    text: str
    """As written in the call; ``""`` where the call does not write it (a default)."""
    user_name: str = ""
    """The script's own name for the tensor."""
    dtype: str = ""
    shape: tuple[int, ...] = ()
    stride: tuple[int, ...] = ()
    offset: int = 0
    device: str = ""
    value: int | float | bool | str | None = None
    storage_bytes: int = 0


@dataclass(frozen=True, slots=True)
class LaunchSeen:
    """One launch of a kernel, running or done."""

    id: LaunchId
    process: int
    number: int
    """What its own process knows it by."""
    kernel: str
    """Its :attr:`SeenKernel.name`."""
    site: Site
    stack: tuple[ModelFrame, ...]
    """Innermost first: the first is the call."""
    grid: Program
    arguments: tuple[Passed, ...]
    state: Literal["running", "done", "failed"] = "running"
    mode: str = ""
    seconds: float | None = None

    @property
    def programs(self) -> int:
        x, y, z = self.grid
        return x * y * z


@dataclass(frozen=True, slots=True)
class Difference:
    """A comparison of the script's own that failed, at its worst element."""

    what: str
    text: str
    file: str
    line: int
    """Of the comparison."""
    actual: int | float | bool | str | None = None
    expected: int | float | bool | str | None = None
    launch: LaunchId | None = None
    """The launch that wrote the element; None where no kernel did."""
    argument: str = ""
    element: int | None = None
    program: Program | None = None
    lane: tuple[int, ...] = ()
    index: tuple[int, ...] = ()
    """Of the element, in the tensor that was compared."""
    store_file: str = ""
    store_line: int = 0
    """Of the store that wrote the element."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A warning of what a GPU would do otherwise, or its compiler refuse."""

    file: str
    line: int
    text: str
    is_lint: bool = False


@dataclass(frozen=True, slots=True)
class ScriptStop:
    """Where a process stands until it is told to go on."""

    process: int
    why: Why
    text: str
    file: str = ""
    line: int = 0
    launch: LaunchId | None = None
    program: Program | None = None
    lane: tuple[int, ...] = ()
    argument: str = ""
    element: int | None = None
    finding: Finding | None = None
    difference: Difference | None = None


@dataclass(frozen=True, slots=True)
class Raised:
    """The exception that ended a script."""

    type: str
    text: str
    traceback: str


@dataclass(frozen=True, slots=True)
class Ended:
    """How the script ended. ``code`` is what its shell would see."""

    code: int
    raised: Raised | None = None


@dataclass(frozen=True, slots=True)
class Machine:
    """What runs the script."""

    python: str = ""
    executable: str = ""
    torch: str | None = None
    triton: str | None = None
    cuda: str = ""
    """``stand-in``, ``real`` or ``none``."""


@dataclass(frozen=True, slots=True, eq=False)
class ScriptRun:
    """All that is known of a run at one moment."""

    title: str
    """``main.py --size 1024``."""
    phase: Phase = "starting"
    machine: Machine = Machine()
    kernels: Mapping[str, SeenKernel] = field(default_factory=dict)
    launches: tuple[LaunchSeen, ...] = ()
    findings: tuple[Finding, ...] = ()
    differences: tuple[Difference, ...] = ()
    remarks: tuple[Remark, ...] = ()
    output: tuple[str, ...] = ()
    """Lines of stdout and stderr in the order in which they came; the last may go on."""
    dropped: int = 0
    """Lines before those, which were let go."""
    stop: ScriptStop | None = None
    ended: Ended | None = None
    problem: str = ""
    """Why there is no script's process to speak with, in words."""

    def launch(self, identity: LaunchId | None) -> LaunchSeen | None:
        # An id is the place in the order of happening.
        at = -1 if identity is None else int(identity)
        return self.launches[at] if 0 <= at < len(self.launches) else None

    def findings_of(self, launch: LaunchId) -> tuple[Finding, ...]:
        return tuple(one for one in self.findings if one.launch == launch)

    @property
    def is_wrong(self) -> bool:
        """Whether anything was found, by the engine or by the script itself."""
        failed = self.ended is not None and self.ended.code != 0
        return bool(self.findings or self.differences or failed or self.problem)
