"""A source rewritten twice: as functions that only run, and as functions that are recorded.

Assignments, loops, returns and bare calls get a call into a hook with the number of their
site, which costs far less than tracing lines. Line numbers stay those of the source.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from .place import Place

Names = tuple[Any, ...]


@dataclass(frozen=True)
class Site:
    """A place in the source at which something is recorded; `names` may nest as targets do."""

    place: Place
    names: Names
    function: str


class Rewriter(ast.NodeTransformer):
    """With `recording` the hooks of a recorder are put in; `sites` grows as they are."""

    def __init__(self, file: str, recording: bool) -> None:
        self.file = file
        self.wanted = recording
        self.sites: list[Site] = []
        self.function = ""

    @property
    def recording(self) -> bool:
        """Only what functions do is recorded, not the constants beside them."""
        return self.wanted and bool(self.function)

    # hooks

    def _site(self, node: ast.AST, names: Names = ()) -> ast.expr:
        place = Place(self.file, getattr(node, "lineno", 0))
        self.sites.append(Site(place, names, self.function))
        return ast.Constant(len(self.sites) - 1)

    @staticmethod
    def _hook(name: str, *arguments: ast.expr) -> ast.Call:
        return ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=list(arguments), keywords=[])

    def _statement(self, name: str, *arguments: ast.expr) -> ast.Expr:
        return ast.Expr(value=self._hook(name, *arguments))

    # functions

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        outer, self.function = self.function, node.name
        for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            argument.annotation = None
        body = self._body(node.body)
        if self.recording:
            body = [
                self._statement("__enter"),
                ast.Try(body=body, handlers=[], orelse=[], finalbody=[self._statement("__leave")]),
            ]
        function = ast.FunctionDef(
            name=node.name, args=node.args, body=body, decorator_list=[], returns=None
        )
        function.type_params = []  # type: ignore[attr-defined,unused-ignore]
        self.function = outer
        return ast.copy_location(function, node)

    def _body(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for statement in statements:
            changed: Any = self.visit(statement)
            result.extend(changed if isinstance(changed, list) else [changed])
        return result

    # assignments

    def _assign(self, node: ast.stmt, targets: list[ast.expr], value: ast.expr) -> ast.stmt:
        first = targets[0]
        several = isinstance(first, (ast.Tuple, ast.List))
        if self.recording:
            for target in targets:
                hook = "__unpack" if several else "__set"
                value = self._hook(hook, self._site(node, _names(target)), value)
        else:
            value = self._hook("__spread" if several else "__settle", value)
        return ast.copy_location(ast.Assign(targets=targets, value=value), node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        return self._assign(node, node.targets, self.visit(node.value))

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        old: ast.expr = ast.parse(ast.unparse(node.target), mode="eval").body
        value = ast.BinOp(left=old, op=node.op, right=self.visit(node.value))
        return self._assign(node, [node.target], value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        value: ast.expr = self.visit(node.value)
        if not ast.unparse(node.annotation).endswith("constexpr"):
            return self._assign(node, [node.target], value)
        if self.recording:
            value = self._hook("__keep", self._site(node, _names(node.target)), value)
        return ast.copy_location(ast.Assign(targets=[node.target], value=value), node)

    # control

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        source: ast.expr = self.visit(node.iter)
        body = self._body(node.body)
        orelse = self._body(node.orelse)
        loop = ast.For(target=node.target, iter=source, body=body, orelse=orelse)
        ast.copy_location(loop, node)
        if not self.recording:
            return loop
        value: ast.expr = ast.parse(ast.unparse(node.target), mode="eval").body
        tick = self._hook("__tick", self._site(node, _names(node.target)), value)
        loop.body = [ast.copy_location(ast.Expr(value=tick), node), *body]
        return self._counted(node, loop)

    def visit_While(self, node: ast.While) -> ast.AST | list[ast.stmt]:
        loop = ast.While(
            test=self._hook("__still", self.visit(node.test)),
            body=self._body(node.body),
            orelse=self._body(node.orelse),
        )
        ast.copy_location(loop, node)
        if not self.recording:
            return loop
        tick = self._hook("__tick", self._site(node), ast.Constant(None))
        loop.body = [ast.copy_location(ast.Expr(value=tick), node), *loop.body]
        return self._counted(node, loop)

    def _counted(self, node: ast.stmt, loop: ast.stmt) -> list[ast.stmt]:
        before = ast.copy_location(self._statement("__loop"), node)
        after = ast.copy_location(self._statement("__loop_end"), node)
        return [before, loop, after]

    def visit_If(self, node: ast.If) -> ast.AST:
        changed = ast.If(
            test=self.visit(node.test), body=self._body(node.body), orelse=self._body(node.orelse)
        )
        return ast.copy_location(changed, node)

    def visit_Return(self, node: ast.Return) -> ast.AST:
        if node.value is not None:
            value: ast.expr = self.visit(node.value)
            if self.recording:
                value = self._hook("__return", self._site(node), value)
            node.value = value
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        value: ast.expr = self.visit(node.value)
        if self.recording and not isinstance(node.value, ast.Constant):
            value = self._hook("__done", self._site(node), value)
        node.value = value
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        """An assert on blocks is a device_assert, as in the compiler (code_generator.py)."""
        message = node.msg or ast.Constant("")
        checked = ast.Call(ast.Name("__assert", ast.Load()), [node.test, message], [])
        return self.visit_Expr(ast.copy_location(ast.Expr(checked), node))

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """What is known when a kernel is compiled has a `value` there, here it is a value."""
        self.generic_visit(node)
        if node.attr == "value" and isinstance(node.ctx, ast.Load):
            return ast.copy_location(self._hook("__value", node.value), node)
        return node

    # operators that Python would decide on the whole block

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            return ast.copy_location(self._hook("__not", node.operand), node)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        hook = "__and" if isinstance(node.op, ast.And) else "__or"
        value = node.values[0]
        for other in node.values[1:]:
            later = ast.Lambda(args=_no_arguments(), body=other)
            value = self._hook(hook, value, later)
        return ast.copy_location(value, node)


def _names(target: ast.expr) -> Names:
    if isinstance(target, (ast.Tuple, ast.List)):
        return tuple(_names(part) if _nested(part) else ast.unparse(part) for part in target.elts)
    return (ast.unparse(target),)


def _nested(target: ast.expr) -> bool:
    return isinstance(target, (ast.Tuple, ast.List))


def _no_arguments() -> ast.arguments:
    return ast.arguments(
        posonlyargs=[], args=[], vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[]
    )
