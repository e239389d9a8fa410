"""Reading ``call`` and the functions it calls: every statement is understood or a gap."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import replace

from aoti_tui.index.arguments import TensorView
from aoti_tui.index.expression import Expr
from aoti_tui.index.model import Body, Input, LoopExit, Output, Scope
from aoti_tui.index.nodes import Name
from aoti_tui.index.python.checks import read_check, read_thrown
from aoti_tui.index.python.comments import subgraph_before
from aoti_tui.index.python.externs import read_extern
from aoti_tui.index.python.launches import read_grid_function, read_launch
from aoti_tui.index.python.numbers import read_number
from aoti_tui.index.python.reading import Item, Reading
from aoti_tui.index.python.tensors import item_of, read_tensor, slot_name, tensor_of

_SYMBOL = re.compile(r"(?:s|u|zf|zuf|ps)\d+")
_ROUTINE = re.compile(
    r"^(?:args\.clear|(?:torch\.\w+\.)?(?:set_device|synchronize)|torch\.\w+\.set_device"
    r"|start_graph|end_graph|run_intermediate_hooks|print|del_|torch\.set_grad_enabled)$"
)
_STREAM = re.compile(r"^(?:get_raw_stream|get_\w+_stream|torch\.\w+\.\w*stream\w*)$")
_CLEAN = (ast.Delete, ast.Pass, ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom)


def read_main(reading: Reading, function: ast.FunctionDef) -> None:
    """Reads ``call`` from its unpacking to what it returns."""
    reading.annotated = function.lineno
    _walk(reading, function.body)


def _walk(reading: Reading, body: Sequence[ast.stmt]) -> None:
    for statement in body:
        if isinstance(statement, _CLEAN):
            continue
        if isinstance(statement, ast.With):
            _walk(reading, statement.body)
        elif isinstance(statement, ast.If):
            _if(reading, statement)
        elif isinstance(statement, ast.While):
            _while(reading, statement)
        elif isinstance(statement, ast.Return):
            _return(reading, statement)
        elif isinstance(statement, ast.FunctionDef):
            if not read_grid_function(reading, statement):
                reading.gap(statement, "unexpected function")
        elif not _simple(reading, statement):
            reading.gap(statement, "unknown statement")


def _simple(reading: Reading, statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        return _assigned(reading, statement.targets[0], statement.value, statement.lineno)
    if isinstance(statement, ast.Break):
        return bool(reading.scopes)
    if not isinstance(statement, ast.Expr):
        return False
    value = statement.value
    if isinstance(value, ast.Constant):
        return True
    if not isinstance(value, ast.Call):
        return False
    return (
        _ROUTINE.match(ast.unparse(value.func)) is not None
        or read_launch(reading, value)
        or read_check(reading, value)
        or _called(reading, value) is not None
        or read_extern(reading, value, None)
    )


# -- branches and loops ---------------------------------------------------------------------------


def _if(reading: Reading, statement: ast.If) -> None:
    if read_thrown(reading, statement):
        return
    condition = reading.expression(statement.test)
    if condition.problem:
        reading.gap(statement, f"the condition is not understood: {condition.problem}")
    _scoped(reading, Scope("if", statement.lineno, condition), statement.body)
    if statement.orelse:
        line = statement.orelse[0].lineno - 1
        _scoped(reading, Scope("else", line, condition), statement.orelse)


def _while(reading: Reading, statement: ast.While) -> None:
    condition = reading.expression(statement.test)
    ends = _loop_exit(reading, statement)
    _scoped(reading, Scope("while", statement.lineno, condition, exit=ends), statement.body)


def _loop_exit(reading: Reading, loop: ast.While) -> LoopExit | None:
    """``if not cond: break`` of a ``while True`` (torch 2.5); None for another form."""
    for statement in loop.body:
        if (
            isinstance(statement, ast.If)
            and isinstance(statement.test, ast.UnaryOp)
            and any(isinstance(s, ast.Break) for s in statement.body)
        ):
            return LoopExit(statement.lineno, reading.expression(statement.test.operand))
    return None


def _scoped(reading: Reading, scope: Scope, body: Sequence[ast.stmt]) -> None:
    reading.enter(scope)
    _walk(reading, body)
    reading.scopes.pop()


# -- assignments ----------------------------------------------------------------------------------


def _assigned(reading: Reading, target: ast.expr, value: ast.expr, line: int) -> bool:
    if isinstance(target, (ast.Tuple, ast.List)):
        return _unpacked(reading, target, value, line)
    name = _target_name(reading, target)
    if name is None:
        return False
    if isinstance(value, ast.Constant) and value.value is None:
        reading.tensors.pop(name, None)
        return True
    if isinstance(value, (ast.List, ast.Tuple)):
        reading.lists[name] = tuple(item_of(reading, e) for e in value.elts)
        return True
    slots = _slots(value)
    if slots:
        reading.slots[name] = slots
        for at in range(slots):
            reading.buffer(f"{name}[{at}]", line, "declaration")
        return True
    if isinstance(value, ast.Call):
        if _STREAM.match(ast.unparse(value.func)):
            return True
        given = _called(reading, value)
        if given is not None:
            reading.lists[name] = given
            return True
    if read_tensor(reading, name, value, line):
        return True
    if isinstance(value, ast.Subscript) and _listed(reading, name, value, line):
        return True
    if isinstance(value, ast.Call) and read_extern(reading, value, name):
        return True
    return read_number(reading, name, value, line)


def _target_name(reading: Reading, target: ast.expr) -> str | None:
    if isinstance(target, ast.Name):
        return target.id
    return slot_name(reading, target) if isinstance(target, ast.Subscript) else None


def _slots(value: ast.expr) -> int:
    """The length of ``[None] * 2``; 0 for anything else."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        left, right = value.left, value.right
        if isinstance(left, ast.List) and isinstance(right, ast.Constant):
            return len(left.elts) * right.value if isinstance(right.value, int) else 0
    return 0


