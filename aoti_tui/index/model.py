"""What a wrapper says, as immutable facts.

Every ``line`` is a 1-based line of the wrapper unless it is called ``kernel_line``, which
counts from the ``async_compile.triton('…', '''`` line (that line is kernel line 1), because
that is how a GPU assert counts. Nothing here interprets a failure or runs anything.

Nothing here tells which language the wrapper is written in: sizes, conditions and numbers are
parsed expressions, and functions are known by their role.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, NewType

from aoti_tui.index.arguments import ExternArgument, Result, TensorView
from aoti_tui.index.expression import ZERO, Expr
from aoti_tui.index.late import Late
from aoti_tui.index.nodes import Name, Reading

ScopeKind = Literal["if", "else", "while", "block"]
SymbolKind = Literal[
    "input_dim", "input_stride", "item", "buffer_dim", "buffer_stride", "expression"
]
GuardCheck = Literal["min", "max", "equals", "stride", "dtype", "device"]
Enforced = Literal["always", "AOTI_RUNTIME_CHECK_INPUTS"]
"""When a check runs: on every call, or only where that variable is set."""
RUNTIME_CHECKS: Final = "AOTI_RUNTIME_CHECK_INPUTS"
"""The variable without which a wrapper's input checks do nothing (``csrc/inductor`` runtime)."""
BufferKind = Literal["allocation", "reuse", "view", "pool", "alias", "result", "declaration"]


