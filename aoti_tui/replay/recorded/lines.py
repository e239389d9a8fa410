"""Which names a statement of a kernel or of one of its helpers reads, by kernel line."""

from __future__ import annotations

import ast

from aoti_tui.kernel.model import KernelProgram
from aoti_tui.kernel.parse import names_read


def reads_at(program: KernelProgram, function: str, line: int) -> tuple[str, ...]:
    """Names that the statement at ``line`` of ``function`` reads, in order of appearance.

    Names of modules and functions (``tl``, ``libdevice``) are not among them.
    """
    if function in ("", program.function):
        assignment = program.assignment_at(line)
        if assignment is not None:
            return assignment.reads
        check = program.assert_at(line)
        if check is not None:
            return names_in(check.condition)
        for store in program.stores:
            if store.line == line:
                parts = (store.offset, store.value, store.mask)
                found = [*store.pointers, *(n for p in parts if p for n in names_in(p))]
                return tuple(dict.fromkeys(found))
        return ()
    helper = program.helper_nodes.get(function)
    statement = _statement_at(helper, line) if helper is not None else None
    value = getattr(statement, "value", None)
    return names_in(value) if isinstance(value, ast.expr) else ()


def call_operands(
    program: KernelProgram, caller: str, line: int, helper: str, parameter: str
) -> tuple[str, ...]:
    """Names that ``caller``'s statement at ``line`` passes as ``parameter`` of ``helper``."""
    node = program.helper_nodes.get(helper)
    if node is None:
        return ()
    parameters = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
    value: ast.AST | None
    if caller in ("", program.function):
        assignment = program.assignment_at(line)
        value = assignment.value if assignment is not None else None
    else:
        outer = program.helper_nodes.get(caller)
        value = _statement_at(outer, line) if outer is not None else None
    if value is None:
        return ()
    for call in ast.walk(value):
        if not isinstance(call, ast.Call) or _called(call) != helper:
            continue
        for keyword in call.keywords:
            if keyword.arg == parameter:
                return names_in(keyword.value)
        if parameter in parameters and parameters.index(parameter) < len(call.args):
            return names_in(call.args[parameters.index(parameter)])
    return ()


def names_in(node: ast.AST) -> tuple[str, ...]:
    """Names read in an expression, each once, in order of appearance."""
    return tuple(dict.fromkeys(names_read(node)))


def _called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _statement_at(function: ast.FunctionDef, line: int) -> ast.stmt | None:
    best: ast.stmt | None = None
    for node in ast.walk(function):
        if isinstance(
            node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Return | ast.Expr
        ) and node.lineno <= line <= (node.end_lineno or node.lineno):
            best = node
    return best
