"""Operations on formulas, with what they are known to be simplified away.

Inductor writes Python's floor division and modulo out in C's; here they become one operation again
(``torch/_inductor/codegen/triton.py``, ``floordiv`` and ``remainder`` decompositions).
"""

from __future__ import annotations

from collections.abc import Callable

from aoti_tui.failure.condition.formula import (
    COMPARISONS,
    Axis,
    Formula,
    Lane,
    NotDerived,
    Of,
    Size,
    is_never_negative,
    kind_of,
)
from aoti_tui.failure.condition.sizes import ratio
from aoti_tui.index.expression import Expr
from aoti_tui.index.nodes import Binary, Node, Number

Numeric = Callable[[Node], int | None]
"""What a size is with the given inputs."""

ZERO, ONE = Size(Number(0)), Size(Number(1))


def literal(formula: Formula) -> int | float | None:
    """The number that a formula is, whatever the inputs."""
    if not isinstance(formula, Size):
        return None
    return Expr("", formula.node).known({})


def applied(operator: str, parts: tuple[Formula, ...], numeric: Numeric) -> Formula:
    """An operation lane by lane, simplified. Raises NotDerived."""
    if operator == "where":
        return _chosen(*parts)
    if operator in "&|^" and len(parts) == 2:
        return _bitwise(operator, *parts)
    if operator in ("<<", ">>"):
        return applied(*_shifted(operator, *parts), numeric)
    if len(parts) != 2:
        return _alone(operator, parts[0])
    left, right = parts
    if literal(right) == 0 and operator in ("<", ">=") and is_never_negative(left):
        return ZERO if operator == "<" else ONE
    if (
        operator == "!="
        and literal(right) == 0
        and isinstance(left, Of)
        and left.operator in COMPARISONS
    ):
        return left
    if isinstance(left, Size) and isinstance(right, Size) and operator not in ("min", "max"):
        whole = Size(Binary(operator, left.node, right.node))
        value = literal(whole)
        return whole if value is None else Size(Number(value))
    if operator in COMPARISONS:
        return Of(operator, (left, right))
    one = literal(right)
    if (operator in ("+", "-") and one == 0) or (operator in ("*", "//", "quotient") and one == 1):
        return left
    if literal(left) == 0 and operator in ("+", "-"):
        return right if operator == "+" else Of("-", (right,))
    if operator in ("+", "*") and isinstance(left, Size):
        left, right = (right, left) if operator == "*" else (left, right)
    if operator in ("min", "max"):
        return _bounded(operator, left, right)
    if isinstance(left, Lane) and isinstance(right, Size) and operator not in ("+", "-", "*", "/"):
        return _part_of_lane(operator, left, right, numeric)
    if operator == "remainder" and is_never_negative(left) and is_never_negative(right):
        operator = "%"
    if operator == "quotient" and is_never_negative(left) and is_never_negative(right):
        operator = "//"
    return Of(operator, (left, right))


def _alone(operator: str, part: Formula) -> Formula:
    if operator == "float" and isinstance(part, Of) and part.operator in ("argmax", "argmin"):
        return part  # an index below 2**24 is the same number
    if operator == "int" and isinstance(part, (Lane, Size)):
        return part
    if operator == "float" and isinstance(part, Size):
        return part
    if operator == "-" and isinstance(part, Size):
        return applied("-", (ZERO, part), lambda node: None)
    return Of(operator, (part,))


def _bounded(operator: str, left: Formula, right: Formula) -> Formula:
    for one, other in ((left, right), (right, left)):
        value = literal(one)
        if value == (float("inf") if operator == "min" else float("-inf")):
            return other
        if operator == "max" and value == 0 and is_never_negative(other):
            return other
    return Of(operator, (right, left) if isinstance(left, Size) else (left, right))


def _bitwise(operator: str, left: Formula, right: Formula) -> Formula:
    for one, other in ((left, right), (right, left)):
        value = literal(one)
        if value is not None and kind_of(other) == "bool" and operator != "^":
            keeps = bool(value) is (operator == "&")
            return other if keeps else one
    if literal(left) is not None and literal(right) is None:
        left, right = right, left
    return Of(operator, (left, right))


