"""Derived sizes that a float reciprocal made smaller than the division they stand for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from aoti_tui.index.expression import ExpressionError
from aoti_tui.index.model import Symbol, WrapperIndex
from aoti_tui.replay.data.madeup import guard_range
from aoti_tui.replay.model import SymbolValue

LARGEST_TRIED = 4096
"""Sizes that are tried in search of one that a float reciprocal cuts."""


@dataclass(frozen=True, slots=True)
class TruncatedSymbol:
    """``s65 = (1.0/4.0)*arg1_1_size_0`` that is no whole number, or just misses one.

    ``exact`` is the value of the division itself, ``got`` what the integer holds.
    """

    name: str
    expression: str
    got: int
    exact: float
    missed_whole: bool
    """The exact value is whole, and the float reciprocal made it smaller by one."""
    line: int
    """Wrapper line of its definition."""
    of: tuple[tuple[str, int | float], ...] = ()
    """What it is computed from, with values."""


def truncated_symbols(
    index: WrapperIndex, symbols: tuple[SymbolValue, ...]
) -> tuple[TruncatedSymbol, ...]:
    """Derived sizes that a float reciprocal made smaller than the division they stand for."""
    values = {s.name: s.value for s in symbols}
    found = []
    for symbol in index.symbols:
        if symbol.kind != "expression" or symbol.name not in values:
            continue
        if not symbol.expression.has_float_ratio:
            continue
        try:
            inexact = symbol.expression.evaluate(values)
        except ExpressionError:
            continue
        exact = symbol.expression.exact(values)
        if not isinstance(inexact, float) or exact is None or not math.isfinite(inexact):
            continue
        got = int(values[symbol.name])
        if got != math.trunc(inexact):
            # The user set it: nothing was truncated.
            continue
        if Fraction(got) != exact:
            found.append(
                TruncatedSymbol(
                    symbol.name,
                    symbol.expression.written,
                    got,
                    float(exact),
                    exact.denominator == 1,
                    symbol.line,
                    tuple((n, values[n]) for n in symbol.expression.names() if n in values),
                )
            )
    return tuple(found)


def can_truncate(symbol: Symbol) -> bool:
    """Whether a symbol is a quotient that is worked out in floats and cut to a whole number."""
    return (
        symbol.kind == "expression" and symbol.type == "int" and symbol.expression.has_float_ratio
    )


def first_miss(index: WrapperIndex, symbol: Symbol) -> tuple[int, int, int] | None:
    """``(49, 0, 1)``: the smallest size for which such a symbol is 0, although exactly it is 1.

    It is one that the guards let pass; None when there is none up to :data:`LARGEST_TRIED`, or
    the symbol depends on more than one name.
    """
    names = symbol.expression.names()
    if not can_truncate(symbol) or len(names) != 1:
        return None
    at = [symbol.expression.exact({names[0]: n}) for n in (0, 1, 2)]
    if at[0] is None or at[1] is None or at[2] is None or at[2] - at[1] != at[1] - at[0]:
        return None
    root = index.symbol(names[0], symbol.line)
    low, high = guard_range(index, root.position, root.dim) if root else (None, None)
    last = LARGEST_TRIED if high is None else min(high, LARGEST_TRIED)
    for size in range(low or 0, last + 1):
        exact = at[0] + size * (at[1] - at[0])
        if exact.denominator == 1:
            got = symbol.expression.known_int({names[0]: size})
            if got is not None and got != exact:
                return size, got, int(exact)
    return None


def truncation_warning(symbol: TruncatedSymbol) -> str:
    """What a truncated size means, for one that no assert may ever name."""
    of = ", ".join(f"{name} = {value}" for name, value in symbol.of)
    said = f"a size came out wrong: {truncation_words(symbol)} (:{symbol.line}{of and f', {of}'})"
    if symbol.missed_whole:
        return (
            f"{said}: the generated code divides by a float reciprocal and cuts what is left off, "
            "so that rows are lost without an error; it is a fault of the compiler, not of the data"
        )
    return f"{said}: the size is no multiple, which the compiled model takes for granted"


def truncation_words(symbol: TruncatedSymbol) -> str:
    """``s65 = (1.0/4.0)*arg1_1_size_0 gave 7, exactly it is 7.5``."""
    return f"{symbol.name} = {symbol.expression} gave {symbol.got}, exactly it is {symbol.exact:g}"
