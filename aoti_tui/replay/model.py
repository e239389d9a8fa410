"""What a replay gives: launch plan, values and where they come from, asserts, recording.

``source`` of a value says how far it can be trusted: ``input`` (given by the user), ``set`` (a
symbol the user set), ``replayed`` (computed by replaying what feeds it, from real values only),
``constant`` (given file), ``captured`` (a tensor saved on the GPU), ``fixed`` (a literal of the
wrapper), ``script`` (what a script's own launch was given), ``made-up`` (nothing is known:
reproducible invented data, or computed from such).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from aoti_tui.index.expression import Expr
from aoti_tui.index.model import Launch, LaunchId, Site

Program = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """What the worker's Python has. ``problems`` is empty when it can replay.

    ``contained`` says what was taken away from the worker, ``not_contained`` what this system
    offers no way to take away.
    """

    python: str
    executable: str
    torch: str | None
    triton: str | None
    problems: tuple[str, ...] = ()
    contained: tuple[str, ...] = ()
    not_contained: tuple[str, ...] = ()
    runs_script: bool = False
    """It is the user's own program, which does what it likes."""


@dataclass(frozen=True, slots=True)
class GivenInput:
    """One flattened element of the inputs file, in the order of the model's inputs."""

    position: int
    name: str
    kind: str
    """``tensor``, ``int``, ``float``, ``bool`` or ``none``; ``absent`` for an argument of a graph
    that the file does not hold."""
    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    value: int | float | bool | None
    summary: str = ""
    """``min 0  max 5  5 distinct`` for a tensor."""
    place: int | None = None
    """Which value of the file it is; None for a size that was worked out of the tensors."""


@dataclass(frozen=True, slots=True)
class SymbolValue:
    name: str
    value: int | float
    source: str
    how: str
    """``arg4_1.size(0)``, ``--set``, ``made up``."""


@dataclass(frozen=True, slots=True)
class ArgumentValue:
    """One argument of the replayed launch."""

    name: str
    """Kernel parameter."""
    expression: str
    source: str
    dtype: str
    shape: tuple[int, ...]
    value: int | float | None = None
    """For a scalar."""
    how: str = ""
    """``replayed triton_red_fused_cumsum_0 (:1367)``."""
    tensor: str | None = None
    """Its name in the worker, to read elements from."""
    part: str = ""
    """``whole`` or ``part``: how much of its storage a script's tensor is."""


@dataclass(frozen=True, slots=True)
class Flag:
    """What the replay cannot promise to do as the GPU did, at a line of a kernel's source."""

    file: str
    kernel_line: int
    text: str


@dataclass(frozen=True, slots=True)
class FiredAssert:
    file: str
    """The source whose line it is: a wrapper's kernel has one of its own, called after it."""
    kernel_line: int
    message: str
    programs: tuple[Program, ...]
    failing_lanes: int
    order: int
    first_program: Program
    first_lane: tuple[int, ...]
    values: dict[str, int | float | bool]
    """Values of names in the first failing lane."""
    depends_on_made_up: bool

    def shown_in(self, logged: tuple[Program, ...]) -> Program:
        """The program whose values stand for all: the first of the log's that failed here too,
        else the first that failed."""
        return next((p for p in logged if p in self.programs), self.first_program)


