"""A formula as a Python expression over the call's tensors, and its extremes as numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from aoti_tui.failure.condition.formula import (
    COMPARISONS,
    FLOAT_METHODS,
    REDUCTIONS,
    Axis,
    Elements,
    Formula,
    Lane,
    NotDerived,
    Of,
    Size,
    axes_of,
    is_never_negative,
    kind_of,
)
from aoti_tui.index.expression import Expr
from aoti_tui.index.nodes import Binary, Call, Name, Node, Number


@dataclass(frozen=True, slots=True)
class Tensor:
    """A Python expression for a tensor with these axes, and how strongly it binds."""

    text: str
    axes: tuple[Axis, ...]
    strength: int = 9

    @property
    def factor(self) -> str:
        """The text as it stands before a method."""
        return self.within(9)

    def within(self, strength: int) -> str:
        """The text as it stands beside an operator that binds so strongly."""
        return self.text if self.strength >= strength else f"({self.text})"


_STRENGTH = {"&": 4, "^": 3, "|": 2, "+": 5, "-": 5, "*": 6, "/": 6, "//": 6, "%": 6}
_COMPARING = 1


def extreme(formula: Formula, highest: bool) -> Node:
    """The largest or smallest value of a formula, as a number in Python. Raises NotDerived."""
    if isinstance(formula, Size):
        return formula.node
    if isinstance(formula, Lane):
        if formula.extent is None:
            raise NotDerived("an axis of unknown length")
        return Binary("-", formula.extent, Number(1)) if highest else Number(0)
    if isinstance(formula, Of):
        found = _monotone(formula, highest)
        if found is not None:
            return found
    tensor = tensor_of(formula)
    if not tensor.axes:
        return Name(f"int({tensor.text})")
    return Name(f"int({tensor.factor}.{'max' if highest else 'min'}())")


def _monotone(formula: Of, highest: bool) -> Node | None:
    """The extreme of an operation that keeps the order of its operands."""
    operator, parts = formula.operator, formula.arguments
    if operator in ("+", "-"):
        return _of_sum(formula, highest)
    if operator in ("left", "right"):
        # How many boundaries lie below a value grows with the value.
        value, edges = parts
        below = "<" if operator == "left" else "<="
        end = Expr("", extreme(value, highest)) if kind_of(value) == "int" else None
        said = str(end) if end is not None else _float_extreme(value, highest)
        return Name(f"int(({tensor_of(edges).text} {below} {said}).sum())")
    if operator == "int" and kind_of(parts[0]) == "int":
        return extreme(parts[0], highest)
    if len(parts) == 2 and isinstance(parts[1], Size):
        by = parts[1].node
        if operator in ("min", "max"):
            return Call(operator, (extreme(parts[0], highest), by))
        positive = isinstance(by, Number) and by.value > 0
        if operator == "*" and positive:
            return _times(extreme(parts[0], highest), by)
        if operator == "//" and positive:
            return Binary("//", extreme(parts[0], highest), by)
        if operator == "quotient" and positive and is_never_negative(parts[0]):
            return Binary("//", extreme(parts[0], highest), by)
    return None


def _times(node: Node, by: Node) -> Node:
    if isinstance(node, Binary) and node.operator in "+-":
        return Binary(node.operator, _times(node.left, by), _times(node.right, by))
    return Binary("*", by, node)


def _float_extreme(value: Formula, highest: bool) -> str:
    tensor = tensor_of(value)
    return f"{tensor.factor}.{'max' if highest else 'min'}()" if tensor.axes else tensor.text


def _of_sum(formula: Of, highest: bool) -> Node | None:
    """Of a sum: term by term where they take their values independently of each other."""
    terms = [(sign, term) for sign, term in _terms(formula, 1) if not isinstance(term, Size)]
    sizes = [(sign, term) for sign, term in _terms(formula, 1) if isinstance(term, Size)]
    groups: list[list[tuple[int, Formula]]] = []
    for term in terms:
        touching = [g for g in groups if any(_together(term[1], other) for _, other in g)]
        groups = [g for g in groups if g not in touching]
        groups.append([*(t for g in touching for t in g), term])
    if not sizes and len(groups) == 1 and len(groups[0]) > 1:
        return None
    found: Node | None = None
    for group in groups:
        whole = _added(group)
        if len(group) == 1 and group[0][0] < 0:
            end = _negative(extreme(group[0][1], not highest))
        elif len(group) == 1:
            end = extreme(group[0][1], highest)
        else:
            tensor = tensor_of(whole)
            end = Name(f"int({tensor.factor}.{'max' if highest else 'min'}())")
        found = end if found is None else Binary("+", found, end)
    for sign, size in sizes:
        assert isinstance(size, Size)
        if found is None:
            found = size.node if sign > 0 else _negative(size.node)
        else:
            found = Binary("+" if sign > 0 else "-", found, size.node)
    return found


def _negative(node: Node) -> Node:
    return Number(-node.value) if isinstance(node, Number) else Binary("*", Number(-1), node)


def _terms(formula: Formula, sign: int) -> list[tuple[int, Formula]]:
    if isinstance(formula, Of) and formula.operator in ("+", "-") and len(formula.arguments) == 2:
        left, right = formula.arguments
        second = sign if formula.operator == "+" else -sign
        return [*_terms(left, sign), *_terms(right, second)]
    if isinstance(formula, Of) and formula.operator == "-":
        return _terms(formula.arguments[0], -sign)
    return [(sign, formula)]


def _added(terms: Iterable[tuple[int, Formula]]) -> Formula:
    found: Formula | None = None
    for sign, term in terms:
        if found is None:
            found = term if sign > 0 else Of("-", (term,))
        else:
            found = Of("+" if sign > 0 else "-", (found, term))
    assert found is not None
    return found


def _together(one: Formula, other: Formula) -> bool:
    return any(a.overlaps(b) for a in axes_of(one) for b in axes_of(other))


# -- as a tensor ----------------------------------------------------------------------------------


def tensor_of(formula: Formula) -> Tensor:
    """The whole of a formula's values as one expression. Raises NotDerived."""
    if isinstance(formula, Size):
        text = str(Expr("", formula.node))
        plain = isinstance(formula.node, (Name, Number, Call)) or " " not in text
        return Tensor(text, (), 9 if plain and not text.startswith("-") else 0)
    if isinstance(formula, Elements):
        return Tensor(formula.text, formula.axes)
    if isinstance(formula, Lane):
        return _counting(formula)
    operator, parts = formula.operator, formula.arguments
    if operator in REDUCTIONS or operator == "cumsum":
        return _along(formula)
    if operator in ("left", "right"):
        return _searched(formula)
    if operator == "at":
        table, place = map(tensor_of, parts)
        return Tensor(f"{table.text}[{place.text}]", place.axes)
    if operator == "where":
        return _chosen(parts)
    if len(parts) == 1:
        return _unary(operator, parts[0])
    axes, sides = _aligned(parts)
    left, right = sides
    if operator in ("min", "max"):
        return _clamped(operator, parts, axes, sides)
    if operator == "quotient":
        if not is_never_negative(parts[0]):
            return Tensor(f"{left.factor}.div({right.text}, rounding_mode='trunc')", axes)
        operator = "//"
    if operator == "remainder":
        if not is_never_negative(parts[0]):
            return Tensor(f"{left.factor}.fmod({right.text})", axes)
        operator = "%"
    own = _STRENGTH.get(operator, _COMPARING)
    first = left.within(own if operator in _STRENGTH else own + 1)
    return Tensor(f"{first} {operator} {right.within(own + 1)}", axes, own)


