"""Numbers of a wrapper: sizes that ``call`` is given, symbols, values read off tensors.

Format: torch/_inductor/codegen/wrapper.py (codegen_input_symbol_assignment,
codegen_dynamic_scalar). A size comes as an argument of its own, before the tensors that have it.
"""

from __future__ import annotations

import ast
from typing import Literal

from aoti_tui.index.expression import Expr
from aoti_tui.index.model import SymbolKind
from aoti_tui.index.nodes import Name, walk
from aoti_tui.index.nodes import Reading as Element
from aoti_tui.index.python.reading import Reading


def read_number(reading: Reading, name: str, value: ast.expr, line: int) -> bool:
    """Takes ``name = value`` where that is a number; False when it is anything else."""
    if _sizes(reading, name, value):
        return True
    read = _dimension(reading, name, value, line)
    if read:
        return True
    expression = reading.expression(value)
    if expression.problem:
        return False
    elements = [n for n in walk(expression.root) if isinstance(n, Element)]
    names = [n.name for n in walk(expression.root) if isinstance(n, Name)]
    if any(n not in reading.numbers for n in names):
        return False
    if len(elements) == 1:
        one = elements[0]
        view = reading.tensors.get(one.tensor)
        tensor = view.base if view is not None else one.tensor
        given = reading.input_named(tensor)
        position = given.position if given is not None else None
        if one.what == "item":
            kind: SymbolKind = "item"
            reading.symbol(name, line, kind, expression, position=position, tensor=tensor)
            return True
        whole = expression.root == one
        kinds: tuple[SymbolKind, SymbolKind] = (
            ("input_dim", "buffer_dim") if one.what == "size" else ("input_stride", "buffer_stride")
        )
        if whole:
            kind = kinds[position is None]
            reading.symbol(
                name, line, kind, expression, position=position, dim=one.dim, tensor=tensor
            )
            return True
    brought = None
    if isinstance(expression.root, Name):
        if _shared_size(reading, name, expression.root.name, line):
            return True
        given = reading.input_named(expression.root.name)
        brought = given.position if given is not None else None
    reading.symbol(name, line, "expression", expression, number=brought)
    return True


def _sizes(reading: Reading, name: str, value: ast.expr) -> bool:
    """``x_size = x.size()``, out of which symbols are taken."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return False
    base = value.func.value
    if value.func.attr not in ("size", "stride") or value.args or not isinstance(base, ast.Name):
        return False
    reading.sizes[name] = f"{base.id}.{value.func.attr}"
    return True


def _dimension(reading: Reading, name: str, value: ast.expr, line: int) -> bool:
    """``s0 = x_size[0]``"""
    if not isinstance(value, ast.Subscript) or not isinstance(value.value, ast.Name):
        return False
    known, at = reading.sizes.get(value.value.id), value.slice
    if known is None or not isinstance(at, ast.Constant) or not isinstance(at.value, int):
        return False
    tensor, _, what = known.partition(".")
    given = reading.input_named(tensor)
    position = given.position if given is not None else None
    kinds: tuple[SymbolKind, SymbolKind] = (
        ("input_dim", "buffer_dim") if what == "size" else ("input_stride", "buffer_stride")
    )
    kind = kinds[position is None]
    expression = _element(tensor, "size" if what == "size" else "stride", at.value)
    reading.symbol(name, line, kind, expression, position=position, dim=at.value, tensor=tensor)
    return True


def _element(tensor: str, what: Literal["size", "stride"], dim: int) -> Expr:
    element = Element(tensor, what, dim)
    return Expr(element.name, element)


def _shared_size(reading: Reading, name: str, given_as: str, line: int) -> bool:
    """``s77 = arg5_1``: the number is the size of the first tensor after it that is checked to
    have it, which says more than the number itself."""
    number = reading.input_named(given_as)
    sized = reading.dimensions.get(name, ())
    if number is None or not sized:
        return False
    positions = {i.name: i.position for i in reading.inputs}
    known = [(positions[tensor], dim, tensor) for tensor, dim in sized if tensor in positions]
    if not known:
        return False
    position, dim, tensor = min(known, key=lambda k: (k[0] < number.position, k))
    expression = _element(tensor, "size", dim)
    reading.symbol(
        name,
        line,
        "input_dim",
        expression,
        position=position,
        dim=dim,
        tensor=tensor,
        number=number.position,
    )
    return True
