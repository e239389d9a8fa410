"""What an assignment does to its operands, as far as the data of a value goes."""

from __future__ import annotations

import ast
from typing import Literal

from aoti_tui.kernel.asserts import wrapped_from
from aoti_tui.kernel.helpers import dotted_name
from aoti_tui.kernel.model import Assignment, KernelProgram

Operation = Literal[
    "load",
    "copy",
    "cast",
    "wrap",
    "choice",
    "clamp",
    "quotient",
    "remainder",
    "arithmetic",
    "test",
    "literal",
    "call",
]
"""``copy`` only changes the shape, ``wrap`` counts negative indices from the end, ``test`` is true
or false, ``call`` is all that has no name here (a reduction, a scan, a helper)."""

_CALLS: dict[str, Operation] = {
    "load": "load",
    **dict.fromkeys(("broadcast_to", "reshape", "view", "trans", "expand_dims"), "copy"),
    **dict.fromkeys(("minimum", "maximum", "clamp"), "clamp"),
    **dict.fromkeys(("full", "zeros"), "literal"),
    **dict.fromkeys(("div_floor_integer", "truediv", "div_rn", "fdiv"), "quotient"),
    **dict.fromkeys(("remainder_integer", "fmod"), "remainder"),
    "where": "choice",
    "isnan": "test",
}
_OPERATORS: dict[type[ast.operator], Operation] = {
    ast.FloorDiv: "quotient",
    ast.Div: "quotient",
    ast.Mod: "remainder",
    ast.BitAnd: "test",
    ast.BitOr: "test",
}


def operation_of(program: KernelProgram, assignment: Assignment) -> Operation:
    """What the assignment does, seen from its outermost call or sign."""
    if wrapped_from(program, assignment) is not None:
        return "wrap"
    return _operation(assignment.value)


def _operation(node: ast.expr) -> Operation:
    if isinstance(node, ast.Constant):
        return "literal"
    if isinstance(node, (ast.Name, ast.Subscript)):
        return "copy"
    if isinstance(node, ast.Compare):
        return "test"
    if isinstance(node, ast.BinOp):
        return _OPERATORS.get(type(node.op), "arithmetic")
    if isinstance(node, ast.UnaryOp):
        if isinstance(node.operand, ast.Constant):
            return "literal"
        return "test" if isinstance(node.op, ast.Invert) else "arithmetic"
    if isinstance(node, ast.Call):
        return _called(node)
    return "call"


def _called(call: ast.Call) -> Operation:
    function = call.func
    if isinstance(function, ast.Attribute) and function.attr == "to" and call.args:
        # `tl.load(…).to(tl.float32)` still reads.
        return "load" if _operation(function.value) == "load" else "cast"
    found = _CALLS.get(dotted_name(function).rpartition(".")[2], "call")
    if found == "copy" and call.args and _operation(call.args[0]) == "load":
        return "load"
    return found
