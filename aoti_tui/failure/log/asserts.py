"""Log text to asserts.

CUDA prints one line per failing thread (``assertfail`` of the device runtime)::

    <path>:<line>: <function>: block: [x,y,z], thread: [x,y,z] Assertion `<text>` failed.

Schedulers, terminals and loggers then prefix, colour, wrap and interleave such lines. XPU prints
``global id`` and ``local id`` instead. Other runtimes print lines that only resemble these; they
are told apart as :class:`~aoti_tui.failure.model.LookAlike`.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator

from aoti_tui.failure.log.look_alikes import look_alike_of
from aoti_tui.failure.model import LoggedAssert, LogReading, LookAlike, Program

_ANSI = re.compile(
    r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])|\^\[\[[0-9;]*m"
)
_PREFIX = re.compile(
    r"""(?:
      \s*\[rank\s?\d+\]:?\s?                                        # torchrun, torch.distributed
    | \s*\([\w.+-]+\s+(?:pid|ip)=[^)]*\)\s?                         # Ray
    | \s*[\w./-]+\s*\|\s                                            # docker compose
    | \s*\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\s?   # RFC 3339
    | \s*(?:stdout|stderr)\s[FP]\s                                  # container runtime logs
    | \s*\[?(?:DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL)\]?:?\s # loggers
    )""",
    re.VERBOSE,
)
_INTERESTING = re.compile(
    r"ssert|block:|thread:|global id:|local id:|unknown:|out of bounds|input_handles\[|"
    r"illegal memory access|[Aa]utotun|benchmark_all_configs|but received"
)
_TRIPLE = r"\[\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*\]"
_PATH = r"<frozen[^>]*>|unknown|[^\s\0:'\"`|\]]*\.(?:py|cuh?|cpp|h|hip|ttir|mlir)|[^\s\0:'\"`|\]]+"
_ASSERT = re.compile(
    rf"""(?:(?P<path>{_PATH})\s*:\s*(?P<line>\d+)\s*:\s*(?P<function>[^:\n`]{{0,400}}?)\s*:\s*)?
    (?P<unit>block|global\s+id)\s*:\s*{_TRIPLE}\s*,\s*(?:thread|local\s+id)\s*:\s*\[\s*(?P<thread>\d+)[\d\s,]*\]\s*
    Assertion\s*[`'‘"](?P<message>.{{1,1500}}?)[`'’"]\s*failed\.?""",
    re.VERBOSE | re.DOTALL,
)
# A whole assert on one line, which nearly every line of a long log is. What stands before the block
# and the message repeat, so they are understood once.
_PLAIN = re.compile(
    r"(.*?)block: \[(\d+),(\d+),(\d+)\], thread: \[(\d+),\d+,\d+\] Assertion `([^`]*)` failed\.?\s*"
)
# Files whose line numbers say nothing of the kernel: the frames that happened to run it.
_USELESS_FILES = frozenset({"compile_tasks.py", "triton_helpers.py", "triton_heuristics.py"})
_NEIGHBOURS = 3
_TAKEN = "\0"


def read_log(text: str) -> LogReading:
    """Every distinct assert of a log, with its programs, and what only looks like one.

    Reads prefixes, ANSI codes, progress bars, wrapped lines and several asserts on one line.
    """
    collector = _Collector()
    lines = text.split("\n")
    collector.take_plain_lines(lines)
    for start, window in _windows(lines):
        collector.read_window(start, window)
    return collector.reading(len(lines) - (lines[-1] == ""))


def clean_line(line: str) -> str:
    """A log line without colour codes, scheduler prefixes and copy artefacts."""
    line = _ANSI.sub("", line)
    if "\r" in line:
        line = line.replace("\r", "\n")
    if "&" in line:
        line = html.unescape(line)
    line = line.replace("‹", "<").replace("›", ">").replace("\u00a0", " ").replace("\u200b", "")
    for _ in range(6):
        match = _PREFIX.match(line)
        if match is None or match.end() == 0:
            break
        line = line[match.end() :]
    return line


def _windows(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Runs of lines worth reading, with neighbours for wrapped asserts; 1-based start line."""
    start: int | None = None
    last = -1
    for number, line in enumerate(lines):
        if _INTERESTING.search(line) is None:
            continue
        if start is None:
            start = max(0, number - _NEIGHBOURS)
        elif number - last > 2 * _NEIGHBOURS:
            yield start + 1, lines[start : last + 1 + _NEIGHBOURS]
            start = number - _NEIGHBOURS
        last = number
    if start is not None:
        yield start + 1, lines[start : last + 1 + _NEIGHBOURS]


class _Collector:
    def __init__(self) -> None:
        self.found: dict[tuple[str, int | None, str], _Growing] = {}
        self.look_alikes: dict[tuple[str, str], LookAlike] = {}
        self.autotune_line: int | None = None

    def take_plain_lines(self, lines: list[str]) -> None:
        """Reads the asserts that stand on one line and takes those lines out of ``lines``."""
        known: dict[tuple[str, str], _Growing | None] = {}
        for number, line in enumerate(lines):
            if "block: [" not in line:
                continue
            match = _PLAIN.fullmatch(line)
            if match is None or "Assertion" in match[1]:
                continue
            key = (match[1], match[6])
            if key not in known:
                whole = _ASSERT.search(clean_line(line))
                known[key] = self._grow(whole, number + 1) if whole and whole["path"] else None
            growing = known[key]
            if growing is None:
                continue
            growing.programs[(int(match[2]), int(match[3]), int(match[4]))] = None
            growing.saw_thread(int(match[5]))
            lines[number] = _TAKEN

    def read_window(self, start: int, window: list[str]) -> None:
        cleaned = [clean_line(line) for line in window]
        offsets: list[int] = []
        position = 0
        for line in cleaned:
            offsets.append(position)
            position += len(line) + 1
        text = "\n".join(cleaned)
        taken: list[tuple[int, int]] = []
        for match in _ASSERT.finditer(text):
            self._add(match, start + _line_at(offsets, match.start("unit")))
            taken.append(match.span())
        rest, rest_offsets = _without(text, taken)
        if "ssertion" in rest:
            # A terminal that wraps breaks words anywhere; joining the pieces undoes it.
            joined = rest.replace("\n", "")
            positions = [o for c, o in zip(rest, rest_offsets, strict=True) if c != "\n"]
            for match in _ASSERT.finditer(joined):
                at = positions[min(match.start("unit"), len(positions) - 1)]
                self._add(match, start + _line_at(offsets, at))
            rest = _ASSERT.sub("", joined) if _ASSERT.search(joined) else rest
        for number, line in enumerate(cleaned):
            self._look(line, start + number)

    def _add(self, match: re.Match[str], log_line: int) -> None:
        growing = self._grow(match, log_line)
        if growing is not None:
            growing.programs[(int(match[5]), int(match[6]), int(match[7]))] = None
            growing.saw_thread(int(match["thread"]))

    def _grow(self, match: re.Match[str], log_line: int) -> _Growing | None:
        """Where programs of this assert are gathered; None for what only looks like one."""
        message = " ".join(match["message"].split())
        path = (match["path"] or "").strip()
        line = int(match["line"]) if match["line"] else None
        alike = look_alike_of(match[0], log_line)
        if alike is not None:
            self.look_alikes.setdefault((alike.kind, message), alike)
            return None
        name = path.rsplit("/", 1)[-1]
        if not path.endswith(".py") or name in _USELESS_FILES or line == 0:
            line = None
        # A wrapped line can break a word, so spaces have no part in what is the same assert.
        key = (name, line, "".join(message.split()))
        growing = self.found.get(key)
        if growing is None:
            growing = self.found[key] = _Growing(log_line, path, message)
        elif growing.broken and "\n" not in match["message"]:
            growing.message = message
        growing.broken = growing.broken and "\n" in match["message"]
        growing.log_line = min(growing.log_line, log_line)
        return growing

    def _look(self, line: str, number: int) -> None:
        if _ASSERT.search(line):
            return
        alike = look_alike_of(line, number)
        if alike is None:
            return
        if alike.kind == "autotune":
            if self.autotune_line is None:
                self.autotune_line = number
            return
        self.look_alikes.setdefault((alike.kind, alike.text), alike)

    def reading(self, lines: int) -> LogReading:
        asserts = tuple(
            LoggedAssert(
                g.path, line, g.message, tuple(g.programs), g.threads, g.log_line, g.highest_thread
            )
            for (_, line, _), g in self.found.items()
        )
        notes: list[str] = []
        if self.autotune_line is not None and asserts:
            notes.append(
                f"log line {self.autotune_line} speaks of autotuning: should the assert have fired "
                "while Inductor benchmarked a kernel, its data may have been made up and not yours"
            )
        return LogReading(
            tuple(sorted(asserts, key=lambda a: a.log_line)),
            tuple(sorted(self.look_alikes.values(), key=lambda a: a.log_line))[:50],
            tuple(notes),
            lines,
        )


class _Growing:
    __slots__ = ("broken", "highest_thread", "log_line", "message", "path", "programs", "threads")

    def __init__(self, log_line: int, path: str, message: str) -> None:
        self.path = path
        self.message = message
        self.broken = True
        self.programs: dict[Program, None] = {}
        self.threads = 0
        self.highest_thread = 0
        self.log_line = log_line

    def saw_thread(self, thread: int) -> None:
        self.threads += 1
        self.highest_thread = max(self.highest_thread, thread)


def _line_at(offsets: list[int], position: int) -> int:
    low, high = 0, len(offsets) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if offsets[middle] <= position:
            low = middle
        else:
            high = middle - 1
    return low


def _without(text: str, spans: Iterable[tuple[int, int]]) -> tuple[str, list[int]]:
    """The text outside of ``spans`` and, for each kept character, its position in ``text``.

    A removed span leaves a character that no assert can match across.
    """
    kept: list[str] = []
    positions: list[int] = []
    last = 0
    for begin, end in spans:
        kept.append(text[last:begin] + "\0")
        positions.extend(range(last, begin))
        positions.append(begin)
        last = end
    kept.append(text[last:])
    positions.extend(range(last, len(text)))
    return "".join(kept), positions
