"""Which of Python's frames are the user's program, and which are ours or triton's."""

from __future__ import annotations

import os
from types import TracebackType

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_RUNNER = ("<frozen runpy>", "<frozen importlib._bootstrap>")


def is_ours(file: str) -> bool:
    """Whether a file belongs to the program that runs the script, not to the script."""
    return file.startswith(_OURS) or file in _RUNNER


def is_tritons(file: str) -> bool:
    """Whether a file is part of triton's runtime, through which every launch goes."""
    return f"{os.sep}triton{os.sep}runtime{os.sep}" in file


def without_ours(error: BaseException) -> BaseException:
    """The same exception, its tracebacks (and those it came from) without our frames."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        one.__traceback__ = _cut(one.__traceback__)
        waiting += [one.__cause__, one.__context__]
    return error


def _cut(traceback: TracebackType | None) -> TracebackType | None:
    kept = []
    while traceback is not None:
        if not is_ours(traceback.tb_frame.f_code.co_filename):
            kept.append(traceback)
        traceback = traceback.tb_next
    result: TracebackType | None = None
    for one in reversed(kept):
        result = TracebackType(result, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return result
