"""The few lines on top of the screen: what failed, what is wrong, which size, who could tell."""

from __future__ import annotations

from aoti_tui.failure.model import BAD_INDEX, Failure, GuardFinding
from aoti_tui.failure.prose.equations import equations, size_equation
from aoti_tui.failure.prose.guards import short_guard
from aoti_tui.failure.prose.words import (
    count_words,
    element_line,
    elements_words,
    indexed_words,
    plural,
    source_words,
    valid_words,
)

WIDEST = 96
"""Columns that a line should fit in: a screen of 100 less its margin and mark."""


def headline(failure: Failure) -> tuple[str, ...]:
    """At most four lines, the most important first; each is made to fit 96 columns."""
    against = [_fitting(f"but {said}") for said in failure.contradictions[:1]]
    lines = [failed_line(failure), *against, *_what_is_wrong(failure)]
    guard = guard_line(failure)
    return tuple(line for line in (*lines[:3], guard or "", *lines[3:]) if line)[:4]


def _fitting(said: str) -> str:
    """A sentence without the clauses that make it too long."""
    while len(said) > WIDEST and (end := max(said.rfind("; "), said.rfind(": "))) > 0:
        said = said[:end]
    return said


def failed_line(failure: Failure) -> str:
    """``triton_poi_fused_0 failed: 0 <= tmp4 < ks0 in 1 program``."""
    if failure.access is not None:
        return f"{failure.kernel} failed: {failure.access.words}"
    count = len(failure.programs)
    where = f" in {plural(count, 'program')}" if count else ""
    return f"{failure.kernel} failed: {short_assert(failure.message)}{where}"


def short_assert(message: str) -> str:
    """``0 <= tmp10 < ks0`` of ``index out of bounds: 0 <= tmp10 < ks0``."""
    return message.removeprefix("index out of bounds: ")


def culprit_line(failure: Failure) -> str:
    """``arg3_1[5] = 9 indexes arg2_1 (in_ptr1), which has 9 rows (valid -9..8)``; ``""`` where no
    element is known to be wrong."""
    bad = failure.bad
    if bad is None:
        return ""
    if failure.indexed is None:
        return element_line(bad)
    verb = "indexes" if bad.count == 1 else "index"
    start = f"{elements_words(bad, 2)} {verb} "
    end = f" ({valid_words(bad.lowest, bad.highest)})"
    end += "" if bad.count == 1 else f"; {count_words(bad)}"
    said = start + indexed_words(failure.indexed) + end
    return said if len(said) <= WIDEST else start + failure.indexed.name + end


def _what_is_wrong(failure: Failure) -> list[str]:
    certainty = "confirmed" if failure.cause.confirmed else "possible cause"
    cause = f"{certainty}: {failure.cause.text}"
    if failure.access is not None:
        return [cause]
    if failure.cause.code not in BAD_INDEX:
        return [bound_line(failure), cause]
    culprit = culprit_line(failure)
    if culprit:
        # The element and the size say what the cause would say again.
        return [culprit, size_equation(failure) or _literal_size(failure) or cause]
    if failure.traced:
        return [cause, failure.traced]
    return [cause, bound_line(failure)]


def _literal_size(failure: Failure) -> str:
    """``32000 is dimension 0 of constant emb.weight``."""
    known = [source_words(s) for s in failure.bound.sources if s.kind != "literal"]
    return f"{failure.bound.text} is {' or '.join(known)}" if known else ""


def bound_line(failure: Failure) -> str:
    """``ks0 = s7 = arg4_1.size(0) = 0 (input 2)``, short."""
    dims = [s for s in failure.bound.sources if s.kind == "input_dim"]
    positions = dict.fromkeys(s.position for s in dims)
    inputs = ", ".join(str(position) for position in positions)
    literal = _literal_size(failure) if failure.bound.text == equations(failure.bound) else ""
    said = literal or equations(failure.bound)
    return f"{said} (input{'s' if len(positions) > 1 else ''} {inputs})" if inputs else said


def guard_line(failure: Failure) -> str:
    """What a guard does or could do about it, in one short line; ``""`` when nothing is known."""
    unguarded = value_guard_line(failure)
    if unguarded:
        return unguarded
    for guard in relevant_guards(failure):
        return short_guard(guard)
    return ""


def value_guard_line(failure: Failure) -> str:
    """``no guard checks the values of arg3_1``: guards see sizes, strides and dtypes only."""
    if failure.cause.code not in BAD_INDEX:
        return ""
    if failure.bad is not None:
        names = [failure.bad.name] if failure.bad.position is not None else []
    else:
        names = [s.name or "" for s in failure.index.sources if s.kind == "input"]
    if not names:
        return ""
    return f"no guard checks the values of {' or '.join(names)}"


def relevant_guards(failure: Failure) -> tuple[GuardFinding, ...]:
    """Guards of the bound's dimensions first."""
    bound = {(s.position, s.dim) for s in failure.bound.sources}
    return tuple(sorted(failure.guards, key=lambda g: (g.position, g.dim) not in bound))
