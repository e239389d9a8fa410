"""What the comments of a wrapper say of the call below them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_NODES = re.compile(
    r"^\s*# (?:Topologically Sorted|Unsorted) Source Nodes: \[(.*?)\](?=, Original ATen:|\s*$)"
)
_ATEN = re.compile(r"Original ATen: \[(.*?)\]")
_HANDLE = re.compile(r"^\s*# \[Provenance debug handles\]\s*(\S+?):(\d{1,9})")
_SUBGRAPH = re.compile(r"^\s*# subgraph: (\S+)")


@dataclass(frozen=True, slots=True)
class Annotation:
    """Source nodes, original ATen ops and debug handle of a launch or an operator's call."""

    source_nodes: tuple[str, ...] = ()
    aten: tuple[str, ...] = ()
    debug_handle: int | None = None


def read_annotations(lines: Sequence[str], first: int, last: int) -> list[tuple[int, Annotation]]:
    """The annotations that stand on lines ``first`` to ``last``, with their lines."""
    found: list[tuple[int, Annotation]] = []
    handle: int | None = None
    for number in range(first, last + 1):
        text = lines[number - 1]
        if "#" not in text:
            continue
        numbered = _HANDLE.match(text)
        if numbered:
            handle = int(numbered[2])
            if found and found[-1][0] == number - 1:
                old = found.pop()[1]
                found.append((number, Annotation(old.source_nodes, old.aten, handle)))
                handle = None
            continue
        nodes = _NODES.match(text)
        if nodes:
            aten = _ATEN.search(text)
            found.append(
                (number, Annotation(_listed(nodes[1]), _listed(aten[1]) if aten else (), handle))
            )
            handle = None
    return found


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def subgraph_before(lines: Sequence[str], line: int) -> str:
    """The name that a ``# subgraph:`` comment just above ``line`` gives; ``""`` without one."""
    match = _SUBGRAPH.match(lines[line - 2]) if line > 1 else None
    return match[1] if match else ""


def has_reuse(text: str) -> bool:
    """Whether a line ends in ``# reuse``: its tensor takes over another's memory."""
    return text.rstrip().endswith("# reuse")
