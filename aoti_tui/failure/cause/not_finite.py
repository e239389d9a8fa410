"""Where the NaN or infinity behind an index came into being."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping

from aoti_tui.kernel.model import Assignment, KernelProgram
from aoti_tui.kernel.parse import names_read

NO_INTEGER = "which no integer can hold"
"""What a NaN or infinity did that is cast to an integer."""


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


def not_finite_effect(
    program: KernelProgram, raw: str, order: int, values: Mapping[str, int | float | bool]
) -> str:
    """What a NaN or infinity did on the way to the index, as the end of a sentence.

    ``which no integer can hold`` where it is cast to an integer; where a comparison reads it, that
    the comparison is false (or true) and what the choice that hangs on it took: that value is the
    index then. ``""`` where it does neither.
    """
    path = _path(program, raw, order)
    for one in path.values():
        if any(not _finite(values.get(read, 0)) for read in _cast_to_integer(one.value)):
            return NO_INTEGER
    for name, one in path.items():
        if not isinstance(one.value, ast.Compare):
            continue
        read = [values[name] for name in names_read(one.value) if name in values]
        told = values.get(name)
        if told is None and any(math.isnan(value) for value in read):
            # Every comparison with a NaN but != is false.
            told = isinstance(one.value.ops[0], ast.NotEq)
        if told is None or all(_finite(value) for value in read):
            continue
        said = f"so {name} = {one.text} is {'true' if told else 'false'}"
        for chosen, choice in path.items():
            taken = _taken(choice.value, name, bool(told))
            if taken is not None:
                holds = f" = {values[taken]}" if taken in values else ""
                return f"{said} and {chosen} = {choice.text} takes {taken}{holds}"
        return said
    return ""


def _path(program: KernelProgram, raw: str, order: int) -> dict[str, Assignment]:
    """The assignments on the way to an expression by name, the nearest first."""
    pending = [(name, order) for name in names_read(ast.parse(raw, mode="eval").body)]
    found: dict[str, Assignment] = {}
    while pending:
        name, before = pending.pop(0)
        definition = program.definition(name, before)
        if name in found or definition is None:
            continue
        found[name] = definition
        pending.extend((n, definition.order) for n in names_read(definition.value))
    return found


def _cast_to_integer(value: ast.expr) -> list[str]:
    """Names that an expression casts to an integer."""
    return [
        name
        for call in ast.walk(value)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
        if call.func.attr == "to" and call.args
        if ast.unparse(call.args[0]).startswith(("tl.int", "tl.uint"))
        for name in names_read(call.func.value)
    ]


def _taken(value: ast.expr, condition: str, holds: bool) -> str | None:
    """The operand that ``tl.where(condition, …, …)`` takes."""
    if not (isinstance(value, ast.Call) and len(value.args) == 3):
        return None
    test = value.args[0]
    if not (isinstance(test, ast.Name) and test.id == condition):
        return None
    return ast.unparse(value.args[1 if holds else 2])


def _finite(value: int | float | bool) -> bool:
    return math.isfinite(value)
