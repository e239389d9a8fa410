"""Behind the checks: what a process can still do that has run through the worker's containment."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from aoti_tui.replay.client import WorkerClient
from aoti_tui.replay.worker_process import worker_environment

ON_LINUX = sys.platform.startswith("linux")
ATTEMPTS = {
    "writing": "open('{outside}/new', 'w')",
    "changing": "open('{outside}/kept', 'a')",
    "emptying": "os.truncate('{outside}/kept', 0)",
    "removing": "os.remove('{outside}/kept')",
    "renaming": "os.rename('{outside}/kept', 'here')",
    "making a folder": "os.mkdir('{outside}/folder')",
    "linking": "os.symlink('{outside}/kept', '{outside}/link')",
    "a program": "subprocess.run(['true'])",
    "a shell": "os.posix_spawn('/bin/sh', ['sh', '-c', 'touch {outside}/new'], {{}})",
    "becoming a program": "os.execv('/bin/true', ['true'])",
    "a process": "os.fork()",
    "a connection": "socket.create_connection(('127.0.0.1', 9))",
    "a socket": "socket.socket(socket.AF_UNIX)",
    "a pair of sockets": "socket.socketpair()",
    "a signal to its parent": "os.kill(os.getppid(), 0)",
    "much memory": "bytearray(1 << 45)",
}
HARNESS = """
import os, socket, subprocess, sys
sys.path.insert(0, {project!r})
from aoti_tui.worker.containment.contain import contain
report = contain()
assert not report["missing"], report
open("inside", "w").write("mine")
open("inside").read()
os.mkdir("folder"); os.rmdir("folder"); os.remove("inside")
open(os.devnull, "w").write("x")
os.kill(os.getpid(), 0)
import threading
thread = threading.Thread(target=lambda: None); thread.start(); thread.join()
try:
    {attempt}
except (OSError, MemoryError) as error:
    print("refused", type(error).__name__)
else:
    print("done")
"""


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_what_a_contained_process_cannot_do(tmp_path: Path, attempt: str) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    (outside / "kept").write_text("mine")
    project = str(Path(__file__).resolve().parents[2])
    code = ATTEMPTS[attempt].format(outside=outside)
    text = HARNESS.format(project=project, attempt=code)
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=inside, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.startswith("refused"), done.stderr
    assert (outside / "kept").read_text() == "mine"
    assert [p.name for p in outside.iterdir()] == ["kept"]


def test_the_worker_says_what_is_taken_away_from_it() -> None:
    client = WorkerClient()
    contained = client.hello()["contained"]
    client.close()
    assert any("memory" in words for words in contained["active"])
    if ON_LINUX:
        assert contained["missing"] == []
        assert len(contained["active"]) == 5


def test_the_worker_is_told_no_secrets_and_keeps_nothing_in_the_home() -> None:
    ours = {"PATH": "/bin", "AWS_SECRET_ACCESS_KEY": "x", "HOME": "/home/me", "HF_TOKEN": "y"}
    ours |= {"PYTHONPATH": "here:/there", "OMP_NUM_THREADS": "2", "SSH_AUTH_SOCK": "/s"}
    told = worker_environment(ours, "/own")
    assert told["PATH"] == "/bin"
    assert told["OMP_NUM_THREADS"] == "2"
    assert told["HOME"] == told["TRITON_CACHE_DIR"] == told["TMPDIR"] == "/own"
    assert told["PYTHONPATH"] == f"{Path('here').absolute()}:/there"
    assert not {"AWS_SECRET_ACCESS_KEY", "HF_TOKEN", "SSH_AUTH_SOCK"} & told.keys()


def test_its_folder_goes_with_it() -> None:
    client = WorkerClient()
    client.hello()
    process = client._process
    assert process is not None
    folder = Path(os.readlink(f"/proc/{process.pid}/cwd"))
    assert folder.is_dir()
    client.close()
    assert not folder.exists()


BUSY = """
import sys, threading, time
sys.path.insert(0, {project!r})
from aoti_tui.replay.client import WorkerClient
client = WorkerClient()
source = (
    "import triton\\nimport triton.language as tl\\n@triton.jit\\ndef k(x):\\n"
    "    q = 1\\n    while q > 0:\\n        q = 1\\n"
)
def loop():
    client.request("kernel", key="k", source=source, function="k", signature={{}})
    print(client._process.pid, flush=True)
    args = {{"x": {{"int": 1}}}}
    client.request("scan", kernel="k", args=args, blocks={{}}, grid=[1], mode="full")
thread = threading.Thread(target=client.hello)
thread.start(); thread.join()
threading.Thread(target=loop, daemon=True).start()
time.sleep(600)
"""


@pytest.mark.parametrize("stopped", [False, True])
def test_the_worker_ends_with_its_parent_in_the_middle_of_a_loop(
    tmp_path: Path, stopped: bool
) -> None:
    project = str(Path(__file__).resolve().parents[2])
    parent = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(BUSY).format(project=project)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    time.sleep(0.3)
    if stopped:
        os.kill(worker, signal.SIGSTOP)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 5
    while _runs(worker) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(worker)


def _runs(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"
