"""How well what is typed fits a name: the order of the navigator's filter and of the palette."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from aoti_tui.session.listed.entries import GROUPS, Entry

WHOLE, PART, PREFIX, PART_PREFIX, PIECE, LETTERS = 0, 50, 100, 150, 250, 400
"""Costs of a word: an identifier, one part of it (``cumsum`` in ``fused_cumsum_0``), the start of
an identifier, the start of a part, any piece, letters in order."""
FAR = 40
"""Characters from the start of the text after which a place costs no more."""
DETAIL = 60
"""What it costs to be found in the detail of an entry rather than in its name."""
REACH = 3
"""Letters in order may skip this many characters less one, or go on at the start of a part."""

_PART = re.compile(r"(?<![^\W_])[^\W_]")


def fuzzy(query: str, haystack: str, *, named: int = 1 << 30, letters: bool = True) -> int | None:
    """The cost of finding ``query`` in ``haystack`` (lower case), of which the first ``named``
    characters are a name: smaller is better, None when it does not fit.

    All words of the query must fit, each as a piece of text or, failing that and if ``letters``,
    as letters in order. What fits a query fits each beginning of it too.
    """
    total = 0
    for word in query.lower().split():
        cost = _piece(word, haystack, named)
        if cost is None and letters:
            cost = _letters(word, haystack)
        if cost is None:
            return None
        total += cost
    return total


def _piece(word: str, haystack: str, named: int) -> int | None:
    best: int | None = None
    at = haystack.find(word)
    while at >= 0:
        near = min(at, FAR) + (DETAIL if at >= named else 0)
        cost = near + _edges(haystack, at, at + len(word))
        if best is None or cost < best:
            best = cost
        if near >= best:
            break  # a later place costs at least as much
        at = haystack.find(word, at + 1)
    return best


def _edges(text: str, start: int, end: int) -> int:
    before = text[start - 1] if start else " "
    after = text[end] if end < len(text) else " "
    if before.isalnum():
        return PIECE
    whole = before != "_"
    if after.isalnum():
        return PREFIX if whole else PART_PREFIX
    return WHOLE if whole and after != "_" else PART


def _letters(word: str, haystack: str) -> int | None:
    """Cost of the tightest ``word`` as letters in order within one word of the text."""
    if word.isdigit() or not _in_order(word, haystack):
        return None
    spans = [
        span
        for token in haystack.split()
        if _in_order(word, token) and (span := _span(word, token)) is not None
    ]
    return LETTERS + min(spans) if spans else None


def _in_order(word: str, text: str) -> bool:
    at = -1
    for character in word:
        at = text.find(character, at + 1)
        if at < 0:
            return False
    return True


def _span(word: str, token: str) -> int | None:
    """Characters from the first letter to the last, where the first starts a part and each other
    one is near the letter before or starts a part itself."""
    starts = _starts(token)
    # Places of the letter so far, each with the nearest place its first letter can have.
    reached = {at: at for at in starts if token[at] == word[0]}
    for character in word[1:]:
        following: dict[int, int] = {}
        for at, first in reached.items():
            place = token.find(character, at + 1)
            while place >= 0:
                if place <= at + REACH or place in starts:
                    following[place] = max(first, following.get(place, 0))
                place = token.find(character, place + 1)
        reached = following
    return min((at - first + 1 for at, first in reached.items()), default=None)


@lru_cache(maxsize=1 << 14)
def _starts(token: str) -> dict[int, None]:
    """Where the parts of a word such as ``triton_red_fused`` start, in order."""
    return dict.fromkeys(match.start() for match in _PART.finditer(token))


def fitting(everything: Iterable[Entry], query: str) -> list[tuple[int, Entry]]:
    """Entries that fit the query with what it costs, in their own order."""
    return [
        (cost, entry)
        for entry in everything
        if (cost := fuzzy(query, entry.haystack, named=len(entry.label))) is not None
    ]


def ranked(fits: Sequence[tuple[int, Entry]]) -> list[Entry]:
    """Groups in their order, the best fits of each group first."""
    places = {group: place for place, group in enumerate(GROUPS)}
    numbered = [(places[e.group], cost, number) for number, (cost, e) in enumerate(fits)]
    return [fits[number][1] for _, _, number in sorted(numbered)]


def best(fits: Sequence[tuple[int, Entry]]) -> Entry | None:
    """The best fit of all; of equals, the first in the order of the groups."""
    if not fits:
        return None
    least = min(cost for cost, _ in fits)
    return ranked([one for one in fits if one[0] == least])[0]


def filtered(everything: Iterable[Entry], query: str) -> list[Entry]:
    """Entries that fit the query, best first within each group; all of them for none."""
    return ranked(fitting(everything, query)) if query.strip() else list(everything)
