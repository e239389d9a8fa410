"""Sizes that a wrapper works out as a float quotient, and when they come out."""

from __future__ import annotations

from aoti_tui.failure.condition.formula import NotDerived
from aoti_tui.failure.condition.sizes import CallerSizes
from aoti_tui.failure.model import ProvenanceNode
from aoti_tui.failure.provenance.known import Known
from aoti_tui.failure.provenance.tree import walk
from aoti_tui.failure.steps import Defined
from aoti_tui.index.expression import Expr
from aoti_tui.index.model import WrapperIndex
from aoti_tui.index.nodes import Binary, Name, Number, Reading


def whole_quotient(index: WrapperIndex, tree: ProvenanceNode, known: Known) -> str | None:
    """``int((1.0/49.0)*inputs[0].size(0))*49 == inputs[0].size(0)`` of the first symbol on a chain
    that is ``(1.0/49.0)*s0``: true where nothing is cut. None where none is such a quotient."""
    for node in walk(tree):
        if not isinstance(node.step, Defined):
            continue
        symbol = node.step.symbol
        match symbol.expression.root:
            case Binary("*", Binary("/", Number(1.0), Number(by)), Name() | Reading() as of):
                pass
            case _:
                continue
        try:
            whole = Expr("", CallerSizes(index, known).of(Expr("", of), symbol.line))
        except NotDerived:
            continue
        return f"int((1.0/{by})*{whole})*{int(by)} == {whole}"
    return None
