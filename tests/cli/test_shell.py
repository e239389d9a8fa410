"""What a shell completes, and an explanation on a terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from aoti_tui.cli.main import main
from tests.cases import DATA


def completed(line: str, folder: Path) -> list[str]:
    """What argcomplete's protocol answers a shell on a line."""
    environment = {
        **os.environ,
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(folder / "answer"),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
        "COMP_TYPE": "9",
    }
    code = "import sys; sys.argv[0] = 'aoti-tui'; from aoti_tui.cli.main import main; main()"
    subprocess.run([sys.executable, "-c", code], env=environment, cwd=folder, timeout=60)
    answer = folder / "answer"
    return [one.strip() for one in answer.read_text().split("\n")] if answer.exists() else []


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("aoti-tui exp", "explain"),
        ("aoti-tui wra", "wrapper.cpp"),
        ("aoti-tui debug wrapper.cpp --inp", "--inputs"),
        ("aoti-tui debug wrapper.cpp -ex verd", "verdict"),
        ("aoti-tui help com", "commands"),
        ("aoti-tui replay wrapper.cpp --swe", "--sweep"),
    ],
)
def test_commands_options_and_files_are_completed(line: str, wanted: str, tmp_path: Path) -> None:
    (tmp_path / "wrapper.cpp").write_text("")
    assert wanted in completed(line, tmp_path)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_what_it_reads(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    assert "aoti-tui" in capsys.readouterr().out


def on_terminal(width: int, **environment: str) -> str:
    """What ``explain`` writes to a terminal of a width."""
    folder = DATA / "gather_dynamic"
    log = folder / "error.idx_eq_size.log"
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", **environment}
    environment.pop("COLUMNS", None)
    process = subprocess.Popen(
        [sys.executable, "-m", "aoti_tui", "explain", str(folder / "wrapper.cpp"), "--log", log],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    os.close(theirs)
    told = b""
    while select.select([ours], [], [], 60)[0]:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        told += part
    process.wait(60)
    os.close(ours)
    return told.decode()


def test_an_explanation_is_wrapped_indented_and_coloured_on_a_terminal() -> None:
    environment = {"NO_COLOR": ""} if "NO_COLOR" not in os.environ else {}
    told = on_terminal(80, **environment)
    lines = [re.sub(r"\x1b\[[\d;]*m", "", line) for line in told.splitlines()]
    assert max(map(len, lines)) <= 80
    first = next(n for n, line in enumerate(lines) if line.startswith("fix    1. validate"))
    assert re.match(r" {7}\S", lines[first + 1])
    assert "\x1b[" in told
    assert "\x1b[" not in on_terminal(80, NO_COLOR="1")
