"""Leaving in the middle of a replay that never ends: at once, and nothing stays behind."""

import os
import signal
import time
from pathlib import Path

import pytest

from tests.cases import DEMO
from tests.tui.terminal import Terminal

WRAPPER = DEMO / "jagged_reduce.wrapper.cpp"
GIVEN = ["--log", str(DEMO / "error.empty_weights.log")]
GIVEN += ["--inputs", str(DEMO / "inputs.empty_weights.pt")]
AT_ONCE = 5.0


@pytest.fixture
def endless(tmp_path: Path) -> str:
    """The demo, with a loop in its first kernel that goes on for hours."""
    text = WRAPPER.read_text()
    line = "\n        rnumel = r0_numel\n"
    assert line in text
    loop = f"{line}        q = 1\n        while q != 0:\n            q = q + 1\n"
    path = tmp_path / "endless.wrapper.cpp"
    path.write_text(text.replace(line, loop, 1))
    return str(path)


def gone(processes: set[int]) -> bool:
    """Whether all of them have ended, within a moment."""
    end = time.monotonic() + AT_ONCE
    while time.monotonic() < end:
        if not any(_runs(process) for process in processes):
            return True
        time.sleep(0.05)
    return False


def _runs(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def replaying(user: Terminal) -> set[int]:
    """Start the replay; the processes that run then."""
    user.see("failed: 0 <= tmp10 < ks0")
    user.press("c")
    user.see("Replaying triton_red_fused_cumsum_0")
    found = user.descendants()
    assert found
    return found


@pytest.mark.parametrize(
    ("how", "code"),
    [("q", 0), ("\x03\x03", 0), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
    ids=["q", "ctrl+c twice", "SIGTERM", "SIGHUP"],
)
def test_it_ends_at_once(endless: str, how: str | signal.Signals, code: int) -> None:
    with Terminal([endless, *GIVEN]) as user:
        processes = replaying(user)
        start = time.monotonic()
        if isinstance(how, signal.Signals):
            user.send(how)
        else:
            user.press(how)
        assert user.wait() == code
        assert time.monotonic() - start < AT_ONCE
        assert gone(processes)
        assert user.is_restored
        assert "Traceback" not in user.text


def test_nothing_is_left_of_it_when_it_is_killed(endless: str) -> None:
    with Terminal([endless, *GIVEN]) as user:
        processes = replaying(user)
        user.send(signal.SIGKILL)
        assert user.wait() == -signal.SIGKILL
        assert gone(processes)


def test_a_connection_that_is_lost_ends_it(endless: str) -> None:
    with Terminal([endless, *GIVEN]) as user:
        processes = replaying(user)
        user.hang_up()
        user.wait()
        assert gone(processes)


def test_a_stopped_worker_holds_nothing_up(endless: str) -> None:
    with Terminal([endless, *GIVEN]) as user:
        processes = replaying(user)
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        user.press("q")
        assert user.wait() == 0
        assert gone(processes)


def test_a_replay_without_an_end_ends_with_its_time(endless: str) -> None:
    with Terminal([endless, *GIVEN, "--timeout", "2"]) as user:
        replaying(user)
        user.see("MADE-UP + inputs", "fails in 1 lane of program 2")
        user.press("q")
        assert user.wait() == 0


def test_ctrl_c_once_only_says_what_would_leave() -> None:
    with Terminal(["--demo"]) as user:
        user.see("failed: 0 <= tmp10 < ks0")
        user.press("\x03")
        user.see("ctrl+c again quits")
        time.sleep(3.1)
        user.press("\x03")
        user.see("ctrl+c again quits")
        user.press("i")
        user.see("Input 2 is arg4_1")
        user.press("q")
        assert user.wait() == 0
