"""Lines of the same assert, gathered: which programs, how many threads."""

from __future__ import annotations

from aoti_tui.failure.log.forms import FoundAssert
from aoti_tui.failure.log.work_groups import group_size, in_programs
from aoti_tui.failure.model import LoggedAssert, Program

# Files whose line numbers say nothing of the kernel: the frames that happened to run it.
_USELESS_FILES = frozenset({"compile_tasks.py", "triton_helpers.py", "triton_heuristics.py"})
MOST_PROGRAMS = 100_000
"""Distinct programs that are kept of a log, all asserts together."""
_MOST_ASSERTS = 200


class Gathered:
    """One distinct assert while the log is read."""

    __slots__ = (
        "broken", "form", "highest_thread", "line", "log_line", "message", "path", "threads",
        "units",
    )  # fmt: skip

    def __init__(self, found: FoundAssert, line: int | None, message: str, log_line: int) -> None:
        self.form = found.form
        self.path = found.path
        self.line = line
        self.message = message
        self.broken = True
        self.units: dict[Program, None] = {}
        self.threads = 0
        self.highest_thread = 0
        self.log_line = log_line

    def saw(self, unit: Program | None, thread: Program | None, all_of_them: Gathering) -> None:
        if self.form != "bare":
            self.threads += 1
        if unit is None or thread is None:
            return
        if self.form == "xpu":
            unit = (unit[0] - thread[0], unit[1] - thread[1], unit[2] - thread[2])
        if unit not in self.units and all_of_them.room():
            self.units[unit] = None
        if thread[0] > self.highest_thread:
            self.highest_thread = thread[0]

    def logged(self) -> LoggedAssert:
        units = tuple(self.units)
        size = group_size(units, self.highest_thread) if self.form == "xpu" else None
        known = self.form != "xpu" or size is not None
        programs = in_programs(units, size or 1) if known else ()
        return LoggedAssert(
            self.path,
            self.line,
            self.message,
            programs,
            self.threads,
            self.log_line,
            self.highest_thread,
            self.form,
            () if known else units,
        )


class Gathering:
    """The distinct asserts of a log: same file, line and text."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, int | None, str], Gathered] = {}
        self._room = MOST_PROGRAMS
        self._left_out = 0

    def room(self) -> bool:
        self._room -= 1
        return self._room >= 0

    def place_of(self, found: FoundAssert, log_line: int) -> Gathered | None:
        """Where programs of this assert are gathered; None when there are too many asserts."""
        message = " ".join(found.message.split())
        name = found.path.replace("\\", "/").rsplit("/", 1)[-1]
        line = found.line
        if not name.endswith(".py") or name in _USELESS_FILES or line == 0:
            line = None
        # A wrapped line can break a word, so spaces have no part in what is the same assert.
        key = (name, line, "".join(message.split()))
        gathered = self._found.get(key)
        whole = "\n" not in found.message and "\r" not in found.message
        if gathered is None:
            if len(self._found) >= _MOST_ASSERTS:
                self._left_out += 1
                return None
            gathered = self._found[key] = Gathered(found, line, message, log_line)
        elif gathered.broken and whole:
            gathered.message = message
        gathered.broken = gathered.broken and not whole
        gathered.log_line = min(gathered.log_line, log_line)
        return gathered

    def asserts(self) -> tuple[LoggedAssert, ...]:
        """In order of appearance; a bare text that a whole line repeats is left out."""
        whole = {key[2] for key, g in self._found.items() if g.form != "bare"}
        kept = [
            g.logged() for key, g in self._found.items() if g.form != "bare" or key[2] not in whole
        ]
        return tuple(sorted(kept, key=lambda a: a.log_line))

    @property
    def notes(self) -> tuple[str, ...]:
        notes: list[str] = []
        if self._room < 0:
            notes.append(f"the log names more programs than are kept ({MOST_PROGRAMS:,})")
        if self._left_out:
            notes.append(f"the log has more distinct asserts than are kept ({_MOST_ASSERTS:,})")
        return tuple(notes)
