"""The breakpoints of one wrapper or script: by source, kept between runs, with reasons in words."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from aoti_tui.kernel.model import KernelProgram
from aoti_tui.replay.model import Recording
from aoti_tui.replay.recorded.breakpoints import (
    Breakpoint,
    Stop,
    condition_problem,
    continue_from,
    hits,
    toggled,
    unknown_names,
    why_not,
)
from aoti_tui.session.kept.config import Config, save_memory
from aoti_tui.session.source.document import SourceDocument
from aoti_tui.session.text import line_words

_TYPED = re.compile(
    r"(?P<condition>.*?)(?:(?:^|\s+)after\s+(?P<hits>\d+)(?:\s+hits?)?)?"
    r"(?:(?:^|\s+)log\s+(?P<log>.+))?",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Numbered:
    """A breakpoint (``at``) or a watchpoint (``watch``, its expression) with its number."""

    number: int
    source: str = ""
    at: Breakpoint | None = None
    watch: str = ""
    on: bool = True

    @property
    def enabled(self) -> bool:
        return self.at.enabled if self.at is not None else self.on

    @property
    def text(self) -> str:
        """``2  breakpoint  kernel line 46 of triton_poi_fused_0 if tmp4 < 0, disabled``."""
        off = "" if self.enabled else ", disabled"
        if self.at is None:
            return f"{self.number}  watchpoint  {self.watch}{off}"
        where = line_words(self.source, self.at.kernel_line or 0)
        rest = self.at.describe().partition(f"line {self.at.kernel_line}")[2]
        of = "" if where.startswith("line") else f" of {self.source}"
        return f"{self.number}  breakpoint  {where}{of}{rest}{off}"


@dataclass(slots=True)
class _Known:
    """Hits before position ``end``."""

    found: list[int]
    end: int


class Stops:
    """Breakpoints by source. Every change is written to the user's state folder.

    A wrapper's kernel has a source of its own, called after it; the kernels of a script share
    files, and a line of a helper stops in whichever of them runs it.
    """

    def __init__(self, opened: str, config: Config) -> None:
        self._opened = opened
        self._config = config
        self._by_source: dict[str, list[Breakpoint]] = {}
        for stored in config.breakpoints.get(self._opened, []):
            found = _restored(stored)
            if found is not None:
                # Two instances may each have given a line another condition: the later counts.
                others = self._by_source.get(found.file, [])
                others = [one for one in others if one.kernel_line != found.kernel_line]
                self._by_source[found.file] = [*others, found]
        self.restored = len(self.everything())
        """Breakpoints that were kept from an earlier run."""
        self._numbers: dict[tuple[str, int | None], int] = {}
        self._watched: dict[int, Numbered] = {}
        self._next = 1
        self._hits_in: Recording | None = None
        self._hits: dict[tuple[str, int | None, str], _Known] = {}

    @property
    def watches(self) -> tuple[str, ...]:
        """Watch expressions, oldest first, of this wrapper or script."""
        return tuple(self._config.watches.get(self._opened, ()))

    def replace_watch(self, old: str, new: str) -> str:
        """Put a watch expression in the place of another one (at the end where there is no
        ``old``), or remove that one for ``""``; a sentence when it is not kept."""
        kept = [new if text == old else text for text in self.watches]
        if old not in kept and new not in kept:
            kept.append(new)
        self._config.watches[self._opened] = [text for text in kept if text]
        return save_memory(self._config)

    # -- by number ----------------------------------------------------------------------------

    def numbered(self) -> dict[int, Numbered]:
        """Breakpoints and watchpoints by numbers that stay theirs, as a debugger gives them."""
        found = dict(self._watched)
        for source, one in self.everything():
            number = self.number_at(source, one.kernel_line or 0)
            found[number] = Numbered(number, source, one)
        return dict(sorted(found.items()))

    def number_at(self, source: str, line: int) -> int:
        """The number of the breakpoint on a line; 0 where there is none."""
        if self.at(source, line) is None:
            return 0
        if (source, line) not in self._numbers:
            self._numbers[source, line] = self._next
            self._next += 1
        return self._numbers[source, line]

    def watch(self, expression: str) -> int:
        """Stop where the value of an expression changes; the watchpoint's number."""
        number, self._next = self._next, self._next + 1
        self._watched[number] = Numbered(number, watch=expression)
        return number

    def remove(self, one: Numbered) -> str:
        """Delete a breakpoint or watchpoint; what came of it, in words."""
        if one.at is not None:
            return self.clear(one.source, one.at.kernel_line or 0)
        del self._watched[one.number]
        return f"Watchpoint {one.number} deleted."

    def able(self, one: Numbered, enabled: bool) -> str:
        """Enable or disable one; what came of it, in words."""
        done = "enabled" if enabled else "disabled"
        if one.at is None:
            self._watched[one.number] = replace(one, on=enabled)
            return f"Watchpoint {one.number} {done}."
        problem = self._put(one.source, one.at, replace(one.at, enabled=enabled))
        return f"Breakpoint {one.number} {done}.{problem}"

    def ignore(self, one: Numbered, count: int) -> str:
        """Let the first hits of a breakpoint pass; what came of it, in words."""
        assert one.at is not None
        problem = self._put(one.source, one.at, replace(one.at, ignore=count))
        return f"Breakpoint {one.number} lets its first {count} hits pass.{problem}"

    # -- by place -----------------------------------------------------------------------------

    def of(self, source: str) -> tuple[Breakpoint, ...]:
        return tuple(self._by_source.get(source, ()))

    def everything(self) -> tuple[tuple[str, Breakpoint], ...]:
        return tuple((source, b) for source, found in self._by_source.items() for b in found)

    def at(self, source: str, kernel_line: int) -> Breakpoint | None:
        return next((b for b in self.of(source) if b.kernel_line == kernel_line), None)

    def speaking_of(self, recording: Recording) -> tuple[Breakpoint, ...]:
        """Those that can stop in a recording."""
        files = sources_of(recording)
        return tuple(one for source, one in self.everything() if source in files)

    def _put(self, source: str, old: Breakpoint | None, new: Breakpoint | None) -> str:
        found = [b for b in self._by_source.get(source, []) if b is not old]
        if new is not None:
            found.append(new)
        else:
            self._numbers.pop((source, old.kernel_line if old is not None else None), None)
        self._by_source[source] = found
        return self._keep()

    def _keep(self) -> str:
        self._config.breakpoints[self._opened] = [
            {"kernel": source, **asdict(one)} for source, one in self.everything()
        ]
        problem = save_memory(self._config)
        return f" {problem}" if problem else ""

    def set(self, source: str, program: KernelProgram, kernel_line: int, name: str) -> str:
        """Set a breakpoint on a line that is called ``name``; what came of it, in words."""
        wanted = Breakpoint(kernel_line=kernel_line, file=source)
        reason = why_not(program, wanted)
        if reason is not None:
            return f"No breakpoint: {reason}."
        told = f" ({name})" if name else ""
        where = line_words(source, kernel_line)
        return f"Breakpoint set: {where}{told}.{self._put(source, None, wanted)}"

    def clear(self, source: str, kernel_line: int) -> str:
        """Clear the breakpoint of a line; ``""`` when there is none."""
        there = self.at(source, kernel_line)
        if there is None:
            return ""
        return f"Breakpoint cleared: {there.describe()}.{self._put(source, there, None)}"

    def clear_all(self) -> str:
        """Clear all; how many there were, in words."""
        count = len(self.everything()) + len(self._watched)
        self._watched.clear()
        self._numbers.clear()
        if not count:
            return "There is no breakpoint to clear; b sets one on a line of a kernel."
        self._by_source.clear()
        cleared = f"{count} breakpoint{'s' if count > 1 else ''} cleared"
        return f"{cleared}; b sets one again, on a line of a kernel.{self._keep()}"

    def toggle_state(self, source: str, kernel_line: int) -> str:
        """Disable or enable; ``""`` when there is none on the line."""
        there = self.at(source, kernel_line)
        if there is None:
            return ""
        problem = self._put(source, there, toggled(there))
        return (
            f"Breakpoint {'disabled' if there.enabled else 'enabled'}: {there.describe()}.{problem}"
        )

    def condition(self, source: str, kernel_line: int) -> str:
        """The breakpoint's condition as it is typed: ``tmp10 < 0 after 2 hits log tmp4``."""
        there = self.at(source, kernel_line)
        if there is None:
            return ""
        _, _, rest = there.describe().partition(f"line {kernel_line}")
        return rest.strip().removeprefix("if ")

    def problem(self, program: KernelProgram, kernel_line: int, condition: str) -> str:
        """Why a condition cannot be set there, or ``""``."""
        wanted = _worded(Breakpoint(kernel_line=kernel_line), condition)
        return why_not(program, wanted) or unknown_names(program, wanted)

    def set_condition(
        self, source: str, kernel_line: int, condition: str, *, once: bool = False
    ) -> str:
        """Give the line's breakpoint (or a new one) a condition; ``once``: until its first stop."""
        there = self.at(source, kernel_line)
        base = there if there is not None else Breakpoint(kernel_line=kernel_line, file=source)
        changed = replace(_worded(base, condition), once=once)
        return f"Breakpoint set: {changed.describe()}.{self._put(source, there, changed)}"

    def run(self, recording: Recording, position: int, direction: int) -> Stop:
        """Where running from ``position`` in ``direction`` ends."""
        watches = [one.watch for one in self._watched.values() if one.on]
        return continue_from(recording, position, self.speaking_of(recording), direction, watches)

    def hits(self, recording: Recording, one: Breakpoint, position: int) -> Sequence[int]:
        """Positions up to ``position`` at which a breakpoint that speaks of the recording was hit.

        A condition is worked out once for each position, and for none that was not reached.
        """
        if recording is not self._hits_in:
            self._hits_in, self._hits = recording, {}
        known = self._hits.setdefault((one.file, one.kernel_line, one.condition), _Known([], 0))
        if position >= known.end:
            known.found += hits(recording, one, range(known.end, position + 1))
            known.end = position + 1
        return known.found[: bisect_right(known.found, position)]

    def positions(self, recording: Recording) -> frozenset[int]:
        """Steps that enabled breakpoints speak of, for the timeline."""
        armed = [one for one in self.speaking_of(recording) if one.enabled]
        lines = {(one.file or recording.file, one.kernel_line) for one in armed}
        return frozenset(s.position for s in recording.steps if (s.file, s.kernel_line) in lines)

    def lines(self, document: SourceDocument) -> dict[int, bool]:
        """Lines of a document with a breakpoint, and whether it is enabled."""
        found: dict[int, bool] = {}
        for source, one in self.everything():
            line = document.line_of(source, one.kernel_line or 0)
            if line is not None:
                found[line] = one.enabled
        return found


