"""The tensors that a script makes by itself: names, element types and sizes, as far as the text
tells them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace

_SIZED = ("zeros", "ones", "empty", "full", "rand", "randn", "randint", "empty_strided")
_LIKE = ("zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like")
_SAME = ("cuda", "cpu", "contiguous", "clone", "detach", "requires_grad_", "pin_memory", "fill_")
_CASTS = {
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "bfloat16": "bfloat16",
    "int": "int32",
    "long": "int64",
    "short": "int16",
    "bool": "bool",
}
_DTYPES = {
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "long": "int64",
    "int": "int32",
    "short": "int16",
}
"""Torch's other names of types."""


@dataclass(frozen=True, slots=True)
class MadeTensor:
    """A tensor that is made at ``line``; ``dtype`` is ``""`` and ``sizes`` None where the text does
    not tell them."""

    line: int
    dtype: str
    sizes: tuple[int, ...] | None


def made_tensors(tree: ast.Module) -> dict[str, tuple[MadeTensor, ...]]:
    """What each name is set to, in the order of lines."""
    found: dict[str, tuple[MadeTensor, ...]] = {}
    numbers: dict[str, int] = {}
    nodes = [n for n in ast.walk(tree) if isinstance(n, ast.Assign | ast.Call)]
    for node in sorted(nodes, key=lambda one: (one.lineno, one.col_offset)):
        if isinstance(node, ast.Assign):
            pairs = [(target, node.value) for target in node.targets]
            for target, value in pairs:
                if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                    pairs += list(zip(target.elts, value.elts, strict=False))
                elif isinstance(target, ast.Name):
                    _assign(target.id, value, node.lineno, found, numbers)
        elif isinstance(node, ast.Call):
            _passed(node, found, numbers)
    return found


def _passed(
    call: ast.Call, found: dict[str, tuple[MadeTensor, ...]], numbers: Mapping[str, int]
) -> None:
    """Tensors that are made where they are passed are called as they are written."""
    for argument in (*call.args, *(k.value for k in call.keywords)):
        made = _made(argument, found, numbers) if isinstance(argument, ast.Call) else None
        if made is not None:
            name = ast.unparse(argument)
            found[name] = (*found.get(name, ()), replace(made, line=call.lineno))


def _assign(
    name: str,
    value: ast.expr,
    line: int,
    found: dict[str, tuple[MadeTensor, ...]],
    numbers: dict[str, int],
) -> None:
    size = _integer(value, numbers)
    if size is not None:
        numbers[name] = size
        return
    numbers.pop(name, None)
    made = _made(value, found, numbers)
    if made is not None:
        found[name] = (*found.get(name, ()), replace(made, line=line))
    elif name in found:
        # Something that is not understood: the name no longer tells a type.
        found[name] = (*found[name], MadeTensor(line, "", None))


def _made(
    node: ast.expr, found: Mapping[str, tuple[MadeTensor, ...]], numbers: Mapping[str, int]
) -> MadeTensor | None:
    if isinstance(node, ast.Name):
        return found[node.id][-1] if node.id in found else None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    method, owner = node.func.attr, node.func.value
    if isinstance(owner, ast.Name) and owner.id == "torch":
        return _factory(method, node, found, numbers)
    of = _made(owner, found, numbers)
    if of is None:
        return None
    if method in _CASTS and not node.args:
        return replace(of, dtype=_CASTS[method])
    if method == "to":
        named = [_dtype(a) for a in (*node.args, *(k.value for k in node.keywords))]
        return replace(of, dtype=next((one for one in named if one), of.dtype))
    return of if method in _SAME else None


def _factory(
    method: str,
    node: ast.Call,
    found: Mapping[str, tuple[MadeTensor, ...]],
    numbers: Mapping[str, int],
) -> MadeTensor | None:
    said = next((_dtype(k.value) for k in node.keywords if k.arg == "dtype"), None)
    if method in _LIKE and node.args:
        of = _made(node.args[0], found, numbers)
        return replace(of, dtype=said or of.dtype) if of is not None else None
    if method == "arange":
        whole = not any(
            isinstance(n, ast.Constant) and isinstance(n.value, float) for n in node.args
        )
        count = _count(node.args, numbers)
        return MadeTensor(0, said or ("int64" if whole else "float32"), count)
    if method not in _SIZED:
        return MadeTensor(0, said or "", None) if method in ("tensor", "linspace") else None
    default = "int64" if method == "randint" else "float32" if method != "full" else ""
    return MadeTensor(0, said or default, _sizes(method, node.args, numbers))


def _count(arguments: list[ast.expr], numbers: Mapping[str, int]) -> tuple[int, ...] | None:
    values = [_integer(one, numbers) for one in arguments]
    if len(values) != 1 or values[0] is None or values[0] < 0:
        return None
    return (values[0],)


def _sizes(
    method: str, arguments: list[ast.expr], numbers: Mapping[str, int]
) -> tuple[int, ...] | None:
    if method in ("randint", "empty_strided"):
        return None
    if arguments and isinstance(arguments[0], ast.Tuple | ast.List):
        arguments = arguments[0].elts
    elif method == "full":
        return None
    sizes = [_integer(one, numbers) for one in arguments]
    if not sizes or any(one is None or one < 0 for one in sizes):
        return None
    return tuple(one for one in sizes if one is not None)


def _integer(node: ast.expr, numbers: Mapping[str, int]) -> int | None:
    if isinstance(node, ast.Constant) and not isinstance(node.value, bool):
        value = node.value
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        return int(value) if whole and isinstance(value, int | float) else None
    return numbers.get(node.id) if isinstance(node, ast.Name) else None


def _dtype(node: ast.expr) -> str | None:
    if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "torch":
        name = _DTYPES.get(node.attr, node.attr)
        known = ("int", "uint", "float", "bfloat", "bool")
        return name if name.startswith(known) else None
    return None
