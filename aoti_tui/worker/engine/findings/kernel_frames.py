"""Which line of a kernel runs at the moment, read off Python's own frames."""

from __future__ import annotations

import sys
from types import FrameType, TracebackType
from typing import Any

from ...source.place import Place

# A name in the globals of every function that was compiled from a kernel's source.
MARK = "__kernel_source__"


def marked(scope: dict[str, Any]) -> bool:
    """Whether these are the globals of a kernel or one of its own helpers."""
    return MARK in scope


def kernel_frame() -> FrameType | None:
    """The innermost running frame of the kernel or one of its own helpers, in any file."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and MARK not in frame.f_globals:
        frame = frame.f_back
    return frame


def place_of(frame: FrameType | None) -> Place | None:
    """File and line at which a frame stands."""
    return Place(frame.f_code.co_filename, frame.f_lineno) if frame is not None else None


def kernel_place() -> Place | None:
    """The place that is running, None outside any kernel."""
    return place_of(kernel_frame())


def raised_at(traceback: TracebackType | None) -> Place | None:
    """The innermost place of a kernel through which an exception came."""
    found = None
    while traceback is not None:
        if MARK in traceback.tb_frame.f_globals:
            found = Place(traceback.tb_frame.f_code.co_filename, traceback.tb_lineno)
        traceback = traceback.tb_next
    return found
