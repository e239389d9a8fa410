"""Choices for values that nothing tells: sizes that the model accepts, indices in range.

A made-up value is never passed off as real; it only has to let the kernels run without asserts
that would say nothing about the user's own data.
"""

from __future__ import annotations

import ast
import re
import zlib
from collections.abc import Callable, Iterable, Mapping

from aoti_tui.index.expression import Expr, ExpressionError
from aoti_tui.index.model import Argument, Launch, Symbol, WrapperIndex
from aoti_tui.index.python.expression import parse_python
from aoti_tui.kernel.model import KernelAssert, KernelProgram
from aoti_tui.kernel.slice import slice_expression

CANDIDATES = (16, 8, 32, 64, 4, 2, 128, 256, 1, 512, 1024, 2048, 3, 6, 12, 24, 48, 100, 4096, 0)
"""Sizes in the order in which they are tried: small ones with many divisors first."""
UNKNOWN_BOUND = 2
"""Integers of which no bound is known are made of 0 and 1."""
_INTEGER = re.compile(r"-?\d+")


def size_for(index: WrapperIndex, symbol: Symbol, holds: Callable[[Expr, int], bool | None]) -> int:
    """A value for an unknown size: inside its guards and the wrapper's own checks.

    ``holds(condition, value)`` evaluates a runtime check with the symbol set to ``value`` (None
    when it depends on more).
    """
    low, high = guard_range(index, symbol.position, symbol.dim)
    checks = [c.condition for c in index.checks if symbol.name in c.condition.names()]
    hint = _hint(index, symbol.name)
    preferred = [value for value in (hint,) if value is not None]
    last = [value for value in (low,) if value is not None]
    for value in (*preferred, *CANDIDATES, *last):
        if low is not None and value < low:
            continue
        if high is not None and value > high:
            continue
        if all(holds(condition, value) is not False for condition in checks):
            return value
    return low if low is not None else CANDIDATES[0]


def guard_range(
    index: WrapperIndex, position: int | None, dim: int | None
) -> tuple[int | None, int | None]:
    """Smallest and largest size that the guards of an input's dimension allow."""
    low = high = None
    if position is None or dim is None:
        return None, None
    for guard in index.guards_of(position, dim):
        if not _INTEGER.fullmatch(guard.value.strip()):
            continue
        if guard.check == "min":
            low = int(guard.value)
        elif guard.check == "max":
            high = int(guard.value)
        elif guard.check == "equals":
            low = high = int(guard.value)
    return low, high


def _hint(index: WrapperIndex, name: str) -> int | None:
    """A size hint of a kernel whose extent is the symbol itself, when it is small."""
    for launch in index.launches:
        kernel = index.kernels.get(launch.kernel)
        if kernel is None:
            continue
        for argument in launch.arguments:
            if argument.text.strip() != name or not argument.parameter.endswith("numel"):
                continue
            prefix = argument.parameter.removesuffix("numel")
            hint = kernel.size_hints.get(prefix)
            if hint is not None and 1 < hint <= 256:
                return hint
    return None


def index_bounds(
    launches: Iterable[Launch],
    programs: Callable[[str], KernelProgram | None],
    number: Callable[[Argument], int | float | None],
) -> dict[str, int]:
    """Upper bounds (exclusive) of integers that kernels check as indices, by tensor name.

    Only tensors whose elements become an index directly are there. ``number`` gives the value
    of a launch's argument, None when it is not known.
    """
    bounds: dict[str, int] = {}
    for launch in launches:
        program = programs(launch.kernel)
        if program is None:
            continue
        values: dict[str, int | float] = {}
        tensors: dict[str, str] = {}
        for argument in launch.arguments:
            if argument.tensor is not None:
                tensors[argument.parameter] = argument.tensor.base
            elif (value := number(argument)) is not None:
                values[argument.parameter] = value
        for check in program.asserts:
            bound = _bound(check, values)
            if bound is None:
                continue
            for parameter in _indexing_loads(program, check):
                name = tensors.get(parameter)
                if name is not None:
                    bounds[name] = min(bound, bounds.get(name, bound))
    return bounds


def _bound(check: KernelAssert, values: Mapping[str, int | float]) -> int | None:
    if check.upper is None or check.disabled:
        return None
    try:
        return int(parse_python(check.upper).evaluate(values))
    except (ExpressionError, OverflowError):
        return None


def _indexing_loads(program: KernelProgram, check: KernelAssert) -> tuple[str, ...]:
    """Pointer parameters whose elements an assert's index is made of."""
    if check.index is None:
        return ()
    try:
        node = ast.parse(check.index, mode="eval").body
    except SyntaxError:
        return ()
    leaves = slice_expression(program, node, check.order, check.line).leaves()
    return tuple(dict.fromkeys(leaf.name for leaf in leaves if leaf.kind == "load"))


def seed_for(seed: int, name: str) -> int:
    """A seed of its own for every tensor, the same in every run."""
    return (seed * 1_000_003 + zlib.crc32(name.encode())) % (1 << 31)
