"""Requests while the script waits: at a stop, or after it has ended."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from ...protocol.frames import Blobs
from ...protocol.problems import RequestError, bad_request, problem_of
from ..host import Host
from ..keeping.sets import Setting
from ..stops import Stops
from .expectations import Expectations
from .replays import Replays


class Server:
    """Answers one request at a time, on the thread that waits; `aside` is a context for it."""

    def __init__(
        self,
        host: Host,
        replays: Replays,
        stops: Stops,
        aside: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self.host = host
        self.aside = aside
        self.replays = replays
        self.expectations = Expectations(replays)
        self.stops = stops

    def stop(self, **stopped: Any) -> None:
        """Tell of a stop (`why` and where) and wait."""
        self.host.send("stopped", **stopped)
        self.wait()

    def wait(self) -> None:
        """Answer until the host lets the script go on, or goes away."""
        while (request := self.host.request()) is not None:
            do = request.get("do")
            if do == "bye":
                self.host.gone()
                return
            if do == "continue":
                return
            self._answer(request)

    def _answer(self, request: dict[str, Any]) -> None:
        identity = request.get("id")
        reply = Blobs()

        def progress(done: int, total: int) -> None:
            self.host.send("progress", id=identity, done=done, total=total)

        try:
            with self.aside():
                result = {"event": "result", **self._run(request, progress, reply)}
        except Exception as error:
            problem = problem_of(error) or _failure(error)
            reply = Blobs()
            result = {
                "event": "error",
                "kind": problem.kind,
                "message": problem.message,
                **problem.fields,
            }
        event = result.pop("event")
        self.host.send(event, reply, **{"id": identity, **result})

    def _run(self, request: dict[str, Any], progress: Any, blobs: Blobs) -> dict[str, Any]:
        do = request.get("do")
        if do == "record":
            return self.replays.record(request, progress, blobs)
        if do == "scan":
            return self.replays.scan(request, progress)
        if do == "who_wrote":
            return self.replays.who_wrote(request, progress)
        if do == "read":
            return self.replays.read(request, blobs)
        if do == "expect":
            return self.expectations.expect(request)
        if do == "precision":
            return self.expectations.precision(request)
        if do == "what_if":
            self.replays.kept(request).settings = tuple(
                Setting(str(one["argument"]), one.get("element"), one["value"])
                for one in request.get("sets") or ()
            )
            return {}
        if do == "stop_at":
            self.stops.kinds = frozenset(request.get("kinds") or ())
            return {}
        raise bad_request(f"there is no request {do}")


def _failure(error: Exception) -> RequestError:
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return RequestError("python", text, file=None, kernel_line=None)
