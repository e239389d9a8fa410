"""Branches and loops: which of two events runs when the other does."""

from __future__ import annotations

from collections.abc import Sequence

from aoti_tui.index.model import Scope


def same_block(one: Scope, other: Scope) -> bool:
    """A loop's condition and body are two subgraphs, and so two scopes, of one block."""
    return (one.kind, one.line) == (other.kind, other.line)


def loop_around(scopes: Sequence[Scope], loop: Scope | None = None) -> Scope | None:
    """The outermost loop among scopes, or ``loop`` when it is one of them."""
    for scope in scopes:
        if scope.kind == "while" and (loop is None or same_block(scope, loop)):
            return scope
    return None


def always_runs_with(scopes: Sequence[Scope], reader: Sequence[Scope]) -> bool:
    """Whether what stands in ``scopes`` has run whenever something later in ``reader`` runs."""
    return all(
        scope.kind == "block" or any(same_block(scope, other) for other in reader)
        for scope in scopes
    )


def exclude_each_other(one: Sequence[Scope], other: Sequence[Scope]) -> bool:
    """Whether two events stand in the two branches of one ``if``."""
    return any(
        mine.condition == theirs.condition
        and {mine.kind, theirs.kind} == {"if", "else"}
        and mine.line != theirs.line
        for mine, theirs in zip(one, other, strict=False)
    )
