"""What a wrapper checks of its arguments and symbols, always on.

Format: torch/_inductor/codegen/wrapper.py (codegen_input_size_asserts; from torch 2.13 next to
the first use, and in groups), and the deferred asserts of its sizes.
"""

from __future__ import annotations

import ast

from aoti_tui.index.arguments import TensorView
from aoti_tui.index.expression import Expr
from aoti_tui.index.model import Guard, GuardCheck, RuntimeCheck
from aoti_tui.index.nodes import Unary, Unknown
from aoti_tui.index.python.reading import Reading
from aoti_tui.index.python.tensors import tensor_of

_LAYOUT = "assert_size_stride"
_GROUPED = "assert_size_stride_grouped"


def layouts_checked(call: ast.Call) -> list[tuple[ast.expr, ast.expr, ast.expr]]:
    """The tensors, sizes and strides that a check names; none where it is another call."""
    name, arguments = ast.unparse(call.func), call.args
    if name == _LAYOUT and len(arguments) >= 3:
        return [(arguments[0], arguments[1], arguments[2])]
    if name == _GROUPED and len(arguments) >= 3:
        groups = [a.elts for a in arguments[:3] if isinstance(a, (ast.Tuple, ast.List))]
        if len(groups) == 3 and len({len(group) for group in groups}) == 1:
            return list(zip(*groups, strict=True))
    return []


def read_check(reading: Reading, call: ast.Call) -> bool:
    """Takes ``assert_size_stride(…)`` and ``assert_alignment(…)``; False for another call."""
    name = ast.unparse(call.func)
    if name not in (_LAYOUT, _GROUPED, "assert_alignment"):
        return False
    message = next(
        (a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)), ""
    )
    checked = layouts_checked(call)
    if not checked:
        if name == "assert_alignment":
            condition = _layout(reading.text(call))
            reading.checks.append(RuntimeCheck(condition, message, call.lineno, "always"))
            return True
        return False
    for tensor, sizes, strides in checked:
        view = tensor_of(reading, tensor)
        layout = TensorView(
            view.base if view is not None else reading.text(tensor),
            reading.numbers_of(sizes),
            reading.numbers_of(strides),
        )
        condition = _layout(f"{_LAYOUT}({', '.join(map(reading.text, (tensor, sizes, strides)))})")
        reading.checks.append(RuntimeCheck(condition, message, call.lineno, "always", layout))
        if view is not None and view.sizes is None:
            _guards(reading, layout, call.lineno)
    return True


def _layout(text: str) -> Expr:
    return Expr(text, Unknown(text, "a tensor's layout is no arithmetic"))


def _guards(reading: Reading, layout: TensorView, line: int) -> None:
    """What the check of an input fixes; a size that is a symbol is free."""
    given = reading.input_named(layout.base)
    if given is None:
        return
    checks: tuple[tuple[GuardCheck, tuple[Expr, ...] | None], ...] = (
        ("equals", layout.sizes),
        ("stride", layout.strides),
    )
    for check, values in checks:
        for dim, value in enumerate(values or ()):
            if value.literal is not None:
                reading.guards.append(
                    Guard(
                        given.position, given.name, check, dim, str(value.literal), line, "always"
                    )
                )


def read_thrown(reading: Reading, statement: ast.If) -> bool:
    """``if not (u0 >= 2): raise RuntimeError('u0 >= 2')``"""
    if len(statement.body) != 1 or statement.orelse:
        return False
    raised = statement.body[0]
    if not isinstance(raised, ast.Raise):
        return False
    call = raised.exc
    words = call.args[0] if isinstance(call, ast.Call) and call.args else None
    message = words.value if isinstance(words, ast.Constant) else None
    test = statement.test
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        holds = reading.expression(test.operand)
    else:
        found = reading.expression(test)
        holds = Expr(f"not ({found.written})", Unary("not", found.root))
    reading.checks.append(
        RuntimeCheck(holds, str(message or holds.written), statement.lineno, "always")
    )
    return True
