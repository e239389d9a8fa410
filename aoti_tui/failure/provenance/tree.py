"""Questions about a finished chain of provenance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from aoti_tui.failure.model import ProvenanceNode, Source, SourceKind


def sources_of(tree: ProvenanceNode) -> tuple[Source, ...]:
    """The sources at the ends of a chain, each once: inputs first, by position."""
    found = dict.fromkeys(node.source for node in walk(tree) if node.source is not None)
    return tuple(sorted(found, key=_source_order))


def walk(tree: ProvenanceNode) -> Iterator[ProvenanceNode]:
    yield tree
    for child in tree.children:
        yield from walk(child)


_KIND_ORDER = get_args(SourceKind)


def _source_order(source: Source) -> tuple[int, int, int, str]:
    return (
        _KIND_ORDER.index(source.kind),
        source.position if source.position is not None else -1,
        source.dim if source.dim is not None else -1,
        source.fqn or source.name or "",
    )
