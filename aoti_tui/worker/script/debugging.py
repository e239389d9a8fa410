"""`breakpoint()` and `pdb.set_trace()` in kernels: pdb in the user's source, or the interface.

Within a launch pdb sees the kernel and its helpers alone: what calculates in between is skipped.
"""

from __future__ import annotations

import bdb
import os
import pdb
import sys
from types import FrameType
from typing import Any

from ..engine.findings.kernel_frames import marked
from .frames_of_ours import is_ours, is_tritons
from .launching.launches import Launches


def install(launches: Launches) -> None:
    """Change pdb for this process."""
    _trace_calls(launches)
    _see_kernels_only(launches)
    _hide_ours()


def _trace_calls(launches: Launches) -> None:
    def stop(frame: FrameType, header: str | None) -> None:
        in_kernel = marked(frame.f_globals)
        if in_kernel and not launches.is_live:
            # A replay of the launch: it has stopped here when it ran.
            return
        if in_kernel and launches.stops.at("breakpoint-call"):
            launches.stop_in_kernel(frame)
            return
        debugger = pdb.Pdb()
        if header is not None:
            debugger.message(header)
        debugger.set_trace(frame)

    def set_trace(*_: Any, header: str | None = None, **__: Any) -> None:
        stop(_caller(), header)

    outer = sys.breakpointhook

    def breakpointhook(*args: Any, **kwargs: Any) -> Any:
        frame = _caller()
        # Another debugger that the user has chosen is theirs to run, but not in the interface.
        if os.environ.get("PYTHONBREAKPOINT") and not (
            marked(frame.f_globals) and launches.stops.at("breakpoint-call")
        ):
            return outer(*args, **kwargs)
        return stop(frame, kwargs.get("header"))

    pdb.set_trace = set_trace
    sys.breakpointhook = breakpointhook


def _caller() -> FrameType:
    """The innermost frame that is not ours."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    assert frame is not None
    return frame


def _see_kernels_only(launches: Launches) -> None:
    stops_here = bdb.Bdb.stop_here

    def stop_here(self: Any, frame: FrameType) -> bool:
        file = frame.f_code.co_filename
        if is_ours(file) or is_tritons(file):
            return False
        if launches.is_busy and not marked(frame.f_globals):
            return False
        return bool(stops_here(self, frame))

    pdb.Pdb.stop_here = stop_here  # type: ignore[method-assign]


def _hide_ours() -> None:
    full = bdb.Bdb.get_stack

    def get_stack(self: Any, frame: FrameType | None, traceback: Any) -> Any:
        stack, at = full(self, frame, traceback)
        current = stack[at] if stack else None
        shown = [one for one in stack if one is current or not is_ours(one[0].f_code.co_filename)]
        return shown, shown.index(current) if current is not None else at

    pdb.Pdb.get_stack = get_stack  # type: ignore[method-assign, assignment]
