"""Kernel source to a :class:`~aoti_tui.kernel.model.KernelProgram`.

The forms read here are those that torch/_inductor/codegen/triton.py writes, and plain Triton for
kernels the user wrote. Source that Python cannot parse gives a program with a ``problem``.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping

from aoti_tui.kernel.asserts import read_assert
from aoti_tui.kernel.helpers import HelperAccess, dotted_name, helper_accesses
from aoti_tui.kernel.model import (
    Assignment,
    KernelAssert,
    KernelProgram,
    Load,
    Loop,
    Store,
)

MODULES = frozenset({"tl", "triton", "triton_helpers", "libdevice", "tl_math", "math", "torch"})
_POINTER_NAME = re.compile(r"(in|out|in_out)_ptr\d*|arg_[A-Za-z0-9_]+|\w*ptr\w*|ws_ptr|sem_ptr")
_TEMPORARY = re.compile(r"tmp\d+(_\d+)?")
_DISABLED_ASSERT = re.compile(r"^\s*#\s*(tl\.device_assert\(.*\))\s*$")


_DEEPEST = 150
_TOO_DEEP = "the kernel's source is nested more deeply than any compiler writes"


def _depth(module: ast.Module) -> int:
    """How deep the tree is: those who walk it by recursion end at Python's limit."""
    depth, level = 0, list(ast.iter_child_nodes(module))
    while level and depth <= _DEEPEST:
        depth, level = depth + 1, [c for node in level for c in ast.iter_child_nodes(node)]
    return depth


