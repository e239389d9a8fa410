"""Expressions of a kernel's bounds and indices (Python as Triton reads it).

Format: torch/_inductor/codegen/triton.py (TritonPrinter). Integers divide as Triton's do: ``//``
and ``%`` truncate, which Inductor only writes where neither side can be negative.
"""

from __future__ import annotations

import ast

from aoti_tui.index.arithmetic import called
from aoti_tui.index.expression import Expr, ExpressionError
from aoti_tui.index.nodes import Binary, Cast, Conditional, Name, Node, Number, Unary, Unknown

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


def parse_python(text: str) -> Expr:
    """The Python expression ``text`` of a kernel.

    Raises :class:`ExpressionError` when it is not arithmetic on names and numbers.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ExpressionError(text, text, "not a Python expression") from None
    try:
        return Expr(text, _node(tree.body, text))
    except RecursionError:
        raise ExpressionError(text, text, "nested too deeply") from None


def read_python(text: str) -> Expr:
    """The same; one with a ``problem`` when it is not understood."""
    try:
        return parse_python(text)
    except ExpressionError as error:
        return Expr(text, Unknown(text, f"{error.reason}: {error.part!r}"))


def _node(node: ast.expr, text: str) -> Node:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return Number(int(node.value) if isinstance(node.value, bool) else node.value)
    if isinstance(node, ast.Name):
        return Name(node.id)
    if isinstance(node, ast.UnaryOp):
        return Unary(_UNARY[type(node.op)], _node(node.operand, text))
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.Pow):
            return called("pow", (_node(node.left, text), _node(node.right, text)))
        operator = _BINARY.get(type(node.op))
        if operator is not None:
            return Binary(operator, _node(node.left, text), _node(node.right, text))
    if isinstance(node, ast.BoolOp):
        sign = "and" if isinstance(node.op, ast.And) else "or"
        joined = _node(node.values[0], text)
        for value in node.values[1:]:
            joined = Binary(sign, joined, _node(value, text))
        return joined
    if isinstance(node, ast.Compare):
        return _compare(node, text)
    if isinstance(node, ast.IfExp):
        return Conditional(_node(node.test, text), _node(node.body, text), _node(node.orelse, text))
    if isinstance(node, ast.Call):
        return _call(node, text)
    raise ExpressionError(text, ast.unparse(node))


def _compare(node: ast.Compare, text: str) -> Node:
    left = _node(node.left, text)
    joined: Node | None = None
    for operator, comparator in zip(node.ops, node.comparators, strict=True):
        sign = _COMPARISON.get(type(operator))
        if sign is None:
            raise ExpressionError(text, ast.unparse(node))
        right = _node(comparator, text)
        one = Binary(sign, left, right)
        joined = one if joined is None else Binary("and", joined, one)
        left = right
    assert joined is not None
    return joined


def _call(node: ast.Call, text: str) -> Node:
    if isinstance(node.func, ast.Attribute) and node.func.attr == "to" and node.args:
        return _cast(ast.unparse(node.args[0]), _node(node.func.value, text), text)
    function = ast.unparse(node.func)
    if function == "tl.full" and len(node.args) >= 3:
        return _cast(ast.unparse(node.args[2]), _node(node.args[1], text), text)
    if function == "tl.broadcast_to" and node.args:
        return _node(node.args[0], text)
    if function == "float" and len(node.args) == 1 and isinstance(node.args[0], ast.Constant):
        try:
            return Number(float(str(node.args[0].value)))
        except ValueError:
            raise ExpressionError(text, ast.unparse(node)) from None
    if function in ("tl.cast", "int", "float") and node.args:
        to = ast.unparse(node.args[1]) if len(node.args) > 1 else f"tl.{function}64"
        return _cast(to, _node(node.args[0], text), text)
    if node.keywords:
        raise ExpressionError(text, ast.unparse(node))
    return called(function, tuple(_node(a, text) for a in node.args))


def _cast(to: str, operand: Node, text: str) -> Node:
    if to not in _TYPES:
        raise ExpressionError(text, to, "unknown type")
    return Cast(_TYPES[to], operand)
