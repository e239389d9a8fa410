"""What is known of a failure: facts of the log, answers, and how sure they are."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from aoti_tui.failure.steps import Step, StepKind
from aoti_tui.index.model import Elsewhere, Enforced, Launch, LaunchId, ModelFrame

Program = tuple[int, int, int]

Platform = Literal["cuda", "hip", "xpu"]

AssertForm = Literal["cuda", "xpu", "hip", "bare"]
"""How an assert is printed: with block and thread, with ids of a work item, with a place alone,
or with neither (the text was all that was left of it)."""


@dataclass(frozen=True, slots=True)
class LoggedAssert:
    """One distinct assert of a log: same file, line and text."""

    path: str
    """As logged; ``""`` when the log says ``unknown``."""
    line: int | None
    """The log's line number of the kernel source; None when it cannot be one."""
    message: str
    programs: tuple[Program, ...]
    """Distinct blocks, in order of appearance."""
    threads: int
    """Lines reported: CUDA prints one line per thread, so this counts threads, not lanes."""
    log_line: int
    """1-based line of the log where it appears first."""
    highest_thread: int = 0
    """Largest thread number (or local id) seen within a block or work group."""
    form: AssertForm = "cuda"
    origins: tuple[Program, ...] = ()
    """XPU: where the work groups begin (global id − local id); a program is that divided by the
    size of the work group. Empty once ``programs`` are known."""
    kernel: str = ""
    """Name of the function on the device, where a core dump names it."""
    launches: tuple[LaunchId, ...] = ()
    """The launches that it can have come from, where a core dump tells."""


LookAlikeKind = Literal[
    "aten-index-kernel",
    "cpu-check",
    "hip",
    "host-assert",
    "source-dump",
    "guard",
    "illegal-memory-access",
    "memory-fault",
    "loading-error",
]


@dataclass(frozen=True, slots=True)
class LookAlike:
    """Something in the log that resembles a Triton assert and is not one."""

    kind: LookAlikeKind
    log_line: int
    text: str
    explanation: str


FaultKind = Literal["illegal", "misaligned", "page", "checked"]
"""Said by the runtime after the fact, an unaligned access, a page fault that the driver or the
runtime reports with its address, an access that a checker (compute-sanitizer) caught."""


@dataclass(frozen=True, slots=True)
class MemoryFault:
    """A bad address that a log reports instead of an assert."""

    kind: FaultKind
    platform: Platform
    log_line: int
    text: str
    address: int | None = None
    access: str = ""
    """``read``, ``write``, ``atomic``, or ``""`` where the log does not say."""
    kernel: str = ""
    """Name of the function on the device, where a checker names it."""
    path: str = ""
    line: int | None = None
    """Line of ``path``; a kernel line when that is a kernel's file."""
    program: Program | None = None


AutotuneKind = Literal["compile-time", "choices", "configs"]
"""AOTI's own block that tunes on random data, a template's choices benchmarked on random data, or
a kernel's configurations tried on the data of the call."""


@dataclass(frozen=True, slots=True)
class Autotuning:
    """Where a log speaks of autotuning, during which an assert can have fired."""

    kind: AutotuneKind
    log_line: int


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame of a Python traceback in generated code (``File "…/cabc.py", line 308, in call``)."""

    path: str
    line: int
    function: str
    log_line: int
    code: str = ""
    """What stands on that line, where the traceback shows it."""


@dataclass(frozen=True, slots=True)
class LoadingError:
    """An error while a file that Inductor wrote was loaded, before any kernel of it ran."""

    path: str
    line: int
    code: str
    """What stands on that line, where the traceback shows it."""
    error: str
    log_line: int
    cached: bool
    """Whether the traceback shows that the file came out of the compiler's cache."""