def _shifted(operator: str, left: Formula, right: Formula) -> tuple[str, tuple[Formula, Formula]]:
    """A shift by a fixed number of bits as the product or floor division that it is. Raises
    NotDerived for any other."""
    by = literal(right)
    if not isinstance(by, int) or not 0 <= by < 63 or kind_of(left) != "int":
        raise NotDerived(operator)
    return ("*" if operator == "<<" else "//"), (left, Size(Number(1 << by)))


def _chosen(condition: Formula, chosen: Formula, other: Formula) -> Formula:
    value = literal(condition)
    if value is not None:
        return chosen if value else other
    if isinstance(condition, Size):
        raise NotDerived("a choice by sizes")
    if chosen == other:
        return chosen
    floored = _floor_division(condition, chosen, other) or _modulo(condition, chosen, other)
    return floored or Of("where", (condition, chosen, other))


def _floor_division(condition: Formula, chosen: Formula, other: Formula) -> Formula | None:
    """``where(a < 0, ~q, q)`` with ``q = where(a < 0, ~a, a) / by``."""
    match condition, chosen, other:
        case (
            Of("<", (a, Size(Number(0)))),
            Of("~", (q,)),
            Of("quotient", (Of("where", (test, Of("~", (flipped,)), plain)), by)),
        ) if q == other and test == condition and flipped == a == plain:
            return Of("//", (a, by))
    return None


def _modulo(condition: Formula, chosen: Formula, other: Formula) -> Formula | None:
    """``where((r != 0) & (r < 0), r + by, r)`` with ``r`` the remainder of C."""
    match condition, chosen, other:
        case (
            Of("&", (Of("!=", (one, Size(Number(0)))), Of("<", (two, Size(Number(0)))))),
            Of("+", (three, added)),
            Of("remainder", (a, by)),
        ) if one == two == three == other and added == by:
            return Of("%", (a, by))
    return None


def unwrapped(formula: Formula) -> Formula:
    """An index before negative ones count from the end, as Python's own indexing takes it."""
    match formula:
        case Of("where", (Of("<", (test, Size(Number(0)))), Of("+", (added, _)), plain)) if (
            test == added == plain
        ):
            return plain
    return formula


def _part_of_lane(operator: str, lane: Lane, by: Size, numeric: Numeric) -> Formula:
    """A lane number divided or wrapped: a shorter axis."""
    step = numeric(by.node)
    if step is None or step <= 0:
        raise NotDerived("an axis divided by an unknown size")
    axis = lane.axis
    if operator in ("//", "quotient"):
        extent = None if lane.extent is None else ratio(lane.extent, by.node)
        return Lane(Axis(axis.space, axis.start * step, axis.stop), extent)
    if operator in ("%", "remainder"):
        stop = axis.start * step
        if axis.stop is not None and axis.stop <= stop:
            return lane
        return Lane(Axis(axis.space, axis.start, stop), by.node)
    raise NotDerived(operator)


def summands(formula: Formula, sign: int = 1) -> list[tuple[int, Formula]]:
    """The terms of a sum with their signs."""
    if isinstance(formula, Of) and formula.operator in ("+", "-"):
        if len(formula.arguments) == 1:
            return summands(formula.arguments[0], -sign)
        left, right = formula.arguments
        return [
            *summands(left, sign),
            *summands(right, sign if formula.operator == "+" else -sign),
        ]
    if isinstance(formula, Of) and formula.operator == "*":
        left, right = formula.arguments
        if isinstance(right, Size) and isinstance(left, Of) and left.operator in ("+", "-"):
            return [
                (
                    s,
                    Of("*", (term, right))
                    if not isinstance(term, Size)
                    else Size(Binary("*", term.node, right.node)),
                )
                for s, term in summands(left, sign)
            ]
    return [(sign, formula)]
