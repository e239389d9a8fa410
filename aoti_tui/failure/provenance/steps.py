"""The steps of a chain as facts: what each is and what it holds, without a word of prose.

:mod:`aoti_tui.failure.prose.chain` says them. ``kind`` is what JSON and the screen sort them by,
``name`` the thing itself (``tmp6``, ``ks0``, ``s7``, ``buf0``, ``arg4_1``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from aoti_tui.index.model import Argument, Constant, ExternCall, GuardCheck, Input, Launch, Symbol
from aoti_tui.kernel.operations import Operation

StepKind = Literal[
    "bound",
    "index",
    "expression",
    "temporary",
    "load",
    "extent",
    "random",
    "argument",
    "symbol",
    "buffer",
    "launch",
    "extern",
    "input",
    "constant",
    "guard",
    "literal",
    "note",
    "unknown",
]

# -- in a kernel ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bound:
    """The bound of an assert, as the kernel writes it."""

    kind: ClassVar[StepKind] = "bound"
    name: str


@dataclass(frozen=True, slots=True)
class Index:
    """The index of an assert, and what it is before Inductor's negative wrap."""

    kind: ClassVar[StepKind] = "index"
    name: str
    raw: str


@dataclass(frozen=True, slots=True)
class Computed:
    """An index that is computed where it is checked."""

    kind: ClassVar[StepKind] = "expression"
    name: str


@dataclass(frozen=True, slots=True)
class Temporary:
    """An assignment: ``written`` is its right-hand side and ``operation`` what that does."""

    kind: ClassVar[StepKind] = "temporary"
    name: str
    written: str
    operation: Operation


@dataclass(frozen=True, slots=True)
class BlockSize:
    """A number that the kernel was compiled with (``XBLOCK``)."""

    kind: ClassVar[StepKind] = "temporary"
    name: str


@dataclass(frozen=True, slots=True)
class Load:
    """Data read through pointer parameter ``name``."""

    kind: ClassVar[StepKind] = "load"
    name: str
    address: str


@dataclass(frozen=True, slots=True)
class Extent:
    """Program and lane numbers ``root``, which run up to size ``name`` (divided by ``divisor``)."""

    kind: ClassVar[StepKind] = "extent"
    name: str
    root: str
    divisor: str


@dataclass(frozen=True, slots=True)
class Modulus:
    """Program and lane numbers that are wrapped at ``name``."""

    kind: ClassVar[StepKind] = "literal"
    name: str
    written: str


@dataclass(frozen=True, slots=True)
class RandomNumbers:
    kind: ClassVar[StepKind] = "random"
    name: str
    written: str


# -- at a launch ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Passed:
    """What a launch passes for a parameter.

    ``indexed_on`` is the kernel line on which the checked index walks it.
    """

    kind: ClassVar[StepKind] = "argument"
    argument: Argument
    indexed_on: int | None = None

    @property
    def name(self) -> str:
        return self.argument.parameter


@dataclass(frozen=True, slots=True)
class FixedParameter:
    """A parameter whose value was fixed when the kernel was compiled."""

    kind: ClassVar[StepKind] = "literal"
    name: str
    fixed: str


# -- sizes and numbers of the wrapper -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Defined:
    """A symbol and what it is set to."""

    kind: ClassVar[StepKind] = "symbol"
    symbol: Symbol

    @property
    def name(self) -> str:
        return self.symbol.name


@dataclass(frozen=True, slots=True)
class FloatRatio:
    """A symbol that is computed with a quotient of floats, which can come out too small."""

    kind: ClassVar[StepKind] = "note"
    name: str


@dataclass(frozen=True, slots=True)
class InputDim:
    """A dimension of an input."""

    kind: ClassVar[StepKind] = "input"
    name: str
    position: int
    dim: int


@dataclass(frozen=True, slots=True)
class SizeGuard:
    """A check of an input's dimension."""

    kind: ClassVar[StepKind] = "guard"
    name: str
    check: GuardCheck
    dim: int
    value: str


@dataclass(frozen=True, slots=True)
class ConstantDim:
    """A dimension of a constant; not ``certain`` where its size alone speaks for it."""

    kind: ClassVar[StepKind] = "constant"
    constant: Constant
    dim: int
    certain: bool = True

    @property
    def name(self) -> str:
        return self.constant.name


@dataclass(frozen=True, slots=True)
class BufferDim:
    """A dimension of a buffer whose size was fixed when compiled."""

    kind: ClassVar[StepKind] = "buffer"
    name: str
    dim: int
    size: str


@dataclass(frozen=True, slots=True)
class FixedSize:
    """A bound that is a number: a size fixed when compiled.

    ``looked`` are the arguments that the index walks, none of which has that size for certain;
    ``alike`` says that constants which have it follow.
    """

    kind: ClassVar[StepKind] = "literal"
    name: str
    looked: tuple[Argument, ...] = ()
    alike: bool = False


@dataclass(frozen=True, slots=True)
class Unlimited:
    """An assert that only checks for negative values."""

    kind: ClassVar[StepKind] = "literal"
    name: str


# -- data of tensors ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class InputData:
    """The data of an input, or the number that it is."""

    kind: ClassVar[StepKind] = "input"
    given: Input

    @property
    def name(self) -> str:
        return self.given.name


@dataclass(frozen=True, slots=True)
class ConstantData:
    kind: ClassVar[StepKind] = "constant"
    constant: Constant

    @property
    def name(self) -> str:
        return self.constant.name


@dataclass(frozen=True, slots=True)
class BufferData:
    kind: ClassVar[StepKind] = "buffer"
    name: str


@dataclass(frozen=True, slots=True)
class SharedMemory:
    """A tensor that stands for the memory of others."""

    kind: ClassVar[StepKind] = "buffer"
    name: str
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """A launch that writes a buffer through a parameter, perhaps one without ``source``."""

    kind: ClassVar[StepKind] = "launch"
    launch: Launch
    parameter: str
    source: bool = True

    @property
    def name(self) -> str:
        return self.launch.kernel


@dataclass(frozen=True, slots=True)
class Launched:
    """A kernel by its name, and how often it is launched."""

    kind: ClassVar[StepKind] = "launch"
    name: str
    times: int


@dataclass(frozen=True, slots=True)
class Called:
    """An operator outside of Triton that makes or changes a tensor."""

    kind: ClassVar[StepKind] = "extern"
    extern: ExternCall

    @property
    def name(self) -> str:
        return self.extern.op


# -- where a chain ends without an answer ---------------------------------------------------------

Reason = Literal[
    "no index", "never launched", "no argument", "no definition", "no writer", "not in the kernel"
]


@dataclass(frozen=True, slots=True)
class NotFollowed:
    """What could not be followed and why: ``before`` a line of the wrapper, in a ``kernel``."""

    kind: ClassVar[StepKind] = "unknown"
    name: str
    why: Reason
    before: int = 0
    kernel: str = ""


@dataclass(frozen=True, slots=True)
class CutShort:
    """A chain that goes on, but was cut where it had become too long to read."""

    kind: ClassVar[StepKind] = "note"
    name: str


Step = (
    Bound
    | Index
    | Computed
    | Temporary
    | BlockSize
    | Load
    | Extent
    | Modulus
    | RandomNumbers
    | Passed
    | FixedParameter
    | Defined
    | FloatRatio
    | InputDim
    | SizeGuard
    | ConstantDim
    | BufferDim
    | FixedSize
    | Unlimited
    | InputData
    | ConstantData
    | BufferData
    | SharedMemory
    | Written
    | Launched
    | Called
    | NotFollowed
    | CutShort
)
