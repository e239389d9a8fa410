"""From starting the process to the first useful screen, in a terminal, against an empty app."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.ratios import Ratio
from tests.tui.large import large_wrapper

ROUNDS = 7
WAIT = 60.0
KERNELS = 870
"""Makes a wrapper of 5 MB."""
EMPTY = """
from textual.app import App
from textual.widgets import Static
class Empty(App):
    def compose(self):
        yield Static("nothing to see")
Empty().run()
"""


def ratios() -> Iterator[Ratio]:
    ours = [sys.executable, "-m", "aoti_tui"]
    empty: list[float] = []
    small: list[float] = []
    # In turn, so that the machine's drift meets both.
    for _ in range(ROUNDS):
        empty.append(first_shown([sys.executable, "-c", EMPTY], "nothing to see"))
        small.append(first_shown([*ours, "--demo"], "failed"))
    base = statistics.median(empty)
    first = statistics.median(small)
    yield Ratio(
        "first useful screen of a small wrapper / empty app",
        first / base,
        1.5,
        False,
        f"process start included: {first:.2f} s against {base:.2f} s",
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.wrapper.cpp"
        path.write_text(large_wrapper(KERNELS))
        reads = statistics.median(
            first_shown([*ours, str(path)], "triton_red") for _ in range(ROUNDS // 2)
        )
        size = path.stat().st_size / 1e6
    yield Ratio(
        f"something to read of a wrapper of {size:.1f} MB / empty app",
        reads / base,
        4.0,
        False,
        f"process start included: {reads:.2f} s",
    )


def first_shown(command: list[str], *signs: str) -> float:
    """Seconds until one of ``signs`` is on the screen of a new terminal of 160 × 45."""
    wanted = [sign.encode() for sign in signs]
    child, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 45, 160, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    # As it is installed: compiled once, not at every start.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    start = time.perf_counter()
    process = subprocess.Popen(
        command,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=environment,
        start_new_session=True,
    )
    os.close(terminal)
    shown = b""
    try:
        while time.perf_counter() - start < WAIT:
            if not select.select([child], [], [], 1.0)[0]:
                continue
            shown += os.read(child, 1 << 16)
            if any(sign in shown for sign in wanted):
                return time.perf_counter() - start
        raise TimeoutError(f"{command} showed none of {signs}")
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(child)
