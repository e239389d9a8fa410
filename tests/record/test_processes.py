"""Processes as they come: installed by hand, forked, several at once, without room, in C++."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from aoti_tui.artifacts.recording.reading import processes_in, read_recorded

HOME = Path(__file__).parents[2]
HEADER = HOME / "aoti_tui" / "record"

MODEL = """
import os, sys, time, torch
{before}

@torch.compile(dynamic=True)
def look_up(table, ids):
    return table[ids] * 2

table = torch.arange(50.0)
for call in range(5):
    look_up(table, torch.randint(0, 50, (7 + call,)))
{after}
"""


def run(
    folder: Path, text: str, *command: str, **settings: str
) -> subprocess.CompletedProcess[str]:
    (folder / "program.py").write_text(text)
    return subprocess.run(
        [*command, sys.executable, "program.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(HOME), **settings},
        capture_output=True,
        text=True,
        timeout=300,
    )


RECORD = (sys.executable, "-m", "aoti_tui", "record", "-o", "call.aoti")


def manifest_of(bundle: Path) -> dict[str, Any]:
    with zipfile.ZipFile(bundle) as packed:
        told: dict[str, Any] = json.loads(packed.read("manifest.json"))
    return told


def test_a_program_that_installs_it_needs_no_command_in_front(tmp_path: Path) -> None:
    before = "import aoti_tui.record; aoti_tui.record.install('mine.aoti', calls=2)"
    done = run(tmp_path, MODEL.format(before=before, after="os.abort()"))
    assert done.returncode == -6
    for _ in range(100):
        if (tmp_path / "mine.aoti").exists():
            break
        subprocess.run(["sleep", "0.1"])
    told = manifest_of(tmp_path / "mine.aoti")
    assert (told["calls_begun"], len(told["calls"])) == (5, 2)


def test_a_fork_has_a_ring_of_its_own_and_does_not_touch_its_parents(tmp_path: Path) -> None:
    after = """
sys.stdout.flush()
if os.fork() == 0:
    for call in range(3):
        look_up(table, torch.randint(0, 50, (7,)))
    os._exit(0)
os.wait()
look_up(table, torch.tensor([1, 2, 70]))
"""
    done = run(tmp_path, MODEL.format(before="", after=after), *RECORD)
    assert done.returncode == 1
    found = sorted(tmp_path.glob("*.aoti"))
    told = [manifest_of(one) for one in found]
    assert sorted(one["calls_begun"] for one in told) == [3, 6]
    (failed,) = (one for one in told if one["raised"])
    assert failed["raised"] == 6


def test_without_room_for_the_bundle_the_recording_is_kept_and_said(tmp_path: Path) -> None:
    (tmp_path / "call.aoti").mkdir()
    (tmp_path / "call.aoti" / "x").write_text("not to be replaced")
    done = run(tmp_path, MODEL.format(before="", after="sys.exit(1)"), *RECORD)
    assert done.returncode == 1
    assert "the recording is kept: aoti-tui bundle" in done.stderr
    assert "Traceback" not in done.stderr
    kept = Path(done.stderr.split("aoti-tui bundle ")[1].split(" -o")[0])
    assert len(read_recorded(processes_in(kept)[0]).calls) == 5
    shutil.rmtree(kept)


def test_without_room_for_a_ring_the_program_runs_on(tmp_path: Path) -> None:
    before = "import aoti_tui.record; aoti_tui.record.install()"
    text = MODEL.format(before=before, after="print('results')")
    done = run(tmp_path, text, AOTI_TUI_RECORD_FOLDER="/proc/nowhere")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "results\n"
    assert "nothing is recorded, the program runs on" in done.stderr


def test_the_tests_of_a_project_are_recorded_too(tmp_path: Path) -> None:
    text = MODEL.format(before="", after="")
    text += "\n\ndef test_bad():\n    look_up(table, torch.tensor([99] * 9))\n"
    (tmp_path / "test_it.py").write_text(text)
    done = subprocess.run(
        [*RECORD, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(HOME)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 1
    told = manifest_of(tmp_path / "call.aoti")
    assert (told["raised"], told["calls_begun"]) == (6, 6)


def by_variable(folder: Path, *command: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """A command in a shell that has taken what ``--environment`` prints."""
    ours = f'eval "$({sys.executable} -m aoti_tui record --calls 3 --environment)"'
    return subprocess.run(
        ["sh", "-c", f'{ours}; exec "$@"', "sh", *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(HOME), **settings},
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_a_variable_is_enough_for_a_program_that_knows_nothing_of_it(tmp_path: Path) -> None:
    (tmp_path / "serve.py").write_text(MODEL.format(before="", after="os.abort()"))
    done = by_variable(tmp_path, sys.executable, "serve.py", AOTI_TUI_RECORD="call.aoti")
    assert done.returncode == -6, done.stderr
    told = manifest_of(tmp_path / "call.aoti")
    assert (told["calls_begun"], len(told["calls"])) == (5, 3)


def test_without_the_variable_nothing_is_recorded(tmp_path: Path) -> None:
    (tmp_path / "serve.py").write_text("import sys; print('aoti_tui' in sys.modules); sys.exit(3)")
    done = by_variable(tmp_path, sys.executable, "serve.py")
    assert (done.returncode, done.stdout, done.stderr) == (3, "False\n", "")


def test_a_variable_is_enough_for_tests_whose_runner_catches_the_error(tmp_path: Path) -> None:
    text = MODEL.format(before="", after="")
    text += "\n\ndef test_bad():\n    look_up(table, torch.tensor([99] * 9))\n"
    (tmp_path / "test_it.py").write_text(text)
    runner = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py")
    done = by_variable(tmp_path, *runner, AOTI_TUI_RECORD="call.aoti")
    assert done.returncode == 1, done.stdout
    assert manifest_of(tmp_path / "call.aoti")["raised"] == 6


def test_the_ranks_of_torchrun_leave_a_bundle_each(tmp_path: Path) -> None:
    after = """