def sources_of(recording: Recording) -> frozenset[str]:
    """The sources whose lines a recorded program runs."""
    return frozenset((recording.file, *(step.file for step in recording.steps)))


def _worded(base: Breakpoint, text: str) -> Breakpoint:
    """A breakpoint with what was typed: a condition, hits to let pass, a value to write down."""
    match = _TYPED.fullmatch(text.strip())
    assert match is not None  # every part is optional, and the first takes anything
    return replace(
        base,
        condition=match["condition"].strip(),
        ignore=int(match["hits"] or 0),
        log=(match["log"] or "").strip(),
    )


def _restored(stored: dict[str, Any]) -> Breakpoint | None:
    """A breakpoint from the state file, or None when the file says something else."""
    line = stored.get("kernel_line")
    if not isinstance(line, int) or not isinstance(stored.get("kernel"), str):
        return None
    known = {field.name for field in fields(Breakpoint)}
    values = {name: value for name, value in stored.items() if name in known}
    kinds = {"condition": str, "enabled": bool, "ignore": int, "log": str, "once": bool}
    if any(not isinstance(values.get(name, kind()), kind) for name, kind in kinds.items()):
        return None
    values |= {"name": None, "file": stored["kernel"]}
    found = Breakpoint(**values)
    return found if condition_problem(found) is None else None
