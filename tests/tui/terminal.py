"""The real program in a real pseudo-terminal: keys go in, an emulator keeps the screen."""

from __future__ import annotations

import base64
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from types import TracebackType

import pyte

DEADLINE = 60.0
CLIPBOARD = re.compile(rb"\x1b\]52;c;([A-Za-z0-9+/=]*)\x07")


class Terminal:
    """Runs ``python -m aoti_tui …`` on a pseudo-terminal of ``columns`` × ``rows``."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        columns: int = 100,
        rows: int = 30,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.written = bytearray()
        """Everything the program wrote, for what an emulator does not keep."""
        self.exit_code: int | None = None
        child = {**os.environ, "TERM": "xterm-256color", **(environment or {})}
        # The last two would be believed before the terminal's own size; a test runner sets them.
        for name in ("NO_COLOR", "COLUMNS", "LINES"):
            child.pop(name, None)
        self._pid, self._fd = pty.fork()
        if self._pid == 0:
            os.execve(sys.executable, [sys.executable, "-m", "aoti_tui", *arguments], child)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.exit_code is None:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        if self._fd >= 0:
            os.close(self._fd)

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    @property
    def clipboard(self) -> str:
        """What the program last copied through the terminal (OSC 52)."""
        found = CLIPBOARD.findall(bytes(self.written))
        return base64.b64decode(found[-1]).decode() if found else ""

    def _pump(self, seconds: float) -> bool:
        """Take in what the program writes; False once it has ended."""
        ready, _, _ = select.select([self._fd], [], [], seconds)
        if ready:
            try:
                data = os.read(self._fd, 65536)
            except OSError:
                return False
            if not data:
                return False
            self.written += data
            self._stream.feed(data)
        return True

    def see(self, *texts: str) -> None:
        """Wait until all texts are on the screen, wherever a line ends."""
        end = time.monotonic() + DEADLINE
        while not all(text in " ".join(self.text.split()) for text in texts):
            assert time.monotonic() < end, f"never saw {texts} on:\n{self.text}"
            assert self._pump(0.1), f"the program ended before {texts}:\n{self.text}"

    def resize(self, columns: int, rows: int) -> None:
        self.screen.resize(rows, columns)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def descendants(self) -> set[int]:
        """Processes that the program has started, and those have."""
        parents = {}
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    with open(f"/proc/{entry}/stat") as file:
                        state, parent = file.read().rsplit(")", 1)[1].split()[:2]
                except OSError:
                    continue
                if state != "Z":
                    parents[int(entry)] = int(parent)
        found = {self._pid}
        while more := {p for p, parent in parents.items() if parent in found} - found:
            found |= more
        return found - {self._pid}

    def send(self, number: signal.Signals) -> None:
        os.kill(self._pid, number)

    def hang_up(self) -> None:
        """The connection is gone, and the terminal with it."""
        os.close(self._fd)
        self._fd = -1

    @property
    def is_restored(self) -> bool:
        """Whether the alternate screen, hidden cursor and mouse reports have been taken back."""
        written = bytes(self.written)
        return all(
            written.rfind(b"\x1b[?" + mode + off) > written.rfind(b"\x1b[?" + mode + on)
            for mode, on, off in ((b"1049", b"h", b"l"), (b"25", b"l", b"h"), (b"1000", b"h", b"l"))
        )

    def press(self, keys: str) -> None:
        os.write(self._fd, keys.encode())

    def paste(self, text: str) -> None:
        """As a terminal pastes: bracketed, in pieces, taking in what comes back meanwhile."""
        data = b"\x1b[200~" + text.encode() + b"\x1b[201~"
        for start in range(0, len(data), 1024):
            os.write(self._fd, data[start : start + 1024])
            self._pump(0.001)

    def wait(self) -> int:
        """Wait for the end; gives the exit code."""
        end = time.monotonic() + DEADLINE
        while self._fd >= 0 and self._pump(0.1):
            assert time.monotonic() < end, f"it does not end:\n{self.text}"
        _, status = os.waitpid(self._pid, 0)
        self.exit_code = os.waitstatus_to_exitcode(status)
        return self.exit_code
