"""Frames of Python tracebacks in generated code: which graph ran, and on which line.

Inductor compiles a wrapper under the name of its file (``PyCodeCache``,
torch/_inductor/codecache.py), so a traceback names the graph and, where launches are waited for,
the very launch.
"""

from __future__ import annotations

import re
from dataclasses import replace

from aoti_tui.failure.log.lines import clean_line
from aoti_tui.failure.model import Frame

GENERATED = r'[^"\n]{0,900}?(?:c[a-z2-7]{51}|output_code[\w.]{0,80})\.py'
"""The path of a file that Inductor wrote, as a pattern."""
_FRAME = re.compile(
    rf'File "(?P<path>{GENERATED})", '
    r"line (?P<line>\d{1,7}), in (?P<function>\w{1,200})"
)
_MARK = '.py", line '
OF_TORCH = "torch/_inductor/output_code.py"
_MOST = 200


class FrameReader:
    """Gathers the frames while a log is read; those of one traceback that is repeated once."""

    def __init__(self) -> None:
        self.found: list[Frame] = []
        self._seen: set[tuple[str, int, str]] = set()
        self._open = False

    def take(self, line: str, number: int) -> None:
        if self._open:
            # The line below a frame is the code that stands there.
            self._open = False
            self.found[-1] = replace(self.found[-1], code=clean_line(line).strip())
        if _MARK not in line or len(self.found) >= _MOST:
            return
        for match in _FRAME.finditer(line):
            key = (match["path"], int(match["line"]), match["function"])
            if key not in self._seen and OF_TORCH not in key[0].replace("\\", "/"):
                self._seen.add(key)
                self.found.append(Frame(*key, number))
                self._open = True
