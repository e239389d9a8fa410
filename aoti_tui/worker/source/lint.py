"""What triton's compiler refuses in a kernel and Python, which runs it here, does not mind.

The rules are those of triton 3.7 (triton/compiler/code_generator.py); what each release refuses
grew less over time, so what is told here may be let pass by a later one.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from .place import Place

ABSENT = object()
"""What a lookup gives for a name that is not there."""

# CodeGenerator.builtin_namespace.
_BUILTINS = {"len", "list", "range", "float", "int", "isinstance", "getattr", "hasattr", "print"}
# A breakpoint is there to be taken out again, as its writer knows.
_BUILTINS |= {"min", "max", "breakpoint"}
_OPERATORS: dict[type[ast.AST], str] = {
    ast.MatMult: "@ (tl.dot multiplies matrices)",
    ast.In: "in",
    ast.NotIn: "not in",
}
_STATEMENTS: dict[type[ast.AST], str] = {
    ast.Break: "break",
    ast.Continue: "continue",
    ast.Lambda: "lambda",
    ast.Try: "try",
    ast.Raise: "raise",
    ast.Delete: "del",
    ast.Global: "global",
    ast.Nonlocal: "nonlocal",
    ast.Import: "import",
    ast.ImportFrom: "import",
    ast.ClassDef: "a class",
    ast.AsyncFunctionDef: "an async function",
    ast.FunctionDef: "a function inside of a kernel",
    ast.Dict: "a dictionary",
    ast.Set: "a set",
    ast.DictComp: "a dictionary comprehension",
    ast.SetComp: "a set comprehension",
    ast.GeneratorExp: "a generator expression",
    ast.NamedExpr: ":=",
    ast.Yield: "yield",
    ast.YieldFrom: "yield",
    ast.Await: "await",
    ast.Match: "match",
}
_LOOPS = {"range", "static_range"}
# Their loop variable is a tensor; static_range counts while the kernel is compiled.
_IDENTITY = (ast.Is, ast.IsNot)
_OF_A_TYPE = {"dtype", "type", "shape", "numel"}
"""Attributes of a block that are known when a kernel is compiled."""
_TICKING = {"range", "tl.range"}


@dataclass(frozen=True)
class Lint:
    """One thing that the compiler would refuse."""

    place: Place
    text: str


def lint(
    definition: ast.FunctionDef,
    file: str,
    lookup: Callable[[str], Any],
    known: Mapping[str, Any] | None = None,
    tensors: Iterable[str] = (),
) -> tuple[list[Lint], list[Called]]:
    """What is refused in one function, by line, and which functions it calls.

    `lookup` gives what a name stands for outside of the function, ABSENT where it is nothing;
    `known` the values of constexpr parameters: a branch that they rule out is never compiled;
    `tensors` the parameters that certainly are tensors.
    """
    reader = _Reader(definition, file, lookup, known or {})
    reader.tensors |= set(tensors)
    reader.body(definition.body)
    reader.returns()
    found = dict.fromkeys(reader.found)
    return sorted(found, key=lambda one: one.place.line), reader.called


@dataclass(frozen=True)
class Called:
    """A call of a function by its name; which of its arguments certainly are tensors."""

    name: str
    positions: tuple[int, ...]
    keywords: tuple[str, ...]


class _Reader(ast.NodeVisitor):
    def __init__(
        self,
        definition: ast.FunctionDef,
        file: str,
        lookup: Callable[[str], Any],
        known: Mapping[str, Any],
    ) -> None:
        self.file = file
        self.lookup = lookup
        self.known = known
        arguments = definition.args
        parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        self.parameters = {one.arg for one in parameters}
        self.constexprs = {
            one.arg
            for one in parameters
            if one.annotation is not None and "constexpr" in ast.unparse(one.annotation)
        }
        self.local = self.parameters | _assigned(definition)
        self.tensors: set[str] = set()
        self.loops = 0
        self.branches: list[ast.expr] = []
        # In a branch of which it is not known whether it is compiled.
        self.unsure = False
        self.found: list[Lint] = []
        self.returned: list[tuple[int, str]] = []
        self.called: list[Called] = []

    def _refuse(self, node: ast.AST, text: str) -> None:
        if not self.unsure:
            self.found.append(Lint(Place(self.file, getattr(node, "lineno", 0)), text))

    def body(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            self.visit(statement)

    def generic_visit(self, node: ast.AST) -> None:
        name = _STATEMENTS.get(type(node))
        if name is not None:
            self._refuse(node, f"{name} is refused by the compiler")
            if isinstance(node, ast.Try):
                self.body(node.body)
            if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda, ast.Try)):
                return
        super().generic_visit(node)

    # control

    def visit_For(self, node: ast.For) -> None:
        call = node.iter
        if not isinstance(call, ast.Call) or _last(call.func) not in _LOOPS:
            self._refuse(node, "the compiler loops over range, tl.range and tl.static_range only")
        if node.orelse:
            self._refuse(node, "else after for is refused by the compiler")
        self.visit(call)
        if isinstance(node.target, ast.Name) and ast.unparse(call).split("(")[0] in _TICKING:
            self.tensors.add(node.target.id)
        self.loops += 1
        self.body(node.body)
        self.loops -= 1

    def visit_While(self, node: ast.While) -> None:
        if isinstance(node.test, ast.Constant):
            self._refuse(node, f"while {node.test.value!r} is refused: its condition must change")
        if node.orelse:
            self._refuse(node, "else after while is refused by the compiler")
        self.visit(node.test)
        self.loops += 1
        self.body(node.body)
        self.loops -= 1

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        decided, unsure = _value(node.test, self.known), self._is_constant(node.test)
        outer = self.unsure
        self.unsure = outer or (decided is ABSENT and unsure)
        self.branches.append(node.test)
        if decided is ABSENT or decided:
            self.body(node.body)
        if decided is ABSENT or not decided:
            self.body(node.orelse)
        self.branches.pop()
        self.unsure = outer

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.visit(node.test)
        decided = _value(node.test, self.known)
        if decided is ABSENT or decided:
            self.visit(node.body)
        if decided is ABSENT or not decided:
            self.visit(node.orelse)

    def _is_constant(self, test: ast.AST) -> bool:
        """Whether a condition may be decided when the kernel is compiled."""
        if isinstance(test, ast.Call) and _last(test.func) == "constexpr":
            return True
        if isinstance(test, ast.Attribute) and test.attr in _OF_A_TYPE:
            return True
        if isinstance(test, ast.Compare) and all(isinstance(o, _IDENTITY) for o in test.ops):
            return True
        if isinstance(test, ast.Name):
            return test.id not in self.tensors
        return all(self._is_constant(part) for part in ast.iter_child_nodes(test))

    def visit_Return(self, node: ast.Return) -> None:
        if self.loops:
            self._refuse(node, "return inside of a loop is refused by the compiler")
        if node.value is not None:
            self.visit(node.value)
        if all(not self._is_constant(test) for test in self.branches):
            self.returned.append((node.lineno, self._kind(node.value)))

    def _kind(self, value: ast.expr | None) -> str:
        """What a return certainly gives; empty where that is not certain."""
        if value is None or (isinstance(value, ast.Constant) and value.value is None):
            return "nothing"
        if isinstance(value, ast.Tuple):
            return f"{len(value.elts)} values"
        if isinstance(value, ast.Constant) and type(value.value) in (int, float):
            return f"an {type(value.value).__name__}" if type(value.value) is int else "a float"
        if isinstance(value, ast.Call) and _last(value.func) == "to" and len(value.args) == 1:
            return ast.unparse(value.args[0])
        return "one value" if self._is_tensor(value) else ""

    def returns(self) -> None:
        """Returns that certainly give different things, and of which neither can be left out."""
        kinds = [(line, kind) for line, kind in self.returned if kind]
        for line, kind in kinds[1:]:
            first_line, first = kinds[0]
            if _unlike(kind, first):
                text = f"returns {kind} here and {first} in line {first_line}: both must be alike"
                self.found.append(Lint(Place(self.file, line), text))

    # assignments

    def visit_Assign(self, node: ast.Assign) -> None:
        if len(node.targets) > 1:
            self._refuse(node, "two targets of one assignment are refused by the compiler")
        for target in node.targets:
            self._target(node, target)
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, (str, bytes)):
            self._refuse(node, "a text cannot be assigned to a name")
        self.visit(node.value)
        self._note(node.targets[0], node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._target(node, node.target)
        if node.value is not None:
            self.visit(node.value)
            self._note(node.target, node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._target(node, node.target)
        self._operator(node, node.op)
        self.visit(node.value)
        self._note(node.target, node.value)

    def _target(self, node: ast.stmt, target: ast.expr) -> None:
        if isinstance(target, ast.Subscript):
            self._refuse(node, "an element of a block cannot be assigned")
        if isinstance(target, ast.Attribute):
            self._refuse(node, "an attribute cannot be assigned")
        if isinstance(target, ast.List):
            self._refuse(node, "a list of targets is refused: write them without brackets")
        for part in ast.walk(target):
            if isinstance(part, ast.Starred):
                self._refuse(node, "a starred target is refused by the compiler")
        if isinstance(target, ast.Name) and target.id in self.constexprs and self.loops:
            self._refuse(node, f"the constexpr {target.id} is assigned in a loop")

    def _note(self, target: ast.expr, value: ast.expr) -> None:
        """Which local names certainly are tensors."""
        if isinstance(target, ast.Name) and self._is_tensor(value):
            self.tensors.add(target.id)

    def _is_tensor(self, value: ast.expr) -> bool:
        for node in ast.walk(value):
            if isinstance(node, ast.Call) and _last(node.func) in _GIVING_TENSORS:
                return True
            if isinstance(node, ast.Name) and node.id in self.tensors:
                return True
        return False

    # expressions

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load) or node.id in self.local:
            return
        found = self.lookup(node.id)
        if found is ABSENT:
            if node.id not in _BUILTINS and hasattr(builtins, node.id):
                self._refuse(node, f"{node.id} is not known to the compiler")
            return
        if node.id not in _BUILTINS and not _allowed(found):
            self._refuse(
                node,
                f"the global {node.id} is no constexpr: {node.id} = tl.constexpr(…) would be taken",
            )

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name):
            positions = [i for i, value in enumerate(node.args) if self._is_tensor(value)]
            keywords = [k.arg for k in node.keywords if k.arg and self._is_tensor(k.value)]
            self.called.append(Called(node.func.id, tuple(positions), tuple(keywords)))
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) > 1:
            self._refuse(node, "a chain of comparisons is refused: write them with &")
        for operator in node.ops:
            self._operator(node, operator)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self._operator(node, node.op)
        self.generic_visit(node)

    def _operator(self, node: ast.AST, operator: ast.AST) -> None:
        name = _OPERATORS.get(type(operator))
        if name is not None:
            self._refuse(node, f"the operator {name} is refused by the compiler")

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        for part in node.values:
            if not isinstance(part, ast.FormattedValue):
                continue
            for name in ast.walk(part.value):
                if isinstance(name, ast.Name) and name.id in self.tensors:
                    self._refuse(node, f"an f-string cannot hold {name.id}, which is a tensor")
            self.visit(part.value)

    def visit_ListComp(self, node: ast.ListComp) -> None:
        if len(node.generators) > 1:
            self._refuse(node, "nested comprehensions are refused by the compiler")
        self.local |= {
            n.id
            for g in node.generators
            for n in ast.walk(g)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        for generator in node.generators:
            self.visit(generator.iter)
        self.visit(node.elt)


_GIVING_TENSORS = set(
    """load program_id num_programs arange zeros full dot sum max min where exp exp2 log sqrt
    atomic_add atomic_cas rand randn cumsum zeros_like reduce to""".split()  # noqa: SIM905
)


def _assigned(definition: ast.FunctionDef) -> set[str]:
    return {
        node.id
        for node in ast.walk(definition)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def _last(function: ast.expr) -> str:
    return ast.unparse(function).rsplit(".", 1)[-1]


def _unlike(one: str, other: str) -> bool:
    """Whether two kinds of return values cannot be the same type."""
    several = [kind == "nothing" or kind.endswith(" values") for kind in (one, other)]
    if any(several):
        return one != other
    return "one value" not in (one, other) and one != other and ("." in one) == ("." in other)


def _allowed(value: Any) -> bool:
    """Whether a kernel may use something of its module (global_lookup in the code generator)."""
    if isinstance(value, ModuleType) or getattr(value, "__triton_builtin__", False):
        return True
    if getattr(value, "__triton_aggregate__", False):
        return True
    kinds = {kind.__name__ for kind in type(value).__mro__}
    if kinds & {"JITCallable", "JITFunction", "InterpretedFunction", "constexpr", "dtype"}:
        return True
    if str(getattr(value, "__module__", "")).startswith("triton.language"):
        return True
    return isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields")


def _value(test: ast.expr, known: Mapping[str, Any]) -> Any:
    """A condition of constexprs and constants, ABSENT where it is something else."""
    for node in ast.walk(test):
        if isinstance(node, ast.Name) and node.id not in known:
            return ABSENT
        if not isinstance(node, _EVALUATED):
            return ABSENT
    try:
        expression = compile(ast.Expression(test), "<condition>", "eval")
        return eval(expression, {"__builtins__": {}}, dict(known))
    except Exception:
        return ABSENT


_EVALUATED = (
    ast.Name,
    ast.Constant,
    ast.BoolOp,
    ast.UnaryOp,
    ast.BinOp,
    ast.Compare,
    ast.Load,
    ast.boolop,
    ast.unaryop,
    ast.operator,
    ast.cmpop,
)
