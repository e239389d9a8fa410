"""Which operator made the access that an assert guards.

A kernel often fuses several lookups, and the wrapper only lists its operators. What tells them
apart: whether the checked index stands in a load or a store, whether the store is atomic, whether
the index is wrapped (``index`` and ``index_put`` always are; newer versions of Inductor do not
wrap ``embedding``, ``gather`` and ``scatter``), and which tensor is indexed.
"""

from __future__ import annotations

import ast

from aoti_tui.failure.model import IndexedTensor
from aoti_tui.index.model import Launch
from aoti_tui.index.python.expression import read_python
from aoti_tui.kernel.asserts import raw_index
from aoti_tui.kernel.indexed import indexed_accesses
from aoti_tui.kernel.model import KernelAssert, KernelProgram
from aoti_tui.kernel.slice import is_index_only

_LOADS = (
    "index",
    "_unsafe_index",
    "embedding",
    "gather",
    "index_select",
    "take",
    "take_along_dim",
    "nll_loss_forward",
    "nll_loss2d_forward",
    "grid_sampler_2d",
    "select",
)
_STORES = (
    "index_put",
    "index_put_",
    "_unsafe_index_put",
    "index_copy",
    "index_fill",
    "scatter",
    "select_scatter",
)
_ATOMIC = (
    "index_add",
    "index_reduce",
    "scatter_add",
    "scatter_reduce",
    "index_put",
    "index_put_",
    "_unsafe_index_put",
    "embedding_dense_backward",
    "scatter",
)
_ALWAYS_WRAPPED = frozenset(
    {"index", "_unsafe_index", "index_put", "index_put_", "_unsafe_index_put"}
)
_LOSSES = frozenset({"nll_loss_forward", "nll_loss2d_forward", "nll_loss_backward"})


def ops_of_access(
    program: KernelProgram,
    found: KernelAssert,
    launch: Launch | None,
    indexed: IndexedTensor | None,
    from_target: bool,
) -> tuple[str, ...]:
    """The operators that can have made the access, as the wrapper writes them: one where it is
    decided, none where none of the kernel's fits. ``from_target`` says that the index is a loss's
    target, which leaves out the elements to ignore."""
    if launch is None:
        return ()
    named = {_name(op): op for op in launch.aten}
    if from_target:
        losses = [op for name, op in named.items() if name in _LOSSES]
        if losses:
            return tuple(losses)
    left = _left(program, found, indexed, [n for n in _possible(program, found) if n in named])
    return tuple(named[name] for name in left)


def ignored_target(program: KernelProgram, found: KernelAssert) -> int | None:
    """-100 of an index that is ``where(target != -100, target, 0)``, as losses leave elements
    out; None for any other index."""
    raw = raw_index(program, found)
    definition = program.definition(raw, found.order) if raw is not None else None
    if definition is None or not isinstance(definition.value, ast.Call):
        return None
    call = definition.value
    if ast.unparse(call.func) != "tl.where" or len(call.args) != 3:
        return None
    condition = _resolved(program, call.args[0], definition.order)
    if not isinstance(condition, ast.Compare) or not isinstance(condition.ops[0], ast.NotEq):
        return None
    if ast.unparse(condition.left) != ast.unparse(call.args[1]):
        return None
    value = read_python(ast.unparse(_resolved(program, condition.comparators[0], definition.order)))
    return value.known_int({})


def _resolved(program: KernelProgram, node: ast.expr, before: int) -> ast.expr:
    definition = program.definition(node.id, before) if isinstance(node, ast.Name) else None
    return node if definition is None else definition.value


def _possible(program: KernelProgram, found: KernelAssert) -> list[str]:
    """Operators that access memory as the kernel does with this index."""
    lines = {access.line for access in indexed_accesses(program, found)}
    loads = any(load.line in lines for a in program.assignments for load in a.loads)
    stores = [store for store in program.stores if store.line in lines]
    atomic = any(store.atomic for store in stores)
    plain = any(not store.atomic for store in stores)
    if not loads and not stores:  # the index was folded into an address
        return [*_LOADS, *_STORES, *_ATOMIC]
    found_ops = (*(_ATOMIC if atomic else ()), *(_STORES if plain else ()))
    return list(dict.fromkeys((*found_ops, *(_LOADS if loads and not stores else ()))))


def _left(
    program: KernelProgram,
    found: KernelAssert,
    indexed: IndexedTensor | None,
    names: list[str],
) -> list[str]:
    """The names without those that something speaks against, as long as any is left."""
    losses = [name for name in names if name in _LOSSES]
    if 0 < len(losses) < len(names):
        names = [name for name in names if name not in _LOSSES]
    if len(names) > 1:
        wrapped = _is_wrapped(program, found)
        if wrapped is False:
            names = _without(names, _ALWAYS_WRAPPED)
        elif wrapped and any(_is_wrapped(program, other) is False for other in program.asserts):
            # This version wraps only what always is.
            names = _without(names, frozenset(names) - _ALWAYS_WRAPPED)
    if len(names) > 1:
        # One row by a number: rarely one that data give.
        names = _without(names, frozenset({"select", "select_scatter"}))
    if len(names) > 1 and "embedding" in names and indexed is not None:
        is_weight = indexed.position is None and indexed.name.endswith("weight")
        if is_weight and indexed.dim in (0, None):
            names = ["embedding"]
        else:
            names = _without(names, frozenset({"embedding"}))
    return names


def _without(names: list[str], others: frozenset[str]) -> list[str]:
    return [name for name in names if name not in others] or names


def _is_wrapped(program: KernelProgram, found: KernelAssert) -> bool | None:
    """Whether negative values of the index count from the end; None for one without data, which
    needs no wrap."""
    raw = raw_index(program, found)
    if raw is None or found.disabled or found.order < 0 or found.lower is None:
        return None
    node = ast.parse(raw, mode="eval").body
    return None if is_index_only(program, node, found.order) else raw != found.index


def _name(op: str) -> str:
    parts = op.split(".")
    return parts[1] if len(parts) > 1 else parts[0]
