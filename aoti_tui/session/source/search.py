"""What a search finds: lines of the sources, and values of the recording; no Textual here."""

from __future__ import annotations

import math
import operator
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from aoti_tui.artifacts.strides import lane_of
from aoti_tui.replay.model import Block, Recording, Step
from aoti_tui.replay.recorded.blocks import Number
from aoti_tui.session.source.document import SourceDocument
from aoti_tui.session.text import number
from aoti_tui.session.values.lanes import Lane

SHOWN = 200
"""Results listed of each kind; the counts are of all."""

_COMPARE: dict[str, Callable[[Number, Number], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "=": operator.eq,
    "!=": operator.ne,
}
_QUERY = re.compile(r"\s*(?P<sign><=|>=|==|!=|<|>|=)?\s*(?P<value>\S+)\s*")
_WORDS: dict[str, Number] = {
    "nan": math.nan,
    "inf": math.inf,
    "-inf": -math.inf,
    "true": True,
    "false": False,
}


@dataclass(frozen=True, slots=True)
class LineHit:
    """A line of a source. ``path`` is the document's key, ``""`` for the wrapper."""

    line: int
    text: str
    kernel: str = ""
    kernel_line: int | None = None
    path: str = ""


@dataclass(frozen=True, slots=True)
class ValueHit:
    """A step of the recording, with the first lane that fits."""

    position: int
    name: str
    lane: Lane
    value: Number
    kernel_line: int


@dataclass(frozen=True, slots=True)
class NumberHit:
    """A symbol or a size parameter with a value."""

    name: str
    value: Number


@dataclass(frozen=True, slots=True)
class ValueQuery:
    """Values that are wanted: ``-1``, ``nan``, ``< 0``, ``>= 32000``."""

    sign: str
    value: Number

    def fits(self, value: object) -> bool:
        if isinstance(value, str) or value is None:
            return False
        number = value if isinstance(value, int | float) else None
        if number is None:
            return False
        if isinstance(self.value, float) and math.isnan(self.value):
            is_nan = isinstance(number, float) and math.isnan(number)
            return is_nan != (self.sign == "!=")
        return _COMPARE[self.sign](number, self.value)

    def first_in(self, step: Step) -> int | None:
        """The first lane of a step's block that fits, flat; None for none."""
        block, summary = step.value, step.summary
        assert isinstance(block, Block)
        bool_wanted = isinstance(self.value, bool)
        if bool_wanted != (block.dtype == "bool"):
            return None
        if (
            summary is not None
            and summary.min is not None
            and summary.max is not None
            and not math.isnan(self.value)
            and self.sign in ("<", "<=", ">", ">=", "==", "=")
        ):
            # The ends tell for most blocks that no lane fits.
            low = self.sign in ("<", "<=") and not self.fits(summary.min)
            high = self.sign in (">", ">=") and not self.fits(summary.max)
            outside = self.sign in ("==", "=") and not summary.min <= self.value <= summary.max
            if low or high or outside:
                return None
        return next((at for at, value in enumerate(block.values) if self.fits(value)), None)


def value_query(text: str) -> ValueQuery | None:
    """The values that a search text asks for; None when it is plain text."""
    match = _QUERY.fullmatch(text)
    if match is None:
        return None
    word = match["value"].lower()
    value: Number
    if word in _WORDS:
        value = _WORDS[word]
    else:
        try:
            value = int(word, 0)
        except ValueError:
            try:
                value = float(word)
            except ValueError:
                return None
    return ValueQuery(match["sign"] or "==", value)


def values_found(recording: Recording, query: ValueQuery) -> Iterator[ValueHit]:
    """Steps with a value that is asked for, in their order."""
    for step in recording.steps:
        if not step.name or step.kind == "return":
            continue
        if isinstance(step.value, Block):
            flat = query.first_in(step) if step.kind == "assign" else None
            if flat is not None:
                lane = lane_of(step.value.shape, flat)
                value = step.value.values[flat]
                yield ValueHit(step.position, step.name, lane, value, step.kernel_line)
        elif not isinstance(step.value, str) and step.value is not None:
            fits = isinstance(step.value, bool) == isinstance(query.value, bool)
            if fits and query.fits(step.value):
                yield ValueHit(step.position, step.name, (), step.value, step.kernel_line)


def names_found(recording: Recording, text: str, lane: Lane) -> Iterator[ValueHit]:
    """The last step of every temporary whose name holds the text."""
    wanted = text.strip().lower()
    last: dict[str, Step] = {}
    for step in recording.steps:
        if step.kind == "assign" and wanted and wanted in step.name.lower():
            last[step.name] = step
    for step in last.values():
        if isinstance(step.value, Block) and len(step.value):
            inside = len(lane) == len(step.value.shape)
            at = lane if inside else (0,) * len(step.value.shape)
            yield ValueHit(step.position, step.name, at, step.value.at(at), step.kernel_line)


def numbers_found(
    numbers: Mapping[str, Number], text: str, query: ValueQuery | None
) -> Iterator[NumberHit]:
    """Symbols and size parameters by name or by value."""
    for name, value in numbers.items():
        fits = query.fits(value) if query is not None else text.strip().lower() in name.lower()
        if fits:
            yield NumberHit(name, value)


def line_hits(document: SourceDocument, path: str, lines: Iterable[int]) -> list[LineHit]:
    """Lines of a document as results."""
    found = []
    for line in lines:
        kernel = document.kernel_at(line)
        found.append(
            LineHit(
                line,
                document.raw(line).strip(),
                kernel.name if kernel is not None else "",
                kernel.kernel_line(line) if kernel is not None else None,
                path,
            )
        )
    return found


def rotated(lines: Sequence[int], after: int) -> list[int]:
    """Lines in the order in which going on from ``after`` meets them."""
    at = bisect_right(lines, after)
    return [*lines[at:], *lines[:at]]


def said_value(hit: ValueHit) -> str:
    """``tmp4[0, 3] = -1``."""
    lane = f"[{', '.join(map(str, hit.lane))}]" if hit.lane else ""
    return f"{hit.name}{lane} = {number(hit.value)}"
