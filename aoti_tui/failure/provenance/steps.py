"""Single steps of a chain: what a store covers, how a step reads, what a division leaves."""

from __future__ import annotations

from dataclasses import replace

from aoti_tui.failure.model import ProvenanceNode, Source
from aoti_tui.index.expression import Expr
from aoti_tui.kernel.model import KernelProgram, Store
from aoti_tui.kernel.slice import SliceNode, is_index_only, slice_expression


def covers_all(program: KernelProgram, store: Store) -> bool:
    """Whether a store overwrites its whole tensor: no atomic and no data-dependent address."""
    if store.atomic:
        return False
    if store.offset is None:
        return True
    return address_is_index(program, store)


def address_is_index(program: KernelProgram, store: Store) -> bool:
    if store.offset is None or is_index_only(program, store.offset, store.order):
        return True
    tree = slice_expression(program, store.offset, store.order, store.line)
    return not any(leaf.kind == "load" for leaf in tree.leaves())


def data_to_value(node: ProvenanceNode) -> ProvenanceNode:
    """The same chain, where an input's data decides a size: ``input`` becomes ``input_value``."""
    source = node.source
    if source is not None and source.kind == "input":
        source = replace(source, kind="input_value")
    return replace(
        node, source=source, children=tuple(data_to_value(child) for child in node.children)
    )


def slice_text(tree: SliceNode) -> str:
    if tree.kind == "seen":
        return f"{tree.name} = {tree.text}, see above"
    if tree.kind == "load":
        return f"load {tree.text}"
    if tree.kind == "extent":
        return f"{tree.text} runs up to {tree.name}" + (
            f" // {tree.divisor}" if tree.divisor else ""
        )
    if tree.kind == "literal":
        return tree.text
    if tree.kind in ("parameter", "unknown", "constant"):
        return tree.name
    return f"{tree.name} = {tree.text}" if tree.name else tree.text


def leaf_source(tree: SliceNode) -> Source | None:
    if tree.kind == "random":
        return Source("random", name=tree.name)
    if tree.kind == "unknown":
        return Source("unknown", name=tree.name)
    return None


def guard_text(check: str, value: str, dim: int) -> str:
    words = {"min": f"size({dim}) >= {value}", "max": f"size({dim}) <= {value}"}
    return words.get(check, f"size({dim}) == {value}")


def divided(numel: Expr, divisor: Expr) -> tuple[str, ...] | None:
    """Names left of a product after division; None when the two are no plain products."""
    product, by = list(numel.factors()[1]), divisor.factors()[1]
    if not all(factor.isidentifier() for factor in (*product, *by)):
        return None
    for factor in by:
        if factor not in product:
            return None
        product.remove(factor)
    return tuple(n for n in numel.names() if n in product)
