"""An artifact's source, checked: what is no kernel is refused before anything of it runs."""

from __future__ import annotations

import ast
from typing import Any, Protocol

from .allowed import Scope, check_constant, check_function
from .refused import Refused
from .source import Source


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


def _checked(file: str, text: str, imports: Imports) -> Source:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise Refused(f"it is not Python: {error}", line) from error
    scope = Scope()
    functions: list[ast.FunctionDef] = []
    values: list[ast.stmt] = []
    # Helpers may stand after the kernel that calls them, so all names are known first.
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            functions.append(node)
            scope.functions.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            _import(node, scope, imports)
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.Import, ast.ImportFrom)):
            continue
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            _constant(node, scope)
            values.append(node)
        elif not _harmless(node, imports):
            raise Refused(f"{type(node).__name__} outside a function", node.lineno)
    for definition in functions:
        check_function(definition, scope)
    return Source(file, ast.Module(body=[*values, *functions], type_ignores=[]), scope.names)


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
