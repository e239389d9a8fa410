"""One thing that is wrong with a launch, as it is told to others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from ...source.place import Place

Kind = Literal[
    "out-of-bounds",
    "beyond-view",
    "unwritten-read",
    "assert",
    "race",
    "overflow",
    "hang",
    "nan",
]


@dataclass(frozen=True)
class Finding:
    """`element` counts from the argument's first, `lane` indexes the block, both of the first
    program; `count` is lanes over all programs. `values`: numbers by name in that lane."""

    kind: Kind
    place: Place
    text: str
    argument: str | None = None
    element: int | None = None
    program: tuple[int, int, int] | None = None
    lane: tuple[int, ...] | None = None
    count: int = 1
    values: dict[str, Any] = field(default_factory=dict)
