"""The steps of a chain as facts: what each is and what it holds, without a word of prose.

:mod:`aoti_tui.failure.prose.chain` says them. ``kind`` is what JSON and the screen sort them by.
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


@dataclass(frozen=True, slots=True)
class Step:
    kind: ClassVar[StepKind]
    name: str
    """The thing itself (``tmp6``, ``ks0``, ``s7``, ``buf0``, ``arg4_1``)."""


# -- in a kernel ----------------------------------------------------------------------------------


class Bound(Step):
    """The bound of an assert, as the kernel writes it."""

    kind = "bound"


@dataclass(frozen=True, slots=True)
class Index(Step):
    """The index of an assert, and what it is before Inductor's negative wrap."""

    kind = "index"
    raw: str


class Computed(Step):
    """An index that is computed where it is checked."""

    kind = "expression"


@dataclass(frozen=True, slots=True)
class Temporary(Step):
    """An assignment: its right-hand side, and what that does."""

    kind = "temporary"
    written: str
    operation: Operation


class BlockSize(Step):
    """A number that the kernel was compiled with (``XBLOCK``)."""

    kind = "temporary"


@dataclass(frozen=True, slots=True)
class Load(Step):
    """Data read through a pointer parameter."""

    kind = "load"
    address: str


@dataclass(frozen=True, slots=True)
class Extent(Step):
    """Program and lane numbers ``root``, which run up to the size (divided by ``divisor``)."""

    kind = "extent"
    root: str
    divisor: str


@dataclass(frozen=True, slots=True)
class Modulus(Step):
    """Program and lane numbers that are wrapped at it."""

    kind = "literal"
    written: str


@dataclass(frozen=True, slots=True)
class RandomNumbers(Step):
    """Numbers that a generator makes."""

    kind = "random"
    written: str


# -- at a launch ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Passed(Step):
    """What a launch passes for a parameter, and the kernel line on which an index walks it."""

    kind = "argument"
    argument: Argument
    indexed_on: int | None = None


@dataclass(frozen=True, slots=True)
class FixedParameter(Step):
    """A parameter whose value was fixed when the kernel was compiled."""

    kind = "literal"
    fixed: str


# -- sizes and numbers of the wrapper -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Defined(Step):
    """A symbol and what it is set to."""

    kind = "symbol"
    symbol: Symbol


@dataclass(frozen=True, slots=True)
class InputDim(Step):
    """A dimension of an input."""

    kind = "input"
    position: int
    dim: int


@dataclass(frozen=True, slots=True)
class SizeGuard(Step):
    """A check of an input's dimension."""

    kind = "guard"
    check: GuardCheck
    dim: int
    value: str


@dataclass(frozen=True, slots=True)
class ConstantDim(Step):
    """A dimension of a constant."""

    kind = "constant"
    constant: Constant
    dim: int


@dataclass(frozen=True, slots=True)
class BufferDim(Step):
    """A dimension of a buffer whose size was fixed when compiled."""

    kind = "buffer"
    dim: int
    size: str


@dataclass(frozen=True, slots=True)
class FixedSize(Step):
    """A bound that is a number, fixed when compiled: whose size it is, is not known.

    ``looked`` are the arguments that the index walks. Tensors that merely have such a dimension
    are not named: nothing ties the index to them.
    """

    kind = "literal"
    looked: tuple[Argument, ...] = ()


class Unlimited(Step):
    """An assert that only checks for negative values."""

    kind = "literal"


# -- data of tensors ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class InputData(Step):
    """The data of an input, or the number that it is."""

    kind = "input"
    given: Input


@dataclass(frozen=True, slots=True)
class ConstantData(Step):
    """The data of a weight or buffer of the model."""

    kind = "constant"
    constant: Constant


@dataclass(frozen=True, slots=True)
class BufferData(Step):
    """The data of a buffer, which may stand for the memory of ``others``."""

    kind = "buffer"
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Written(Step):
    """A launch that writes a buffer through a parameter, perhaps one without ``source``."""

    kind = "launch"
    launch: Launch
    parameter: str
    source: bool = True


@dataclass(frozen=True, slots=True)
class Launched(Step):
    """A kernel by its name, and how often it is launched."""

    kind = "launch"
    times: int


@dataclass(frozen=True, slots=True)
class Called(Step):
    """An operator outside of Triton that makes or changes a tensor."""

    kind = "extern"
    extern: ExternCall


# -- what the chain cannot show -------------------------------------------------------------------


Reason = Literal[
    "no index", "never launched", "no argument", "no definition", "no writer", "not in the kernel"
]


@dataclass(frozen=True, slots=True)
class NotFollowed(Step):
    """Why it could not be followed, ``before`` a line of the wrapper or in a ``kernel``."""

    kind = "unknown"
    why: Reason
    before: int = 0
    kernel: str = ""


class FloatRatio(Step):
    """A symbol computed with a quotient of floats, which can come out too small."""

    kind = "note"


class CutShort(Step):
    """A chain that goes on, but was cut where it had become too long to read."""

    kind = "note"
