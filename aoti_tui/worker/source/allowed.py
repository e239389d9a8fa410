"""What a kernel's source may say. Everything else is refused before anything runs.

A wrapper is text from somewhere else, and a kernel is Python. The check is an allow-list over
the syntax tree; at run time the names it may use lead to plain namespaces (see namespace.py),
so an attribute chain has no module to walk into either.
"""

from __future__ import annotations

import ast
from typing import Any

from .namespace import Namespace
from .refused import Refused

STATEMENTS = (
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.Expr,
    ast.For,
    ast.While,
    ast.If,
    ast.Return,
    ast.Pass,
    ast.Break,
    ast.Continue,
    ast.Assert,
)
EXPRESSIONS = (
    ast.BinOp,
    ast.UnaryOp,
    ast.BoolOp,
    ast.Compare,
    ast.Call,
    ast.Attribute,
    ast.Name,
    ast.Constant,
    ast.Subscript,
    ast.Slice,
    ast.Tuple,
    ast.List,
    ast.IfExp,
    ast.JoinedStr,
    ast.FormattedValue,
)
BUILTINS = ("range", "min", "max", "abs", "float", "int", "bool", "len", "print", "tuple", "str")
# Attributes and methods of tensors, pointers, constexprs and dtypes that kernels use.
VALUE_ATTRIBUTES = frozenset(
    [
        "to",
        "cast",
        "dtype",
        "shape",
        "type",
        "element_ty",
        "scalar",
        "T",
        "numel",
        "value",
        "primitive_bitwidth",
        "itemsize",
        "is_floating",
        "is_fp16",
        "is_bf16",
        "is_fp32",
        "is_fp64",
        "is_fp8",
        "is_int",
        "is_int1",
        "is_int8",
        "is_int16",
        "is_int32",
        "is_int64",
        "is_uint8",
        "is_uint16",
        "is_uint32",
        "is_uint64",
        "is_bool",
        "is_int_signed",
        "is_int_unsigned",
        "is_ptr",
        "is_block",
        "is_standard_floating",
        "int_bitwidth",
        "fp_mantissa_width",
        "exponent_bias",
        "ALL",
        "NONE",
        "broadcast_to",
        "expand_dims",
        "reshape",
        "view",
        "trans",
        "permute",
        "ravel",
        "split",
        "gather",
        "histogram",
        "item",
        "flip",
        "sum",
        "max",
        "min",
        "argmax",
        "argmin",
        "reduce",
        "associative_scan",
        "cumsum",
        "cumprod",
        "sort",
        "xor_sum",
        "reduce_or",
        "logical_and",
        "logical_or",
        "abs",
        "exp",
        "exp2",
        "log",
        "log2",
        "sqrt",
        "rsqrt",
        "sin",
        "cos",
        "erf",
        "floor",
        "ceil",
        "sigmoid",
        "softmax",
        "sqrt_rn",
        "cdiv",
        "div_rn",
        "store",
        "load",
        "advance",
        "atomic_add",
        "atomic_and",
        "atomic_cas",
        "atomic_max",
        "atomic_min",
        "atomic_or",
        "atomic_xchg",
        "atomic_xor",
        "gather",
        "scatter",
        "block_shape",
        "strides",
    ]
)
LARGEST_SHIFT = 4096


