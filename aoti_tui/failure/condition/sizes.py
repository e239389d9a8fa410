"""Sizes and numbers of a kernel in the caller's terms: ``inputs[0].size(1) // 3`` for ``ks0``."""

from __future__ import annotations

import math
from collections.abc import Mapping

from aoti_tui.failure.condition.formula import NotDerived
from aoti_tui.failure.provenance.known import Known
from aoti_tui.index.expression import Expr
from aoti_tui.index.model import Launch, Symbol, WrapperIndex
from aoti_tui.index.nodes import (
    Binary,
    Call,
    Cast,
    Conditional,
    Name,
    Node,
    Number,
    Reading,
    Unary,
    Unknown,
    walk,
)
from aoti_tui.index.python.expression import read_python

_BUILTINS = frozenset({"min", "max"})


class CallerSizes:
    """Sizes of one wrapper, and what they are with the given inputs."""

    def __init__(self, index: WrapperIndex, known: Known) -> None:
        self.index = index
        self.known = known
        self.values: dict[str, int | float] = {
            Reading(f"inputs[{position}]", "size", dim).name: size
            for (position, dim), size in known.dims.items()
        }
        for position in {position for position, _ in known.dims}:
            sizes = (size for (of, _), size in known.dims.items() if of == position)
            self.values[f"inputs[{position}].numel()"] = math.prod(sizes)
        for given in index.inputs:
            value = known.symbols.get(given.name)
            if given.is_scalar and value is not None:
                self.values[f"inputs[{given.position}]"] = value
        for symbol in index.symbols:
            if symbol.kind == "item" and symbol.position is not None:
                value = known.symbols.get(symbol.name)
                if value is not None:
                    self.values[f"inputs[{symbol.position}].item()"] = value

    def number(self, node: Node) -> int | None:
        """What it is with the given inputs; None where that is not known."""
        value = Expr("", node).known(self.values)
        return None if value is None or value != value else int(value)

    def parameter(self, launch: Launch, name: str) -> Node:
        """A kernel's parameter as a launch passes it. Raises NotDerived."""
        argument = launch.argument(name)
        if argument is None:
            kernel = self.index.kernels.get(launch.kernel)
            fixed = kernel.constants.get(name) if kernel is not None else None
            if isinstance(fixed, int):
                return Number(int(fixed))
            raise NotDerived(name)
        if argument.value is None:
            raise NotDerived(name)
        return self._put(argument.value.root, launch.line)

    def in_kernel(self, launch: Launch, expression: Expr) -> Node:
        """An expression of a kernel's parameters. Raises NotDerived."""
        names = {n: self.parameter(launch, n) for n in expression.names()}
        return _python(expression.root, names)

    def of(self, expression: Expr, line: int) -> Node:
        """An expression of the wrapper as it stands on a line. Raises NotDerived."""
        return self._put(expression.root, line)

    def _put(self, root: Node, line: int) -> Node:
        names: dict[str, Node] = {}
        for part in walk(root):
            if isinstance(part, Name):
                names[part.name] = self._name(part.name, line)
            elif isinstance(part, Reading):
                names[part.name] = self._reading(part)
        return _python(root, names)

    def _name(self, name: str, line: int) -> Node:
        symbol = self.index.symbol(name, line)
        if symbol is not None:
            return self._symbol(symbol)
        given = self.index.input_named(name)
        if given is not None and given.is_scalar:
            return Name(f"inputs[{given.position}]")
        raise NotDerived(name)

    def _symbol(self, symbol: Symbol) -> Node:
        if symbol.position is not None and symbol.kind in ("input_dim", "item"):
            given = f"inputs[{symbol.position}]"
            if symbol.kind == "input_dim":
                return Reading(given, "size", symbol.dim or 0)
            return Reading(given, "item") if symbol.tensor is not None else Name(given)
        if symbol.kind != "expression" or symbol.expression.problem:
            raise NotDerived(symbol.name)
        node = self._put(symbol.expression.root, symbol.line)
        if symbol.expression.has_float_ratio and isinstance(node, Binary) and node.operator != "//":
            raise NotDerived(symbol.name)
        return node

    def _reading(self, reading: Reading) -> Node:
        given = self.index.input_named(reading.tensor)
        if given is None or reading.what == "stride":
            raise NotDerived(reading.name)
        return Reading(f"inputs[{given.position}]", reading.what, reading.dim)