open("rank" + os.environ["RANK"], "w").close()
while not (os.path.exists("rank0") and os.path.exists("rank1")):
    time.sleep(0.05)
look_up(table, torch.tensor([1, 2, 70 + int(os.environ["RANK"])]))
"""
    (tmp_path / "train.py").write_text(MODEL.format(before="", after=after))
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", "train.py"]
    cache = str(tmp_path / "cache")
    done = by_variable(
        tmp_path,
        sys.executable,
        *torchrun,
        AOTI_TUI_RECORD="call.aoti",
        TORCHINDUCTOR_CACHE_DIR=cache,
        OMP_NUM_THREADS="1",
    )
    assert done.returncode == 1, done.stderr
    found = {one.name: manifest_of(one) for one in tmp_path.glob("*.aoti")}
    assert set(found) == {"call.rank0.aoti", "call.rank1.aoti"}
    assert [found[one]["process"]["rank"] for one in sorted(found)] == ["0", "1"]
    # torchrun ends the other as soon as one has failed.
    assert 6 in [one["raised"] for one in found.values()]
    assert all(one["calls_begun"] in (5, 6) for one in found.values())


def test_ranks_that_are_started_alone_do_not_share_a_name(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(MODEL.format(before="", after="os.abort()"))
    settings = {"AOTI_TUI_RECORD": "call.aoti", "OMPI_COMM_WORLD_RANK": "3"}
    done = by_variable(tmp_path, sys.executable, "train.py", **settings)
    assert done.returncode == -6, done.stderr
    assert manifest_of(tmp_path / "call.rank3.aoti")["process"]["rank"] == "3"


SERVER = """
#include "aoti_record.h"

int main() {
  auto& kept = aoti_record::Recorder::get();
  auto site = kept.site("model", "/nowhere/model.pt2");
  for (int call = 1; call <= 20; ++call) {
    std::vector<at::Tensor> inputs = {at::full({2, call}, call, at::kLong), at::ones({3}).t()};
    auto number = kept.begin(site, inputs);
    if (call == 20) {
      kept.failed(number, "the model said \\"no\\"");
      std::abort();
    }
    kept.end(number);
  }
}
"""


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")
def test_a_cpp_program_writes_the_same_ring(tmp_path: Path) -> None:
    import torch

    (tmp_path / "server.cpp").write_text(SERVER)
    root = Path(torch.__file__).parent
    include, lib = root / "include", root / "lib"
    abi = int(torch._C._GLIBCXX_USE_CXX11_ABI)
    places = [f"-I{HEADER}", f"-I{include}", f"-I{include}/torch/csrc/api/include"]
    libraries = [f"-L{lib}", f"-Wl,-rpath,{lib}", "-ltorch", "-ltorch_cpu", "-lc10"]
    flags = ["-std=c++20", "-w", "-DAOTI_RECORD_CPU", f"-D_GLIBCXX_USE_CXX11_ABI={abi}"]
    build = ["g++", *flags, *places, "server.cpp", "-o", "server", *libraries]
    subprocess.run(build, cwd=tmp_path, check=True)
    done = subprocess.run(
        [*RECORD, "./server"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(HOME)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 134, done.stderr
    with zipfile.ZipFile(tmp_path / "call.aoti") as packed:
        packed.extractall(tmp_path / "call")
    told = json.loads((tmp_path / "call" / "manifest.json").read_text())
    assert (told["raised"], told["error"]) == (20, 'the model said "no"')
    assert [one["number"] for one in told["calls"]] == list(range(13, 21))
    ids, ones = torch.load(tmp_path / "call" / "calls" / "20.pt", weights_only=True)
    assert torch.equal(ids, torch.full((2, 20), 20))
    assert torch.equal(ones, torch.ones(3))
