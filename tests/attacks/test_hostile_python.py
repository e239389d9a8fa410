"""What is named with --python can be any program: it is told apart in seconds, never waited for."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from aoti_tui.replay.client import WorkerClient
from aoti_tui.replay.errors import ReplayError

HELLO = '{"id": 1, "event": "result", "python": "3", "problems": []}'
FAKES = {
    "closes its standard input": ("exec 0<&-\nexec sleep 60", "closed its standard input"),
    "closes its standard output": ("exec 1>&-\nexec sleep 60", "SIGKILL"),
    "answers with a wrong id": (
        """read x; echo '{"id": 7, "event": "result"}'; exec sleep 60""",
        "answers 7, not 1",
    ),
    "answers without an id": ("read x; echo '{}'; exec sleep 60", "answers None, not 1"),
    "answers something else": ("read x; echo '[1]'; exec sleep 60", "begins with"),
    "answers in half a line": ("read x; printf '{\"id\": 1'; exec sleep 60", "stops in the middle"),
    "floods without a newline": ("exec cat /dev/zero", "never ends"),
    "floods with lines": ("exec yes", "begins with"),
    "floods with progress": (
        """exec yes '{"id": 1, "event": "progress", "done": 1, "total": 2}'""",
        "progress",
    ),
    "floods its errors": ("cat /dev/zero >&2 &\nread x; exit 3", "exited with status 3"),
    "sends a negative length": (
        """read x; echo '{"id": 1, "event": "result", "blobs": [-1]}'; exec sleep 60""",
        "impossible sizes",
    ),
    "sends a huge length": (
        """read x; echo '{"id": 1, "event": "result", "blobs": [1000000000000]}'; exec sleep 60""",
        "impossible sizes",
    ),
    "sends a length that is none": (
        """read x; echo '{"id": 1, "event": "result", "blobs": "no"}'; exec sleep 60""",
        "impossible sizes",
    ),
    "nests without an end": (
        "read x; head -c 900000 /dev/zero | tr '\\0' '['; echo; exec sleep 60",
        "begins with",
    ),
    "leaves a child with its standard output": ("sleep 60 &\nexit 3", "exited with status 3"),
    "leaves a child in a session of its own": ("setsid sleep 20 &\nexit 3", "exited with status 3"),
}


def program(folder: Path, body: str) -> str:
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize("fake", FAKES)
def test_a_program_that_is_no_python_of_ours(tmp_path: Path, fake: str) -> None:
    body, why = FAKES[fake]
    client = WorkerClient(program(tmp_path, body))
    start = time.monotonic()
    with pytest.raises(ReplayError) as caught:
        client.hello()
    client.close()
    assert time.monotonic() - start < 8
    assert caught.value.kind == "unavailable"
    assert why in caught.value.why
    assert not client.alive


LATER = {
    "a blob that never comes": '{"id": N, "event": "result", "blobs": [1000]}',
    "a length that no machine has": '{"id": N, "event": "result", "blobs": [99999999999999]}',
    "an answer to another question": '{"id": 99, "event": "result"}',
    "a progress in words": '{"id": N, "event": "progress", "done": "much", "total": 1}',
}


@pytest.mark.parametrize("line", LATER)
def test_a_worker_that_goes_mad_after_its_first_answer(tmp_path: Path, line: str) -> None:
    rest = LATER[line].replace("N", "2")
    body = f"read x; echo '{HELLO}'; read x; echo '{rest}'; exec sleep 60"
    client = WorkerClient(program(tmp_path, body))
    client.hello()
    start = time.monotonic()
    with pytest.raises(ReplayError, match="not understood"):
        client.request("warm")
    client.close()
    assert time.monotonic() - start < 8


def test_a_worker_that_does_not_read_what_it_is_asked(tmp_path: Path) -> None:
    body = f"""
read x; echo '{HELLO}'; read x; echo '{{"id": 2, "event": "result"}}'; exec sleep 60"""
    client = WorkerClient(program(tmp_path, body))
    client.hello()
    start = time.monotonic()
    with pytest.raises(ReplayError, match="does not read"):
        client.request("kernel", source="x" * 1_000_000)
    client.close()
    assert time.monotonic() - start < 8


ENDLESS = """
import triton
import triton.language as tl

@triton.jit
def endless(out_ptr0):
    count = 0
    while count < 1:
        count = count - 1
"""


def test_a_loop_in_which_nothing_changes_is_named_before_the_time_is_over() -> None:
    client = WorkerClient(limit=60.0)
    source = ENDLESS.replace("count - 1", "count + 0")
    client.request("kernel", key="k", source=source, function="endless", signature={})
    launch = {"kernel": "k", "args": {"out_ptr0": {"int": 1}}, "blocks": {}, "grid": [1, 1, 1]}
    start = time.monotonic()
    with pytest.raises(ReplayError, match="nothing changes from one round of this loop"):
        client.request("scan", doing="scanning k", program=[0, 0, 0], **launch)
    assert time.monotonic() - start < 30
    client.close()


def test_a_kernel_that_never_ends_takes_its_time_and_no_more() -> None:
    client = WorkerClient(limit=1.0)
    client.request("kernel", key="k", source=ENDLESS, function="endless", signature={})
    start = time.monotonic()
    launch = {"kernel": "k", "args": {"out_ptr0": {"int": 1}}, "blocks": {}, "grid": [1, 1, 1]}
    for question in ("scan", "record"):
        with pytest.raises(ReplayError) as caught:
            client.request(question, doing="scanning k", program=[0, 0, 0], **launch)
        assert caught.value.kind == "timeout"
        assert "within 1 s (--timeout)" in caught.value.why
    assert time.monotonic() - start < 10
    assert client.generation == 1
    client.close()


BLOCKED = """
import sys, time, signal, json
signal.signal(signal.SIGINT, signal.SIG_IGN)
for line in sys.stdin:
    asked = json.loads(line)
    if asked["do"] == "scan":
        time.sleep(60)
    print(json.dumps({"id": asked["id"], "event": "result"}), flush=True)
"""


def test_a_worker_that_does_not_let_itself_be_interrupted_is_ended(tmp_path: Path) -> None:
    (tmp_path / "blocked.py").write_text(BLOCKED)
    python = program(tmp_path, f"exec {sys.executable} {tmp_path}/blocked.py")
    client = WorkerClient(python, limit=0.5)
    client.hello()
    with pytest.raises(ReplayError) as caught:
        client.request("scan", doing="scanning k")
    assert caught.value.kind == "died"
    assert "within 0.5 s (--timeout), and it had to be killed" in caught.value.why
    # It starts anew by itself.
    assert client.request("warm") == {"id": 4, "event": "result"}
    assert client.generation == 2
    client.close()


def test_no_folder_to_work_in_is_said_as_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with pytest.raises(ReplayError, match="TMPDIR"):
        WorkerClient().hello()


def test_folders_of_killed_programs_go_with_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    first, second = WorkerClient(), WorkerClient()
    first.hello()
    used = set(tmp_path.iterdir())
    left, young, linked = (tmp_path / f"aoti-tui-worker-{n}" for n in ("left", "young", "link"))
    kept = tmp_path / "kept"
    for folder in (left, young, kept):
        folder.mkdir(mode=0o700)
        (folder / "file").write_text("x")
    linked.symlink_to(kept)
    hour_ago = time.time() - 3600
    for path in (*used, left, kept):
        os.utime(path, (hour_ago, hour_ago))
    second.hello()
    assert not left.exists()
    assert all(path.exists() for path in (*used, young, kept / "file", linked))
    first.close()
    second.close()
    assert set(tmp_path.iterdir()) == {young, kept, linked}
