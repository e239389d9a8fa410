"""Derived sizes that a float reciprocal made smaller than the division they stand for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from aoti_tui.index.expression import ExpressionError
from aoti_tui.index.model import WrapperIndex
from aoti_tui.replay.model import SymbolValue


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
                )
            )
    return tuple(found)


def truncation_words(symbol: TruncatedSymbol) -> str:
    """``s65 = (1.0/4.0)*arg1_1_size_0 gave 7, exactly it is 7.5``."""
    return f"{symbol.name} = {symbol.expression} gave {symbol.got}, exactly it is {symbol.exact:g}"
