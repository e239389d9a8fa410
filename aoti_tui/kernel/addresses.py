"""Which elements a load reads over the whole grid, and whether a name is loaded data unchanged.

Works for addresses made of program and lane numbers and sizes (``x0 + ks0*y1``), which is how
Inductor reads the tensors that hold indices.
"""

from __future__ import annotations

import ast
import itertools
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from aoti_tui.kernel.asserts import strip_broadcast
from aoti_tui.kernel.helpers import dotted_name
from aoti_tui.kernel.model import KernelProgram, Load

MOST_POINTS = 1 << 17
"""Combinations of lane numbers that are worked through, at most: a tenth of a second."""

_ROOT = re.compile(r"(x|y|z|r\d*_?)index")
_LANE_MASK = re.compile(r"(x|y|z|r\d*_?)mask")
_SHARE = re.compile(
    r"(?:tl\.program_id\(([012])\)|\(tl\.program_id\(1\) \+ tl\.program_id\(2\) \* "
    r"tl\.num_programs\(1\)\)) \* ([XYZ]BLOCK)"
)
"""How a program finds its first lane number. The second form goes on along z where y is full; only
its programs with z = 0 are followed."""
_DEEPEST = 24
_SAME_VALUES = frozenset({"tl.reshape", "tl.view", "tl.expand_dims"})
_WIDER = frozenset({"tl.int64"})


def copied(node: ast.expr) -> ast.expr:
    """What an expression is a copy of: without broadcasts, reshapes, new axes and conversions
    that change no integer's value."""
    while True:
        node = strip_broadcast(node)
        if isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            function = node.func
            if dotted_name(function) in _SAME_VALUES and node.args:
                node = node.args[0]
            elif function.attr == "to" and node.args and ast.unparse(node.args[0]) in _WIDER:
                node = function.value
            else:
                return node
        else:
            return node


def loaded_unchanged(program: KernelProgram, name: str, before: int | None) -> Load | None:
    """The load whose data ``name`` holds unchanged before a statement; None where it is anything
    else, or where the load can point into several tensors."""
    for _ in range(_DEEPEST):
        definition = program.definition(name, before)
        if definition is None or len(definition.names) != 1:
            return None
        node = copied(definition.value)
        if isinstance(node, ast.Name):
            name, before = node.id, definition.order
            continue
        found = next((load for load in definition.loads if load.node is node), None)
        return found if found is not None and len(found.pointers) == 1 else None
    return None


def masks_lanes_only(mask: str | None) -> bool:
    """Whether a mask leaves out only the lanes beyond the data (``xmask & r0_mask``)."""
    terms = (term.strip("() ") for term in (mask or "").split("&"))
    return all(not term or term == "None" or _LANE_MASK.fullmatch(term) for term in terms)


def elements_read(
    program: KernelProgram,
    load: Load,
    before: int,
    values: Mapping[str, int],
    lanes: Mapping[str, range] | None = None,
) -> Iterable[int] | None:
    """Elements that a load reads over the whole grid, counted from its pointer, perhaps repeated.

    ``values`` are the launch's sizes by parameter (``ks0``, ``xnumel``). ``lanes`` limits it to
    some lane numbers, such as one program's (:func:`lanes_of`). None when the address depends on
    data, on a size that is not known, or is too large to work through.
    """
    return None if load.offset is None else taken(program, load.offset, before, values, lanes)


def taken(
    program: KernelProgram,
    expression: ast.expr,
    before: int,
    values: Mapping[str, int],
    lanes: Mapping[str, range] | None = None,
) -> Iterable[int] | None:
    """Every number that an expression of lane numbers and sizes is before a statement; see
    :func:`elements_read`."""
    try:
        offset = _Offset(program, values).of(expression, before)
    except _NotPlain:
        return None
    counts = [
        lanes[root] if lanes and root in lanes else _range_of(offset, root, program, values)
        for root in offset.roots
    ]
    if any(found is None for found in counts):
        return None
    ranges = [found for found in counts if found is not None]
    if math.prod(len(found) for found in ranges) > MOST_POINTS:
        return None
    places = {root: at for at, root in enumerate(offset.roots)}
    compute = offset.compute
    return (compute(point, places) for point in itertools.product(*ranges))


