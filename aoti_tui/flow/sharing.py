"""Which definitions of a buffer get no memory of their own."""

from __future__ import annotations

from aoti_tui.flow.events import Fact
from aoti_tui.index.arguments import TensorView
from aoti_tui.index.model import Buffer


def sharing(fact: Fact) -> TensorView | None:
    """What a definition is a view of, when it shares another buffer's memory: a view, an alias,
    or a reuse, which takes it over. None for memory of its own.

    A slice of a pool has its own: what else the pool's bytes held before is dead.
    """
    if not isinstance(fact, Buffer) or fact.of is None:
        return None
    if fact.kind not in ("reuse", "view", "alias"):
        return None
    return TensorView(fact.of, fact.sizes, fact.strides, fact.offset, fact.dtype)


def shares_contents(fact: Fact) -> bool:
    """Whether a definition means another buffer's contents, not only its memory: a reuse takes
    over the memory of what is dead."""
    return isinstance(fact, Buffer) and fact.of is not None and fact.kind in ("view", "alias")