def _unary(operator: str, part: Formula) -> Tensor:
    inner = tensor_of(part)
    if operator == "-":
        return Tensor(f"-{inner.factor}", inner.axes, 7)
    if operator == "~":
        if isinstance(part, Of) and part.operator in COMPARISONS:
            return tensor_of(Of(COMPARISONS[part.operator], part.arguments))
        return Tensor(f"~{inner.factor}", inner.axes, 7)
    if operator == "int" and kind_of(part) == "int":
        return inner
    if isinstance(part, Size):
        raise NotDerived(operator)
    methods = {"int": "long", "float": "float", "abs": "abs", **FLOAT_METHODS}
    if operator not in methods:
        raise NotDerived(operator)
    return Tensor(f"{inner.factor}.{methods[operator]}()", inner.axes)


def _counting(lane: Lane) -> Tensor:
    """``0, 1, 2 …`` without a name of torch: a tensor of the call lends its methods."""
    if lane.extent is None:
        raise NotDerived("an axis of unknown length")
    ones = f"inputs[0].new_ones({Expr('', lane.extent)}).long()"
    return Tensor(f"{ones}.cumsum(0) - 1", (lane.axis,), 5)


def _along(formula: Of) -> Tensor:
    inner = tensor_of(formula.arguments[0])
    places = [i for i, axis in enumerate(inner.axes) if axis in formula.along]
    if not places:
        raise NotDerived(formula.operator)
    text, axes = inner.factor, inner.axes
    if len(places) > 1:
        if places != list(range(places[0], places[-1] + 1)):
            raise NotDerived(formula.operator)
        if formula.operator == "cumsum":
            raise NotDerived("a scan over several dimensions")
        text = f"{text}.flatten({places[0]}, {places[-1]})"
        axes = (*axes[: places[0]], axes[places[0]], *axes[places[-1] + 1 :])
    kept = axes if formula.operator == "cumsum" else (*axes[: places[0]], *axes[places[0] + 1 :])
    return Tensor(f"{text}.{formula.operator}({places[0]})", kept)


