"""A kernel's source, checked and compiled: what `kernel` requests make and scans run."""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass, field
from typing import Any, Callable

from .allowed import Scope, check_constant, check_function
from .namespaces import Namespaces, builtins_of, namespaces
from .problems import KERNEL_FILE, bad_request, refused
from .rewrite import Rewriter, Site

INLINE_ASSEMBLY = "inline PTX cannot run on a CPU"
# Helpers through which programs of one grid wait for each other.
WAITING = ("exclusive_scan_decoupled_lookback", "exclusive_scan_decoupled_lookback_64")
BARRIER = "x_grid_barrier"


@dataclass
class Kernel:
    """`plain` runs without recording; `recording(hooks)` gives one that calls them.

    `ordered`: programs depend on earlier ones; `cooperative`: they meet at a grid barrier;
    `branches`: programs run together may part ways; `blocks`: sizes the body itself sets.
    """

    name: str
    parameters: list[str]
    constexprs: set[str]
    defaults: dict[str, Any]
    signature: dict[str, str]
    constants: dict[str, Any]
    plain: Callable[..., Any]
    tree: ast.Module
    globals: dict[str, Any]
    helpers: list[str]
    assignments: list[dict[str, Any]]
    flags: list[dict[str, Any]]
    ordered: bool
    cooperative: bool
    branches: bool
    blocks: dict[str, int]
    sites: list[Site] = field(default_factory=list)
    _recording: Any | None = None

    def recording(self, hooks: dict[str, Any]) -> tuple[Callable[..., Any], list[Site]]:
        """The kernel with recording hooks, and the sites they refer to by number."""
        if self._recording is None:
            rewriter = Rewriter(recording=True)
            tree = ast.fix_missing_locations(rewriter.visit(copy.deepcopy(self.tree)))
            self._recording = compile(tree, KERNEL_FILE, "exec")
            self.sites = rewriter.sites
        scope = {**self.globals, **hooks}
        exec(self._recording, scope)
        function: Callable[..., Any] = scope[self.name]
        return function, self.sites


def compile_kernel(
    source: str,
    function: str,
    signature: dict[str, str],
    constants: dict[str, Any],
) -> Kernel:
    """Check and compile a source; raises `refused` with reason and kernel line."""
    spaces = namespaces()
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise refused(f"it is not Python: {error}", line) from error
    scope = Scope()
    functions: list[ast.FunctionDef] = []
    values: list[ast.stmt] = []
    # Helpers may stand after the kernel that calls them, so all names are known first.
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            functions.append(node)
            scope.functions.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            _import(node, scope, spaces)
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.Import, ast.ImportFrom)):
            continue
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            _constant(node, scope)
            values.append(node)
        elif not _harmless(node):
            raise refused(f"{type(node).__name__} outside a function", node.lineno)
    for definition in functions:
        check_function(definition, scope)
    kernel = _kernel_of(functions, function)
    body = ast.Module(body=[*values, *functions], type_ignores=[])
    return _build(body, kernel, functions, scope, spaces, signature, constants)


def _build(
    body: ast.Module,
    kernel: ast.FunctionDef,
    functions: list[ast.FunctionDef],
    scope: Scope,
    spaces: Namespaces,
    signature: dict[str, str],
    constants: dict[str, Any],
) -> Kernel:
    lang = spaces.language
    facts = _Facts()
    facts.visit(body)
    own = _Facts()
    own.visit(kernel)
    arguments = kernel.args
    parameters = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    constexprs = {
        a.arg
        for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        if a.annotation is not None and ast.unparse(a.annotation).strip("'\"").endswith("constexpr")
    }
    constexprs |= {name for name, kind in signature.items() if kind == "constexpr"}
    everything: dict[str, Any] = {"__builtins__": {}}
    everything.update(scope.names)
    for name, builtin in builtins_of(lang).items():
        everything.setdefault(name, builtin)
    everything.update(lang.hooks())
    plain_tree = Rewriter(recording=False).visit(copy.deepcopy(body))
    code = compile(ast.fix_missing_locations(plain_tree), KERNEL_FILE, "exec")
    plain_scope = dict(everything)
    exec(code, plain_scope)
    plain: Callable[..., Any] = plain_scope[kernel.name]
    names = parameters[len(parameters) - len(plain.__defaults__ or ()) :]
    return Kernel(
        name=kernel.name,
        parameters=parameters,
        constexprs=constexprs,
        defaults=dict(zip(names, plain.__defaults__ or ())),
        signature=signature,
        constants=constants,
        plain=plain,
        tree=body,
        globals=everything,
        helpers=[f.name for f in functions if f is not kernel],
        assignments=facts.assignments,
        flags=facts.flags,
        ordered=facts.ordered,
        cooperative=facts.cooperative,
        branches=facts.branches,
        blocks=own.blocks,
    )