@dataclass(frozen=True, slots=True)
class Gap:
    """Text the index did not understand. Kept and shown, never dropped in silence."""

    line: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the wrapper that launches kernels: ``main`` runs the model, ``constants``
    folds constants once before it. Two are one and the same when they have the same role: a
    function that ``main`` calls (a partition, a branch) is a part of it."""

    role: Literal["main", "constants"]
    name: str = field(compare=False)
    """As the wrapper calls it; only ever shown."""

    @property
    def is_main(self) -> bool:
        return self.role == "main"


_NUMBER_TYPE = re.compile(r"(?:fp|bf|i|u)\d{1,2}\w*")


@dataclass(frozen=True, slots=True)
class KernelParameter:
    """One parameter of a kernel's Python function, in order.

    ``type`` is Triton's signature type (``*fp32``, ``i64``, ``constexpr``) or ``""`` where the
    signature does not list it.
    """

    name: str
    type: str

    @property
    def is_pointer(self) -> bool:
        return self.type.startswith("*")

    @property
    def is_value(self) -> bool:
        """Whether a launch passes a number, whatever the parameter is called: a tensor of no
        dimensions that stands there is read first (``in_ptr0: 'fp32'``)."""
        return _NUMBER_TYPE.fullmatch(self.type) is not None


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A line of another file than the wrapper: an autotune block, ``output_code.py``."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file.replace(chr(92), '/').rpartition('/')[2]}:{self.line}"


@dataclass(frozen=True, slots=True)
class KernelFacts:
    """What a kernel's source, and the function that launches it, say of it."""

    function: str = ""
    """The name of the ``def`` in the source (``triton_`` in torch 2.5, ``lookup_kernel``)."""
    parameters: tuple[KernelParameter, ...] = ()
    size_hints: Mapping[str, int] = field(default_factory=dict)
    """``{'x': 8, 'r0_': 1024}``; torch 2.5's list form becomes the same keys."""
    triton_meta: Mapping[str, object] = field(default_factory=dict)
    inductor_meta: Mapping[str, object] = field(default_factory=dict)
    constants: Mapping[str, object] = field(default_factory=dict)
    """Values fixed at compile time by parameter name (``xnumel: 1``, ``BLOCK: 32``)."""
    blocks: Mapping[str, int] = field(default_factory=dict)
    """Block sizes known for certain (``XBLOCK`` out of the grid, constexpr assignments of the
    body). A looped reduction's ``R0_BLOCK`` appears nowhere and is not here."""
    grid: tuple[Expr, ...] = ()
    """Grid x, y, z over ``call_parameters``; empty when unknown."""
    num_warps: int | None = None
    shared_memory: int | None = None
    mutated: tuple[str, ...] = ()
    """``mutated_arg_names`` of the decorator."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """One Triton kernel.

    ``lines[k - 1]`` is kernel line ``k``, with the comment's indentation removed; ``lines[0]`` is
    the ``async_compile.triton(`` line and the last is the closing ``''', device_str='cuda')``.
    ``lines`` is empty when the wrapper does not embed the source (torch 2.7 and older) and no
    other file gave it.
    """

    name: str
    """The name launches use (``triton_poi_fused_add_0``, ``lookup_kernel_0``)."""
    line: int
    """Where the wrapper defines or first mentions it."""
    source_line: int | None
    """Line of kernel line 1 in ``source_path``, or in the wrapper when that is None."""
    source_path: str | None
    """The file that gave the source when it is not the wrapper itself."""
    lines: tuple[str, ...]
    heuristic: str
    """Decorator: ``pointwise``, ``reduction``, ``persistent_reduction``, ``split_scan``,
    ``cooperative_reduction``, ``foreach``, ``template``, ``user_autotune``, or ``""``."""
    call_parameters: tuple[str, ...]
    """What a launch's arguments fill, in order: the parameters of the function that launches the
    kernel, without device index, stream, kernels and folder of binaries."""
    facts: Late[KernelFacts] = field(compare=False, repr=False)
    """Read out of the source when one of them is first asked for."""
    span: tuple[int, int] | None = None
    """First and last line of the kernel where ``lines`` are a whole file, which other kernels
    share: a kernel line is then a line of that file."""

    @property
    def function(self) -> str:
        return self.facts().function

    @property
    def parameters(self) -> tuple[KernelParameter, ...]:
        return self.facts().parameters

    @property
    def size_hints(self) -> Mapping[str, int]:
        return self.facts().size_hints

    @property
    def triton_meta(self) -> Mapping[str, object]:
        return self.facts().triton_meta

    @property
    def inductor_meta(self) -> Mapping[str, object]:
        return self.facts().inductor_meta

    @property
    def constants(self) -> Mapping[str, object]:
        return self.facts().constants

    @property
    def blocks(self) -> Mapping[str, int]:
        return self.facts().blocks

    @property
    def grid(self) -> tuple[Expr, ...]:
        return self.facts().grid

    @property
    def num_warps(self) -> int | None:
        return self.facts().num_warps

    @property
    def shared_memory(self) -> int | None:
        return self.facts().shared_memory

    @property
    def mutated(self) -> tuple[str, ...]:
        return self.facts().mutated

    def with_blocks(self, blocks: Mapping[str, int]) -> Kernel:
        """The kernel with block sizes that something else than the wrapper tells."""
        facts = self.facts()
        known = replace(facts, blocks={**facts.blocks, **blocks})
        return replace(self, facts=Late.known(known))

    @property
    def has_source(self) -> bool:
        return bool(self.lines)

    @property
    def source(self) -> str:
        """The Python text, in which a line number is a kernel line.

        Line 1 is blank, or the first line of a cache file that does not start with a blank one.
        """
        if not self.lines:
            return ""
        first = "" if "async_compile" in self.lines[0] else self.lines[0]
        return "\n".join((first, *self.lines[1:-1])) + "\n"

    def wrapper_line(self, kernel_line: int) -> int | None:
        """Wrapper line of ``kernel_line``; None without source, or when another file holds it."""
        return None if self.source_path is not None else self.file_line(kernel_line)

    def file_line(self, kernel_line: int) -> int | None:
        """Line in the file that holds the source of ``kernel_line``; None without source."""
        if self.source_line is None or not 1 <= kernel_line <= len(self.lines):
            return None
        return self.source_line + kernel_line - 1

    def elsewhere(self, kernel_line: int) -> Elsewhere | None:
        """Where ``kernel_line`` stands in another file than the wrapper."""
        line = self.file_line(kernel_line)
        if self.source_path is None or line is None:
            return None
        return Elsewhere(self.source_path, line)

    def kernel_line(self, wrapper_line: int) -> int | None:
        """Kernel line of a line of the file that holds the source; None outside of it."""
        if self.source_line is None:
            return None
        kernel_line = wrapper_line - self.source_line + 1
        return kernel_line if 1 <= kernel_line <= len(self.lines) else None


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a launch, beside the kernel parameter it becomes."""

    parameter: str
    text: str
    """As written in the wrapper."""
    tensor: TensorView | None = None
    """Set when the argument is a tensor."""
    value: Expr | None = None
    """Set when the argument is a number; without tensor and value nothing is passed (null)."""


@dataclass(frozen=True, slots=True)
class LoopExit:
    """Where a loop is left: at ``line``, when ``condition`` does not hold."""

    line: int
    condition: Expr


@dataclass(frozen=True, slots=True)
class Scope:
    """A block of a function that may run never, once or many times."""

    kind: ScopeKind
    line: int
    condition: Expr | None
    """An ``else`` repeats its ``if``'s; None for a ``block``."""
    subgraph: str = ""
    """``true_graph_0``, where the wrapper names it."""
    exit: LoopExit | None = None
    """How a ``while`` ends that does not end by its condition; None when it is not understood."""


@dataclass(frozen=True, slots=True)
class ModelFrame:
    """A line of the user's model, where the wrapper carries it (profiling builds, 2.13+)."""

    file: str
    line: int
    function: str
    code: str


_AFTER = 10**9
"""Sorts a line behind the lines of the function that it calls: its result is there after them."""

LaunchId = NewType("LaunchId", int)
"""What a launch is known by: its number in the order in which launches stand (or happen)."""


@dataclass(frozen=True, slots=True)
class Site:
    """Where something stands. One site can launch many times (a loop, a script)."""

    file: str
    line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Launch:
    """One call of a kernel. A kernel can have many, and one line can make many."""

    id: LaunchId
    kernel: str
    site: Site
    function: Function
    arguments: tuple[Argument, ...]
    scopes: tuple[Scope, ...] = ()
    source_nodes: tuple[str, ...] = ()
    aten: tuple[str, ...] = ()
    """Original ATen ops as written (``aten.index``, ``prims.prepare_softmax_online``)."""
    grid: tuple[Expr, ...] = ()
    """Over the names of its function where the launch itself gives the grid (torch ≤ 2.6, user
    kernels); empty when :attr:`Kernel.grid` holds."""
    debug_handle: int | None = None
    model_frames: tuple[ModelFrame, ...] = ()

    @property
    def line(self) -> int:
        """The first line of its site."""
        return self.site.line

    def argument(self, parameter: str) -> Argument | None:
        """What it passes for a parameter of its kernel."""
        return next((a for a in self.arguments if a.parameter == parameter), None)


@dataclass(frozen=True, slots=True)
class Input:
    """A model input by position. Names skip parameters: input 0 may be ``arg79_1``."""

    position: int
    name: str
    line: int
    """Where the main function takes it, or else where it is declared."""
    is_scalar: bool = False
    """A SymInt or number input."""
    dtype: str | None = None
    sizes: tuple[Expr, ...] | None = None
    """Over the wrapper's symbols; with ``dtype``, ``strides`` and ``example``, what a wrapper of
    torch.compile says of an argument, None where it says nothing."""
    strides: tuple[Expr, ...] | None = None
    example: tuple[int, ...] | None = None
    """The sizes that it was compiled with."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition of a shape symbol or of another integer or float local of a function.

    ``kind`` is ``input_dim`` (``position`` and ``dim`` are set: ``s7 = arg4_1.size(0)``),
    ``input_stride`` (the same of a stride), ``item`` (read from a tensor's value: ``tensor`` is
    its name; ``position`` is set when that is an input, and ``tensor`` is None for an input
    that is itself a number), ``buffer_dim`` and ``buffer_stride`` (``u1 = buf9.size(0)``:
    ``tensor`` and ``dim``), or ``expression``.
    A name can be defined more than once (subgraphs, other functions). ``type`` is ``flag`` for a
    number that is read off a tensor to choose a branch.
    """

    name: str
    line: int
    kind: SymbolKind
    expression: Expr
    """What it is set to, with throw-away locals resolved (``arg1_1.item()``)."""
    function: Function
    type: Literal["int", "float", "flag"] = "int"
    position: int | None = None
    dim: int | None = None
    tensor: str | None = None
    scopes: tuple[Scope, ...] = ()
    number: int | None = None
    """Position of the input that brings it as a number of its own (torch.compile)."""

    @property
    def reading(self) -> Reading | None:
        """The size or element of a tensor that it is; None when it is a stride or computed."""
        if self.tensor is None or self.kind not in ("input_dim", "buffer_dim", "item"):
            return None
        return Reading(self.tensor, "item" if self.kind == "item" else "size", self.dim or 0)


@dataclass(frozen=True, slots=True)
class Guard:
    """One check of an input; ``value`` is the text of what is expected."""

    position: int
    name: str
    check: GuardCheck
    dim: int | None
    value: str
    line: int
    enforced: Enforced


@dataclass(frozen=True, slots=True)
class RuntimeCheck:
    """What a function checks while it runs: ``u0 >= 2``, or the sizes of a tensor."""

    condition: Expr
    """What must hold; one with a ``problem`` for a check of a tensor's layout."""
    message: str
    line: int
    enforced: Enforced
    layout: TensorView | None = None
    """The sizes and strides that a tensor is checked to have."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A weight or buffer. ``shape`` and ``stride`` count elements."""

    name: str
    index: int
    line: int
    dtype: str
    """``float32``, ``int64``, …"""
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    fqn: str
    """Original fully qualified name (``proj.weight``), ``""`` for a folded constant."""
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Buffer:
    """A runtime tensor name and where it gets its memory.

    ``kind`` is ``allocation`` (new memory), ``reuse`` (takes over the memory of ``of``), ``view``
    (shares the memory of ``of``), ``pool`` (part of a memory pool), ``alias`` (another name of
    ``of``), ``result`` (made by an extern call) or ``declaration`` (an empty handle that a branch
    fills). ``sizes`` and ``strides`` count elements; None when the wrapper does not say.
    A name can have several definitions (one per branch). A folded constant is an ``alias`` of
    the buffer that the function for constants hands out for it.
    """

    name: str
    line: int
    kind: BufferKind
    function: Function
    of: str | None = None
    sizes: tuple[Expr, ...] | None = None
    strides: tuple[Expr, ...] | None = None
    dtype: str | None = None
    offset: Expr = ZERO
    scopes: tuple[Scope, ...] = ()
    part: int = 0
    """Which of several results of the call ``of`` it is."""


@dataclass(frozen=True, slots=True)
class ExternCall:
    """A call that is not a Triton launch: a matrix product, a fallback op, a copy.

    ``op`` is its short name (``mm_out``, ``nonzero``, ``zero_``); ``reads`` and ``writes`` are
    the tensors in argument order; ``arguments`` are the operator's, without the results.
    """

    op: str
    line: int
    text: str
    function: Function
    reads: tuple[TensorView, ...] = ()
    writes: tuple[TensorView, ...] = ()
    arguments: tuple[ExternArgument, ...] = ()
    results: tuple[Result, ...] = ()
    """What the call makes itself, in its order."""
    named: bool = True
    """False where ``op`` is no operator of PyTorch: ``custom`` or ``aten`` tells which it is."""
    custom: str = ""
    """``mylib.scale.default``, where the wrapper names an operator that is not PyTorch's own."""
    scopes: tuple[Scope, ...] = ()
    source_nodes: tuple[str, ...] = ()
    aten: tuple[str, ...] = ()
    debug_handle: int | None = None
    model_frames: tuple[ModelFrame, ...] = ()


@dataclass(frozen=True, slots=True)
class Output:
    """What the main function hands out."""

    position: int
    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Body:
    """A function of the wrapper that another one calls: its lines run at ``called_at``; they are
    placed at the first of its calls."""

    first: int
    last: int
    called_at: int


@dataclass(frozen=True, slots=True)
class WrapperIndex:
    """Everything the index knows about one wrapper. Built once, never changed.

    Tuples are in line order, launches in the order in which they run.
    """

    path: str
    lines: tuple[str, ...]
    """The wrapper's lines, without line ends."""
    kernels: Mapping[str, Kernel]
    launches: tuple[Launch, ...]
    inputs: tuple[Input, ...]
    """By position."""
    symbols: tuple[Symbol, ...]
    guards: tuple[Guard, ...]
    checks: tuple[RuntimeCheck, ...]
    constants: tuple[Constant, ...]
    buffers: tuple[Buffer, ...]
    externs: tuple[ExternCall, ...]
    outputs: tuple[Output, ...]
    found_gaps: Late[tuple[Gap, ...]] = field(compare=False, repr=False)
    main: Function
    scopes: tuple[Scope, ...] = ()
    bodies: tuple[Body, ...] = ()
    graph: str = ""
    """The AOT id of a graph of torch.compile (``0_inference``); ``""`` of a wrapper of AOTI."""
    torch_version: str = ""
    """A range such as ``2.8+`` guessed from the format, or ``""``. Only ever shown as a guess."""
    is_script: bool = False
    """Whether it is a user's own program, which defines its kernels itself, or a launch that was
    recorded of one: its inputs are the tensors that the launch was given."""
    device: str = "cuda"
    """``cuda``, ``xpu``, ``cpu`` or ``hip``, from the constructor or the stream type."""

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Those of kernels are found when the gaps are first asked for."""
        return self.found_gaps()

    def place(self, line: int) -> tuple[int, ...]:
        """What comes before what when it runs: a function's lines come where it is called."""
        for body in self.bodies:
            if body.first <= line <= body.last:
                return (*self.place(body.called_at)[:-1], line, _AFTER)
        return (line, _AFTER)

    def launches_of(self, kernel: str) -> tuple[Launch, ...]:
        return tuple(launch for launch in self.launches if launch.kernel == kernel)

    def launch(self, identity: LaunchId) -> Launch | None:
        return next((la for la in self.launches if la.id == identity), None)

    def launches_at(self, line: int) -> tuple[Launch, ...]:
        """Launches that a line of the wrapper makes, in order."""
        return tuple(la for la in self.launches if la.site.line <= line <= la.site.end_line)

    def launch_at(self, line: int) -> Launch | None:
        """The first launch that a line of the wrapper makes."""
        return next(iter(self.launches_at(line)), None)

    def kernel_at(self, line: int) -> Kernel | None:
        """The kernel whose embedded source holds this wrapper line."""
        for kernel in self.kernels.values():
            if kernel.source_path is None and kernel.kernel_line(line) is not None:
                return kernel
        return None

    def symbol(self, name: str, before: int | None = None) -> Symbol | None:
        """The last definition of ``name`` at or before line ``before`` (or the last of all)."""
        found = None
        for symbol in self.symbols:
            if symbol.name == name and (before is None or symbol.line <= before):
                found = symbol
        return found

    def dims_sharing(self, position: int, dim: int) -> tuple[tuple[int, int], ...]:
        """All dimensions of arguments that are the same symbol as this one, itself among them;
        empty where the wrapper does not say. Equal sizes share a symbol (torch.compile)."""
        own = next((i for i in self.inputs if i.position == position), None)
        if own is None or own.sizes is None or dim >= len(own.sizes):
            return ()
        root = own.sizes[dim].root
        if not isinstance(root, Name):
            return ()
        return tuple(
            (other.position, at)
            for other in self.inputs
            for at, size in enumerate(other.sizes or ())
            if size.root == root
        )

    def input_named(self, name: str) -> Input | None:
        return next((i for i in self.inputs if i.name == name), None)

    def constant_named(self, name: str) -> Constant | None:
        return next((c for c in self.constants if c.name == name), None)

    def guards_of(self, position: int, dim: int | None = None) -> tuple[Guard, ...]:
        return tuple(
            g for g in self.guards if g.position == position and (dim is None or g.dim == dim)
        )
