"""What ``print`` and ``x`` read besides temporaries: inputs, buffers, symbols and sizes."""

from __future__ import annotations

import ast
from typing import Any

from aoti_tui.answer.incident import Incident
from aoti_tui.index.model import Launch
from aoti_tui.replay.model import SymbolValue
from aoti_tui.replay.questions.elements import TensorElements
from aoti_tui.replay.recorded.conditions import ConditionError, parse_condition
from aoti_tui.session.text import number
from aoti_tui.session.values.tensors import elements_named, index_at, place_in

SHOWN = 8
MOST = 4096
Answer = tuple[str, list[dict[str, Any]]]
"""Text, and values for a program that asks."""


class Unknown(ValueError):
    """A text that means nothing here; ``str()`` says why."""


def elements(incident: Incident, launch: Launch | None, text: str, count: int) -> Answer:
    """Elements of a tensor from an index on. Raises Unknown, ReplayError."""
    wanted = elements_named(incident, launch, text)
    if wanted is None:
        raise Unknown(f"{text} is no tensor of this launch, no input and no buffer.")
    found = wanted.tensor.read(incident, 0)
    at = place_in(found, wanted.index)
    if isinstance(at, str):
        raise Unknown(at)
    if not found.start <= at < found.start + len(found.block):
        found = wanted.tensor.read(incident, at)
    first = at - found.start
    values = list(found.block.values[first : first + min(count, MOST)])
    rows = [
        {"name": wanted.tensor.name, "dtype": found.dtype, "shape": list(found.shape)}
        | {"index": list(index_at(found.shape, at + n)), "value": plain(value)}
        | {"source": found.source}
        for n, value in enumerate(values)
    ]
    if wanted.index is not None and count == 1 and values:
        where = list(index_at(found.shape, at)) if found.shape else ""
        return f"{wanted.tensor.name}{where} = {number(values[0])} {_about(found)}", rows
    lines = [f"{wanted.tensor.name} {_about(found)}"]
    width = found.shape[-1] if found.shape and 0 < found.shape[-1] <= 16 else SHOWN
    for n in range(0, len(values), width):
        shown = "  ".join(number(value) for value in values[n : n + width])
        lines.append(f"  {list(index_at(found.shape, at + n))}: {shown}")
    if not values:
        lines.append("  It has no element.")
    return "\n".join(lines), rows


def _about(found: TensorElements) -> str:
    source = "MADE-UP" if found.source == "made-up" else found.source
    return f"({found.dtype} {list(found.shape)}, data: {source})"


def evaluated(
    incident: Incident,
    launch: Launch | None,
    text: str,
    symbols: tuple[SymbolValue, ...],
    kernel: dict[str, Any],
) -> Answer:
    """An expression with elements, symbols and sizes in it. ``kernel`` are values of its own
    names in the lane. Raises Unknown, ReplayError."""
    whole = elements_named(incident, launch, text)
    if whole is not None:
        return elements(incident, launch, text, SHOWN if whole.index is None else 1)
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError as error:
        raise Unknown(f"{text!r} is no expression: {error.msg}") from error
    put = _Put(incident, launch, {s.name: s.value for s in symbols} | kernel)
    value_text = ast.unparse(put.visit(tree))
    try:
        value = parse_condition(value_text).evaluate({})
    except ConditionError as error:
        raise Unknown(str(error)) from error
    if not isinstance(value, int | float):
        raise Unknown(f"{text} is no number.")
    source = next((f" ({s.how}, {s.source})" for s in symbols if s.name == text), "")
    return f"{text} = {number(value)}{source}", [{"expression": text, "value": plain(value)}]


class _Put(ast.NodeTransformer):
    """Puts numbers in the place of symbols, elements and sizes."""

    def __init__(self, incident: Incident, launch: Launch | None, known: dict[str, Any]) -> None:
        self.incident, self.launch, self.known = incident, launch, known

    def visit_Name(self, node: ast.Name) -> ast.AST:
        value = self.known.get(node.id)
        if isinstance(value, int | float):
            return ast.Constant(value)
        raise Unknown(f"Nothing is called {node.id} here: info symbols, info inputs list names.")

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        text = ast.unparse(node).replace("(", "").replace(")", "")
        _, rows = elements(self.incident, self.launch, text, 1)
        return ast.Constant(rows[0]["value"])

    def visit_Call(self, node: ast.Call) -> ast.AST:
        called, given = node.func, node.args
        if isinstance(called, ast.Attribute) and called.attr == "size" and len(given) == 1:
            name = ast.unparse(called.value)
            wanted = elements_named(self.incident, self.launch, name)
            dim = given[0]
            if wanted is not None and isinstance(dim, ast.Constant) and type(dim.value) is int:
                shape = wanted.tensor.read(self.incident, 0).shape
                if dim.value < len(shape):
                    return ast.Constant(shape[dim.value])
                raise Unknown(f"{name} has {len(shape)} dimensions: {list(shape)}.")
        return ast.Call(called, [self.visit(one) for one in given], [])


def plain(value: Any) -> Any:
    """A value that JSON has: NaN and infinities as text."""
    if isinstance(value, float) and (value != value or value in (float("inf"), -float("inf"))):
        return str(value)
    return value
