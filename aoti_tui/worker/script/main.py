"""The script's process: the engine is put in place, then the user's program runs whole."""

from __future__ import annotations

import importlib
import json
import os
import platform
import signal
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from .children import follow
from .host import Host
from .program import End, run

CONFIG = "AOTI_TUI_RUN"
"""Names the host's socket and what is wanted (JSON); taken out of what the script sees."""


def main(arguments: list[str]) -> int:
    """Run a program. Returns its exit code, unless it has to end by a signal or with a text."""
    config: dict[str, Any] = json.loads(os.environ.pop(CONFIG, "{}"))
    # Decides what @triton.jit gives; packages look at it too.
    os.environ.pop("TRITON_INTERPRET", None)
    process = install(config)
    if arguments[0] == "-m":
        process.hear_of_tests(arguments[1])
    with process.script_calls():
        end = run(arguments)
    if end.error is not None:
        process.measured.raised(end.error)
    sys.stdout.flush()
    if end.is_exception and process.launches.stops.at("exception"):
        process.server.stop(why="exception", **end.place())
    process.host.send("exit", **end.described())
    if config.get("stay"):
        process.server.wait()
    return _leave(end)


@dataclass(frozen=True)
class Process:
    """What was put in place in this process; the script's own code runs under `script_calls`."""

    host: Host
    launches: Any
    server: Any
    measured: Any
    script_calls: Callable[[], AbstractContextManager[Any]]

    def hear_of_tests(self, module: str) -> None:
        """Let the exceptions be known with which a runner of tests is left to deal."""
        from .expected.measured import hear_of_tests

        hear_of_tests(module, self.measured)


def install(config: dict[str, Any]) -> Process:
    """Connect this process to the host, stand in for a GPU and take launches from triton."""
    host = Host(config.get("address"))
    torch: Any = importlib.import_module("torch")
    triton: Any = importlib.import_module("triton")
    from . import debugging
    from .cuda import install as stand_ins
    from .keeping.seeing import seeing
    from .launching.intercept import intercept
    from .serving.checked import watching
    from .serving.replays import Replays
    from .serving.serve import Server
    from .stops import Stops
    from .watching import seen

    launches = intercept(host)
    launches.stops = Stops(frozenset(config.get("stop_at") or ()))
    replays = Replays(launches.keeping, launches.language)
    server = Server(host, replays, launches.stops, launches.aside)
    launches.stop = server.stop
    calls: Callable[[], AbstractContextManager[Any]] = nullcontext
    cuda = "real" if torch.cuda.is_available() else "none"
    if cuda == "none" and config.get("device") != "cpu":
        found = stand_ins.install(lambda text: host.send("flag", text=text), config.get("config"))
        launches.on_cuda, launches.engine_calls = found.on_cuda, found.engine_calls
        calls, cuda = found.script_calls, "stand-in"
    host.connect(
        {
            "python": platform.python_version(),
            "torch": torch.__version__,
            "triton": triton.__version__,
            "cuda": cuda,
        }
    )
    follow(config)
    debugging.install(launches)
    mode = watching(launches, replays, server)
    calls = seen(mode, calls)
    keeping = launches.keeping
    calls = seeing(keeping.writers, keeping.memories.changing, calls)
    return Process(host, launches, server, mode.measured, calls)


def _leave(end: End) -> int:
    if isinstance(end.error, SystemExit):
        raise end.error
    if isinstance(end.error, KeyboardInterrupt):
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    return end.code