def lanes_of(
    program: KernelProgram,
    place: tuple[int, int, int],
    blocks: Mapping[str, int],
    values: Mapping[str, int],
) -> dict[str, range] | None:
    """The lane numbers of one program, by axis (``xindex``), without those beyond the data.

    None for a kernel that shares its lanes out in another way than ``xoffset = tl.program_id(0) *
    XBLOCK`` (a combo kernel, a split reduction), or a size that is not known.
    """
    found: dict[str, range] = {}
    for axis in "xyz":
        root, offset = f"{axis}index", program.by_name.get(f"{axis}offset", ())
        if root not in program.by_name:
            continue
        share = _SHARE.fullmatch(ast.unparse(offset[0].value)) if len(offset) == 1 else None
        count = _numel(root, program, values)
        if share is None or share[2] not in blocks or count is None:
            return None
        if share[1] is None and place[2] > 0:
            return None
        start = place[int(share[1] or 1)] * blocks[share[2]]
        found[root] = range(start, max(start, min(start + blocks[share[2]], count)))
    return found


class _NotPlain(Exception):
    """The address is not made of lane numbers and known sizes alone."""


_Compute = Callable[[tuple[int, ...], Mapping[str, int]], int]


@dataclass(slots=True)
class _Term:
    """A part of an address: how to work it out and which lane numbers it is made of.

    ``uses`` has ``(lane number, divisor, modulus)`` for each place where one stands: the term
    depends on it only through ``lane number // divisor % modulus`` (None: no modulus). ``whole``
    is set when the term is ``lane number // divisor`` itself.
    """

    compute: _Compute
    uses: tuple[tuple[str, int, int | None], ...] = ()
    whole: bool = False

    @property
    def roots(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(root for root, _, _ in self.uses))

    @property
    def fixed(self) -> int | None:
        return None if self.uses else self.compute((), {})


class _Offset:
    def __init__(self, program: KernelProgram, values: Mapping[str, int]) -> None:
        self.program = program
        self.values = values

    def of(self, node: ast.expr, before: int | None, depth: int = 0) -> _Term:
        if depth > _DEEPEST:
            raise _NotPlain
        node = copied(node)
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return _constant(int(node.value))
        if isinstance(node, ast.Name):
            return self._name(node.id, before, depth)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self.of(node.operand, before, depth + 1)
            return _Term(lambda point, at: -inner.compute(point, at), inner.uses)
        if isinstance(node, ast.BinOp):
            left = self.of(node.left, before, depth + 1)
            right = self.of(node.right, before, depth + 1)
            return _joined(node.op, left, right)
        raise _NotPlain

    def _name(self, name: str, before: int | None, depth: int) -> _Term:
        if _ROOT.fullmatch(name):
            return _Term(lambda point, at: point[at[name]], ((name, 1, None),), whole=True)
        definition = self.program.definition(name, before)
        if definition is not None and len(definition.names) == 1:
            return self.of(definition.value, definition.order, depth + 1)
        if definition is None and name in self.values:
            return _constant(self.values[name])
        raise _NotPlain


def _constant(value: int) -> _Term:
    return _Term(lambda point, at: value)


def _joined(operator: ast.operator, left: _Term, right: _Term) -> _Term:
    one, other = left.compute, right.compute
    uses = (*left.uses, *right.uses)
    if isinstance(operator, ast.Add):
        return _Term(lambda point, at: one(point, at) + other(point, at), uses)
    if isinstance(operator, ast.Sub):
        return _Term(lambda point, at: one(point, at) - other(point, at), uses)
    if isinstance(operator, ast.Mult):
        return _Term(lambda point, at: one(point, at) * other(point, at), uses)
    by = right.fixed
    if by is None or by <= 0:
        raise _NotPlain
    if isinstance(operator, ast.FloorDiv):
        if left.whole:
            uses = tuple((root, divisor * by, None) for root, divisor, _ in left.uses)
        return _Term(lambda point, at: one(point, at) // by, uses, whole=left.whole)
    if isinstance(operator, ast.Mod):
        if left.whole:
            uses = tuple((root, divisor, by) for root, divisor, _ in left.uses)
        return _Term(lambda point, at: one(point, at) % by, uses)
    raise _NotPlain


def _range_of(
    offset: _Term, root: str, program: KernelProgram, values: Mapping[str, int]
) -> range | None:
    """The numbers of a root that are enough to reach every value of the address."""
    count = _numel(root, program, values)
    if count is None:
        return None
    uses = [use for use in offset.uses if use[0] == root]
    step = math.gcd(*(divisor for _, divisor, _ in uses))
    moduli = [divisor * modulus for _, divisor, modulus in uses if modulus is not None]
    if len(moduli) == len(uses):
        count = min(count, math.lcm(*moduli))
    return range(0, count, step)


def _numel(root: str, program: KernelProgram, values: Mapping[str, int]) -> int | None:
    """How many numbers a lane number has: fixed in the kernel, else as launched."""
    name = f"{root.removesuffix('index')}numel"
    fixed = program.definition(name)
    if fixed is not None and isinstance(fixed.value, ast.Constant):
        return int(fixed.value.value) if isinstance(fixed.value.value, int) else None
    return values.get(name)