@dataclass(frozen=True, slots=True)
class LogReading:
    """What a log says. ``asserts`` in order of first appearance."""

    asserts: tuple[LoggedAssert, ...]
    look_alikes: tuple[LookAlike, ...] = ()
    notes: tuple[str, ...] = ()
    lines: int = 0
    faults: tuple[MemoryFault, ...] = ()
    autotuning: Autotuning | None = None
    frames: tuple[Frame, ...] = ()
    """Frames of tracebacks that stand in files that Inductor wrote, in order."""
    loading: LoadingError | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A kernel whose assert fits the log, with the reason; ``certain`` when line and text fit and
    nothing else does."""

    kernel: str
    kernel_line: int
    wrapper_line: int | None
    launches: tuple[Launch, ...]
    reason: str
    rank: int
    conflicts: tuple[str, ...] = ()
    """What of the log cannot be if this kernel fired (also in ``reason``)."""


@dataclass(frozen=True, slots=True)
class GraphCandidate:
    """A kernel of another graph of torch.compile whose assert fits the log as well."""

    graph: str
    """Its AOT id."""
    wrapper: str
    kernel: str
    kernel_line: int
    wrapper_line: int | None
    launch_lines: tuple[int, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Rival:
    """Another launch that fits the log as well, and what would decide."""

    kernel: str
    kernel_line: int
    launch: Launch
    decided_by: str
    """An input's value, a branch condition, made-up data, in words."""


SourceKind = Literal[
    "input",
    "input_dim",
    "input_value",
    "constant",
    "constant_dim",
    "buffer_dim",
    "random",
    "tensor",
    "literal",
    "unknown",
]
"""``input`` is an input's data, ``input_value`` a size read from an input's value, ``tensor`` the
data of a tensor that a script makes itself. Sources are
listed in this order."""


@dataclass(frozen=True, slots=True)
class UserTerm:
    """What an argument of a graph of torch.compile, or of a script's own launch, is to the user.

    ``input`` is a position among the arguments of the compiled function, ``name`` what it is called
    there (or the FQN of a parameter or buffer), ``""`` where that is not known.
    """

    kind: Literal["input", "parameter", "buffer", "argument", "unknown"]
    input: int | None = None
    name: str = ""
    sure: bool = True
    """False where another of the user's inputs fits the argument as well."""
    told: bool = True
    """False where the given file can hold what ``call`` gets instead of the user's inputs: then its
    place in the file is known, not whose it is."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a value comes from in the end."""

    kind: SourceKind
    position: int | None = None
    dim: int | None = None
    name: str | None = None
    fqn: str | None = None
    line: int | None = None
    """Wrapper line that defines it (not part of its identity in JSON)."""
    user: UserTerm | None = field(default=None, compare=False)
    """What the input is to the user of torch.compile; None for a wrapper of AOTInductor."""


@dataclass(frozen=True, slots=True)
class GuardFinding(Step):
    """The guards of one input dimension on the path, folded into one row.

    ``would_catch``: whether the guard rejects the given inputs; None when that is not known.
    """

    kind = "guard"
    position: int
    dim: int | None
    """None when the value of a number or one-element input is checked, not a size."""
    min: int | None
    max: int | None
    equals: int | None
    enforced: Enforced | Literal["absent"]
    line: int | None
    would_catch: bool | None = None
    stride: int | None = None
    """Elements from one index of the dimension to the next, where a guard fixes it."""


@dataclass(frozen=True, slots=True)
class ProvenanceNode:
    """A step of the chain from an assert to inputs, as a tree to walk."""

    step: Step
    line: int | None = None
    """Wrapper line to jump to."""
    kernel: str | None = None
    kernel_line: int | None = None
    value: int | float | bool | str | None = None
    """What is known from the inputs or a replay: a number, or what an input holds, in words."""
    children: tuple[ProvenanceNode, ...] = ()
    source: Source | None = None
    """Where the chain ends here."""
    seen: bool = False
    """Whether the step stands above already, with all that it is made of."""
    elsewhere: Elsewhere | None = None
    """Where it stands when that is no line of the wrapper."""

    @property
    def kind(self) -> StepKind:
        return self.step.kind

    @property
    def name(self) -> str:
        """The thing itself (``tmp6``, ``ks0``, ``s7``, ``buf0``, ``arg4_1``)."""
        return self.step.name

    @property
    def place(self) -> str:
        """``:1349``, or ``output_code.py:26`` for a line of another file; ``""`` for none."""
        if self.line is not None:
            return f":{self.line}"
        return str(self.elsewhere) if self.elsewhere is not None else ""

    def again(self) -> ProvenanceNode:
        """The step where it stands a second time."""
        return replace(self, seen=True)

    def above(self, *children: ProvenanceNode) -> ProvenanceNode:
        """The step with what it is made of."""
        return replace(self, children=children)


