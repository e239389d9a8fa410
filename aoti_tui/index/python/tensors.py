"""Tensors of a wrapper: allocations, views, reuse, pools.

Format: torch/_inductor/codegen/wrapper.py (make_allocation, codegen_reinterpret_view,
codegen_exact_buffer_reuse) and torch/_inductor/codegen/memory_planning.py.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from aoti_tui.index.arguments import TensorView
from aoti_tui.index.expression import ZERO, Expr
from aoti_tui.index.nodes import Binary
from aoti_tui.index.python.comments import has_reuse
from aoti_tui.index.python.reading import Item, Reading

_VIEWS = frozenset({"reinterpret_tensor", "as_strided", "torch.as_strided"})
_DTYPE_VIEWS = frozenset({"aten.view.dtype", "torch.ops.aten.view.dtype"})
_SAME = frozenset({"copy_if_misaligned"})
"""They give a tensor with the contents and the layout of the one they are given."""


def dtype_name(node: ast.expr) -> str | None:
    """``torch.float32`` as ``float32``; None for anything else."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.attr if node.value.id == "torch" else None
    return None


def item_of(reading: Reading, node: ast.expr) -> Item:
    """What an argument stands for: a tensor or a view of one, a number, or None.

    What is neither is a number with a ``problem``.
    """
    if isinstance(node, ast.Constant) and node.value is None:
        return None
    view = tensor_of(reading, node)
    if view is not None:
        return view
    listed = listed_item(reading, node)
    return listed if listed is not None else reading.expression(node)


def listed_item(reading: Reading, node: ast.expr) -> Item:
    """``buf2[0]`` of a list whose items are known."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        items, at = reading.lists.get(node.value.id, ()), position_of(node)
        if at is not None and at < len(items):
            return items[at]
    return None


def position_of(node: ast.Subscript) -> int | None:
    value = node.slice.value if isinstance(node.slice, ast.Constant) else None
    return value if isinstance(value, int) and value >= 0 else None


def tensor_of(reading: Reading, node: ast.expr) -> TensorView | None:
    """``node`` as a tensor that was made before, or a view of one; None when it is no tensor."""
    if isinstance(node, ast.Name):
        return reading.tensors.get(node.id)
    if isinstance(node, ast.Subscript):
        name = slot_name(reading, node)
        if name is not None:
            return reading.tensors.get(name)
        item = listed_item(reading, node)
        return item if isinstance(item, TensorView) else None
    if not isinstance(node, ast.Call):
        return None
    function, arguments = ast.unparse(node.func), node.args
    if function in _VIEWS and len(arguments) in (3, 4):
        base = tensor_of(reading, arguments[0])
        sizes, strides = reading.numbers_of(arguments[1]), reading.numbers_of(arguments[2])
        offset = reading.expression(arguments[3]) if len(arguments) == 4 else ZERO
        if base is None or sizes is None or strides is None:
            return None
        return TensorView(base.base, sizes, strides, _sum(base.offset, offset), base.dtype)
    if function in _DTYPE_VIEWS and len(arguments) == 2:
        base = tensor_of(reading, arguments[0])
        return replace(base, dtype=dtype_name(arguments[1])) if base is not None else None
    if function in _SAME and len(arguments) == 1:
        return tensor_of(reading, arguments[0])
    return None


def slot_name(reading: Reading, node: ast.Subscript) -> str | None:
    """``buf1[0]`` of a list that is filled item by item, by which a tensor is known."""
    at = position_of(node)
    if isinstance(node.value, ast.Name) and at is not None:
        name = node.value.id
        if at < reading.slots.get(name, 0):
            return f"{name}[{at}]"
    return None


def _sum(first: Expr, second: Expr) -> Expr:
    """The offset of a view of a view: ``reinterpret_tensor``'s is an increment."""
    if first.literal == 0:
        return ZERO if second.literal == 0 else second
    if second.literal == 0:
        return first
    return Expr(f"{first.written} + {second.written}", Binary("+", first.root, second.root))


def read_tensor(reading: Reading, name: str, value: ast.expr, line: int) -> bool:
    """Takes ``name = value`` where that makes or names a tensor."""
    if isinstance(value, ast.Call) and _allocated(reading, name, value, line):
        return True
    if isinstance(value, ast.Subscript) and _part(reading, name, value, line):
        return True
    view = tensor_of(reading, value)
    if view is None:
        return False
    if view.base == name and view.sizes is None:
        return True
    reused = has_reuse(reading.lines[line - 1])
    plain = view.sizes is None and view.dtype is None
    reading.buffer(name, line, "reuse" if reused else "alias" if plain else "view", view)
    return True


def _part(reading: Reading, name: str, value: ast.Subscript, line: int) -> bool:
    """``buf8 = buf7[0]``: one of the results of a call."""
    at = position_of(value)
    if not isinstance(value.value, ast.Name) or at is None:
        return False
    made_by = reading.tensors.get(value.value.id)
    if made_by is None or value.value.id in reading.slots:
        return False
    reading.buffer(name, line, "alias", TensorView(made_by.base), part=at)
    return True


def _allocated(reading: Reading, name: str, call: ast.Call, line: int) -> bool:
    function, arguments = ast.unparse(call.func), call.args
    if function.startswith(("empty_strided", "torch.empty_strided")) and len(arguments) >= 2:
        named = {k.arg: k.value for k in call.keywords}
        of_type = arguments[2] if len(arguments) > 2 else named.get("dtype")
        reading.buffer(
            name,
            line,
            "allocation",
            sizes=reading.numbers_of(arguments[0]),
            strides=reading.numbers_of(arguments[1]),
            dtype=dtype_name(of_type) if of_type is not None else None,
        )
        return True
    if function == "alloc_from_pool" and len(arguments) == 5:
        pool = tensor_of(reading, arguments[0])
        reading.buffer(
            name,
            line,
            "pool",
            pool,
            sizes=reading.numbers_of(arguments[3]),
            strides=reading.numbers_of(arguments[4]),
            dtype=dtype_name(arguments[2]),
            offset=reading.expression(arguments[1]),
        )
        return True
    return False
