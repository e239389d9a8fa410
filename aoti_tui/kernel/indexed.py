"""The loads and stores of a kernel that the index of an assert is meant for."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from aoti_tui.kernel.asserts import raw_index
from aoti_tui.kernel.model import KernelAssert, KernelProgram
from aoti_tui.kernel.parse import names_read


@dataclass(frozen=True, slots=True)
class Access:
    """A load or store whose address uses the checked index.

    ``coefficient`` is what the index is multiplied with in the address (the stride of its
    dimension, in elements), as text; None when it is not a plain product.
    """

    pointer: str
    line: int
    coefficient: str | None


def indexed_accesses(program: KernelProgram, found: KernelAssert) -> tuple[Access, ...]:
    """Every access that uses the checked index, nearest after the assert first."""
    names = {_plain(n) for n in (found.index, raw_index(program, found)) if n}
    accesses: list[Access] = []
    for assignment in program.assignments:
        for load in assignment.loads:
            if load.offset is not None and names & _all_names(program, load.offset):
                accesses.append(_access(load.pointers, load.line, load.offset, names))
    for store in program.stores:
        if store.offset is not None and names & _all_names(program, store.offset):
            accesses.append(_access(store.pointers, store.line, store.offset, names))
    accesses = [a for a in accesses if a.pointer]
    return tuple(sorted(accesses, key=lambda a: (a.line < found.line, abs(a.line - found.line))))


def _plain(index: str) -> str:
    """An index as ``ast.unparse`` writes it, to compare with the parts of an address."""
    try:
        return ast.unparse(ast.parse(index, mode="eval").body)
    except SyntaxError:
        return index


def _is_index(node: ast.expr, names: set[str]) -> bool:
    return ast.unparse(node) in names


def _all_names(program: KernelProgram, node: ast.expr) -> set[str]:
    """Names of an address, with plain index temporaries of it resolved one step, and the calls
    and terms that stand in it (an index that is wrapped in place, one of lane numbers alone)."""
    names = set(names_read(node))
    parts = {ast.unparse(n) for n in ast.walk(node) if isinstance(n, (ast.Call, ast.BinOp))}
    for name in list(names):
        definition = program.definition(name)
        if definition is not None and not definition.loads:
            names.update(definition.reads)
    return names | parts


def _access(pointers: tuple[str, ...], line: int, offset: ast.expr, names: set[str]) -> Access:
    return Access(pointers[0] if pointers else "", line, _coefficient(offset, names))


def _coefficient(node: ast.expr, names: set[str]) -> str | None:
    if _is_index(node, names):
        return "1"
    if isinstance(node, ast.Call) and node.args:
        return _coefficient(node.args[0], names)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        return _coefficient(node.left, names) or _coefficient(node.right, names)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        for factor, other in ((node.left, node.right), (node.right, node.left)):
            if _is_index(factor, names):
                return ast.unparse(other)
    return None


def access_masks(program: KernelProgram, found: KernelAssert) -> tuple[str, ...]:
    """Masks of the accesses after the assert that use its index, as written.

    Without the mask of an axis along which the index does not vary: there, each index has lanes
    that take part in the access.
    """
    lines = {a.line for a in indexed_accesses(program, found) if a.line >= found.line}
    masks: list[ast.expr | None] = [
        load.mask for a in program.assignments for load in a.loads if load.line in lines
    ]
    masks += [store.mask for store in program.stores if store.line in lines]
    raw = raw_index(program, found)
    varies = _axes(program, raw) if raw is not None else None
    return tuple(_varying(m, varies) if m is not None else "None" for m in masks)


def lost_masks(program: KernelProgram, found: KernelAssert) -> tuple[str, ...]:
    """Masks of lanes beyond the data that the assert lacks, of axes along which its index varies,
    though everything that is kept is stored under them. Inductor loses them where the index comes
    out of a reduction."""
    raw = raw_index(program, found)
    if raw is None or found.disabled or not program.stores:
        return ()
    own = set(re.findall(r"\w+", found.mask or ""))
    kept = [set(names_read(store.mask)) if store.mask else set() for store in program.stores]
    lost = []
    for axis in sorted(_axes(program, raw)):
        name = f"{axis}mask"
        compares = [isinstance(one.value, ast.Compare) for one in program.by_name.get(name, ())]
        if compares == [True] and name not in own and all(name in masks for masks in kept):
            lost.append(name)
    return tuple(lost)


def _varying(mask: ast.expr, axes: frozenset[str] | None) -> str:
    """A mask as written, without the terms of axes that are not among ``axes``."""
    terms = ast.unparse(mask).split(" & ")
    kept = [t for t in terms if axes is None or not t.endswith("mask") or t[:-4] in axes]
    return " & ".join(t for t in kept) or "None"


def _axes(program: KernelProgram, expression: str) -> frozenset[str]:
    """Prefixes (``x``, ``y``, ``r0_``) of the axes along which a value can vary, through all
    that it is made of, addresses and masks included."""
    found: set[str] = set()
    pending = list(names_read(ast.parse(expression, mode="eval").body))
    seen: set[str] = set()
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        if name.endswith("index") and name[:-5] + "mask" in program.by_name:
            found.add(name[:-5])
            continue
        for definition in program.by_name.get(name, ()):
            pending.extend(names_read(definition.value))
            for load in definition.loads:
                for part in (load.offset, load.mask):
                    if part is not None:
                        pending.extend(names_read(part))
    return frozenset(found)
