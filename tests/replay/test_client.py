"""The worker as a process: found or not, cancelled, killed, started again."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from aoti_tui.replay.client import WorkerClient
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.session import ReplaySession

from .models import REDUCE, demo_index, launch_of


@pytest.fixture
def own() -> Iterator[ReplaySession]:
    """A session with a worker of its own, to be killed."""
    with ReplaySession(demo_index()) as session:
        yield session


def test_hello_names_the_python_and_its_torch(own: ReplaySession) -> None:
    info = own.info()
    assert os.path.realpath(info.executable) == os.path.realpath(sys.executable)
    assert info.torch is not None
    assert info.problems == ()


@pytest.mark.parametrize(
    ("python", "why"),
    [
        ("/no/such/python", "No such file"),
        ("/etc/passwd", "Permission denied"),
        ("/bin/false", "exited with status 1"),
        ("/bin/cat", "begins with|exited with status 0"),
    ],
)
def test_a_wrong_python_is_told_apart(python: str, why: str) -> None:
    client = WorkerClient(python)
    with pytest.raises(ReplayError) as caught:
        client.hello()
    client.close()
    assert caught.value.kind == "unavailable"
    assert python in caught.value.what
    assert re.search(why, caught.value.why)
    assert "--python" in caught.value.do


def test_a_script_that_leaves_a_child_behind_is_told_at_once(tmp_path: Path) -> None:
    """The child holds the pipe on which the answer would come."""
    script = tmp_path / "python"
    script.write_text('#!/bin/sh\nsleep 50 &\necho $! > "$0.child"\nexit 3\n')
    script.chmod(0o755)
    client = WorkerClient(str(script))
    start = time.monotonic()
    with pytest.raises(ReplayError, match="exited with status 3"):
        client.hello()
    client.close()
    assert time.monotonic() - start < 20


def test_a_folder_is_answered_with_the_python_inside_of_it(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").touch()
    with pytest.raises(ReplayError, match="bin/python"):
        WorkerClient(str(tmp_path)).hello()


def test_a_python_without_torch_says_what_to_install(tmp_path: Path) -> None:
    """An isolated environment of the same interpreter has neither torch nor triton."""
    import venv

    venv.create(tmp_path / "bare", with_pip=False, symlinks=True)
    client = WorkerClient(str(tmp_path / "bare" / "bin" / "python"))
    assert client.hello()["torch"] is None
    with pytest.raises(ReplayError) as caught:
        client.request("warm")
    client.close()
    assert caught.value.kind == "unavailable"
    assert "torch" in caught.value.why


def test_a_killed_worker_is_reported_and_starts_anew(own: ReplaySession) -> None:
    session = own
    launch = launch_of(demo_index(), REDUCE)
    before = session.run(launch)
    process = session.client._process
    assert process is not None

    def kill(_done: int, _total: int) -> None:
        process.send_signal(signal.SIGKILL)

    session.set_symbol("s19", 3000)
    with pytest.raises(ReplayError) as caught:
        session.run(launch, mode="full", progress=kill)
    assert caught.value.kind == "died"
    assert "SIGKILL" in caught.value.why
    assert "again" in caught.value.do
    session.unset_symbol("s19")
    after = session.run(launch)
    assert session.client.generation == 2
    assert [(a.name, a.source, a.value) for a in after.arguments] == [
        (a.name, a.source, a.value) for a in before.arguments
    ]


def test_a_running_scan_is_cancelled_and_the_worker_lives(own: ReplaySession) -> None:
    session = own
    launch = launch_of(demo_index(), REDUCE)
    session.run(launch)
    session.set_symbol("s19", 4000)

    def cancel(done: int, total: int) -> None:
        if session.doing.startswith("scanning"):
            session.cancel()

    with pytest.raises(ReplayError) as caught:
        session.run(launch, mode="full", progress=cancel)
    assert caught.value.kind == "cancelled"
    assert session.client.alive
    assert session.client.generation == 1
    session.unset_symbol("s19")
    assert session.run(launch).programs_run == 8


def test_nothing_runs_when_nothing_is_cancelled(own: ReplaySession) -> None:
    session = own
    assert session.cancel() is False
    assert session.run(launch_of(demo_index(), REDUCE)).asserts == ()


def test_a_closed_session_says_so(own: ReplaySession) -> None:
    session = own
    session.close()
    with pytest.raises(ReplayError, match="closed"):
        session.run(launch_of(demo_index(), REDUCE))
