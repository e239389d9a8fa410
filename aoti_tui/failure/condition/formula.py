"""The value of a kernel's name, as a formula over what the call passes.

A value differs from lane to lane along *axes*: stretches of a lane number's range
(``xindex // 8`` below 10), or of a tensor's memory while it goes through a buffer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from aoti_tui.index.nodes import Node, Number

Kind = Literal["int", "float", "bool"]


class NotDerived(Exception):
    """The value is made of something that no formula here says."""


@dataclass(frozen=True, slots=True)
class Axis:
    """``space // start`` up to ``stop // start``; ``stop`` is None where its size is not known."""

    space: str
    start: int
    stop: int | None

    @property
    def count(self) -> int | None:
        return None if self.stop is None else -(-self.stop // self.start)

    def overlaps(self, other: Axis) -> bool:
        """Whether the two can't take all their values independently of each other."""
        if self.space != other.space:
            return False
        below = other.stop is not None and other.stop <= self.start
        above = self.stop is not None and self.stop <= other.start
        return not (below or above)


@dataclass(frozen=True, slots=True)
class Size:
    """A number that all lanes share: sizes and values of inputs, as :mod:`.sizes` writes them."""

    node: Node


@dataclass(frozen=True, slots=True)
class Lane:
    """0 up to (not including) ``extent`` along an axis; None where that is not known."""

    axis: Axis
    extent: Node | None


@dataclass(frozen=True, slots=True)
class Elements:
    """A tensor in Python, one axis for each of its dimensions."""

    text: str
    axes: tuple[Axis, ...]
    kind: Kind
    may_be_empty: tuple[str, ...] = ()
    """Tensors of the call that it is made of and that may hold nothing."""
    negative: bool = True
    """Whether its values can be below zero."""


@dataclass(frozen=True, slots=True)
class Of:
    """An operation lane by lane, or ``along`` some axes (a scan, a reduction).

    ``//`` and ``%`` floor, ``quotient`` and ``remainder`` are C's.
    """

    operator: str
    arguments: tuple[Formula, ...]
    along: tuple[Axis, ...] = ()


Formula = Size | Lane | Elements | Of

REDUCTIONS = frozenset({"sum", "amax", "amin", "argmax", "argmin"})
COMPARISONS = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def axes_of(formula: Formula) -> tuple[Axis, ...]:
    """The axes along which a value differs, each once."""
    if isinstance(formula, Lane):
        return (formula.axis,)
    if isinstance(formula, Elements):
        return formula.axes
    if isinstance(formula, Of):
        parts = formula.arguments
        if formula.operator in _SEARCHES:
            parts = parts[:1]  # its boundaries are no axis of what is found
        elif formula.operator == "at":
            parts = parts[1:]
        found = dict.fromkeys(a for part in parts for a in axes_of(part))
        if formula.operator in REDUCTIONS:
            return tuple(a for a in found if a not in formula.along)
        return tuple(found)
    return ()


_SEARCHES = frozenset({"left", "right"})


def kind_of(formula: Formula) -> Kind:
    if isinstance(formula, Elements):
        return formula.kind
    if not isinstance(formula, Of):
        literal = formula.node if isinstance(formula, Size) else None
        is_float = isinstance(literal, Number) and isinstance(literal.value, float)
        return "float" if is_float else "int"
    if formula.operator in COMPARISONS:
        return "bool"
    if formula.operator in ("int", "argmax", "argmin", *_SEARCHES):
        return "int"
    if formula.operator in ("float", "/", *FLOAT_METHODS):
        return "float"
    parts = formula.arguments[1:] if formula.operator == "where" else formula.arguments
    kinds = {kind_of(part) for part in parts}
    if "float" in kinds:
        return "float"
    return "bool" if kinds == {"bool"} and formula.operator in "&|~" else "int"


FLOAT_METHODS = {
    "exp": "exp",
    "log": "log",
    "sqrt": "sqrt",
    "rsqrt": "rsqrt",
    "sigmoid": "sigmoid",
    "tanh": "tanh",
    "sin": "sin",
    "cos": "cos",
    "floor": "floor",
    "ceil": "ceil",
    "trunc": "trunc",
    "nearbyint": "round",
}
"""Functions of a kernel, and the method of a tensor that computes the same."""


def is_never_negative(formula: Formula) -> bool:
    if isinstance(formula, Size):
        return not _has_minus(formula.node)
    if isinstance(formula, Lane):
        return True
    if isinstance(formula, Elements):
        return not formula.negative
    parts = formula.arguments
    if formula.operator in ("argmax", "argmin", "left", "right", *COMPARISONS):
        return True
    if formula.operator == "%":
        return is_never_negative(parts[1])
    if formula.operator in ("max", "&"):
        return any(map(is_never_negative, parts))
    if formula.operator == "where":
        return all(map(is_never_negative, parts[1:]))
    plain = ("+", "*", "//", "quotient", "remainder", "min", "int", "float", "floor", "cumsum")
    return formula.operator in (*plain, "sum", "amax", "amin") and all(
        map(is_never_negative, parts)
    )


def _has_minus(node: Node) -> bool:
    from aoti_tui.index.nodes import Binary, Unary, walk

    return any(
        (isinstance(part, (Binary, Unary)) and part.operator == "-")
        or (isinstance(part, Number) and part.value < 0)
        for part in walk(node)
    )
