"""Code that stands in a log: TORCH_LOGS=output_code and kernel_code, TORCH_TRACE, pasted files.

Formats: torch/_logging/_internal.py (``TorchLogsFormatter`` prefixes every line of a record, and
puts the name of an artifact log between brackets; ``trace_structured`` writes one JSON line and
indents the payload with a tab), torch/_inductor/graph.py (``Output code:``, ``Output code written
to:``), torch/_inductor/async_compile.py (``Triton Kernel:``). Streams of several processes and of
several logs interleave line by line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

_PREFIX = re.compile(
    r"(?:\[rank(?P<rank>\d{1,6})\]:?\s?)?[VIWEF]\d{4} \d\d:\d\d:\d\d\.\d+ (?P<process>\d{1,10}) "
    r"(?P<place>\S{1,300}:\d{1,7})\] (?P<rest>.*)",
    re.S,
)
_STAMP = re.compile(r"[VIWEF]\d{4} \d\d:\d\d:\d\d\.\d+ \d")
"""What every prefix has: most lines of a log have none, and this is found out faster."""
_TAG = re.compile(
    r"(?P<frame>\[[\d/_!]{1,40}\] )?(?:\[\d/?\w*\] )?\[__(?P<log>[a-z_]{1,40})\] ?(?P<said>.*)",
    re.S,
)
# torch 2.0 to 2.2: [2023-11-01 12:00:00,000] [0/0] torch._inductor.graph.__output_code: [DEBUG] …
_OLD_PREFIX = re.compile(
    r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d+\] (?P<frame>\[[\d/_]{1,40}\] )?"
    r"torch\.[\w.]{1,100}\.__(?P<log>[a-z_]{1,40}): \[\w+\] ?(?P<said>.*)",
    re.S,
)
_BEGINS = "Output code: "
_ENDS = "Output code written to: "
_KERNEL = "Triton Kernel:"
_PASTED = "# AOT ID: ["
_PASTED_END = "compiled_module_main("
_MOST_CHARACTERS = 256 * 1024 * 1024

CodeKind = Literal["graph", "kernel", "inputs"]
"""A whole wrapper, the source of one kernel, or the signature of a graph as dynamo names it."""


@dataclass(frozen=True, slots=True)
class LoggedCode:
    """A piece of code that a log holds."""

    kind: CodeKind
    text: str
    log_line: int
    """1-based line of the log on which it begins."""
    written_to: str = ""
    """The file that Inductor wrote it to, as the log says."""
    frame: str = ""
    """``0/0_1``: the frame that was compiled and which attempt it was."""


@dataclass(slots=True)
class _Block:
    kind: CodeKind
    log_line: int
    frame: str = ""
    written_to: str = ""
    lines: list[str] = field(default_factory=list)


class CodeReader:
    """Collects code while a log is read: pass the lines through :meth:`watch`."""

    def __init__(self) -> None:
        self.found: list[LoggedCode] = []
        self._open: dict[tuple[str, str, str], _Block] = {}
        self._trace: _Block | None = None
        self._pasted: _Block | None = None
        self._number = 0
        self._room = _MOST_CHARACTERS

    def watch(self, lines: Iterable[str]) -> Iterator[str]:
        """Hands the lines on, and takes the code out of them; :attr:`found` is whole after it."""
        for line in lines:
            self._number += 1
            self._take(line.rstrip("\n").rstrip("\r"))
            yield line
        self.close()

    def close(self) -> None:
        """Ends what the log did not end."""
        for block in (*self._open.values(), self._trace, self._pasted):
            if block is not None:
                self._add(block)
        self._open.clear()
        self._trace = self._pasted = None

    def _take(self, line: str) -> None:
        if self._trace is not None:
            if line.startswith("\t"):
                self._keep(self._trace, line[1:])
                return
            self._add(self._trace)
            self._trace = None
        tagged = self._tagged(line)
        if tagged is not None:
            self._logged(*tagged)
        elif self._pasted is not None:
            self._keep(self._pasted, line)
            if _PASTED_END in line:
                self._add(self._pasted)
                self._pasted = None
        elif line.startswith(_PASTED):
            self._pasted = _Block("graph", self._number)
            self._keep(self._pasted, line)

    def _tagged(self, line: str) -> tuple[tuple[str, str, str], str, str] | None:
        """The stream, the frame and the text of a line of TORCH_LOGS; None for another line."""
        if ".__" in line:
            old = _OLD_PREFIX.search(line)
            if old is not None:
                return ("", "", old["log"]), (old["frame"] or "").strip("[] "), old["said"]
        if "] " not in line or _STAMP.search(line) is None:
            return None
        prefix = _PREFIX.search(line)
        if prefix is None:
            return None
        rest = prefix["rest"]
        if rest.startswith("{"):
            self._traced(rest)
            return None
        tag = _TAG.match(rest)
        if tag is None:
            return None
        stream = (prefix["rank"] or "", prefix["process"], tag["log"])
        return stream, (tag["frame"] or "").strip("[] "), tag["said"]

    def _traced(self, header: str) -> None:
        code, dynamo = '"inductor_output_code"' in header, '"dynamo_output_graph"' in header
        if not (code or dynamo) or '"has_payload"' not in header:
            return
        try:
            record = json.loads(header)
        except (ValueError, RecursionError):
            return
        frame = f"{record.get('frame_id', '')}/{record.get('frame_compile_id', '')}"
        said = record.get("inductor_output_code") if code else None
        to = str(said.get("file_path") or said.get("filename") or "") if said else ""
        self._trace = _Block("graph" if code else "inputs", self._number, frame, to)

    def _logged(self, stream: tuple[str, str, str], frame: str, said: str) -> None:
        log = stream[2]
        if log == "output_code":
            if said.startswith(_BEGINS):
                self._begin(stream, "graph", frame, said.removeprefix(_BEGINS))
            elif said.startswith(_ENDS):
                self._end(stream, said.removeprefix(_ENDS).strip())
            elif stream in self._open:
                self._keep(self._open[stream], said)
        elif log == "kernel_code":
            if said.startswith(_KERNEL):
                self._begin(stream, "kernel", frame, "")
            elif said.startswith(("kernel path", _ENDS)):
                self._end(stream, "")
            elif stream in self._open:
                self._keep(self._open[stream], said)
        elif log == "graph_code":
            if said.lstrip().startswith(("TRACED GRAPH", "===== ")):
                self._begin(stream, "inputs", frame, "")
            elif stream in self._open:
                self._keep(self._open[stream], said)

    def _begin(self, stream: tuple[str, str, str], kind: CodeKind, frame: str, first: str) -> None:
        self._end(stream, "")
        block = self._open[stream] = _Block(kind, self._number + (0 if first else 1), frame)
        if first:
            self._keep(block, first)

    def _end(self, stream: tuple[str, str, str], written_to: str) -> None:
        block = self._open.pop(stream, None)
        if block is not None:
            block.written_to = written_to
            self._add(block)

    def _keep(self, block: _Block, text: str) -> None:
        self._room -= len(text) + 1
        if self._room >= 0:
            block.lines.append(text)

    def _add(self, block: _Block) -> None:
        text = "\n".join(block.lines)
        if text.strip():
            code = LoggedCode(block.kind, text, block.log_line, block.written_to, block.frame)
            self.found.append(code)