class Scope:
    """Names of the module: namespaces and members from imports, functions, constants."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}
        self.functions: set[str] = set()
        self.constants: set[str] = set()
        self.unknown_imports: dict[str, str] = {}


def check_function(function: ast.FunctionDef, scope: Scope) -> None:
    """Raise Refused unless the function holds only what kernels are made of."""
    if isinstance(function, ast.AsyncFunctionDef):
        raise Refused("an async function", function.lineno)
    arguments = function.args
    if arguments.vararg or arguments.kwarg:
        raise Refused("a function with * or ** parameters", function.lineno)
    local = {a.arg for a in _parameters(arguments)} | bound_in(function.body)
    for name in sorted({function.name, *(a.arg for a in _parameters(arguments))}):
        if name.startswith("__"):
            raise Refused(f"the name {name}", function.lineno)
    for default in (*arguments.defaults, *arguments.kw_defaults):
        if default is not None:
            # Evaluated beside the function, where its parameters are not known.
            _Checker(scope, set()).expression(default)
    _Checker(scope, local).statements(function.body)


def bound_in(body: list[ast.stmt]) -> set[str]:
    """The names that Python takes for local: those a statement gives a value to.

    An annotation alone (`x: tl.constexpr`) would make a name local too, but it is taken out
    before the source is compiled, and what then bears the name is looked up outside.
    """
    found: set[str] = set()
    for statement in body:
        for node in ast.walk(statement):
            targets: list[ast.expr] = []
            if isinstance(node, ast.Assign):
                targets = node.targets
            elif isinstance(node, (ast.For, ast.AugAssign)) or (
                isinstance(node, ast.AnnAssign) and node.value is not None
            ):
                targets = [node.target]
            for target in targets:
                found |= {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
    return found


def _parameters(arguments: ast.arguments) -> list[ast.arg]:
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def check_constant(value: ast.expr, scope: Scope) -> None:
    """Raise Refused unless a module-level value is made of literals, dtypes and constexprs."""
    for node in ast.walk(value):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called.rsplit(".", 1)[-1] not in ("constexpr", "float", "int"):
                raise Refused(f"a call of {called} outside a function", node.lineno)
    _Checker(scope, set(), literals=True).expression(value)


class _Checker:
    def __init__(self, scope: Scope, local: set[str], literals: bool = False) -> None:
        self.scope = scope
        self.local = local
        self.literals = literals

    def statements(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        if not isinstance(node, STATEMENTS):
            raise Refused(f"a statement of kind {_kind(node)}", node.lineno)
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                self._target(target)
        for name, child in ast.iter_fields(node):
            if name in ("targets", "target", "annotation", "type_comment", "op"):
                continue
            if name in ("body", "orelse"):
                self.statements(child)
            elif isinstance(child, ast.expr):
                self.expression(child)

    def _target(self, target: ast.expr) -> None:
        if isinstance(target, ast.Name):
            if target.id.startswith("__"):
                raise Refused(f"the name {target.id}", target.lineno)
            return
        if isinstance(target, (ast.Tuple, ast.List)):
            for part in target.elts:
                self._target(part)
            return
        raise Refused(f"an assignment to {ast.unparse(target)}", target.lineno)

    def expression(self, node: ast.expr) -> None:
        allowed = (*EXPRESSIONS, ast.Dict) if self.literals else EXPRESSIONS
        if not isinstance(node, allowed):
            raise Refused(f"an expression of kind {_kind(node)}", node.lineno)
        if isinstance(node, ast.Name):
            self._name(node)
        elif isinstance(node, ast.Attribute):
            self._attribute(node)
            return
        elif isinstance(node, ast.Call):
            self._call(node)
            return
        elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Pow, ast.LShift)):
            self._growth(node)
        elif isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            raise Refused("a format in an f-string", node.lineno)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.expression(child)

    def _name(self, node: ast.Name) -> None:
        name = node.id
        if name.startswith("__"):
            raise Refused(f"the name {name}", node.lineno)
        scope = self.scope
        if name in self.local or name in scope.functions or name in scope.constants:
            return
        if name in scope.names or name in BUILTINS:
            return
        origin = scope.unknown_imports.get(name)
        if origin is not None:
            raise Refused(f"{name}, imported from {origin}", node.lineno)
        raise Refused(f"the unknown name {name}", node.lineno)

    def _attribute(self, node: ast.Attribute) -> None:
        if node.attr.startswith("_"):
            raise Refused(f"the attribute {ast.unparse(node)}", node.lineno)
        if isinstance(node.value, ast.Name):
            self._name(node.value)
        owner = self.resolve(node.value)
        if isinstance(owner, Namespace):
            if not hasattr(owner, node.attr):
                raise Refused(
                    f"{ast.unparse(node)}, which this triton has not for kernels", node.lineno
                )
            return
        if node.attr not in VALUE_ATTRIBUTES:
            raise Refused(f"the attribute .{node.attr}", node.lineno)
        self.expression(node.value)

    def resolve(self, node: ast.expr) -> Any | None:
        """The namespace or member that a dotted name leads to, None for any other value."""
        if isinstance(node, ast.Name):
            return None if node.id in self.local else self.scope.names.get(node.id)
        if isinstance(node, ast.Attribute):
            owner = self.resolve(node.value)
            if isinstance(owner, Namespace):
                return getattr(owner, node.attr, None)
        return None

    def _call(self, node: ast.Call) -> None:
        if not isinstance(node.func, (ast.Name, ast.Attribute)):
            raise Refused(f"a call of {ast.unparse(node.func)}", node.lineno)
        self.expression(node.func)
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                raise Refused("a call with *", node.lineno)
            self.expression(argument)
        for keyword in node.keywords:
            if keyword.arg is None or keyword.arg.startswith("_"):
                raise Refused("a call with ** or a private keyword", node.lineno)
            self.expression(keyword.value)

    def _growth(self, node: ast.BinOp) -> None:
        """A constant power or shift so large that it alone would hang the process."""
        try:
            amount = ast.literal_eval(node.right)
        except ValueError:
            if any(isinstance(n, ast.Pow) for n in ast.walk(node.right)):
                raise Refused("a power of a power", node.lineno) from None
            return
        if isinstance(amount, int) and amount > LARGEST_SHIFT:
            raise Refused(f"a power or shift by {amount}", node.lineno)


def _kind(node: ast.AST) -> str:
    return type(node).__name__
