"""Processes of the script run under the engine too, whichever way they are made."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.run.running import run, script

WORK = """
import multiprocessing, os

@triton.jit
def square(x_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    tl.store(x_ptr + i, x * x)

def work(rank, results):
    x = torch.full((4,), float(rank))
    square[(1,)](x, BLOCK=8 if rank == 2 else 4)
    results.put((rank, x.sum().item()))

if __name__ == "__main__":
    context = multiprocessing.get_context("{way}")
    results = context.SimpleQueue()
    children = [context.Process(target=work, args=(rank, results)) for rank in (1, 2)]
    for child in children:
        child.start()
    got = sorted(results.get() for child in children)
    for child in children:
        child.join()
    work(3, results)
    print(got, results.get())
"""


@pytest.mark.parametrize("way", ["fork", "spawn", "forkserver"])
def test_launches_and_findings_of_children_are_told(tmp_path: Path, way: str) -> None:
    script(tmp_path, WORK.format(way=way))
    ran = run(tmp_path, "main.py")
    assert ran.out == "[(1, 4.0), (2, 16.0)] (3, 36.0)\n"
    assert ran.code == 4
    launches = ran.report["launches"]
    assert len({one["pid"] for one in launches}) == 3
    wrong = {(one["kind"], one["line"], launches[one["launch"]]["pid"]) for one in ran.findings}
    assert {(kind, line) for kind, line, _ in wrong} == {
        ("out-of-bounds", 10),
        ("out-of-bounds", 11),
    }
    assert len({pid for _, _, pid in wrong}) == 1


def test_interrupting_ends_the_script_as_python_ends(tmp_path: Path) -> None:
    script(tmp_path, "import time\nprint('ready', flush=True)\ntime.sleep(60)\n")
    started = subprocess.Popen(
        [sys.executable, "-m", "aoti_tui", "run", "--check", "main.py"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert started.stdout is not None
    assert started.stdout.readline() == "ready\n"
    os.killpg(started.pid, signal.SIGINT)
    _, told = started.communicate(timeout=60)
    assert started.returncode == 130
    assert told.rstrip().endswith("KeyboardInterrupt")
    assert "worker" not in told
