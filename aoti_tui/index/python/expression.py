"""Expressions in Python: of a kernel's bounds and indices, and of a wrapper's sizes.

In a kernel integers divide as Triton's do: ``//`` and ``%`` truncate, which Inductor only writes
where neither side can be negative (TritonPrinter of torch/_inductor/codegen/triton.py). In a
wrapper they floor, and sizes and elements of tensors are read in place (PythonPrinter of
torch/utils/_sympy/printers.py).
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from aoti_tui.index.arithmetic import called
from aoti_tui.index.expression import Expr, ExpressionError
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
)

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "quotient",
    ast.Mod: "remainder",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
_FLOORING = {**_BINARY, ast.FloorDiv: "//", ast.Mod: "%"}
_ROUNDED = ("floor", "ceil", "trunc", "round")
_LARGEST_POWER = 8
_READ: dict[str, Literal["size", "stride"]] = {"size": "size", "stride": "stride"}
_COMPARISON: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.Gt: ">",
    ast.LtE: "<=",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_UNARY: dict[type[ast.unaryop], str] = {
    ast.USub: "-",
    ast.UAdd: "+",
    ast.Not: "not",
    ast.Invert: "~",
}
_TYPES = {
    "tl.int1": "bool",
    **{f"tl.{sign}int{bits}": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
    **{f"tl.{name}": "float" for name in ("float16", "bfloat16", "float32", "float64")},
}


@dataclass(frozen=True, slots=True)
class _Tree:
    """Makes the tree of one expression; ``text`` is what an error shows of it."""

    text: str
    binary: Mapping[type[ast.operator], str]
    of_wrapper: bool
    """Python itself: ``buf0.size(0)`` is a number, and whole powers and roundings are whole."""

    def node(self, node: ast.expr) -> Node:
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return Number(int(node.value) if isinstance(node.value, bool) else node.value)
        if isinstance(node, ast.Name):
            return Name(node.id)
        if isinstance(node, ast.UnaryOp):
            return Unary(_UNARY[type(node.op)], self.node(node.operand))
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.Pow):
                if self.of_wrapper and (product := self._product(node)) is not None:
                    return product
                return called("pow", (self.node(node.left), self.node(node.right)))
            operator = self.binary.get(type(node.op))
            if operator is not None:
                return Binary(operator, self.node(node.left), self.node(node.right))
        if isinstance(node, ast.BoolOp):
            sign = "and" if isinstance(node.op, ast.And) else "or"
            joined = self.node(node.values[0])
            for value in node.values[1:]:
                joined = Binary(sign, joined, self.node(value))
            return joined
        if isinstance(node, ast.Compare):
            return self._compare(node)
        if isinstance(node, ast.IfExp):
            test, chosen = self.node(node.test), self.node(node.body)
            return Conditional(test, chosen, self.node(node.orelse))
        if isinstance(node, ast.Call):
            reading = tensor_reading(node) if self.of_wrapper else None
            return reading or self._call(node)
        raise ExpressionError(self.text, ast.unparse(node))

    def _product(self, power: ast.BinOp) -> Node | None:
        """``s7**2`` as the whole number it is; None for another exponent."""
        times = power.right.value if isinstance(power.right, ast.Constant) else None
        if not isinstance(times, int) or not 1 <= times <= _LARGEST_POWER:
            return None
        base = self.node(power.left)
        product = base
        for _ in range(times - 1):
            product = Binary("*", product, base)
        return product

    def _compare(self, node: ast.Compare) -> Node:
        left = self.node(node.left)
        joined: Node | None = None
        for operator, comparator in zip(node.ops, node.comparators, strict=True):
            sign = _COMPARISON.get(type(operator))
            if sign is None:
                raise ExpressionError(self.text, ast.unparse(node))
            right = self.node(comparator)
            one = Binary(sign, left, right)
            joined = one if joined is None else Binary("and", joined, one)
            left = right
        assert joined is not None
        return joined

    def _call(self, node: ast.Call) -> Node:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "to" and node.args:
            return self._cast(ast.unparse(node.args[0]), node.func.value)
        function = ast.unparse(node.func)
        if function == "tl.full" and len(node.args) >= 3:
            return self._cast(ast.unparse(node.args[2]), node.args[1])
        if function == "tl.broadcast_to" and node.args:
            return self.node(node.args[0])
        if function == "float" and len(node.args) == 1 and isinstance(node.args[0], ast.Constant):
            try:
                return Number(float(str(node.args[0].value)))
            except ValueError:
                raise ExpressionError(self.text, ast.unparse(node)) from None
        if function in ("tl.cast", "int", "float") and node.args:
            to = ast.unparse(node.args[1]) if len(node.args) > 1 else f"tl.{function}64"
            return self._cast(to, node.args[0])
        if node.keywords:
            raise ExpressionError(self.text, ast.unparse(node))
        made = called(function, tuple(self.node(a) for a in node.args))
        rounded = isinstance(made, Call) and made.function in _ROUNDED
        return Cast("int64", made) if self.of_wrapper and rounded else made

    def _cast(self, to: str, operand: ast.expr) -> Node:
        if to not in _TYPES:
            raise ExpressionError(self.text, to, "unknown type")
        return Cast(_TYPES[to], self.node(operand))


def tensor_reading(node: ast.expr) -> Reading | None:
    """``buf0.size(0)``, ``buf0.stride(1)`` or ``buf0.item()``; None for anything else."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    method, tensor = node.func.attr, ast.unparse(node.func.value)
    if method == "item" and not node.args:
        return Reading(tensor, "item")
    dim = node.args[0] if len(node.args) == 1 else None
    if method in _READ and isinstance(dim, ast.Constant) and isinstance(dim.value, int):
        return Reading(tensor, _READ[method], dim.value)
    return None


def parse_python(text: str) -> Expr:
    """The Python expression ``text`` of a kernel.

    Raises :class:`ExpressionError` when it is not arithmetic on names and numbers.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ExpressionError(text, text, "not a Python expression") from None
    try:
        return Expr(text, _Tree(text, _BINARY, of_wrapper=False).node(tree.body))
    except RecursionError:
        raise ExpressionError(text, text, "nested too deeply") from None


def read_python(text: str) -> Expr:
    """The same; one with a ``problem`` when it is not understood."""
    try:
        return parse_python(text)
    except ExpressionError as error:
        return Expr(text, Unknown(text, f"{error.reason}: {error.part!r}"))


def read_size(node: ast.expr, text: str) -> Expr:
    """An expression of a wrapper, which stands there as ``text``; one with a ``problem`` when it
    is no arithmetic."""
    try:
        return Expr(text, _Tree(text, _FLOORING, of_wrapper=True).node(node))
    except ExpressionError as error:
        reason = f"{error.reason}: {error.part!r}"
    except RecursionError:
        reason = "nested too deeply"
    names = dict.fromkeys(n.id for n in ast.walk(node) if isinstance(n, ast.Name))
    return Expr(text, Unknown(text, reason, tuple(names)))
