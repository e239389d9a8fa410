"""The worker's main loop: one request at a time, one reply each, SIGINT cancels."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from types import FrameType
from typing import Any, BinaryIO

from ..containment.contain import NOTHING, Report, contain
from ..containment.parent import end_with_parent
from ..protocol.frames import Blobs, FrameError, read_frame, write_frame
from ..protocol.problems import Cancelled, RequestError, problem_of
from . import environment


class Server:
    """Tensors and kernels live as long as the process; `busy` says whether SIGINT may cancel."""

    def __init__(self, output: BinaryIO, contained: Report) -> None:
        self.output = output
        self.contained = contained
        self.busy = False
        self.writing = False
        self.requests: Any | None = None

    def interrupt(self, _signal: int, _frame: FrameType | None) -> None:
        if not self.busy:
            return
        self.busy = False
        # A frame that has begun must be finished; `progress` raises after it.
        if not self.writing:
            raise Cancelled

    def answer(self, header: dict[str, Any], blobs: list[bytes]) -> None:
        """Run one request and write its result or error."""
        identity = header.get("id")
        reply = Blobs()
        try:
            try:
                self.busy = True
                result = {"event": "result", **self.run(header, blobs, reply, identity)}
            finally:
                self.busy = False
        except Cancelled:
            result = _error(RequestError("cancelled", "cancelled"))
        except MemoryError:
            result = _error(RequestError("bad-request", f"no memory for {header.get('do')}"))
        except Exception as error:
            result = _error(problem_of(error) or _failure(error, header))
        if result["event"] == "error":
            reply = Blobs()
        write_frame(self.output, {"id": identity, **result}, reply)

    def run(
        self, header: dict[str, Any], blobs: list[bytes], reply: Blobs, identity: Any
    ) -> dict[str, Any]:
        name = header.get("do")
        if name == "hello":
            return {**environment.found(), "contained": self.contained}
        if name == "warm" or self.requests is None:
            # A half-imported torch cannot be imported again, so this is not cancelled.
            self.busy = False
            warmed = environment.warm()
            if self.requests is None:
                from .requests import Requests

                self.requests = Requests()
            if name == "warm":
                return warmed
            self.busy = True

        def progress(done: int, total: int) -> None:
            event = {"id": identity, "event": "progress", "done": done, "total": total}
            self.writing = True
            try:
                write_frame(self.output, event)
            finally:
                self.writing = False
            if not self.busy:
                raise Cancelled

        result: dict[str, Any] = self.requests.run(str(name), header, reply, progress)
        return result


def _error(problem: RequestError) -> dict[str, Any]:
    return {
        "event": "error",
        "kind": problem.kind,
        "message": problem.message,
        **problem.fields,
    }


def _failure(error: Exception, header: dict[str, Any]) -> RequestError:
    """An exception that came from no kernel: what was asked does not fit, or a fault of ours."""
    text = f"{type(error).__name__}: {error}"
    if isinstance(error, (KeyError, TypeError, ValueError)) and header.get("do") not in (
        "scan",
        "record",
    ):
        return RequestError("bad-request", f"{header.get('do')}: {text}")
    traceback.print_exception(type(error), error, error.__traceback__, file=sys.stderr)
    return RequestError("python", text, file=None, kernel_line=None)


def main(contained: bool) -> int:
    """Serve until stdin ends. Returns the exit status.

    With `contained` this process first gives up what replaying a kernel does not need.
    """
    report = contain() if contained else NOTHING
    end_with_parent()
    output = os.fdopen(os.dup(1), "wb")
    # Whatever a kernel or a library prints must not get between the frames.
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    server = Server(output, report)
    signal.signal(signal.SIGINT, server.interrupt)
    source = sys.stdin.buffer
    while True:
        try:
            frame = read_frame(source)
        except FrameError as error:
            problem = RequestError("bad-request", str(error))
            write_frame(output, {"id": None, **_error(problem)})
            return 2
        if frame is None:
            return 0
        try:
            server.answer(*frame)
        except BrokenPipeError:
            return 0
