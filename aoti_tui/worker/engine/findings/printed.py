"""What a kernel prints: once for each program that does, with where and in which program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...source.place import NOWHERE, Place
from ..numbers.floats import Array

# Of blocks with more lanes only the ends are shown.
MOST_LANES = 1 << 16
Program = tuple[int, int, int]


@dataclass(frozen=True)
class Printed:
    """`parts`: texts, Python's values and blocks (numpy arrays, read-only) in their order.

    `program` is None for what is known before any of them runs (tl.static_print).
    """

    place: Place
    program: Program | None
    parts: tuple[Any, ...]
    hexadecimal: bool = False

    @property
    def text(self) -> str:
        """One text: file and line, program, and the whole of each block, lane by lane."""
        name = self.place.file.replace("\\", "/").rsplit("/", 1)[-1]
        words = [f"{name}:{self.place.line}"] if self.place != NOWHERE else []
        if self.program is not None:
            words.append(f"program {','.join(map(str, self.program))}")
        shown = " ".join(self._shown(part) for part in self.parts)
        head = " ".join(words)
        return f"{head}: {shown}" if "\n" not in shown else f"{head}:\n{shown}"

    def _shown(self, part: Any) -> str:
        return self._block(part) if isinstance(part, np.ndarray) else str(part)

    def _block(self, block: Array) -> str:
        if self.hexadecimal:
            bits = block.copy().view(f"u{block.dtype.itemsize}")
            return np.array2string(bits, threshold=MOST_LANES, formatter={"int": hex})
        return np.array2string(block, threshold=MOST_LANES)