def plainly(text: str) -> str:
    """A kernel's size without the casts that Triton needs: ``int(0.12*ks0)`` for what Inductor
    writes as ``libdevice.trunc(…*ks0.to(tl.float64)).to(tl.int32)``. As written where it has none,
    and where it says more than Python does."""
    if "tl." not in text:
        return text
    whole = read_python(text)
    try:
        return str(Expr("", _python(whole.root, {name: Name(name) for name in whole.names()})))
    except NotDerived:
        return text


def _python(root: Node, names: Mapping[str, Node]) -> Node:
    """The tree with nodes in place of names, in plain Python: Inductor's float reciprocal as the
    division it means, and whole numbers without their casts. Raises NotDerived."""
    if isinstance(root, Number):
        return root
    if isinstance(root, (Name, Reading)):
        if root.name not in names:
            raise NotDerived(root.name)
        return names[root.name]
    if isinstance(root, Unary):
        return _folded(Unary(root.operator, _python(root.operand, names)))
    if isinstance(root, Binary):
        by = _reciprocal(root)
        if by is not None:
            return Binary("//", _python(root.right, names), Number(by))
        operator = {"quotient": "//", "remainder": "%"}.get(root.operator, root.operator)
        return _folded(Binary(operator, _python(root.left, names), _python(root.right, names)))
    if isinstance(root, Conditional):
        return Conditional(
            _python(root.condition, names), _python(root.chosen, names), _python(root.other, names)
        )
    if isinstance(root, Cast):
        inner = _python(root.operand, names)
        if root.type == "float" or "int" not in root.type:
            return inner
        if isinstance(inner, Cast):
            return inner
        return Cast("int64", inner) if _is_float(inner) else inner
    if isinstance(root, Call):
        arguments = tuple(_python(a, names) for a in root.arguments)
        if root.function == "trunc" and len(arguments) == 1:
            return Cast("int64", arguments[0])
        if root.function in _BUILTINS:
            return Call(root.function, arguments)
    raise NotDerived(root.text if isinstance(root, Unknown) else str(Expr("", root)))


def _folded(node: Node) -> Node:
    """A sum, product … of numbers as the number it is."""
    value = Expr("", node).known({})
    return node if value is None else Number(value)


def _is_float(root: Node) -> bool:
    return any(
        (isinstance(part, Number) and isinstance(part.value, float))
        or (isinstance(part, Binary) and part.operator == "/")
        for part in walk(root)
    )


def _reciprocal(root: Binary) -> int | None:
    match root:
        case Binary("*", Binary("/", Number(1.0), Number(by)), _) if float(by).is_integer():
            return int(by)
    return None


def ratio(number: Node, by: Node) -> Node:
    """A product without some of its factors, or else a floor division."""
    product, divisors = _factors(number), _factors(by)
    rest = list(product[1])
    for factor in divisors[1]:
        if factor not in rest:
            return Binary("//", number, by)
        rest.remove(factor)
    if divisors[0] == 0 or product[0] % divisors[0]:
        return Binary("//", number, by)
    first = product[0] // divisors[0]
    found: Node | None = Number(first) if first != 1 or not rest else None
    for factor in rest:
        found = factor if found is None else Binary("*", found, factor)
    assert found is not None
    return found


def _factors(root: Node) -> tuple[int, list[Node]]:
    number, others, pending = 1, [], [root]
    while pending:
        node = pending.pop(0)
        if isinstance(node, Binary) and node.operator == "*":
            pending[:0] = [node.left, node.right]
        elif isinstance(node, Number) and isinstance(node.value, int):
            number *= node.value
        else:
            others.append(node)
    return number, others