@dataclass(frozen=True, slots=True)
class ValueProvenance:
    """Provenance of a bound or an index: its text, its chain, and the sources at its ends."""

    text: str
    raw: str | None
    """For an index: the expression before Inductor's negative wrap (``tmp6``)."""
    tree: ProvenanceNode
    sources: tuple[Source, ...]
    value: int | float | None = None
    may_also_name: tuple[Source, ...] = ()


CauseCode = Literal[
    "empty-dimension",
    "index-equals-size",
    "index-too-large",
    "index-too-negative",
    "mask-too-narrow",
    "symbol-truncated",
    "overflow",
    "index-unchecked",
    "view-out-of-storage",
    "guard-violated",
    "tuned-on-random-data",
    "other-block-sizes",
    "branch-not-taken",
    "empty-grid",
    "made-up-data",
    "other-inputs",
    "compiler-fault",
    "holds",
]
"""``holds`` is an assert that does not fail with the symbols that were set to try something.

Of a bad access without an assert: ``index-unchecked`` (data lead outside), ``view-out-of-storage``
(sizes alone do, although the inputs pass the guards), ``guard-violated`` (they do, and the inputs
break a guard)."""
BAD_INDEX: frozenset[CauseCode] = frozenset(
    {"index-equals-size", "index-too-large", "index-too-negative"}
)
"""Causes that blame the index, not the size."""
DISAGREEMENT: frozenset[CauseCode] = frozenset(
    {
        *("tuned-on-random-data", "other-block-sizes", "branch-not-taken", "empty-grid"),
        *("made-up-data", "other-inputs", "compiler-fault"),
    }
)
"""Causes that say why a log and the given inputs do not fit each other."""
COMPILER_FAULT: frozenset[CauseCode] = frozenset(
    {"mask-too-narrow", "symbol-truncated", "overflow", "view-out-of-storage", "compiler-fault"}
)
"""Causes that blame the generated code, not the data."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Why it failed.

    ``confirmed`` needs a replay of the given data, or an exact argument, that makes this assert
    fire in a program that the log names; :mod:`aoti_tui.failure.cause.causes` has the rules.

    ``evidence`` lists what was looked at; ``confirm_with`` says what would confirm it.
    """

    code: CauseCode
    text: str
    confirmed: bool
    evidence: tuple[str, ...] = ()
    confirm_with: str = ""


@dataclass(frozen=True, slots=True)
class Fix:
    """A change. ``requires`` is what must hold of a call, as Python over ``inputs`` (the call's
    arguments) and ``constants`` (tensors by FQN), or over the arguments of a script's own launch by
    their names; None where the fix is no such condition."""

    title: str
    text: str
    requires: str | None = None


@dataclass(frozen=True, slots=True)
class OpPattern:
    """An ATen op of the kernel and the Python that usually makes it."""

    aten: str
    pattern: str


@dataclass(frozen=True, slots=True)
class BadElement:
    """One element of a tensor that holds an index out of range."""

    index: tuple[int, ...]
    """By the tensor's dimensions."""
    element: int
    """Counted in memory from the tensor's data pointer."""
    value: int


@dataclass(frozen=True, slots=True)
class BadElements:
    """The elements of an input (or constant) that the assert fails for, because the index is
    their value unchanged.

    ``lowest`` and ``highest`` are the smallest and largest valid value; ``lowest`` is None when
    the assert checks no lower bound.
    """

    name: str
    """Input name, or a constant's FQN."""
    position: int | None
    shape: tuple[int, ...]
    first: tuple[BadElement, ...]
    count: int
    lowest: int | None
    highest: int
    smallest: int
    largest: int
    """Of the bad values."""
    read: int | None = None
    """Elements that the assert checks; None when that is not known."""
    equal: int = 0
    """How many of them are exactly the size (``highest + 1``)."""
    above: int = 0
    below: int = 0
    found_by: Literal["inputs", "replay"] = "inputs"
    """``inputs`` (the inputs file alone) or ``replay`` (the failing lanes' loads)."""
    complete: bool = True
    """Whether all failing lanes were looked at, so that ``count`` is the whole number."""
    user: UserTerm | None = None
    """What the tensor is to the user of torch.compile."""
    in_logged: bool | None = True
    """Whether a program that the log names reads one of them; None where that is not known."""


