"""The one owner of the state. Commands ask it for the next one; panes are told of each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from aoti_tui.answer.incident import Incident
from aoti_tui.index.model import Kernel, LaunchId, WrapperIndex
from aoti_tui.session.jumps import JumpList, without_recording
from aoti_tui.session.kept.stops import Stops
from aoti_tui.session.source.document import SourceDocument
from aoti_tui.session.state import Outcome, Place, State
from aoti_tui.session.values.temporaries import Temporary, temporaries

T = TypeVar("T")
Tell = Callable[[str, float | None], None]
"""Takes what is being done and its share from 0 to 1, None while that is not known."""
KEPT = 6
"""Recordings kept besides the one on the screen."""
_OF_RECORDING = ("outcome", "position", "explained", "lane", "selected")


class Front(Protocol):
    """What a front end does for the session: it says sentences and runs what takes long."""

    def say(self, text: str, *, bad: bool = False) -> None: ...

    def start(self, group: str, ask: Callable[[Tell], T], answered: Callable[[T], None]) -> None:
        """Ask something that may take long; ``answered`` gets what came of it, as a step of the
        session. An error is said, and a newer question of a group takes the place of an older."""

    def post(self, take: Callable[[], None]) -> None:
        """Have something done as a step of the session. Called from any thread."""


class Session:
    """The state and what it is made of. Everything runs on one thread and returns at once."""

    def __init__(self, stops: Stops, front: Front) -> None:
        self.stops = stops
        self.front = front
        self.state = State(breakpoints=stops.everything(), watches=stops.watches)
        self.jumps = JumpList()
        self._observers: list[Callable[[State, State], None]] = []
        self._documents: dict[str, SourceDocument] = {"": SourceDocument((), path="")}
        self._kept: dict[LaunchId, State] = {}
        """Moments at which recordings of other launches were left."""
        self._told = self.state
        self._depth = 0

    # -- the state ----------------------------------------------------------------------------

    def observe(self, observer: Callable[[State, State], None]) -> None:
        """Have ``observer`` called with the state and the one it was told of before."""
        self._observers.append(observer)

    def change(self, **fields: Any) -> State:
        """Go on to a state with other ``fields``, made to fit each other."""
        before = self.state
        after = replace(before, **fields)
        if after.launch is not None and after.incident is not None:
            kernel = after.kernel
            if kernel is None or kernel.name != after.launch.kernel:
                after = replace(after, kernel=after.incident.index.kernels.get(after.launch.kernel))
        if after.launch is not before.launch:
            after = self._with_recording_of_launch(before, after, given="outcome" in fields)
        steps = len(after.recording.steps) if after.recording is not None else 0
        if after.position >= steps:
            after = replace(after, position=steps - 1, explained=steps - 1)
        with self.together():
            self.state = after
        return after

    def _with_recording_of_launch(self, before: State, after: State, *, given: bool) -> State:
        """Put the recording of the launch that is left aside, and take up the one made earlier."""
        if before.outcome is not None:
            left = before.outcome.recording.launch
            self._kept.pop(left, None)
            self._kept[left] = before
            for oldest in list(self._kept)[:-KEPT]:
                del self._kept[oldest]
        kept = self._kept.pop(after.launch.id, None) if after.launch is not None else None
        if given:
            return after
        if kept is None:
            return without_recording(after)
        taken = {name: getattr(kept, name) for name in _OF_RECORDING}
        return replace(after, **{**taken, "explained": kept.position})

    @contextmanager
    def together(self) -> Iterator[None]:
        """Tell of all changes made inside as of one."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if self._depth == 0 and self._told is not self.state:
                before, self._told = self._told, self.state
                for observer in self._observers:
                    observer(self.state, before)

    def say(self, text: str, *, bad: bool = False) -> None:
        self.front.say(text, bad=bad)

    # -- recordings ---------------------------------------------------------------------------

    def forget(self) -> None:
        """Other data is used from now on: what was recorded says nothing any more."""
        self._kept.clear()
        self.jumps.rewrite(without_recording)
        self.change(outcome=None, position=-1, explained=-1)

    def selected_temporary(self) -> Temporary | None:
        state = self.state
        if state.recording is None:
            return None
        found = temporaries(state.recording, state.position, state.lane)
        return next((t for t in found if t.name == state.selected), None)

    def stops_changed(self) -> None:
        """Breakpoints or watches were set or cleared."""
        self.change(breakpoints=self.stops.everything(), watches=self.stops.watches)

    # -- sources ------------------------------------------------------------------------------

    @property
    def document(self) -> SourceDocument:
        """The source that the place is in."""
        return self._documents[self.state.place.path]

    def path_of(self, kernel: Kernel) -> str | None:
        """The path that the kernel's source is opened under; None without a source."""
        if kernel.source_path is None:
            return "" if kernel.has_source else None
        if kernel.span is not None:
            return self.path_of_file(kernel.source_path)
        path = f"{kernel.source_path}:{kernel.source_line}"
        if path not in self._documents and kernel.has_source:
            self._documents[path] = SourceDocument.of_kernel(kernel)
        return path if path in self._documents else None

    def path_of_file(self, file: str) -> str | None:
        """The path that a file of a script is opened under; None for any other source."""
        incident = self.state.incident
        if incident is None or not os.path.isabs(file):
            return None
        if file == incident.index.path:
            return ""
        if file not in self._documents:
            lines = incident.lines_of(file)
            if lines is None:
                return None
            kernels = _kernels_in(file, incident.index)
            self._documents[file] = SourceDocument.of_script(file, lines, kernels)
        return file

    def documents(self) -> Iterator[tuple[str, SourceDocument]]:
        """The wrapper or script, and the files of kernels that it does not hold, by path."""
        paths = {"": None}
        incident = self.state.incident
        if incident is not None:
            found = (self.path_of(kernel) for kernel in incident.index.kernels.values())
            paths |= dict.fromkeys(path for path in found if path is not None)
        for path in paths:
            yield path, self._documents[path]

    def open_documents(self, opened: SourceDocument) -> None:
        """Another wrapper or script is looked at."""
        self._documents = {"": opened}
        self.change(place=Place(opened.first))

    def grown(self, incident: Incident) -> None:
        """The script went on: there are more launches, perhaps of kernels not seen before."""
        for document in self._documents.values():
            if document.is_script:
                document.know(_kernels_in(document.path, incident.index))
        self.change(incident=incident)

    def source_line(self, line: int) -> tuple[str, int] | None:
        """The source, and its line, that a line of the document is, where it can run in a
        kernel."""
        document, incident = self.document, self.state.incident
        if document.is_script:
            known = incident is not None and incident.program_at(document.path, line) is not None
            return (document.path, line) if known else None
        kernel = document.kernel_at(line)
        kernel_line = kernel.kernel_line(line) if kernel is not None else None
        return (kernel.name, kernel_line) if kernel is not None and kernel_line else None

    def kernel_here(self) -> Kernel | None:
        """The kernel in whose source the cursor is."""
        return self.document.kernel_at(self.state.place.line)

    def kernel_line_here(self) -> tuple[Kernel, int] | None:
        """Kernel and kernel line of the cursor, when it is in a kernel's source."""
        kernel = self.kernel_here()
        line = kernel.kernel_line(self.state.place.line) if kernel is not None else None
        return (kernel, line) if kernel is not None and line is not None else None

    # -- places -------------------------------------------------------------------------------

    def leave(self) -> None:
        """Remember this moment, for ctrl+o."""
        self.jumps.leave(self.state)

    def go(self, place: Place, *, remember: bool = True) -> None:
        """Put the cursor on a place; on the first name of its line where it has not the name."""
        document = self._documents.get(place.path)
        if document is None:
            return
        here = self.state.place
        if remember and (place.line, place.path) != (here.line, here.path):
            self.leave()
        line = max(document.first, min(place.line, document.last))
        names = [at.name for at in document.names(line)]
        name = place.name if place.name in names else (names[0] if names else "")
        self.change(place=Place(line, name, place.path))

    def go_line(self, line: int | None, name: str = "", *, remember: bool = True) -> None:
        """Go to a line of the wrapper."""
        if line is not None:
            self.go(Place(line, name), remember=remember)

    def go_kernel_line(
        self, kernel_name: str, kernel_line: int, name: str = "", *, remember: bool = True
    ) -> None:
        """Go to a line of a kernel, in the wrapper or in the file that holds its source."""
        incident = self.state.incident
        kernel = incident.index.kernels.get(kernel_name) if incident is not None else None
        if kernel is None:
            return
        line, path = kernel.file_line(kernel_line), self.path_of(kernel)
        if line is None:
            self.go_line(kernel.line, remember=remember)
        elif path is not None:
            self.go(Place(line, name, path), remember=remember)

    def go_source_line(
        self, source: str, line: int, name: str = "", *, remember: bool = True
    ) -> None:
        """Go to a line of a source: of a kernel by its name, or of a file of the script."""
        path = self.path_of_file(source)
        if path is not None:
            self.go(Place(line, name, path), remember=remember)
        else:
            self.go_kernel_line(source, line, name, remember=remember)

    def place_of(self, source: str, line: int) -> Place | None:
        """Where a line of a source is shown: of a kernel by its name, or of a file of the script;
        None where it is not at hand."""
        path, incident = self.path_of_file(source), self.state.incident
        if path is not None:
            return Place(line, path=path)
        kernel = incident.index.kernels.get(source) if incident is not None else None
        shown = kernel.file_line(line) if kernel is not None else None
        path = self.path_of(kernel) if kernel is not None else None
        return Place(shown, path=path) if shown is not None and path is not None else None

    def text_at(self, place: Place) -> str:
        """The text of a place's line."""
        document = self._documents.get(place.path)
        return document.text(place.line) if document is not None and len(document) else ""

    def jump(self, direction: int) -> None:
        """Back to the moment before the last jump (-1), or forward again: all of it."""
        here = self.state
        move = self.jumps.back if direction < 0 else self.jumps.forward
        there = move(here)
        if there is None:
            self.say(f"There is no place to go {'back' if direction < 0 else 'forward'} to.")
            return
        fields = {
            name: getattr(there, name)
            for name in ("failure_number", "kernel", "launch", "launch_chosen", "place", "chain")
        }
        # Before the first run there was nothing to see; what has been recorded since stays.
        if there.outcome is not None:
            fields |= {name: getattr(there, name) for name in _OF_RECORDING}
        after = self.change(**fields)
        moved = (after.outcome, after.position) != (here.outcome, here.position)
        told = f"line {after.place.line}"
        if moved and after.recording is not None:
            told = f"step {after.position + 1} of {len(after.recording.steps)}"
        self.say(f"{'Back' if direction < 0 else 'Forward'} at {told}.")

    def with_outcome(self, outcome: Outcome) -> None:
        """A replay came back: its launch is the one looked at."""
        incident = self.state.incident
        launch = incident.index.launch(outcome.recording.launch) if incident is not None else None
        self.change(
            launch=launch,
            outcome=outcome,
            # All of it at once: a position of one recording means nothing in another.
            position=-1,
            explained=-1,
            selected="",
        )


def _kernels_in(file: str, index: WrapperIndex) -> list[Kernel]:
    """The kernels that a file of a script is known to hold."""
    return [kernel for kernel in index.kernels.values() if kernel.source_path == file]
