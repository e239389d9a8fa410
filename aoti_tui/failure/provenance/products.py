"""Which operand's dimension a dimension of a matrix product is."""

from __future__ import annotations

from aoti_tui.index.arguments import TensorView
from aoti_tui.index.model import ExternCall

_OPERANDS = {"mm": 0, "bmm": 0, "addmm": 1, "baddbmm": 1}
"""How many tensors stand before the two factors."""


def size_behind(extern: ExternCall, dim: int, rank: int) -> tuple[TensorView, int] | None:
    """The factor and its dimension that give a product's dimension ``dim`` its size; None for
    another operator. Rows and batches are those of the first factor, columns the second's."""
    skipped = _OPERANDS.get(extern.op.removesuffix("_out"))
    if skipped is None or len(extern.reads) < skipped + 2:
        return None
    first, second = extern.reads[skipped], extern.reads[skipped + 1]
    return (second, dim) if dim == rank - 1 else (first, dim)
