"""``aoti-tui record`` in front of a program that is compiled for the CPU here: the same hooks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PROGRAM = """
import os, signal, sys, torch

@torch.compile(dynamic=True)
def look_up(table, ids):
    return table[ids] * 2

table = torch.arange(50.0)
for call in range(1, 31):
    ids = torch.randint(0, 50, (7 + call % 3,))
    if call == 21:
        if sys.argv[1] == "raises":
            ids[3] = 77
        elif sys.argv[1] == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        elif sys.argv[1] == "aborts":
            os.abort()
        elif sys.argv[1] == "leaves":
            sys.exit(3)
    result = look_up(table, ids)
    assert torch.equal(result, table[ids] * 2)
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiled code that all runs share."""
    return tmp_path_factory.mktemp("cache")


def run(folder: Path, cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = folder / "program.py"
    program.write_text(PROGRAM)
    settings = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(cache), "MY_TOKEN": "s3cr3t"}
    return subprocess.run(
        [sys.executable, "-m", "aoti_tui", "record", "-o", "call.aoti", *arguments],
        cwd=folder,
        env={**settings, "PYTHONPATH": str(Path(__file__).parents[2]), "AOTI_SECRET": "s3cr3t"},
        capture_output=True,
        text=True,
        timeout=300,
    )


def manifest_of(bundle: Path) -> dict[str, object]:
    with zipfile.ZipFile(bundle) as packed:
        told: dict[str, object] = json.loads(packed.read("manifest.json"))
    return told


@pytest.mark.parametrize(
    ("how", "code", "calls", "ended"),
    [
        ("raises", 1, 21, "exit code 1"),
        ("killed", 137, 20, "signal SIGKILL"),
        ("aborts", 134, 20, "signal SIGABRT"),
        ("leaves", 3, 20, "exit code 3"),
    ],
)
def test_a_failure_leaves_a_bundle_and_the_exit_code_is_the_programs(
    tmp_path: Path, cache: Path, how: str, code: int, calls: int, ended: str
) -> None:
    done = run(tmp_path, cache, sys.executable, "program.py", how)
    assert done.returncode == code, done.stderr
    told = manifest_of(tmp_path / "call.aoti")
    assert (told["calls_begun"], told["ended"]) == (calls, ended)
    assert told["suspects"][0] == calls
    assert told["raised"] == (21 if how == "raises" else None)
    assert "s3cr3t" not in json.dumps(told)
    if how == "raises":
        assert "index out of bounds" in done.stderr
        assert "index out of bounds" in str(told["error"])


def test_a_program_that_ends_well_leaves_nothing(tmp_path: Path, cache: Path) -> None:
    done = run(tmp_path, cache, sys.executable, "program.py", "well")
    assert done.returncode == 0, done.stderr
    assert [one.name for one in tmp_path.iterdir()] == ["program.py"]
    assert done.stderr == ""


def test_on_exit_it_leaves_one_all_the_same(tmp_path: Path, cache: Path) -> None:
    done = run(tmp_path, cache, "--on-exit", sys.executable, "program.py", "well")
    assert done.returncode == 0
    assert manifest_of(tmp_path / "call.aoti")["calls_begun"] == 30


def test_list_says_what_would_be_recorded_and_runs_nothing(tmp_path: Path, cache: Path) -> None:
    done = run(tmp_path, cache, "--list", "--data", "none", "false")
    assert done.returncode == 0
    assert "floats         not recorded" in done.stdout


def test_a_command_that_is_not_there_is_said(tmp_path: Path, cache: Path) -> None:
    done = run(tmp_path, cache, "no-such-program")
    assert done.returncode != 0
    assert "no-such-program cannot be started" in done.stderr
    assert "Traceback" not in done.stderr
