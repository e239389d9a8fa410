"""What calls are given and give back: tensors and views of them, numbers, and all the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from aoti_tui.index.expression import ZERO, Expr


@dataclass(frozen=True, slots=True)
class TensorView:
    """A tensor by its name, or other sizes and strides over its memory.

    ``sizes`` and ``strides`` count elements, None for the tensor as it is; ``offset`` is the
    storage offset in elements.
    """

    base: str
    sizes: tuple[Expr, ...] | None = None
    strides: tuple[Expr, ...] | None = None
    offset: Expr = ZERO
    dtype: str | None = None
    """Only for a view that changes the dtype."""


@dataclass(frozen=True, slots=True)
class TensorList:
    """An argument that is a list of tensors; None for one that is left out."""

    tensors: tuple[TensorView | None, ...]


@dataclass(frozen=True, slots=True)
class NumberList:
    """An argument that is a list of numbers."""

    type: Literal["int", "float", "bool"]
    values: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Plain:
    """An argument that is neither tensor nor number.

    ``text`` is a dtype's name, the string itself, or what is written; ``place`` is a device or a
    layout, ``unknown`` a tensor that was never defined, or text in no known form.
    """

    kind: Literal["none", "dtype", "place", "string", "unknown"]
    text: str = ""


ExternArgument = TensorView | TensorList | NumberList | Expr | bool | Plain


@dataclass(frozen=True, slots=True)
class Result:
    """One of the tensors that a call makes: ``part`` of several that stand under one name.

    ``name`` is None for one that nobody keeps.
    """

    name: str | None
    part: int = 0
