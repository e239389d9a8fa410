"""Searching and going to places that are named: lines, temporaries, lanes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aoti_tui.replay.recorded.blocks import Number
from aoti_tui.session.commands.replays import Replays
from aoti_tui.session.session import Session
from aoti_tui.session.source.document import SourceDocument
from aoti_tui.session.source.search import (
    SHOWN,
    LineHit,
    NumberHit,
    ValueHit,
    line_hits,
    names_found,
    numbers_found,
    rotated,
    said_value,
    value_query,
    values_found,
)
from aoti_tui.session.state import Place

Hit = LineHit | ValueHit | NumberHit


@dataclass(frozen=True, slots=True)
class Found:
    """Results by kind: a title, those to list, and how many there are. ``first`` is the one to go
    to when nothing else is chosen."""

    groups: Sequence[tuple[str, Sequence[Hit], int]] = ()
    first: Hit | None = None
    note: str = ""


class Search:
    """Finds lines, values and numbers, and goes to them."""

    def __init__(self, session: Session, replays: Replays) -> None:
        self.session = session
        self.replays = replays

    def find(self, text: str) -> Found:
        """All that holds the text: this kernel's lines first, then values, then other lines."""
        needle = text.strip()
        here_now, document = self.session.state.place, self.session.document
        path = here_now.path
        lines = rotated(document.lines_with(needle), here_now.line)
        kernel = document.kernel_at(here_now.line)
        first, last = document.span_of(kernel.name) if kernel is not None else (1, 0)
        near = [line for line in lines if first <= line <= last]
        others = [line for line in lines if not first <= line <= last]
        elsewhere = line_hits(document, path, others[:SHOWN])
        count = len(others)
        for other_path, other in self._other_documents():
            found = other.lines_with(needle)
            count += len(found)
            elsewhere += line_hits(other, other_path, found[: SHOWN - len(elsewhere)])
        here = line_hits(document, path, near[:SHOWN])
        values, wanted = self._values(text)
        groups = (
            (f"In {kernel.name}" if kernel is not None else "Here", here, len(near)),
            ("Values", values[:SHOWN], len(values)),
            ("Elsewhere", elsewhere, count),
        )
        # A value that is asked for is meant as one; a text is looked for in the source first.
        ahead = [hit for hit in here if hit.line != here_now.line]
        order = (values, ahead, elsewhere) if wanted else (ahead, elsewhere, values, here)
        note = ""
        if self.session.state.recording is None:
            note = "c runs the kernel; then its values are found too."
        return Found(groups, next((hits[0] for hits in order if hits), None), note)

    def _values(self, text: str) -> tuple[list[Hit], bool]:
        """Values of the recording, symbols and sizes; and whether the text asks for a value."""
        query = value_query(text)
        recording = self.session.state.recording
        found: list[Hit] = []
        if recording is not None and query is not None:
            found += values_found(recording, query)
        elif recording is not None:
            found += names_found(recording, text, self.session.state.lane)
        found += numbers_found(self._numbers(), text, query)
        return found, query is not None

    def _other_documents(self) -> list[tuple[str, SourceDocument]]:
        """All that can be looked at, but for what is shown."""
        shown = self.session.document
        return [(path, found) for path, found in self.session.documents() if found is not shown]

    def _numbers(self) -> dict[str, Number]:
        outcome = self.session.state.outcome
        if outcome is None:
            return {}
        symbols = {symbol.name: symbol.value for symbol in outcome.symbols}
        return {**symbols, **outcome.recording.scalars}

    def take(self, text: str, hit: Hit | None) -> None:
        """Go to a result of a search for ``text``; None for the text alone."""
        self.session.change(needle=text.strip() if isinstance(hit, LineHit) else "")
        if hit is not None:
            self._go(hit)

    def _go(self, hit: Hit) -> None:
        if isinstance(hit, LineHit):
            self.session.go(Place(hit.line, self.session.state.needle, hit.path))
            self._tell_place()
        elif isinstance(hit, ValueHit):
            self.session.leave()
            if hit.lane:
                self.session.change(lane=hit.lane)
            self.replays.move_to(hit.position)
            self.session.say(f"{said_value(hit)}, step {hit.position + 1}. ctrl+o goes back.")
        elif isinstance(hit, NumberHit):
            self._go_to_number(hit)

    def _go_to_number(self, hit: NumberHit) -> None:
        incident = self.session.state.incident
        symbols = incident.index.symbols if incident is not None else ()
        line = next((symbol.line for symbol in symbols if symbol.name == hit.name), None)
        if line is not None:
            self.session.go_line(line, hit.name)
        elif self.session.state.launch is not None:
            self.session.go_line(self.session.state.launch.line, hit.name)
        self.session.say(f"{hit.name} = {hit.value}")

    def go_on(self, step: int) -> None:
        """To the next line that holds what was searched for."""
        here, document = self.session.state.place, self.session.document
        needle = self.session.state.needle
        if not needle:
            self.session.say("Nothing is searched for yet: / asks what.")
            return
        before = document.kernel_at(here.line)
        line = document.find(needle, here.line, step)
        if line is None:
            self.session.say(f"“{needle}” is not in {document.path}.")
            return
        self.session.go(Place(line, needle, here.path))
        self._tell_place(before.name if before is not None else "")

    def _tell_place(self, before: str | None = None) -> None:
        """``2 of 17``, and the kernel where that is another one than before."""
        here, needle = self.session.state.place, self.session.state.needle
        lines = self.session.document.lines_with(needle)
        if here.line not in lines:
            return
        kernel = self.session.kernel_here()
        name = kernel.name if kernel is not None else ""
        told = f"“{needle}”: {lines.index(here.line) + 1} of {len(lines)}"
        if before is not None and name != before:
            told += f", now in {name}" if name else ", now outside of kernels"
        self.session.say(told + ". . and , go on.")
