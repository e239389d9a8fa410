"""Where a value comes from, as a tree: what is known, and questions about a finished tree.

Every step is a :class:`~aoti_tui.failure.model.ProvenanceNode` whose ``source`` is set at the
ends of the chain; :mod:`aoti_tui.failure.provenance.tracing` builds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

from aoti_tui.failure.model import ProvenanceNode, Source, SourceKind

_IDENTIFIER = re.compile(r"(?<![\w.:])[A-Za-z_]\w*(?!\w*(?:\s*\(|\s*::|<(?![=\s])))")
_NOT_A_NAME = frozenset(
    {"int64_t", "int32_t", "double", "float", "auto", "const", "static_cast", "std", "c10", "at"}
    | {"nullptr", "true", "false", "bool", "long", "unsigned", "int", "min", "max", "floor"}
    | {"ceil", "this", "device_idx_", "stream", "kernels"}
)


@dataclass(frozen=True, slots=True)
class InputData:
    """The elements of a given integer input, in the order of its dimensions."""

    name: str
    position: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    elements: Sequence[int]


@dataclass(frozen=True, slots=True)
class Known:
    """Values known from the inputs, by the user or from a replay."""

    symbols: Mapping[str, int | float] = field(default_factory=dict)
    dims: Mapping[tuple[int, int], int] = field(default_factory=dict)
    """By input position and dimension."""
    inputs: Mapping[int, str] = field(default_factory=dict)
    """What an input holds, in words (``int64[4], all 0``)."""
    ranges: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Smallest and largest element of integer inputs, by name."""
    data: Mapping[str, InputData] = field(default_factory=dict)
    """Integer inputs small enough to look at, by name."""
    strides: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Of the given inputs, by position, in elements."""
    truncated: Mapping[str, str] = field(default_factory=dict)
    """Derived sizes that came out wrong, by symbol, in words."""
    names: Mapping[str, int | float | bool] = field(default_factory=dict)
    """Values of the failing kernel's names in the first failing lane."""


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


def names_in(expression: str) -> tuple[str, ...]:
    """Variable names of a C++ expression, without functions, types and namespaces."""
    found = (m[0] for m in _IDENTIFIER.finditer(expression))
    return tuple(dict.fromkeys(n for n in found if n not in _NOT_A_NAME))