@dataclass(frozen=True, slots=True)
class MemoryFault:
    """An access outside its tensor. ``element`` counts from the tensor's data pointer."""

    file: str
    kernel_line: int
    access: str
    argument: str
    element: int
    size: int
    program: Program
    lane: tuple[int, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that the engine saw go wrong while a script ran. What is not known of it is None
    or empty."""

    kind: str
    """As ``run --check --json`` has it: ``out-of-bounds``, ``race`` …"""
    kernel: str
    file: str
    line: int
    launch: LaunchId | None
    text: str
    argument: str = ""
    element: int | None = None
    program: Program | None = None
    lane: tuple[int, ...] = ()
    count: int = 1


@dataclass(frozen=True, slots=True)
class Gate:
    """What of the wrapper decides whether a launch runs at all, with the values of a replay.

    ``kind`` is ``if``, ``else``, ``while`` (the loop around the launch) or ``check`` (a check of
    the wrapper itself before the launch, which throws).
    """

    kind: str
    line: int
    condition: Expr | None
    """That of an ``else`` is its ``if``'s."""
    opens: bool | None
    """Whether the values lead through to the launch; None where the condition is not known."""
    made_up: bool = False
    """Whether made-up data decided it."""

    @property
    def closed(self) -> bool:
        """Whether real values lead past the launch."""
        return self.opens is False and not self.made_up

    @property
    def open(self) -> bool:
        """Whether real values lead to the launch."""
        return self.opens is True and not self.made_up

    @property
    def words(self) -> str:
        """```if (arg2_1_scalar)` (:1064) is false``."""
        condition = self.condition.written if self.condition is not None else "…"
        if self.kind == "while":
            runs = (
                "may run or not" if self.opens is None else "runs" if self.opens else "never runs"
            )
            return f"the loop of line {self.line} {runs}"
        if self.kind == "check":
            return f"the wrapper itself stops at line {self.line}: {condition} does not hold"
        if self.opens is None:
            value = "not known"
        else:
            value = "true" if self.opens is (self.kind == "if") else "false"
        if self.kind == "else":
            return f"the else (:{self.line}) of `if ({condition})`, which is {value}"
        return f"`if ({condition})` (:{self.line}) is {value}"


@dataclass(frozen=True, slots=True)
class ReplayResult:
    kernel: str
    launch: LaunchId
    site: Site
    grid: Program
    blocks: dict[str, int]
    symbols: tuple[SymbolValue, ...]
    arguments: tuple[ArgumentValue, ...]
    asserts: tuple[FiredAssert, ...]
    faults: tuple[MemoryFault, ...]
    mode: str
    programs_run: int
    flags: tuple[Flag, ...] = ()
    notes: tuple[str, ...] = ()
    gates: tuple[Gate, ...] = ()
    """Branches and loops around the launch, outermost first, and checks before it that fail. A
    launch that its gates lead past was replayed all the same."""
    failed_before: tuple[str, ...] = ()
    """Launches that feed this one and whose asserts fire first, on real data: the GPU stops
    there."""
    faults_before: tuple[tuple[Launch, MemoryFault], ...] = ()
    """Accesses outside of their tensors, on real data, of launches that feed this one."""
    grid_is_chosen: bool = False
    """Whether the GPU may have had other programs: the tuned block size stands nowhere in the
    wrapper, and one was chosen for the replay."""
    findings: tuple[Finding, ...] = ()
    """What was seen besides asserts and faults when the script itself made the launch."""

    @property
    def depends_on_made_up(self) -> bool:
        return any(a.source == "made-up" for a in self.arguments)


@dataclass(frozen=True, slots=True)
class Block:
    """Values of one temporary over the lanes of its block, C-contiguous.

    Integers and bools are Python ints and bools, floats Python floats.
    """

    dtype: str
    shape: tuple[int, ...]
    values: memoryview
    argument: str | None = None
    """For pointers: the argument they point into; values are element indices."""

    def __len__(self) -> int:
        return len(self.values)

    def at(self, lane: tuple[int, ...]) -> int | float | bool:
        """Value of a lane, with size-1 dimensions broadcast as Triton does."""
        flat = 0
        padded = lane[len(lane) - len(self.shape) :] if len(lane) >= len(self.shape) else lane
        for size, position in zip(self.shape, padded, strict=False):
            flat = flat * size + (position if size > 1 else 0)
        value: int | float | bool = self.values[flat]
        return value


@dataclass(frozen=True, slots=True)
class Summary:
    min: float | int | None
    max: float | int | None
    nan: int
    distinct: int | None
    count: int


@dataclass(frozen=True, slots=True)
class LoadedFrom:
    """Elements of an argument by lane, counted from its data pointer."""

    argument: str
    elements: Block


@dataclass(frozen=True, slots=True)
class Step:
    """One recorded assignment, store or assert, in execution order."""

    position: int
    file: str
    """The source whose line it is, which for a helper's step may be another than the kernel's."""
    kernel_line: int
    name: str
    function: str
    depth: int
    iteration: tuple[int, ...]
    kind: str
    value: Block | int | float | bool | str | None
    summary: Summary | None
    changed: bool
    failing: Block | None = None
    active: Block | None = None
    loads: tuple[LoadedFrom, ...] = ()
    faults: tuple[MemoryFault, ...] = ()
    target: LoadedFrom | None = None
    """Where a store or atomic writes, lane by lane; only its ``active`` lanes do."""


@dataclass(frozen=True, slots=True)
class Recording:
    """Every assignment of one program, with values: steppable both ways."""

    kernel: str
    file: str
    """The kernel's own source, as its steps name it."""
    launch: LaunchId
    site: Site
    program: Program
    grid: Program
    blocks: dict[str, int]
    steps: tuple[Step, ...]
    arguments: tuple[ArgumentValue, ...]
    symbols: tuple[SymbolValue, ...]
    flags: tuple[Flag, ...] = ()
    scalars: dict[str, int | float | bool] = field(default_factory=dict)
    """Values of the kernel's scalar parameters (``ks0``)."""
