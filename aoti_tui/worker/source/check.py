"""An artifact's source, checked: what is no kernel is refused before anything of it runs."""

from __future__ import annotations

import ast
from typing import Any, Protocol

from .allowed import Scope, check_constant, check_function
from .refused import Refused
from .source import Source

_DEEPEST = 150
_IS_MAIN = "__name__ == '__main__'"


class Imports(Protocol):
    """What the imports of a source may lead to."""

    def module(self, path: str) -> Any | None:
        """The namespace that stands for an imported module, or None."""

    def member(self, path: str, name: str) -> Any | None:
        """What `from path import name` gives, or None."""

    def harmless(self, call: str) -> bool:
        """Whether a call without arguments outside of functions may be left out."""


def checked(file: str, text: str, imports: Imports) -> Source:
    """The source without its imports, which are resolved. Raises Refused."""
    try:
        return _checked(file, text, imports)
    except Refused as error:
        error.file = file
        raise
    except (RecursionError, MemoryError):
        raise Refused("it is nested more deeply than any kernel", None, file) from None


def _checked(file: str, text: str, imports: Imports) -> Source:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise Refused(f"it is not Python: {error}", line) from error
    _not_too_deep(tree)
    scope = Scope()
    functions: list[ast.FunctionDef] = []
    values: list[ast.stmt] = []
    body = _without_benchmark(tree.body)
    # Helpers may stand after the kernel that calls them, so all names are known first.
    for node in body:
        if isinstance(node, ast.FunctionDef):
            functions.append(node)
            scope.functions.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            _import(node, scope, imports)
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.Import, ast.ImportFrom)):
            continue
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            _constant(node, scope)
            values.append(node)
        elif not _harmless(node, imports):
            raise Refused(f"{type(node).__name__} outside a function", node.lineno)
    _bound_once(functions, scope)
    for definition in functions:
        check_function(definition, scope)
    return Source(file, ast.Module(body=[*values, *functions], type_ignores=[]), scope.names)


def _not_too_deep(tree: ast.Module) -> None:
    """Refuse what Python could parse, but those who walk the tree by recursion could not."""
    waiting: list[tuple[ast.AST, int]] = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        if depth > _DEEPEST:
            raise Refused("it is nested more deeply than any kernel", getattr(node, "lineno", None))
        waiting += [(child, depth + 1) for child in ast.iter_child_nodes(node)]


def _without_benchmark(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements without what torch's `benchmark_kernel` puts beside a kernel: a main program
    and the plain functions that it calls, which a kernel cannot call."""
    programs = [n for n in body if isinstance(n, ast.If) and ast.unparse(n.test) == _IS_MAIN]
    if not programs:
        return body
    return [
        node
        for node in body
        if node not in programs
        and not (isinstance(node, ast.FunctionDef) and not node.decorator_list)
    ]


def _bound_once(functions: list[ast.FunctionDef], scope: Scope) -> None:
    """A name that stands for two things would be checked as one and run as the other."""
    for definition in functions:
        if definition.name in scope.names or definition.name in scope.constants:
            raise Refused(f"a second meaning of the name {definition.name}", definition.lineno)
    for name in sorted(scope.constants & scope.names.keys()):
        raise Refused(f"a second meaning of the name {name}", None)


def _import(node: ast.Import | ast.ImportFrom, scope: Scope, imports: Imports) -> None:
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            origin = node.module or ""
            bound, found = alias.asname or alias.name, imports.member(origin, alias.name)
        else:
            root = alias.name.split(".")[0]
            origin = alias.name
            bound = alias.asname or root
            found = imports.module(alias.name if alias.asname else root)
        if bound.startswith("__"):
            raise Refused(f"the name {bound}", node.lineno)
        if found is None:
            scope.unknown_imports[bound] = origin or "."
        else:
            scope.names[bound] = found


def _constant(node: ast.Assign | ast.AnnAssign, scope: Scope) -> None:
    targets: list[ast.expr] = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        if not isinstance(target, ast.Name) or target.id.startswith("__"):
            raise Refused(f"an assignment to {ast.unparse(target)}", node.lineno)
    if node.value is not None:
        check_constant(node.value, scope)
    scope.constants.update(ast.unparse(target) for target in targets)


def _harmless(node: ast.stmt, imports: Imports) -> bool:
    """A docstring, or a call that has nothing to do here."""
    if not isinstance(node, ast.Expr):
        return False
    value = node.value
    if isinstance(value, ast.Constant):
        return True
    if not isinstance(value, ast.Call) or value.args or value.keywords:
        return False
    return imports.harmless(ast.unparse(value.func))
