"""The backward slice of a value: which loads, size parameters and extents it is made of.

A slice follows *data*: address arithmetic of loads, masks, and comparisons between program or
lane numbers are left out, because they say where a value stands and not what it is. A value that
is itself made of program and lane numbers ends at the extent (``xnumel``) that bounds it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from aoti_tui.kernel.helpers import dotted_name
from aoti_tui.kernel.model import Assignment, KernelProgram, Load
from aoti_tui.kernel.operations import Operation, operation_of
from aoti_tui.kernel.parse import MODULES, names_read

_ROOT_NUMEL = re.compile(r"(x|y|z|r\d*_?)(numel|index|offset|base|mask)")
_MASK = re.compile(r"(x|y|z|r\d*_?)mask|tmp_mask")
_TEMPORARY = re.compile(r"tmp\d+")
_RANDOM = frozenset({"rand", "randn", "randint", "randint4x", "rand4x", "randn4x"})
# Calls whose arguments have no part in the value's data: their first argument is all there is.
_SHAPE_ONLY = frozenset({"broadcast_to", "reshape", "view", "trans", "to", "expand_dims"})


SliceKind = Literal[
    "temporary", "load", "parameter", "constant", "extent", "literal", "random", "seen", "unknown"
]


@dataclass(frozen=True, slots=True)
class SliceNode:
    """A step of a slice. ``kind``:

    ``temporary`` an assignment (``text`` is its right-hand side), ``load`` data of pointer
    parameter ``name`` (``text`` is the address), ``parameter`` a scalar parameter read as a
    value, ``extent`` the numel parameter that bounds program and lane numbers (``name``, with
    ``divisor``'s text), ``random``, ``seen`` (shown above), ``unknown``.
    """

    kind: SliceKind
    name: str
    text: str
    line: int | None
    children: tuple[SliceNode, ...] = ()
    divisor: str = ""
    operation: Operation = "call"
    """Of a temporary: what its assignment does."""

    def leaves(self) -> Iterator[SliceNode]:
        """Ends of the slice (loads, parameters, extents …) in order of appearance."""
        if self.kind in ("load", "parameter", "extent", "random", "unknown"):
            yield self
        for child in self.children:
            yield from child.leaves()


def slice_name(program: KernelProgram, name: str, before: int | None = None) -> SliceNode:
    """The slice of the value that ``name`` has before statement ``before`` (or at the end)."""
    return _Slicer(program).name(name, before)


def slice_expression(
    program: KernelProgram, node: ast.expr, before: int | None, line: int | None
) -> SliceNode:
    """The slice of an expression, e.g. the value that a store writes."""
    children = tuple(_Slicer(program).expression(node, before))
    return SliceNode("temporary", "", ast.unparse(node), line, children)


def is_index_only(program: KernelProgram, node: ast.expr, before: int | None) -> bool:
    """Whether a value is made of program and lane numbers (and sizes), with no data in it."""
    return _Slicer(program).index_only(node, before)


class _Slicer:
    def __init__(self, program: KernelProgram) -> None:
        self.program = program
        self.parameters = frozenset(program.parameters)
        self.visited: set[tuple[int, str]] = set()
        self.loads = {id(load.node): load for load in program.loads}
        self.stored_to = {id(s.value): s.pointers for s in program.stores if s.through}

    # -- values -------------------------------------------------------------------------------

    def name(self, name: str, before: int | None) -> SliceNode:
        definitions = self._definitions(name, before)
        if not definitions:
            return self._parameter_or_unknown(name)
        newest = definitions[0]
        key = (newest.order, name)
        if key in self.visited:
            operation = operation_of(self.program, newest)
            return SliceNode("seen", name, newest.text, newest.line, operation=operation)
        self.visited.add(key)
        children: list[SliceNode] = []
        for definition in definitions:
            self.visited.add((definition.order, name))
            children.extend(self._assigned(definition, name))
        return SliceNode(
            "temporary",
            name,
            newest.text,
            newest.line,
            tuple(children),
            operation=operation_of(self.program, newest),
        )

    def _parameter_or_unknown(self, name: str) -> SliceNode:
        if name in self.parameters:
            if name in self.program.constexprs:
                return SliceNode("constant", name, name, self.program.line)
            if _is_extent(name):
                return SliceNode("extent", name, name, self.program.line)
            return SliceNode("parameter", name, name, self.program.line)
        return SliceNode("unknown", name, name, None)

    def _definitions(self, name: str, before: int | None) -> list[Assignment]:
        """The assignment that reaches, newest first, and those that reach around a loop."""
        reaching = self.program.definition(name, before)
        if reaching is None:
            return []
        found = [reaching]
        for other in self.program.by_name.get(name, ()):
            if other is not reaching and _shares_loop(self.program, other, reaching, before):
                found.append(other)
        return found

    def _assigned(self, definition: Assignment, name: str) -> list[SliceNode]:
        value = definition.value
        if self.index_only(value, definition.order):
            return self._extents(value, definition.order, definition.line)
        if isinstance(value, ast.Call) and len(definition.names) > 1:
            picked = _part_of_pair(value, definition.names.index(name))
            if picked is not None:
                return [n for part in picked for n in self.expression(part, definition.order)]
        return list(self.expression(value, definition.order))

    def expression(self, node: ast.expr, before: int | None) -> Iterator[SliceNode]:
        if isinstance(node, ast.Constant):
            return
        if isinstance(node, ast.Name):
            if node.id in MODULES or node.id in self.program.helpers:
                return
            if not _MASK.fullmatch(node.id):
                if not self.index_only(node, before):
                    yield self.name(node.id, before)
                elif _TEMPORARY.fullmatch(node.id):
                    yield self.name(node.id, before)  # tmp1 = ks0*y0: the size counts too
                else:
                    yield from self._extents(node, before, None)
            return
        if isinstance(node, ast.Compare):
            for operand in (node.left, *node.comparators):
                if not self.index_only(operand, before):
                    yield from self.expression(operand, before)
            return
        if isinstance(node, ast.IfExp):
            # Only `signbit(x) if x.dtype is tl.float32 else x < 0`, decided at compile time.
            yield from self.expression(node.body, before)
            yield from self.expression(node.orelse, before)
            return
        if isinstance(node, ast.Call):
            yield from self._call(node, before)
            return
        if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.BoolOp)) and self.index_only(node, before):
            yield from self._extents(node, before, node.lineno)
            return
        if isinstance(node, ast.Subscript):
            yield from self.expression(node.value, before)
            return
        if isinstance(node, ast.Attribute):
            yield from self.expression(node.value, before)
            return
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from self.expression(child, before)

    def _call(self, call: ast.Call, before: int | None) -> Iterator[SliceNode]:
        function = dotted_name(call.func)
        last = function.rsplit(".", 1)[-1] or (
            call.func.attr if isinstance(call.func, ast.Attribute) else ""
        )
        owner = self._load_at(call)
        written = self.stored_to.get(id(call), ())
        if owner is not None:
            for pointer in owner.pointers:
                text = ast.unparse(call.args[0]) if last == "load" else ast.unparse(call)
                yield SliceNode("load", pointer, text, call.lineno)
            if last == "load":
                return
        if last in _RANDOM or last.startswith("randint"):
            yield SliceNode("random", last, ast.unparse(call), call.lineno)
            arguments = [a for a in call.args if not self.index_only(a, before)]
        else:
            arguments = list(call.args)
        if isinstance(call.func, ast.Attribute) and not function.startswith(
            ("tl.", "triton_helpers.", "libdevice.", "tl_math.", "math.", "triton.")
        ):
            yield from self.expression(call.func.value, before)  # tmp0.to(tl.int64)
            arguments = []
        elif last in _SHAPE_ONLY:
            arguments = arguments[:1]
        elif last == "where" and len(arguments) == 3:
            if not self.index_only(arguments[0], before):
                yield from self.expression(arguments[0], before)
            arguments = arguments[1:]
        elif last == "full" and len(arguments) > 1:
            arguments = arguments[1:2]
        for argument in arguments:
            if written and isinstance(argument, ast.Name) and argument.id in written:
                continue
            if owner is not None and isinstance(argument, ast.Name):
                if argument.id in owner.pointers:
                    continue
                if self.index_only(argument, before) or argument.id in self.parameters:
                    continue  # sizes and strides of the table that a helper searches
            elif owner is not None and set(names_read(argument)) <= self.parameters:
                continue  # the same, computed in place (`1 + ks0`)
            yield from self.expression(argument, before)

    def _load_at(self, call: ast.Call) -> Load | None:
        return self.loads.get(id(call))

    # -- program and lane numbers -------------------------------------------------------------

    def index_only(self, node: ast.expr, before: int | None) -> bool:
        kinds = self._index_kind(node, before, frozenset())
        return "index" in kinds and "data" not in kinds

    def _index_kind(
        self, node: ast.expr, before: int | None, through: frozenset[str]
    ) -> frozenset[str]:
        """``{"index"}``, ``{"data"}``, both or neither (sizes and literals)."""
        found: frozenset[str] = frozenset()
        # names_read leaves out called functions, and a load may stand inside a cast.
        for part in ast.walk(node):
            if isinstance(part, ast.Call):
                if dotted_name(part.func) in ("tl.program_id", "tl.arange", "tl.num_programs"):
                    found |= {"index"}
                elif self._load_at(part) is not None:
                    found |= {"data"}
        for name in names_read(node):
            if name not in through:
                found |= self._name_kind(name, before, through)
        return found

    def _name_kind(self, name: str, before: int | None, through: frozenset[str]) -> frozenset[str]:
        definition = self.program.definition(name, before)
        if definition is None:
            if any(name == loop.variable for loop in self.program.loops):
                return frozenset({"index"})
            return frozenset()
        return self._index_kind(definition.value, definition.order, through | {name})

    def _extents(self, node: ast.expr, before: int | None, line: int | None) -> list[SliceNode]:
        """The numels that bound an index expression, with what divides or wraps it."""
        found: list[SliceNode] = []
        for leaf in _index_terms(self.program, node, before, "", "", frozenset()):
            root, divisor, modulus = leaf
            numel = self._numel_of(root)
            if modulus:
                for name in names_read(ast.parse(modulus, mode="eval").body):
                    if name in self.parameters:
                        found.append(SliceNode("parameter", name, f"{root} % {modulus}", line))
                if not found:
                    found.append(SliceNode("literal", modulus, f"{root} % {modulus}", line))
            elif numel is not None:
                found.append(SliceNode("extent", numel, root, line, divisor=divisor))
        for name in _sizes_read(node):
            is_size = name in self.parameters and name not in self.program.constexprs
            shown = _is_extent(name) or any(name in (f.name, f.divisor) for f in found)
            if is_size and not shown:
                found.append(SliceNode("parameter", name, name, line))
        return list(dict.fromkeys(found))

    def _numel_of(self, root: str) -> str | None:
        prefix = _ROOT_NUMEL.fullmatch(root)
        wanted = f"{prefix[1] if prefix else root[:1]}numel"
        if wanted in self.parameters:
            return wanted
        if wanted.startswith("r"):
            return next((p for p in self.parameters if re.fullmatch(r"r\d*_?numel", p)), None)
        return None


def _sizes_read(node: ast.expr) -> Iterator[str]:
    """Names of an index expression without what it is divided by, which its extents tell of."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.FloorDiv, ast.Mod)):
        yield from _sizes_read(node.left)
    elif isinstance(node, ast.Call) or not any(
        isinstance(part, ast.BinOp) for part in ast.walk(node)
    ):
        yield from names_read(node)
    else:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from _sizes_read(child)


def _is_extent(name: str) -> bool:
    return re.fullmatch(r"(x|y|z|r\d*_?)numel(_\d+)?", name) is not None


def _shares_loop(
    program: KernelProgram, other: Assignment, reaching: Assignment, before: int | None
) -> bool:
    """Whether ``other`` assigns the same name later in a loop around the reading statement."""
    if other.loop is None:
        return False
    loop = next((lo for lo in program.loops if lo.line == other.loop), None)
    if loop is None:
        return False
    if before is None:
        return True
    reader_line = next((a.line for a in program.assignments if a.order == before), None)
    if reader_line is None:
        return other.order < before
    return loop.line <= reader_line <= loop.end_line or other.order < before


def _part_of_pair(call: ast.Call, position: int) -> list[ast.expr] | None:
    """Arguments that matter for one target of ``values, indices = sort_with_index(…)``."""
    name = dotted_name(call.func).rsplit(".", 1)[-1]
    if name == "sort_with_index" and call.args:
        return list(call.args[:1]) if position == 0 else list(call.args[:2])
    if name in ("max_with_index", "min_with_index") and call.args:
        return list(call.args[:1]) if position == 0 else list(call.args[:2])
    return None


def _index_terms(
    program: KernelProgram,
    node: ast.expr,
    before: int | None,
    divisor: str,
    modulus: str,
    through: frozenset[str],
) -> Iterator[tuple[str, str, str]]:
    """``(root, divisor, modulus)`` of each program or lane number in an expression."""
    if isinstance(node, ast.Name):
        if _ROOT_NUMEL.fullmatch(node.id):
            yield node.id, divisor, modulus
            return
        definition = program.definition(node.id, before)
        if definition is None or node.id in through:
            return
        yield from _index_terms(
            program, definition.value, definition.order, divisor, modulus, through | {node.id}
        )
        return
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
        yield from _index_terms(
            program, node.left, before, divisor or ast.unparse(node.right), modulus, through
        )
        return
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        yield from _index_terms(
            program, node.left, before, divisor, modulus or ast.unparse(node.right), through
        )
        return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield from _index_terms(program, child, before, divisor, modulus, through)
