"""Searching and going to places that are named: lines, temporaries, lanes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from aoti_tui.replay.recorded.blocks import Number
from aoti_tui.session.jumps import Place
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
from aoti_tui.tui.dialogs.search import Found, Hit, Search
from aoti_tui.tui.panes.source import SourceView

if TYPE_CHECKING:
    from aoti_tui.tui.main_screen import MainScreen


class Searching:
    def __init__(self, screen: MainScreen) -> None:
        self.screen = screen
        self.browsing = screen.browsing

    def handlers(self) -> dict[str, Callable[[], None]]:
        return {
            "search": self.ask,
            "search_next": lambda: self.go_on(1),
            "search_previous": lambda: self.go_on(-1),
        }

    @property
    def _view(self) -> SourceView:
        return self.screen.query_one(SourceView)

    def ask(self) -> None:
        """Look for what is typed while it is typed; Enter goes to what is chosen."""

        def chosen(answer: tuple[str, Hit | None] | None) -> None:
            if answer is None:
                return
            text, hit = answer
            self._view.set_needle(text.strip() if isinstance(hit, LineHit) else "")
            if hit is not None:
                self._go(hit)

        self.screen.app.push_screen(Search(self.find, self._view.needle), chosen)

    def find(self, text: str) -> Found:
        """All that holds the text: this kernel's lines first, then values, then other lines."""
        needle = text.strip()
        view, path = self._view, self.browsing.here.path
        document = view.document
        lines = rotated(document.lines_with(needle), view.line)
        kernel = document.kernel_at(view.line)
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
        ahead = [hit for hit in here if hit.line != view.line]
        order = (values, ahead, elsewhere) if wanted else (ahead, elsewhere, values, here)
        note = ""
        if not self.screen.replaying.recorded:
            note = "c runs the kernel; then its values are found too."
        return Found(groups, next((hits[0] for hits in order if hits), None), note)

    def _values(self, text: str) -> tuple[list[Hit], bool]:
        """Values of the recording, symbols and sizes; and whether the text asks for a value."""
        query = value_query(text)
        replaying = self.screen.replaying
        recording = replaying.recording if replaying.recorded else None
        found: list[Hit] = []
        if recording is not None and query is not None:
            found += values_found(recording, query)
        elif recording is not None:
            found += names_found(recording, text, replaying.lane)
        found += numbers_found(self._numbers(), text, query)
        return found, query is not None

    def _other_documents(self) -> list[tuple[str, SourceDocument]]:
        """The wrapper and the files of kernels that it does not hold, but for the one shown."""
        incident = self.browsing.incident
        if incident is None:
            return []
        shown = self._view.document
        found = [("", self.browsing.document_of(""))]
        for kernel in incident.index.kernels.values():
            if kernel.source_path is not None:
                path = f"{kernel.source_path}:{kernel.source_line}"
                found.append((path, self.browsing.document_of(path, kernel)))
        return [(path, d) for path, d in found if d is not None and d is not shown]

    def _numbers(self) -> dict[str, Number]:
        replaying = self.screen.replaying
        outcome = replaying.outcome if replaying.recorded else None
        if outcome is None:
            return {}
        symbols = {symbol.name: symbol.value for symbol in outcome.symbols}
        return {**symbols, **outcome.recording.scalars}

    def _go(self, hit: Hit) -> None:
        if isinstance(hit, LineHit):
            self.browsing.go(Place(hit.line, self._view.needle, hit.path))
            self._tell_place()
        elif isinstance(hit, ValueHit):
            self.browsing.jumps.leave(self.browsing.here)
            if hit.lane:
                self.screen.replaying.lane = hit.lane
            self.screen.replaying.move_to(hit.position)
            self.screen.say(f"{said_value(hit)}, step {hit.position + 1}. ctrl+o goes back.")
        elif isinstance(hit, NumberHit):
            self._go_to_number(hit)

    def _go_to_number(self, hit: NumberHit) -> None:
        incident = self.browsing.incident
        symbols = incident.index.symbols if incident is not None else ()
        line = next((symbol.line for symbol in symbols if symbol.name == hit.name), None)
        if line is not None:
            self.browsing.go_line(line, hit.name)
        elif self.browsing.launch is not None:
            self.browsing.go_line(self.browsing.launch.line, hit.name)
        self.screen.say(f"{hit.name} = {hit.value}")

    def go_on(self, step: int) -> None:
        """To the next line that holds what was searched for."""
        view = self._view
        needle = view.needle
        if not needle:
            self.screen.say("Nothing is searched for yet: / asks what.")
            return
        before = view.document.kernel_at(view.line)
        line = view.document.find(needle, view.line, step)
        if line is None:
            self.screen.say(f"“{needle}” is not in {view.document.path}.")
            return
        self.browsing.go(Place(line, needle, self.browsing.here.path))
        self._tell_place(before.name if before is not None else "")

    def _tell_place(self, before: str | None = None) -> None:
        """``2 of 17``, and the kernel where that is another one than before."""
        view = self._view
        lines = view.document.lines_with(view.needle)
        if view.line not in lines:
            return
        kernel = view.document.kernel_at(view.line)
        name = kernel.name if kernel is not None else ""
        told = f"“{view.needle}”: {lines.index(view.line) + 1} of {len(lines)}"
        if before is not None and name != before:
            told += f", now in {name}" if name else ", now outside of kernels"
        self.screen.say(told + ". . and , go on.")