def _listed(reading: Reading, name: str, value: ast.Subscript, line: int) -> bool:
    """``buf3 = buf2[0]`` where ``buf2`` is what a function gave back."""
    if not isinstance(value.value, ast.Name) or value.value.id not in reading.lists:
        return False
    item = item_of(reading, value)
    _bind(reading, name, item, line)
    return True


def _bind(reading: Reading, name: str, item: Item, line: int) -> None:
    """``name`` is another name of what a list or a function gives."""
    if isinstance(item, TensorView):
        if item.base != name or item.sizes is not None:
            reading.buffer(name, line, "alias" if item.sizes is None else "view", item)
    elif item is not None:
        reading.symbol(name, line, "expression", item)


def _unpacked(reading: Reading, target: ast.Tuple | ast.List, value: ast.expr, line: int) -> bool:
    names = [_target_name(reading, e) for e in target.elts]
    if any(n is None for n in names):
        return False
    known = [n for n in names if n is not None]
    if isinstance(value, ast.Name) and value.id == "args":
        _inputs(reading, known, line)
        return True
    items: Sequence[Item] | None = None
    if isinstance(value, ast.Call):
        items = _called(reading, value)
        if items is None and read_extern(reading, value, known[0]):
            return len(known) == 1
    elif isinstance(value, (ast.Tuple, ast.List)):
        items = [item_of(reading, e) for e in value.elts]
    if items is None or len(items) != len(known):
        return False
    for name, item in zip(known, items, strict=True):
        _bind(reading, name, item, line)
    return True


# -- arguments and functions ----------------------------------------------------------------------


def _inputs(reading: Reading, names: Sequence[str], line: int) -> None:
    """``arg0_1, arg1_1 = args`` of ``call``."""
    for position, name in enumerate(names):
        scalar = name in reading.outline.numbers
        reading.inputs.append(Input(position, name, line, is_scalar=scalar))
        if scalar:
            reading.symbol(name, line, "item", Expr(name, Name(name)), position=position)
        else:
            reading.define(name)


def _called(reading: Reading, call: ast.Call) -> tuple[Item, ...] | None:
    """Reads a function that ``call`` calls with a list, and gives what it returns; None for
    another call."""
    name = _function_name(reading, call.func)
    function = reading.outline.functions.get(name)
    if function is None:
        return None
    if name in reading.results:
        # A loop's condition, asked again at its end: it is read once, and runs at both places.
        last = function.end_lineno or function.lineno
        reading.bodies.append(Body(function.lineno, last, call.lineno))
        return reading.results[name]
    given = call.args[0] if call.args else None
    items: tuple[Item, ...] = ()
    if isinstance(given, ast.Name):
        items = reading.lists.get(given.id, ())
    elif isinstance(given, (ast.List, ast.Tuple)):
        items = tuple(item_of(reading, e) for e in given.elts)
    reading.results[name] = ()
    last = function.end_lineno or function.lineno
    reading.bodies.append(Body(function.lineno, last, call.lineno))
    outer, annotated, returned = reading.function, reading.annotated, reading.returned
    subgraph = subgraph_before(reading.lines, call.lineno) or name
    reading.name_subgraph(subgraph)
    reading.function = replace(outer, name=name)
    reading.annotated, reading.returned = function.lineno, ()
    body = list(function.body)
    if body and _takes_arguments(reading, body[0], items):
        body.pop(0)
    _walk(reading, body)
    found = reading.results[name] = reading.returned
    reading.function, reading.annotated, reading.returned = outer, annotated, returned
    return found


def _function_name(reading: Reading, function: ast.expr) -> str:
    """``true_graph_0``, or the function that is ``self.partitions[0]``."""
    if isinstance(function, ast.Subscript) and ast.unparse(function.value) == "self.partitions":
        at = function.slice.value if isinstance(function.slice, ast.Constant) else None
        partitions = reading.outline.partitions
        return partitions[at] if isinstance(at, int) and at < len(partitions) else ""
    return function.id if isinstance(function, ast.Name) else ""


def _takes_arguments(reading: Reading, first: ast.stmt, items: tuple[Item, ...]) -> bool:
    """``true_graph_0_arg0_1, … = args`` of a function that gets ``items``."""
    if not isinstance(first, ast.Assign) or ast.unparse(first.value) != "args":
        return False
    target = first.targets[0]
    names = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    for position, node in enumerate(names):
        if not isinstance(node, ast.Name):
            continue
        item = items[position] if position < len(items) else None
        if isinstance(item, TensorView):
            reading.tensors[node.id] = item
        elif item is not None:
            reading.numbers[node.id] = item.root
        else:
            reading.define(node.id)
    return True


def _return(reading: Reading, statement: ast.Return) -> None:
    value = statement.value
    nodes = value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value] if value else []
    items: list[Item] = []
    for position, node in enumerate(nodes):
        item = item_of(reading, node)
        items.append(item)
        if reading.function.name == "call":
            view = tensor_of(reading, node)
            name = view.base if view is not None else reading.text(node)
            reading.outputs.append(Output(position, name, statement.lineno))
    reading.returned = tuple(items)
