"""Where a size or another number of the wrapper comes from: symbols, inputs' dimensions, guards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aoti_tui.failure.model import ProvenanceNode, Source
from aoti_tui.failure.provenance.buffers import Buffers
from aoti_tui.failure.provenance.trail import Trail
from aoti_tui.failure.steps import (
    Defined,
    FloatRatio,
    InputDim,
    NotFollowed,
    SizeGuard,
)
from aoti_tui.flow.dataflow import Moment
from aoti_tui.index.arguments import TensorView
from aoti_tui.index.expression import Expr
from aoti_tui.index.model import Symbol


class Sizes:
    """The part of a tracer that follows the names of a wrapper."""

    def __init__(self, trail: Trail, buffers: Buffers, indexed: Sequence[int] = ()) -> None:
        """``indexed`` are positions of inputs whose dimensions are meant where several share a
        symbol: those that the index walks."""
        self.trail = trail
        self.buffers = buffers
        self.indexed = indexed

    def of(self, name: str, at: Moment) -> ProvenanceNode:
        """A name in a size expression: symbol, local, scalar input or tensor."""
        symbol = self.trail.flow.symbol(name, at)
        if symbol is not None:
            return self.symbol(symbol)
        index = self.trail.index
        given = index.input_named(name)
        if given is not None and given.is_scalar:
            return self.buffers.input_data(given)
        if given is not None or index.constant_named(name) is not None:
            return self.buffers.data(TensorView(name), at)
        return ProvenanceNode(
            NotFollowed(name, "no definition", at.line), source=Source("unknown", name=name)
        )

    def symbol(self, symbol: Symbol) -> ProvenanceNode:
        """A symbol, and what it is read from or computed of."""
        symbol = self._where_indexed(symbol)
        node = ProvenanceNode(Defined(symbol.name, symbol), symbol.line)
        if not self.trail.first("symbol", symbol.name, symbol.line):
            return node.again()
        return ProvenanceNode(
            node.step,
            symbol.line,
            value=self.trail.value(symbol.name),
            children=self._behind(symbol),
        )

    def _where_indexed(self, symbol: Symbol) -> Symbol:
        """A size that several inputs share, as that of the one which is indexed."""
        if symbol.kind != "input_dim" or symbol.position is None or symbol.dim is None:
            return symbol
        shared = self.trail.index.dims_sharing(symbol.position, symbol.dim)
        for wanted in self.indexed:
            for position, dim in shared:
                if position == wanted:
                    name = next(i.name for i in self.trail.index.inputs if i.position == position)
                    return replace(symbol, position=position, dim=dim, tensor=name)
        return symbol

    def _behind(self, symbol: Symbol) -> tuple[ProvenanceNode, ...]:
        if symbol.kind == "input_dim" and symbol.position is not None and symbol.dim is not None:
            return (self.dimension(symbol.position, symbol.dim, symbol.line),)
        if symbol.kind in ("item", "buffer_dim") and symbol.tensor is not None:
            return (self.buffers.behind_size(symbol.tensor, symbol),)
        made_of = tuple(
            self.of(n, self.trail.flow.before(symbol)) for n in symbol.expression.names()
        )
        if not symbol.expression.has_float_ratio:
            return made_of
        return (*made_of, ProvenanceNode(FloatRatio(symbol.name), symbol.line))

    def dimension(self, position: int, dim: int, line: int) -> ProvenanceNode:
        """A dimension of an input, and what is checked of it. ``line`` reads it."""
        index = self.trail.index
        given = next((i for i in index.inputs if i.position == position), None)
        name = given.name if given is not None else f"#{position}"
        guards = (
            ProvenanceNode(SizeGuard(name, g.check, dim, g.value), g.line)
            for g in index.guards_of(position, dim)
            if g.check in ("min", "max", "equals")
        )
        return ProvenanceNode(
            InputDim(name, position, dim),
            given.line if given is not None else line,
            value=self.trail.known.dims.get((position, dim)),
            children=tuple(guards),
            source=Source(
                "input_dim",
                position,
                dim,
                name,
                line=line,
                user=self.trail.user(position),
            ),
        )


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
