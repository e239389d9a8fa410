"""An error while generated code is loaded: no kernel of it ran, so none failed.

Inductor executes a wrapper's file to load it (``PyCodeCache``, torch/_inductor/codecache.py), so
that the traceback has a frame of that file ``in <module>`` and none below it in a function of it.
"""

from __future__ import annotations

import re

from aoti_tui.failure.log.faults import fault_of
from aoti_tui.failure.log.frames import GENERATED, OF_TORCH
from aoti_tui.failure.log.lines import clean_line
from aoti_tui.failure.model import LoadingError, LookAlike

LOADING_HEADLINE = "no kernel failed: the generated code could not be loaded"
_FRAME = re.compile(
    rf'File "(?P<path>{GENERATED})", line (?P<line>\d{{1,7}}), '
    r"in (?P<function><module>|\w{1,200})"
)
_MARK = '.py", line '
_ERROR = re.compile(r"(?:[A-Za-z_]\w{0,80}\.){0,12}(?:[A-Z]\w{0,80}: \S|[A-Z]\w{0,80}Error$)")
_RAISED = "raised:"
"""How dynamo's own exception ends; the error that it wraps is on the next line."""
_FROM_CACHE = ("cache_hit_post_compile", "FxGraphCache", "AOTAutogradCache")
_OF_THE_DEVICE = ("assert triggered", "CUDA error", "HIP error", "CUDA driver error")
"""Errors of an earlier kernel, which whatever comes next reports."""
_LONGEST = 400
"""Lines of a traceback that are read on for its error."""


class LoadingReader:
    """Takes a log's lines in order; :attr:`found` is the first loading error."""

    def __init__(self) -> None:
        self.found: LoadingError | None = None
        self._place: tuple[str, int] | None = None
        self._code = ""
        self._cached = self._code_next = False
        self._left = 0

    def take(self, line: str, number: int) -> None:
        if self.found is not None:
            return
        if self._place is None:
            if "Traceback (most" in line:
                self._cached = False
            elif _MARK in line:
                self._enter(line)
            return
        self._left -= 1
        text = clean_line(line.rstrip("\n"))
        if _MARK in line:
            self._enter(line)
        elif self._code_next:
            self._code, self._code_next = text.strip(), False
        elif text.strip() and not text[0].isspace() and not text.rstrip().endswith(_RAISED):
            self._end(text.strip(), number)
        if self._left <= 0:
            self._place = None

    def _enter(self, line: str) -> None:
        """A frame of a traceback."""
        self._cached = self._cached or any(word in line for word in _FROM_CACHE)
        match = _FRAME.search(line)
        if match is None or OF_TORCH in match["path"].replace("\\", "/"):
            return
        self._place = None
        if match["function"] == "<module>":
            self._place = match["path"], int(match["line"])
            self._code, self._code_next, self._left = "", True, _LONGEST

    def _end(self, error: str, number: int) -> None:
        """The first line after the frames: the error, where it is one of the loading."""
        place, self._place = self._place, None
        of_device = any(word in error for word in _OF_THE_DEVICE) or fault_of(error, number)
        if place is not None and _ERROR.match(error) and not of_device:
            path, line = place
            self.found = LoadingError(path, line, self._code, error[:300], number, self._cached)


def loading_words(found: LoadingError) -> str:
    """What a loading error means and what to do about it."""
    return f"a loading error, no kernel failure: {loading_why(found)}. {loading_remedy(found)}"


def loading_why(found: LoadingError) -> str:
    """What could not be loaded, and what follows."""
    name = found.path.replace("\\", "/").rsplit("/", 1)[-1]
    at = f" at `{found.code}`" if found.code else ""
    return (
        f"the generated code ({name}, line {found.line}{at}) could not be loaded, so that none of "
        "its kernels ran and the inputs have no part in it"
    )


def loading_remedy(found: LoadingError) -> str:
    """What to do about a loading error."""
    if found.cached:
        return (
            "The code came out of the compiler's cache: compile anew with "
            "TORCHINDUCTOR_FORCE_DISABLE_CACHES=1 or an empty TORCHINDUCTOR_CACHE_DIR. If it loads "
            "then and fails again from the cache, it is a fault of PyTorch: report it with both "
            "logs, and do without the option that made this line"
        )
    return (
        "Compile anew with an empty TORCHINDUCTOR_CACHE_DIR; if it fails again, the error is of "
        "the compiler or of this installation (its versions of torch and triton, its C++ "
        "compiler): report it with the code, which TORCH_LOGS=output_code prints"
    )


def loading_look_alike(found: LoadingError) -> LookAlike:
    """A loading error among what a log has instead of an assert."""
    return LookAlike("loading-error", found.log_line, found.error, loading_words(found))