def _searched(formula: Of) -> Tensor:
    value, edges = map(tensor_of, formula.arguments)
    below = "<" if formula.operator == "left" else "<="
    wide = f"{value.factor}[..., None]" if value.axes else value.factor
    return Tensor(f"({edges.text} {below} {wide}).sum(-1)", value.axes)


def _chosen(parts: tuple[Formula, ...]) -> Tensor:
    condition, chosen, other = parts
    if isinstance(chosen, Size) and isinstance(other, Size):
        axes, sides = _aligned((condition,))
        by = Binary("-", chosen.node, other.node)
        said = f"{sides[0].factor}.long() * ({Expr('', by)}) + {Expr('', other.node)}"
        return Tensor(said, axes, 5)
    if isinstance(chosen, Size):
        axes, sides = _aligned((condition, other))
        return Tensor(f"{sides[1].factor}.masked_fill({sides[0].text}, {_said(chosen)})", axes)
    if isinstance(other, Size):
        axes, sides = _aligned((Of("~", (condition,)), chosen))
        return Tensor(f"{sides[1].factor}.masked_fill({sides[0].text}, {_said(other)})", axes)
    axes, sides = _aligned(parts)
    return Tensor(f"{sides[1].factor}.where({sides[0].text}, {sides[2].text})", axes)


def _said(size: Size) -> str:
    return str(Expr("", size.node))


def _clamped(
    operator: str, parts: tuple[Formula, ...], axes: tuple[Axis, ...], sides: tuple[Tensor, ...]
) -> Tensor:
    for one, other in ((0, 1), (1, 0)):
        if isinstance(parts[other], Size):
            # The larger of two is what a least value keeps.
            end = {"min": "max", "max": "min"}[operator]
            return Tensor(f"{sides[one].factor}.clamp({end}={sides[other].text})", axes)
    method = {"min": "minimum", "max": "maximum"}[operator]
    return Tensor(f"{sides[0].factor}.{method}({sides[1].text})", axes)


def _aligned(parts: Iterable[Formula]) -> tuple[tuple[Axis, ...], tuple[Tensor, ...]]:
    """The operands as they broadcast to the axes of all. Raises NotDerived where two
    axes overlap without being the same."""
    tensors = [tensor_of(part) for part in parts]
    widest = max(tensors, key=lambda tensor: len(tensor.axes)).axes
    found = dict.fromkeys(widest)
    for tensor in tensors:
        found.update(dict.fromkeys(tensor.axes))
    axes = tuple(found)
    if widest != axes:
        axes = tuple(sorted(axes, key=lambda axis: (axis.space, -axis.start)))
    for number, one in enumerate(axes):
        if any(one.overlaps(other) for other in axes[number + 1 :]):
            raise NotDerived("axes that overlap")
    return axes, tuple(_broadcast(tensor, axes) for tensor in tensors)


def _broadcast(tensor: Tensor, axes: tuple[Axis, ...]) -> Tensor:
    if not tensor.axes:
        return tensor
    order = [axes.index(axis) for axis in tensor.axes]
    if order != sorted(order):
        raise NotDerived("dimensions in another order")
    after = axes[order[0] :]
    if all(axis in tensor.axes for axis in after):
        return tensor
    places = ", ".join(":" if axis in tensor.axes else "None" for axis in after)
    return Tensor(f"{tensor.factor}[{places}]", axes)


def ceiling(formula: Formula) -> Node | None:
    """The largest value whatever the data (63 of ``ids % 64``); None where data decides it."""
    if isinstance(formula, (Size, Lane)):
        try:
            return extreme(formula, True)
        except NotDerived:
            return None
    if isinstance(formula, Elements):
        return Number(1) if formula.kind == "bool" else None
    operator, parts = formula.operator, formula.arguments
    if operator in COMPARISONS:
        return Number(1)
    if operator == "%" and isinstance(parts[1], Size):
        return Binary("-", parts[1].node, Number(1))
    if operator in ("argmax", "argmin"):
        return _last_along(formula)
    if operator in ("left", "right"):
        count = axes_of(parts[1])[0].count
        text = tensor_of(parts[1]).text
        if count is not None and text.startswith("constants"):
            return Number(count)
        return Name(f"len({text})")
    if operator == "&" and isinstance(parts[1], Size) and is_never_negative(parts[1]):
        return parts[1].node
    if operator == "min":
        ends = [ceiling(part) for part in parts]
        return next((end for end in ends if end is not None), None)
    if operator == "int":
        return ceiling(parts[0])
    if operator == "+":
        ends = [ceiling(part) for part in parts]
        known = [end for end in ends if end is not None]
        return Binary("+", known[0], known[1]) if len(known) == 2 == len(ends) else None
    return None


def _last_along(formula: Of) -> Node | None:
    total = 1
    for axis in formula.along:
        if axis.count is None:
            return None
        total *= axis.count
    return Number(total - 1) if formula.along else None
