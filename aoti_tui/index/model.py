"""What a wrapper says, as immutable facts.

Every ``line`` is a 1-based line of the wrapper unless it is called ``kernel_line``, which
counts from the ``async_compile.triton('…', '''`` line (that line is kernel line 1), because
that is how a GPU assert counts. Nothing here interprets a failure or runs anything.

Names of C++ functions and members are those of Inductor's code generation:
torch/_inductor/codegen/cpp_wrapper_cpu.py and cpp_wrapper_gpu.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NewType


@dataclass(frozen=True, slots=True)
class Gap:
    """Text the index did not understand. Kept and shown, never dropped in silence."""

    line: int
    text: str
    reason: str


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
    function: str
    """The name of the ``def`` in the source (``triton_`` in torch 2.5, ``lookup_kernel``)."""
    line: int
    """Where the wrapper defines or first mentions it (its ``call_…`` function)."""
    source_line: int | None
    """Line of kernel line 1 in ``source_path``, or in the wrapper when that is None."""
    source_path: str | None
    """The file that gave the source when it is not the wrapper itself."""
    lines: tuple[str, ...]
    heuristic: str
    """Decorator: ``pointwise``, ``reduction``, ``persistent_reduction``, ``split_scan``,
    ``cooperative_reduction``, ``foreach``, ``template``, ``user_autotune``, or ``""``."""
    parameters: tuple[KernelParameter, ...]
    call_parameters: tuple[str, ...]
    """The C++ parameters of ``call_…`` that a launch's arguments fill, in order, without the
    trailing device index, stream, kernels and cubin directory."""
    size_hints: Mapping[str, int] = field(default_factory=dict)
    """``{'x': 8, 'r0_': 1024}``; torch 2.5's list form becomes the same keys."""
    triton_meta: Mapping[str, object] = field(default_factory=dict)
    inductor_meta: Mapping[str, object] = field(default_factory=dict)
    constants: Mapping[str, object] = field(default_factory=dict)
    """Values fixed at compile time by parameter name (``xnumel: 1``, ``BLOCK: 32``)."""
    blocks: Mapping[str, int] = field(default_factory=dict)
    """Block sizes known for certain (``XBLOCK`` out of the grid, constexpr assignments of the
    body). A looped reduction's ``R0_BLOCK`` appears nowhere and is not here."""
    grid: tuple[str, ...] = ()
    """C++ expressions of grid x, y, z over ``call_parameters``; empty when unknown."""
    num_warps: int | None = None
    shared_memory: int | None = None
    mutated: tuple[str, ...] = ()
    """``mutated_arg_names`` of the decorator."""

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
        """Line in the file that holds the source of ``kernel_line``; None without source."""
        if self.source_line is None or not 1 <= kernel_line <= len(self.lines):
            return None
        return self.source_line + kernel_line - 1

    def kernel_line(self, wrapper_line: int) -> int | None:
        """Kernel line of a line of the file that holds the source; None outside of it."""
        if self.source_line is None:
            return None
        kernel_line = wrapper_line - self.source_line + 1
        return kernel_line if 1 <= kernel_line <= len(self.lines) else None


@dataclass(frozen=True, slots=True)
class TensorView:
    """``reinterpret_tensor_wrapper(base, …)`` or a bare tensor name.

    ``sizes`` and ``strides`` are C++ expressions (elements), None for the tensor as it is;
    ``offset`` is the storage offset in elements, as a C++ expression.
    """

    base: str
    sizes: tuple[str, ...] | None = None
    strides: tuple[str, ...] | None = None
    offset: str = "0"
    dtype: str | None = None
    """Only for a view that changes the dtype (``aoti_torch_view_dtype``)."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a launch, beside the kernel parameter it becomes."""

    parameter: str
    text: str
    """As written in the wrapper."""
    tensor: TensorView | None = None
    """Set when the argument is a tensor."""


@dataclass(frozen=True, slots=True)
class Scope:
    """A block of ``run_impl`` that may run never, once or many times."""

    kind: str
    """``if``, ``else``, ``while`` or ``block``."""
    line: int
    condition: str
    """C++ text of the condition (an ``else`` repeats its ``if``'s)."""
    subgraph: str = ""
    """``true_graph_0``, from the ``// subgraph:`` comment."""


@dataclass(frozen=True, slots=True)
class ModelFrame:
    """A line of the user's model, where the wrapper carries it (profiling builds, 2.13+)."""

    file: str
    line: int
    function: str
    code: str


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
    function: str
    """``run_impl`` or ``_const_run_impl``."""
    arguments: tuple[Argument, ...]
    scopes: tuple[Scope, ...] = ()
    source_nodes: tuple[str, ...] = ()
    aten: tuple[str, ...] = ()
    """Original ATen ops as written (``aten.index``, ``prims.prepare_softmax_online``)."""
    grid: tuple[str, ...] = ()
    """Grid expressions over the names of ``run_impl`` where the launch itself gives them
    (torch ≤ 2.6, user kernels); empty when :attr:`Kernel.grid` holds."""
    debug_handle: int | None = None
    model_frames: tuple[ModelFrame, ...] = ()

    @property
    def line(self) -> int:
        """The first line of its site."""
        return self.site.line