@dataclass(frozen=True, slots=True)
class IndexedTensor:
    """The tensor that the checked index walks.

    ``dim`` and ``size`` say which of its dimensions, None where that is not clear.
    """

    parameter: str
    name: str
    """Input, buffer, or a constant's FQN."""
    position: int | None = None
    dim: int | None = None
    size: int | None = None
    user: UserTerm | None = None
    """What the tensor is to the user of torch.compile."""


@dataclass(frozen=True, slots=True)
class BadAccess:
    """An access outside of its tensor that a replay saw, where no assert stands before it."""

    access: str
    """``load``, ``store`` or ``atomic``."""
    kernel_line: int
    parameter: str
    tensor: str
    """What the launch passes: an input, a buffer, or a constant's FQN, in words."""
    element: int
    """Counted from the tensor's data pointer."""
    size: int
    program: Program
    lane: tuple[int, ...]
    lanes: int
    """How many lanes do it."""

    @property
    def words(self) -> str:
        """``load of element 288 of buf0 (in_ptr0), which has 288``."""
        return (
            f"{self.access} of element {self.element} of {self.tensor} ({self.parameter}), which "
            f"has {self.size}"
        )


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed assert, explained, or a bad access without one."""

    message: str
    kernel: str
    kernel_line: int
    wrapper_line: int | None
    launches: tuple[Launch, ...]
    candidates: tuple[Candidate, ...]
    programs: tuple[Program, ...]
    threads: int
    bound: ValueProvenance
    index: ValueProvenance
    guards: tuple[GuardFinding, ...]
    source_nodes: tuple[str, ...]
    aten: tuple[str, ...]
    ops: tuple[OpPattern, ...]
    cause: Cause
    possible_causes: tuple[Cause, ...]
    fixes: tuple[Fix, ...]
    siblings: tuple[tuple[int, str], ...] = ()
    """Other asserts of the kernel: kernel line and message."""
    logged: LoggedAssert | None = None
    notes: tuple[str, ...] = field(default=())
    model_frames: tuple[ModelFrame, ...] = ()
    """Lines of the user's model that made the kernel, where the wrapper carries them."""
    debug_handle: int | None = None
    """Inductor's provenance debug handle of the launch, where the wrapper carries it."""
    bad: BadElements | None = None
    """The elements that are wrong, where the index is their value unchanged."""
    indexed: IndexedTensor | None = None
    traced: str = ""
    """Where a replay saw a bad index, in words, when no element of an input holds it unchanged."""
    launch: Launch | None = None
    """The launch that the answer is about; None when the kernel is never launched."""
    rivals: tuple[Rival, ...] = ()
    """What else fits: launches that neither the log nor the values rule out."""
    contradictions: tuple[str, ...] = ()
    """What the log or the values say against this answer. With any, nothing is confirmed."""
    other_graphs: tuple[GraphCandidate, ...] = ()
    """What fits the log in other graphs of the same run, where nothing rules them out."""
    holds: str = ""
    """Why the assert cannot fail with what is known, in words; ``""`` where it can."""
    fired: tuple[Program, ...] | None = None
    """Programs in which a replay made it happen; None where nothing was replayed."""
    access: BadAccess | None = None
    """The access that left its tensor, where that and no assert is what failed: ``index`` is then
    its offset, ``bound`` the tensor's number of elements."""

    @property
    def elsewhere(self) -> Elsewhere | None:
        """Where the assert stands when another file than the wrapper holds the kernel."""
        return self.bound.tree.elsewhere

    def place(self, wrapper: str) -> str:
        """``model.wrapper.cpp:885`` or ``output_code.py:27``."""
        if self.wrapper_line is not None:
            return f"{wrapper}:{self.wrapper_line}"
        return str(self.elsewhere) if self.elsewhere is not None else wrapper
