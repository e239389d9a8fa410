"""Puts together what sees the script's own checks fail."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack
from typing import Any

import torch

from ..expected.comparing import Comparing
from ..expected.origins import Origins
from ..launching.launches import Launches
from ..watching import Watching
from .lanes import Lanes
from .replays import Replays
from .serve import Server


def watching(launches: Launches, replays: Replays, server: Server) -> Watching:
    """The function mode for the script's code; checks that are no functions of torch's are
    wrapped."""
    lanes = Lanes(replays)
    origins = Origins(lanes)

    def quiet() -> AbstractContextManager[Any]:
        stack = ExitStack()
        stack.enter_context(launches.quiet())
        stack.enter_context(torch._C.DisableTorchFunction())
        return stack

    def send(event: dict[str, Any]) -> None:
        launches.host.send("difference", **event)
        if launches.stops.at("difference"):
            keys = ("launch", "program", "file", "line", "text")
            with quiet():
                server.stop(why="difference", **{key: event[key] for key in keys})

    comparing = Comparing(origins, lanes, send, quiet)
    comparing.install()
    return Watching(launches.unwritten, origins, comparing)