def parse_kernel(
    source: str, function: str, pointers: Iterable[str] | None = None
) -> KernelProgram:
    """The program of ``function`` in ``source``, whose line numbers become kernel lines.

    ``pointers`` names the parameters that are pointers, where a signature says so; otherwise
    names decide. Where ``function`` is not defined the last ``@triton.jit`` function is taken, as
    kernels saved under short names are.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            module = ast.parse(source)
    except (RecursionError, MemoryError):
        return _empty(function, _TOO_DEEP)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        where = f" at kernel line {line}" if line else ""
        return _empty(function, f"the kernel's source is not valid Python{where}: {error}")
    if _depth(module) > _DEEPEST:
        return _empty(function, _TOO_DEEP)
    functions = {n.name: n for n in module.body if isinstance(n, ast.FunctionDef)}
    node = functions.get(function)
    if node is None and functions:
        node = list(functions.values())[-1]
    if node is None:
        return _empty(function, "no function is defined in the kernel's source")
    helpers = {name: f for name, f in functions.items() if f is not node}
    return read_function(node, helpers, source.splitlines(), pointers)


def read_function(
    node: ast.FunctionDef,
    helpers: Mapping[str, ast.FunctionDef],
    lines: list[str],
    pointers: Iterable[str] | None = None,
    files: Mapping[str, str] | None = None,
) -> KernelProgram:
    """The program of a kernel's function in the ``lines`` of its file.

    ``helpers`` are functions that it can call by their names; those that ``files`` names stand in
    another file, and their lines are of that one.
    """
    parameters = tuple(a.arg for a in (*node.args.posonlyargs, *node.args.args))
    constexprs = tuple(
        a.arg
        for a in (*node.args.posonlyargs, *node.args.args)
        if a.annotation is not None and "constexpr" in ast.unparse(a.annotation)
    )
    if pointers is None:
        known = frozenset(p for p in parameters if _POINTER_NAME.fullmatch(p))
    else:
        known = frozenset(pointers)
    elsewhere = files or {}
    reader = _Reader(frozenset(parameters), known, lines, helper_accesses(helpers))
    reader.read_body(node.body, None)
    for name, other in helpers.items():
        if name not in elsewhere:
            reader.read_helper_asserts(other)
    reader.read_disabled_asserts(node)
    by_name: dict[str, list[Assignment]] = {}
    for assignment in reader.assignments:
        for name in assignment.names:
            by_name.setdefault(name, []).append(assignment)
    return KernelProgram(
        function=node.name,
        line=node.lineno,
        parameters=parameters,
        constexprs=constexprs,
        assignments=tuple(reader.assignments),
        asserts=tuple(sorted(reader.asserts, key=lambda a: a.line)),
        stores=tuple(reader.stores),
        loads=tuple(reader.loads),
        loops=tuple(reader.loops),
        helpers=tuple(helpers),
        by_name={name: tuple(found) for name, found in by_name.items()},
        helper_nodes=dict(helpers),
        helper_files=dict(elsewhere),
    )


def _empty(function: str, problem: str) -> KernelProgram:
    return KernelProgram(function, 0, (), (), (), (), (), (), (), (), problem)


def names_read(node: ast.AST) -> Iterator[str]:
    """Variable names in order of appearance, without modules and called functions."""
    if isinstance(node, ast.Name):
        if node.id not in MODULES:
            yield node.id
        return
    if isinstance(node, ast.Call):
        if not isinstance(node.func, ast.Name):
            yield from names_read(node.func)
        for argument in node.args:
            yield from names_read(argument)
        for keyword in node.keywords:
            yield from names_read(keyword.value)
        return
    for child in ast.iter_child_nodes(node):
        yield from names_read(child)


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _call_argument(call: ast.Call, position: int, name: str) -> ast.expr | None:
    if len(call.args) > position:
        return call.args[position]
    return next((k.value for k in call.keywords if k.arg == name), None)


class _Reader:
    """Walks a function's statements once, in source order."""

    def __init__(
        self,
        parameters: frozenset[str],
        pointers: frozenset[str],
        lines: list[str],
        helpers: Mapping[str, HelperAccess],
    ) -> None:
        self.parameters = parameters
        self.pointers = pointers
        self.lines = lines
        self.helpers = helpers
        self.assignments: list[Assignment] = []
        self.asserts: list[KernelAssert] = []
        self.stores: list[Store] = []
        self.loads: list[Load] = []
        self.loops: list[Loop] = []
        self.order = 0
        self.pointer_locals: dict[str, tuple[str, ...]] = {}

    def read_body(self, body: list[ast.stmt], loop: int | None) -> None:
        for statement in body:
            self.order += 1
            self._read_statement(statement, loop)

    def _read_statement(self, statement: ast.stmt, loop: int | None) -> None:
        if isinstance(statement, ast.Assign):
            self._assign(statement.targets[0], statement.value, statement, loop)
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            self._assign(statement.target, statement.value, statement, loop)
        elif isinstance(statement, ast.AugAssign):
            value = ast.BinOp(
                left=ast.copy_location(_as_load(statement.target), statement),
                op=statement.op,
                right=statement.value,
            )
            self._assign(statement.target, ast.copy_location(value, statement), statement, loop)
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            self._call(statement.value)
        elif isinstance(statement, ast.For):
            self.loops.append(
                Loop(
                    statement.lineno,
                    statement.end_lineno or statement.lineno,
                    ast.unparse(statement.target),
                    _unique(names_read(statement.iter)),
                )
            )
            self.read_body(statement.body, statement.lineno)
        elif isinstance(statement, ast.While):
            self.loops.append(
                Loop(
                    statement.lineno,
                    statement.end_lineno or statement.lineno,
                    "",
                    _unique(names_read(statement.test)),
                )
            )
            self.read_body(statement.body, statement.lineno)
        elif isinstance(statement, ast.If):
            self.read_body(statement.body, loop)
            self.read_body(statement.orelse, loop)

    def _assign(
        self, target: ast.expr, value: ast.expr, statement: ast.stmt, loop: int | None
    ) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            names = tuple(ast.unparse(e) for e in target.elts)
        else:
            names = (ast.unparse(target),)
        pointers = self._pointers_of(value)
        if pointers and not any(isinstance(n, ast.Call) for n in ast.walk(value)):
            for name in names:
                self.pointer_locals[name] = pointers
        elif "make_block_ptr" in ast.unparse(value) or "make_tensor_descriptor" in ast.unparse(
            value
        ):
            for name in names:
                self.pointer_locals[name] = self._any_pointers(value)
        loads = tuple(self._loads(value))
        self.loads.extend(loads)
        self.assignments.append(
            Assignment(
                line=statement.lineno,
                end_line=statement.end_lineno or statement.lineno,
                names=names,
                value=value,
                text=ast.unparse(value),
                order=self.order,
                loop=loop,
                reads=_unique(names_read(value)),
                loads=loads,
                is_temporary=any(_TEMPORARY.fullmatch(n) for n in names),
            )
        )
        for call in ast.walk(value):
            if isinstance(call, ast.Call):
                self._stored_by(call)

    def _call(self, call: ast.Call) -> None:
        name = dotted_name(call.func)
        if name.endswith("device_assert"):
            found = read_assert(call, call.lineno, self.order)
            if found is not None:
                self.asserts.append(found)
            return
        self.loads.extend(self._loads(call))
        for inner in ast.walk(call):
            if isinstance(inner, ast.Call):
                self._stored_by(inner, bare=inner is call)

    def _stored_by(self, call: ast.Call, *, bare: bool = False) -> None:
        """What one call writes: itself, through a descriptor, or in a helper."""
        name = dotted_name(call.func)
        if name == "tl.store" or name.startswith("tl.atomic_"):
            self._store(call)
        elif isinstance(call.func, ast.Attribute) and call.func.attr == "store":
            self._written(call, self._any_pointers(call.func.value), name)
        elif name in self.helpers:
            helper = self.helpers[name]
            for names, atomic in ((helper.stores, ""), (helper.atomics, "in a helper")):
                self._written(call, self._handed(helper.of(names, call)), name, atomic)
        elif bare and not name.startswith("tl."):
            # Its result is dropped, so it is called for what it writes.
            self._written(call, self._handed(call.args), name, "in a helper")

    def _handed(self, arguments: Iterable[ast.expr]) -> tuple[str, ...]:
        return _unique(p for argument in arguments for p in self._pointers_of(argument))

    def _written(
        self, call: ast.Call, pointers: tuple[str, ...], through: str, atomic: str = ""
    ) -> None:
        """A store of which only the pointers are known: what is stored is made of all that the
        call is given."""
        if pointers:
            place = (call.lineno, pointers, None, call, None, atomic, self.order, through)
            self.stores.append(Store(*place))

    def _store(self, call: ast.Call) -> None:
        name = dotted_name(call.func)
        address = _call_argument(call, 0, "pointer")
        if address is None:
            return
        self.stores.append(
            Store(
                line=call.lineno,
                pointers=self._pointers_of(address) or self._any_pointers(address),
                offset=_offset(address),
                value=_call_argument(call, 1, "value" if name == "tl.store" else "val"),
                mask=_call_argument(call, 2, "mask"),
                atomic=name.removeprefix("tl.atomic_") if name != "tl.store" else "",
                order=self.order,
            )
        )

    def _loads(self, value: ast.expr) -> Iterator[Load]:
        for node in ast.walk(value):
            if not isinstance(node, ast.Call):
                continue
            name = dotted_name(node.func)
            if name == "tl.load":
                address = _call_argument(node, 0, "pointer")
                if address is None:
                    continue
                yield Load(
                    node.lineno,
                    self._pointers_of(address) or self._any_pointers(address),
                    _offset(address),
                    _call_argument(node, 1, "mask"),
                    node,
                )
            elif name != "tl.store" and not name.startswith("tl.atomic_"):
                pointers = self._read_in(node, name)
                if pointers:
                    yield Load(node.lineno, pointers, None, None, node)

    def _read_in(self, call: ast.Call, name: str) -> tuple[str, ...]:
        """Pointers that a call reads: those that a helper of the source loads, and all that are
        handed to a function from elsewhere (``bucketize_binary_search``)."""
        helper = self.helpers.get(name)
        if helper is not None:
            return self._handed(helper.of(helper.loads | helper.atomics, call))
        if isinstance(call.func, ast.Attribute) and call.func.attr == "load":
            return self._any_pointers(call.func.value)
        return self._handed(a for a in call.args if isinstance(a, ast.Name))

    def _pointers_of(self, address: ast.expr) -> tuple[str, ...]:
        """Parameters the address starts from: the leftmost operand of its sums."""
        node: ast.expr = address
        while isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            node = node.left
        if isinstance(node, ast.Name):
            if node.id in self.pointers:
                return (node.id,)
            return self.pointer_locals.get(node.id, ())
        return ()

    def _any_pointers(self, node: ast.expr) -> tuple[str, ...]:
        found: list[str] = []
        for name in names_read(node):
            if name in self.pointers:
                found.append(name)
            else:
                found.extend(self.pointer_locals.get(name, ()))
        return _unique(found)

    def read_helper_asserts(self, function: ast.FunctionDef) -> None:
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and dotted_name(node.func).endswith("device_assert"):
                found = read_assert(node, node.lineno, -1)
                if found is not None:
                    self.asserts.append(found)

    def read_disabled_asserts(self, function: ast.FunctionDef) -> None:
        """Asserts that Inductor commented out: they are shown, and cannot fire."""
        for number in range(function.lineno + 1, len(self.lines) + 1):
            line = self.lines[number - 1]
            if number > (function.end_lineno or 0) and line[:1] not in ("", " ", "\t", "#"):
                break  # the next function; a comment can stand after the last statement
            match = _DISABLED_ASSERT.match(line)
            if match is None:
                continue
            try:
                call = ast.parse(match[1], mode="eval").body
            except SyntaxError:
                continue
            if isinstance(call, ast.Call):
                found = read_assert(call, number, -1, disabled=True)
                if found is not None:
                    self.asserts.append(found)


def _as_load(target: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(target), mode="eval").body


def _offset(address: ast.expr) -> ast.expr | None:
    """``(x0 + 64*tmp4)`` of ``in_ptr1 + (x0 + 64*tmp4)``, and of ``in_ptr1 + x0 + 64*tmp4``, which
    is read from the left."""
    if not isinstance(address, ast.BinOp) or not isinstance(address.op, (ast.Add, ast.Sub)):
        return None
    left = _offset(address.left)
    if left is not None:
        return ast.copy_location(ast.BinOp(left, address.op, address.right), address)
    return address.right if isinstance(address.op, ast.Add) else None
