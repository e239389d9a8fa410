"""Symbols out of what a launch passed: ``ks0 = s7`` and ``xnumel = 16*s20``, read backwards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from aoti_tui.index.expression import Expr

Number = int | float


@dataclass(frozen=True, slots=True)
class Equation:
    """``expression`` was ``value`` when the launch was made; ``said_by`` is the parameter."""

    expression: Expr
    value: Number
    said_by: str


@dataclass(frozen=True, slots=True)
class Solved:
    """``symbols`` with the parameter that told each; ``contradiction`` is an equation that cannot
    hold with the others, so that it is not this launch."""

    symbols: Mapping[str, tuple[Number, str]]
    contradiction: Equation | None = None

    @property
    def values(self) -> dict[str, Number]:
        return {name: value for name, (value, _) in self.symbols.items()}


def solve(equations: Iterable[Equation], known: Mapping[str, Number] | None = None) -> Solved:
    """What the equations say of their names. An equation with one unknown is solved where it is
    linear in it; one that allows several values (a quotient) tells nothing."""
    fixed: dict[str, Number] = dict(known or {})
    found: dict[str, tuple[Number, str]] = {}
    pending = list(equations)
    while True:
        left: list[Equation] = []
        for one in pending:
            unknown = [name for name in one.expression.needs() if name not in fixed]
            if not unknown:
                value = one.expression.known(fixed)
                if value is not None and value != one.value:
                    return Solved(found, one)
            elif len(unknown) == 1:
                value = _root(one, unknown[0], fixed)
                if value is None:
                    left.append(one)
                    continue
                fixed[unknown[0]] = value
                found[unknown[0]] = (value, one.said_by)
            else:
                left.append(one)
        if len(left) == len(pending) or not left:
            return Solved(found)
        pending = left


def _root(one: Equation, name: str, fixed: Mapping[str, Number]) -> int | None:
    """The whole number that the equation asks of ``name``; None where it is not linear in it."""
    at = [one.expression.known({**fixed, name: x}) for x in (0, 1, 2)]
    if at[0] is None or at[1] is None or at[2] is None:
        return None
    step = at[1] - at[0]
    if step == 0 or at[2] - at[1] != step:
        return None
    root = (one.value - at[0]) / step
    whole = round(root)
    holds = one.expression.known({**fixed, name: whole})
    return whole if holds == one.value else None