@dataclass(frozen=True, slots=True)
class Input:
    """A model input by position. Names skip parameters: input 0 may be ``arg79_1``."""

    position: int
    name: str
    line: int
    """The ``auto arg4_1 = std::move(inputs[2]);`` line of ``run_impl`` (or the
    ``inputs_info_`` line when there is none)."""
    is_scalar: bool = False
    """A SymInt or number input, read with ``aoti_torch_item_…``."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition of a shape symbol or of another integer or float local of ``run_impl``.

    ``kind`` is ``input_dim`` (``position`` and ``dim`` are set: ``s7 = arg4_1_size[0]``),
    ``input_stride`` (the same of a stride), ``item`` (read from a tensor's value: ``tensor`` is
    its name; ``position`` is set when that is an input, and ``tensor`` is None for an input
    that is itself a number), ``buffer_dim`` and ``buffer_stride`` (``u1 = buf9.size(0)``:
    ``tensor`` and ``dim``), or ``expression``.
    A name can be defined more than once (subgraphs, ``_const_run_impl``).
    """

    name: str
    line: int
    kind: str
    expression: str
    """C++ right-hand side, with ``_raw`` intermediates resolved away (``arg1_1.item()``)."""
    function: str = "run_impl"
    position: int | None = None
    dim: int | None = None
    tensor: str | None = None
    scopes: tuple[Scope, ...] = ()


@dataclass(frozen=True, slots=True)
class Guard:
    """One check of an input.

    ``check`` is ``min``, ``max``, ``equals``, ``stride``, ``dtype`` or ``device``; ``value`` is
    the text of what is expected. ``enforced`` is ``always`` or ``AOTI_RUNTIME_CHECK_INPUTS``
    (the check only runs when that variable is set).
    """

    position: int
    name: str
    check: str
    dim: int | None
    value: str
    line: int
    enforced: str


@dataclass(frozen=True, slots=True)
class RuntimeCheck:
    """``if (!(u0 >= 2L)) { throw … }`` or ``assert_size_stride(…)`` inside ``run_impl``."""

    condition: str
    message: str
    line: int
    enforced: str


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

    ``kind`` is ``allocation`` (new memory), ``reuse`` (``std::move`` of ``of``), ``view``
    (shares the memory of ``of``), ``pool`` (part of a memory pool), ``alias``
    (``aoti_torch_assign_tensors_out``), ``result`` (made by an extern call) or ``declaration``
    (an empty handle that a branch fills). ``sizes`` and ``strides`` are C++ expressions in
    elements, with ``int_array_N`` resolved; None when the wrapper does not say.
    A name can have several definitions (one per branch). A folded constant is an ``alias`` of
    the buffer that ``_const_run_impl`` hands out for it.
    """

    name: str
    line: int
    kind: str
    function: str = "run_impl"
    of: str | None = None
    sizes: tuple[str, ...] | None = None
    strides: tuple[str, ...] | None = None
    dtype: str | None = None
    offset: str = "0"
    scopes: tuple[Scope, ...] = ()


@dataclass(frozen=True, slots=True)
class ExternCall:
    """A call that is not a Triton launch: ``aoti_torch_cuda_mm_out``, a fallback op, a copy.

    ``op`` is its short name (``mm_out``, ``nonzero``, ``zero_``); ``reads`` and ``writes`` are
    the tensors in argument order; ``arguments`` every argument as text.
    """

    op: str
    line: int
    text: str
    function: str = "run_impl"
    reads: tuple[TensorView, ...] = ()
    writes: tuple[TensorView, ...] = ()
    arguments: tuple[str, ...] = ()
    scopes: tuple[Scope, ...] = ()
    source_nodes: tuple[str, ...] = ()
    aten: tuple[str, ...] = ()
    debug_handle: int | None = None
    model_frames: tuple[ModelFrame, ...] = ()


@dataclass(frozen=True, slots=True)
class Output:
    """``output_handles[0] = buf7.release();``"""

    position: int
    name: str
    line: int


@dataclass(frozen=True, slots=True)
class WrapperIndex:
    """Everything the index knows about one wrapper. Built once, never changed.

    Tuples are in line order.
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
    gaps: tuple[Gap, ...]
    scopes: tuple[Scope, ...] = ()
    torch_version: str = ""
    """A range such as ``2.8+`` guessed from the format, or ``""``. Only ever shown as a guess."""
    device: str = "cuda"
    """``cuda``, ``xpu``, ``cpu`` or ``hip``, from the constructor or the stream type."""

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

    def input_named(self, name: str) -> Input | None:
        return next((i for i in self.inputs if i.name == name), None)

    def constant_named(self, name: str) -> Constant | None:
        return next((c for c in self.constants if c.name == name), None)

    def guards_of(self, position: int, dim: int | None = None) -> tuple[Guard, ...]:
        return tuple(
            g for g in self.guards if g.position == position and (dim is None or g.dim == dim)
        )
