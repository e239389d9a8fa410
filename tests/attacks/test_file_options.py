"""Every option that names a file, given what is no such file: a message in seconds, no more."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.replay.models import DEMO

WRAPPER = str(DEMO / "jagged_reduce.wrapper.cpp")
LOG = ["--log", str(DEMO / "error.empty_weights.log")]
INPUTS = ["--inputs", str(DEMO / "inputs.empty_weights.pt")]
KERNEL = "triton_red_fused_ge_index_scalar_tensor_sub_sum_where_1"
READ = {
    "a wrapper": ["explain", "FILE"],
    "a wrapper to index": ["index", "FILE"],
    "a wrapper to replay": ["replay", "FILE", "--all"],
    "a log": ["explain", WRAPPER, "--log", "FILE", "--no-replay"],
    "inputs": ["explain", WRAPPER, *LOG, "--inputs", "FILE"],
    "constants": ["explain", WRAPPER, *LOG, *INPUTS, "--constants", "FILE"],
    "tensors": ["explain", WRAPPER, *LOG, *INPUTS, "--tensors", "FILE"],
    "a core dump": ["explain", WRAPPER, *LOG, "--core", "FILE"],
    "a core dump alone": ["core", "FILE", "--info"],
    "kernel sources": ["index", WRAPPER, "--kernels", "FILE"],
    "a Python": ["replay", WRAPPER, *INPUTS, "--python", "FILE", "--all"],
    "standard input": ["run", "--check", "--stdin", "FILE", os.devnull],
}
WRITTEN = {
    "a report": ["explain", WRAPPER, *LOG, "--no-replay", "--report", "FILE"],
    "a script": ["replay", WRAPPER, *INPUTS, "--kernel", KERNEL, "--script", "FILE"],
    "results": ["run", "--check", "--json", "FILE", os.devnull],
}
KINDS = ["a pipe", "a device", "a sparse file", "bytes", "a bad name", "a loop of links"]
KINDS += ["a folder in itself"]
CASES = [(option, kind) for option in READ for kind in KINDS if not option.startswith("standard")]
CASES += [("standard input", kind) for kind in ("a pipe", "a bad name", "a folder in itself")]
SECONDS = 40


def aoti_tui(arguments: list[str], limit: int = 0) -> subprocess.CompletedProcess[str]:
    """Run the program, with files of at most ``limit`` bytes: what a full disk is to it."""

    def lower() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.run(
        [sys.executable, "-m", "aoti_tui", *arguments],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=60,
        stdin=subprocess.DEVNULL,
        preexec_fn=lower if limit else None,
    )


def strange(kind: str, folder: Path) -> str:
    path = folder / "strange"
    if kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a device":
        return "/dev/zero"
    elif kind == "a sparse file":
        with path.open("wb") as file:
            file.truncate(1 << 40)
    elif kind == "bytes":
        path.write_bytes(bytes(range(256)) * 400)
    elif kind == "a bad name":
        return str(folder / "no\x1b]52;c;QQ\x07\udcff\u202esuch")
    elif kind == "a loop of links":
        path.symlink_to(path)
    else:
        path.mkdir()
        (path / "inner").symlink_to(path)
    return str(path)


def fine(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode in (0, 1, 2, 3, 4), done.stderr
    for text in (done.stdout, done.stderr):
        assert "Traceback" not in text, text
        assert "itself broke" not in text, text
        assert not {"\x1b", "\x07", "\u202e"} & set(text)


@pytest.mark.parametrize(("option", "kind"), CASES)
def test_what_is_no_such_file(tmp_path: Path, option: str, kind: str) -> None:
    name = strange(kind, tmp_path)
    start = time.monotonic()
    done = aoti_tui([name if one == "FILE" else one for one in READ[option]])
    assert time.monotonic() - start < SECONDS
    fine(done)
    assert done.returncode or done.stdout


@pytest.mark.parametrize("kind", ["a full disk", "a folder", "no folder", "a file in the way"])
@pytest.mark.parametrize("option", WRITTEN)
def test_what_cannot_be_written(tmp_path: Path, option: str, kind: str) -> None:
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "old.py").write_text("mine")
    target = {
        "a full disk": tmp_path / "old.py",
        "a folder": tmp_path / "folder.py",
        "no folder": tmp_path / "none" / "new.py",
        "a file in the way": tmp_path / "old.py" / "new.py",
    }[kind]
    limit = 100 if kind == "a full disk" else 0
    done = aoti_tui([str(target) if one == "FILE" else one for one in WRITTEN[option]], limit)
    fine(done)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "cannot be written" in done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder.py", "old.py"]
    assert (tmp_path / "old.py").read_text() == "mine"
