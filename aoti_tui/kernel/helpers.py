"""What the helper functions of a kernel's source do with the pointers handed to them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_DEEPEST = 12


@dataclass(frozen=True, slots=True)
class HelperAccess:
    """Parameters of a helper by what it does to the memory they point to, through the helpers that
    it calls as well."""

    parameters: tuple[str, ...]
    loads: frozenset[str] = frozenset()
    stores: frozenset[str] = frozenset()
    atomics: frozenset[str] = frozenset()

    def of(self, names: frozenset[str], call: ast.Call) -> tuple[ast.expr, ...]:
        """Arguments of a call that become one of the parameters ``names``."""
        placed = zip(self.parameters, call.args, strict=False)
        named = ((k.arg, k.value) for k in call.keywords)
        return tuple(value for name, value in (*placed, *named) if name in names)


def dotted_name(node: ast.AST) -> str:
    """``tl.load`` for the function of a call, ``""`` for anything that is no dotted name."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted_name(node.value)
        return f"{base}.{node.attr}" if base else ""
    return ""


def helper_accesses(helpers: Mapping[str, ast.FunctionDef]) -> dict[str, HelperAccess]:
    """What each helper of one source loads, stores and changes atomically."""
    return {name: _access(name, helpers, 0) for name in helpers}


def _access(name: str, helpers: Mapping[str, ast.FunctionDef], depth: int) -> HelperAccess:
    function = helpers[name]
    parameters = tuple(a.arg for a in (*function.args.posonlyargs, *function.args.args))
    if depth > _DEEPEST:
        return HelperAccess(parameters)
    behind = _behind(function, parameters)
    loads: set[str] = set()
    stores: set[str] = set()
    atomics: set[str] = set()
    for node in ast.walk(function):
        if not isinstance(node, ast.Call):
            continue
        called = dotted_name(node.func)
        address = node.args[:1] or [k.value for k in node.keywords if k.arg == "pointer"]
        if called == "tl.load":
            loads |= _pointed(address, behind)
        elif called == "tl.store":
            stores |= _pointed(address, behind)
        elif called.startswith("tl.atomic_"):
            atomics |= _pointed(address, behind)
        elif called in helpers and called != name:
            inner = _access(called, helpers, depth + 1)
            loads |= _pointed(inner.of(inner.loads, node), behind)
            stores |= _pointed(inner.of(inner.stores, node), behind)
            atomics |= _pointed(inner.of(inner.atomics, node), behind)
    return HelperAccess(parameters, frozenset(loads), frozenset(stores), frozenset(atomics))


def _behind(function: ast.FunctionDef, parameters: tuple[str, ...]) -> dict[str, frozenset[str]]:
    """Parameters that a name of the helper can point into: itself, or those of its address."""
    found = {name: frozenset({name}) for name in parameters}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            found[name] = found.get(name, frozenset()) | _pointed([node.value], found)
    return found


def _pointed(addresses: Iterable[ast.expr], behind: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Parameters that addresses start from: the leftmost operand of their sums."""
    found: frozenset[str] = frozenset()
    for address in addresses:
        node = address
        while isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            node = node.left
        if isinstance(node, ast.Name):
            found |= behind.get(node.id, frozenset())
    return found
