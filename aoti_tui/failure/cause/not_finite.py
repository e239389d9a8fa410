"""Where the NaN or infinity behind an index came into being."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping

from aoti_tui.kernel.model import KernelProgram
from aoti_tui.kernel.parse import names_read


def not_finite_words(
    program: KernelProgram, raw: str, order: int, values: Mapping[str, int | float | bool]
) -> str | None:
    """``tmp6 = tmp2 / tmp5 is nan (tmp2 = 0.0, tmp5 = 0.0)``: the first value on the way to the
    index that is no finite number; None when all are finite. ``values`` are those of one lane."""
    pending = [(name, order) for name in names_read(ast.parse(raw, mode="eval").body)]
    seen: set[str] = set()
    origin: str | None = None
    while pending:
        name, before = pending.pop()
        definition = program.definition(name, before)
        if name in seen or definition is None:
            continue
        seen.add(name)
        reads = [n for n in names_read(definition.value) if n in values and n != name]
        pending.extend((n, definition.order) for n in names_read(definition.value))
        if _finite(values.get(name, 0)) or not all(_finite(values[n]) for n in reads):
            continue
        given = ", ".join(f"{n} = {values[n]}" for n in reads if not definition.loads)
        origin = f"{name} = {definition.text} is {values[name]}" + (f" ({given})" if given else "")
    return origin


def _finite(value: int | float | bool) -> bool:
    return math.isfinite(value)