def _kernel_of(functions: list[ast.FunctionDef], wanted: str) -> ast.FunctionDef:
    """The kernel among the functions: torch 2.5 calls it `triton_` whatever its name is."""
    for name in (wanted, "triton_"):
        for definition in functions:
            if definition.name == name:
                return definition
    decorated = [f for f in functions if len(f.decorator_list) > 1]
    candidates = decorated or functions
    if len(candidates) == 1:
        return candidates[0]
    have = ", ".join(f.name for f in functions) or "none"
    raise bad_request(f"the source has no function {wanted} (it has: {have})")


def _import(node: Any, scope: Scope, spaces: Namespaces) -> None:
    if isinstance(node, ast.Import):
        for alias in node.names:
            root = alias.name.split(".")[0]
            bound, path = (alias.asname, alias.name) if alias.asname else (root, root)
            found = spaces.module(path)
            if found is None:
                scope.unknown_imports[bound] = alias.name
            else:
                scope.names[bound] = found
        return
    for alias in node.names:
        bound = alias.asname or alias.name
        found = spaces.member(node.module or "", alias.name)
        if found is None:
            scope.unknown_imports[bound] = node.module or "."
        else:
            scope.names[bound] = found


def _constant(node: Any, scope: Scope) -> None:
    targets: list[Any] = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        if not isinstance(target, ast.Name) or target.id.startswith("__"):
            raise refused(f"an assignment to {ast.unparse(target)}", node.lineno)
    if node.value is not None:
        check_constant(node.value, scope)
    scope.constants.update(target.id for target in targets)


def _harmless(node: ast.stmt) -> bool:
    """A docstring, or Inductor's set_driver_to_gpu(), which has nothing to do here."""
    if not isinstance(node, ast.Expr):
        return False
    if isinstance(node.value, ast.Constant):
        return True
    return (
        isinstance(node.value, ast.Call)
        and not node.value.args
        and not node.value.keywords
        and ast.unparse(node.value.func) == "triton_helpers.set_driver_to_gpu"
    )


class _Facts(ast.NodeVisitor):
    """What the source says about itself: assignments, waiting on other programs, assembly."""

    def __init__(self) -> None:
        self.assignments: list[dict[str, Any]] = []
        self.flags: list[dict[str, Any]] = []
        self.ordered = False
        self.cooperative = False
        self.branches = False
        self.blocks: dict[str, int] = {}

    def _assigned(self, target: ast.expr, line: int) -> None:
        for node in ast.walk(target):
            if isinstance(node, ast.Name):
                self.assignments.append({"kernel_line": line, "name": node.id})

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for statement in node.body:
            self.visit(statement)

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._assigned(target, node.lineno)
        self.visit(node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._assigned(node.target, node.lineno)
        value = node.value
        if value is None:
            return
        if isinstance(value, ast.Constant) and type(value.value) is int:
            name = ast.unparse(node.target)
            if "BLOCK" in name.upper():
                self.blocks[name] = max(value.value, self.blocks.get(name, 1))
        self.visit(value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._assigned(node.target, node.lineno)
        self.visit(node.value)

    def visit_For(self, node: ast.For) -> None:
        self._assigned(node.target, node.lineno)
        self.branches = True
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self.branches = True
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        self.branches = True
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.branches = True
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call) and "atomic" in ast.unparse(node.value.func):
            # Nobody reads what the atomic found, so the order of programs does not show.
            if "cas" in ast.unparse(node.value.func):
                self.ordered = True
            for child in ast.iter_child_nodes(node.value):
                self.visit(child)
            return
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        called = ast.unparse(node.func)
        last = called.rsplit(".", 1)[-1]
        if last in WAITING or last.startswith("atomic_"):
            self.ordered = True
        if last == BARRIER:
            self.cooperative = True
        if last == "inline_asm_elementwise":
            self.flags.append({"kernel_line": node.lineno, "text": INLINE_ASSEMBLY})
        self.generic_visit(node)
