"""Reading a log: its distinct asserts with their programs, and what else it tells.

Schedulers, terminals and loggers prefix, colour, wrap and interleave the lines of an assert (its
forms: :mod:`aoti_tui.failure.log.forms`); other lines only resemble it and are told apart as
:class:`~aoti_tui.failure.model.LookAlike`. A log is read once, line by line, in time linear in its
length, and only what matters is kept.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator

from aoti_tui.artifacts.log_file import LogText, lines_of
from aoti_tui.failure.log import autotuning, faults, frames, loading
from aoti_tui.failure.log.forms import (
    FoundAssert,
    asserts_in,
    bare_asserts_in,
    message_at,
    place_before,
)
from aoti_tui.failure.log.gathering import Gathered, Gathering
from aoti_tui.failure.log.lines import clean_line
from aoti_tui.failure.log.look_alikes import look_alike_of
from aoti_tui.failure.model import AssertForm, Autotuning, LogReading, LookAlike

_WORDS = (
    "ssert",
    "block:",
    "thread:",
    "global id",
    "local id",
    "unknown:",
    "out of bounds",
    "input_handles[",
    "but received",
    "Exception raised from",
    *faults.WORDS,
    *autotuning.WORDS,
)
"""What every line worth reading has one of."""
_NEIGHBOURS = 3
_LARGEST_WINDOW = 1 << 17
_TAKEN = "\0"
# An assert that stands on one line, which nearly every line of a long log is. What stands before
# the block and the message repeat, so they are understood once.
_ONE_LINE = re.compile(
    r"(block|global id): \[(\d{1,10}),(\d{1,10}),(\d{1,10})\], "
    r"(?:thread|local id): \[(\d{1,10}),(\d{1,10}),(\d{1,10})\] "
    r"Assertion (`[^`\n]{1,1500}`|index out[^`'\"\n]{1,400}?) failed\b"
)
_MOST_KNOWN = 4096
_LONGEST_KNOWN = 4096
_MOST_LOOK_ALIKES = 50


def read_log(log: LogText) -> LogReading:
    """Every distinct assert of a log, with its programs, and what only looks like one.

    Reads prefixes, ANSI codes, records of JSON loggers, progress bars, wrapped lines and several
    asserts on one line.
    """
    reader = _Reader()
    for start, window in reader.windows(lines_of(log) if isinstance(log, str) else log):
        reader.read_window(start, window)
    return reader.reading()


class _Reader:
    def __init__(self) -> None:
        self.asserts = Gathering()
        self.look_alikes: dict[tuple[str, str], LookAlike] = {}
        self.faults = faults.FaultReader()
        self.autotuning: Autotuning | None = None
        self.frames = frames.FrameReader()
        self.loading = loading.LoadingReader()
        self.lines = 0
        self._known: dict[tuple[str, str], Gathered | None] = {}
        self._asserting: set[int] = set()

    def windows(self, lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
        """Runs of lines worth reading, with neighbours for wrapped asserts; 1-based start line.

        Asserts that stand on one line are taken on the way and are in no window.
        """
        before: deque[str] = deque(maxlen=_NEIGHBOURS)
        window: list[str] = []
        start = quiet = size = 0
        number = 1
        for line in lines:
            self.frames.take(line, number)
            self.loading.take(line, number)
            if self._take_one_line(line, number):
                worth = False
                line = _TAKEN + "\n"
            else:
                worth = any(word in line for word in _WORDS)
            if worth and not window:
                window, start = list(before), number - len(before)
                size = 0
            if window or worth:
                window.append(line)
                size += len(line)
                quiet = 0 if worth else quiet + 1
                if quiet > 2 * _NEIGHBOURS:
                    yield start, window[: _NEIGHBOURS - quiet]
                    window = []
                elif size > _LARGEST_WINDOW and (
                    line.rstrip().endswith(("failed", "failed.")) or size > 2 * _LARGEST_WINDOW
                ):
                    yield start, window
                    window = []
                    before.clear()
                    line = _TAKEN + "\n"
            before.append(line)
            if line.endswith("\n"):
                number += 1
                self.lines = number - 1
            else:
                self.lines = number
        if window:
            yield start, window[: len(window) - max(quiet - _NEIGHBOURS, 0)]

    def _take_one_line(self, line: str, number: int) -> bool:
        if "device assertion failed: '" in line:
            return self._take_repeated(line, number)
        at = line.find("block: [")
        if at < 0:
            at = line.find("global id: [")
            if at < 0:
                return False
        match = _ONE_LINE.match(line, at)
        if (
            match is None
            or at > _LONGEST_KNOWN
            or "Assertion" in line[match.end() :]
            or "%|" in match[8]
        ):
            return False
        head = line[:at]
        slash = max(head.rfind("/"), 0)
        # Times and ranks before the path differ from line to line.
        key = (head[slash:] if ".py:" in head[slash:] else head, match[8])
        if key not in self._known:
            found = self._understood(head, match)
            if found is None:
                return False
            self._remember(key, self._gathered(found, f"{head}{match[0]}", number))
        gathered = self._known[key]
        if gathered is not None:
            gathered.saw(
                (int(match[2]), int(match[3]), int(match[4])),
                (int(match[5]), int(match[6]), int(match[7])),
                self.asserts,
            )
        return True

    def _take_repeated(self, line: str, number: int) -> bool:
        """HIP prints the same line for every lane."""
        key = (line, "")
        if key not in self._known:
            found = list(asserts_in(clean_line(line)))
            if len(found) != 1 or len(line) > _LONGEST_KNOWN:
                return False
            self._remember(key, self._gathered(found[0], "", number))
        gathered = self._known[key]
        if gathered is not None:
            gathered.saw(None, None, self.asserts)
        return True

    def _remember(self, key: tuple[str, str], gathered: Gathered | None) -> None:
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._known[key] = gathered

    def _understood(self, head: str, match: re.Match[str]) -> FoundAssert | None:
        head = clean_line(head)
        _, path, line = place_before(head, len(head))
        said = clean_line(f"Assertion {match[8]} failed")
        message = message_at(said, len("Assertion "))
        if not path or message is None or "Assertion" in head:
            return None
        form: AssertForm = "cuda" if match[1] == "block" else "xpu"
        return FoundAssert(form, 0, 0, 0, path, line, message[0])

    def _gathered(self, found: FoundAssert, text: str, number: int) -> Gathered | None:
        """Where programs of this assert are gathered; None for what only looks like one."""
        if found.form in ("cuda", "xpu"):
            alike = look_alike_of(text, number)
            if alike is not None:
                self._add_look_alike(alike, " ".join(found.message.split()))
                return None
        return self.asserts.place_of(found, number)

    def _add_look_alike(self, alike: LookAlike, text: str) -> None:
        if len(self.look_alikes) < _MOST_LOOK_ALIKES:
            self.look_alikes.setdefault((alike.kind, text), alike)

    def read_window(self, start: int, window: list[str]) -> None:
        cleaned = [clean_line(line.rstrip("\n")).replace("\n", "\r") for line in window]
        text = "\n".join(cleaned)
        numbers = _Numbers(cleaned, start, 1)
        rest = self._take(text, asserts_in(text), numbers)
        if "ssertion" in rest:
            # A terminal that wraps breaks words anywhere; joining the pieces undoes it.
            pieces = rest.replace("\r", "").split("\n")
            joined = "".join(pieces)
            numbers = _Numbers(pieces, start, 0)
            left = self._take(joined, asserts_in(joined), numbers)
            if left != joined:
                self._take(left, bare_asserts_in(left), numbers)
                rest = ""
        self._take(rest, bare_asserts_in(rest), _Numbers(rest.split("\n"), start, 1))
        for number, line in enumerate(cleaned, start):
            if line != _TAKEN:
                self._look(line, number, asserting=number in self._asserting)
        self._asserting.clear()

    def _take(self, text: str, found: Iterable[FoundAssert], numbers: _Numbers) -> str:
        """Gathers asserts of a text; gives the text without them, line by line."""
        kept: list[str] = []
        last = 0
        for one in found:
            gathered = self._gathered(one, text[one.start : one.end], numbers.of(one.at))
            if gathered is not None:
                gathered.saw(one.unit, one.thread, self.asserts)
            self._asserting.update(range(numbers.of(one.start), numbers.of(one.end - 1) + 1))
            # A character that no assert can match across.
            breaks = text.count("\n", one.start, one.end)
            kept.append(text[last : max(one.start, last)] + _TAKEN + "\n" * breaks)
            last = one.end
        kept.append(text[last:])
        return "".join(kept)

    def _look(self, line: str, number: int, *, asserting: bool) -> None:
        self.autotuning = autotuning.autotuning_of(line, number, self.autotuning)
        self.faults.take(line, number)
        if asserting:
            return
        alike = look_alike_of(line, number)
        if alike is not None:
            # A runtime says the same of an access in several ways.
            self._add_look_alike(alike, "" if alike.kind == "illegal-memory-access" else alike.text)

    def reading(self) -> LogReading:
        asserts = self.asserts.asserts()
        notes = list(self.asserts.notes)
        if self.autotuning is not None and asserts:
            notes.append(autotuning.autotuning_words(self.autotuning))
        alike = list(self.look_alikes.values())
        if self.loading.found is not None:
            alike.append(loading.loading_look_alike(self.loading.found))
        return LogReading(
            asserts,
            tuple(sorted(alike, key=lambda a: a.log_line)),
            tuple(notes),
            self.lines,
            self.faults.found,
            self.autotuning,
            tuple(self.frames.found),
            self.loading.found,
        )


class _Numbers:
    """The log line of a position in lines that were joined with ``gap`` characters between."""

    def __init__(self, lines: list[str], start: int, gap: int) -> None:
        self._start = start
        self._offsets: list[int] = []
        position = 0
        for line in lines:
            self._offsets.append(position)
            position += len(line) + gap

    def of(self, position: int) -> int:
        low, high = 0, len(self._offsets) - 1
        while low < high:
            middle = (low + high + 1) // 2
            if self._offsets[middle] <= position:
                low = middle
            else:
                high = middle - 1
        return self._start + low
