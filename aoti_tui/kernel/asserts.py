"""Reading ``tl.device_assert``: which index, between which bounds, for which lanes.

Inductor writes these in torch/_inductor/codegen/triton.py (``indirect_assert``, which comes from
torch/_inductor/codegen/common.py) and wraps negative indices before them in
torch/_inductor/index_propagation.py and ``indirect_indexing``.
"""

from __future__ import annotations

import ast
import re

from aoti_tui.kernel.model import Assignment, KernelAssert, KernelProgram


def read_assert(
    call: ast.Call, line: int, order: int, *, disabled: bool = False
) -> KernelAssert | None:
    """The assert that a ``tl.device_assert(condition, message)`` call makes."""
    if not call.args:
        return None
    condition = call.args[0]
    message = ""
    if len(call.args) > 1 and isinstance(call.args[1], ast.Constant):
        message = str(call.args[1].value)
    for keyword in call.keywords:
        if keyword.arg == "msg" and isinstance(keyword.value, ast.Constant):
            message = str(keyword.value.value)
    checked, mask = _split_mask(condition)
    index: ast.expr | None = None
    lower: ast.expr | None = None
    upper: ast.expr | None = None
    for compare in _conjuncts(checked):
        for left, operator, right in _pairs(compare):
            if isinstance(operator, (ast.LtE, ast.Lt)) and _is_zero(left):
                lower, index = left, right
            elif isinstance(operator, (ast.Lt, ast.LtE)):
                index, upper = left, right
            elif isinstance(operator, (ast.GtE, ast.Gt)) and _is_zero(right):
                lower, index = right, left
            elif isinstance(operator, (ast.Gt, ast.GtE)):
                index, upper = right, left
    return KernelAssert(
        line=line,
        message=message,
        condition=condition,
        index=_as_written(strip_broadcast(index), message) if index is not None else None,
        lower=ast.unparse(lower) if lower is not None else None,
        upper=_as_written(upper, message) if upper is not None else None,
        upper_node=upper,
        mask=ast.unparse(mask) if mask is not None else None,
        order=order,
        disabled=disabled,
    )


def _as_written(node: ast.expr, message: str) -> str:
    """The expression with the message's own spacing (``4*ks0``), where the message has it."""
    plain = ast.unparse(node)
    _, _, checked = message.partition(": ")
    for part in re.split(r" <=? ", checked):
        try:
            if ast.unparse(ast.parse(part.strip(), mode="eval").body) == plain:
                return part.strip()
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return plain


def strip_broadcast(node: ast.expr) -> ast.expr:
    """``tmp10`` of ``tl.broadcast_to(tmp10, [XBLOCK, R0_BLOCK])``."""
    while (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "broadcast_to"
        and node.args
    ):
        node = node.args[0]
    return node


def raw_index(program: KernelProgram, found: KernelAssert) -> str | None:
    """The index before Inductor's negative wrap: ``tmp6`` when ``tmp10`` is checked.

    The wrap is ``tmp8 = tmp6 + ks0; tmp9 = tmp6 < 0; tmp10 = tl.where(tmp9, tmp8, tmp6)``.
    An index of program and lane numbers alone is wrapped in place,
    ``tl.where(31 + x2 < 0, 94 + x2, 31 + x2)``. Returns the checked index itself when there is no
    wrap, None when the assert has no index.
    """
    if found.index is None:
        return None
    if not found.index.isidentifier():
        return _wrapped_in_place(found.index) or found.index
    definition = program.definition(found.index, found.order if found.order >= 0 else None)
    if definition is None:
        return found.index
    wrap = wrapped_from(program, definition)
    return wrap if wrap is not None else found.index


def _wrapped_in_place(index: str) -> str | None:
    """What ``tl.where(raw < 0, raw + size, raw)`` wraps; sympy has folded raw + size by then."""
    try:
        value = ast.parse(index, mode="eval").body
    except SyntaxError:
        return None
    if not (isinstance(value, ast.Call) and len(value.args) == 3):
        return None
    test, _, raw = value.args
    is_negative_test = (
        ast.unparse(value.func) == "tl.where"
        and isinstance(test, ast.Compare)
        and isinstance(test.ops[0], ast.Lt)
        and _is_zero(test.comparators[0])
        and ast.unparse(test.left) == ast.unparse(raw)
    )
    return ast.unparse(raw) if is_negative_test else None


def wrapped_from(program: KernelProgram, definition: Assignment) -> str | None:
    """The name that ``definition`` wraps when negative, or None when it is no such wrap."""
    value = definition.value
    if not (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr == "where"
        and len(value.args) == 3
        and isinstance(value.args[2], ast.Name)
    ):
        return None
    raw = value.args[2].id
    condition = _resolve(program, value.args[0], definition.order)
    wrapped = _resolve(program, value.args[1], definition.order)
    is_negative_test = (
        isinstance(condition, ast.Compare)
        and isinstance(condition.left, ast.Name)
        and condition.left.id == raw
        and isinstance(condition.ops[0], ast.Lt)
        and _is_zero(condition.comparators[0])
    )
    adds_size = (
        isinstance(wrapped, ast.BinOp)
        and isinstance(wrapped.op, ast.Add)
        and any(isinstance(n, ast.Name) and n.id == raw for n in (wrapped.left, wrapped.right))
    )
    return raw if is_negative_test and adds_size else None


def _resolve(program: KernelProgram, node: ast.expr, before: int) -> ast.expr:
    if isinstance(node, ast.Name):
        definition = program.definition(node.id, before)
        if definition is not None and len(definition.names) == 1:
            return definition.value
    return node


def _split_mask(condition: ast.expr) -> tuple[ast.expr, ast.expr | None]:
    """``(checked, mask)`` of ``checked | ~(mask)``."""
    if isinstance(condition, ast.BinOp) and isinstance(condition.op, ast.BitOr):
        right = condition.right
        if isinstance(right, ast.UnaryOp) and isinstance(right.op, ast.Invert):
            return condition.left, right.operand
    return condition, None


def _conjuncts(node: ast.expr) -> list[ast.Compare]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd):
        return [*_conjuncts(node.left), *_conjuncts(node.right)]
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        return [c for value in node.values for c in _conjuncts(value)]
    return [node] if isinstance(node, ast.Compare) else []


def _pairs(compare: ast.Compare) -> list[tuple[ast.expr, ast.cmpop, ast.expr]]:
    terms = [compare.left, *compare.comparators]
    return [(terms[i], op, terms[i + 1]) for i, op in enumerate(compare.ops)]


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0
