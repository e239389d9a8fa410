"""``--launches KERNEL`` keeps arguments before and after; ``check`` compares them with a replay.

Without a GPU the kernels are real all the same: Triton interprets them, and Inductor writes Triton
for the CPU when it is told that there is a driver.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import torch

from aoti_tui.cli.main import main
from aoti_tui.record.hooks.launches import begin_launch
from aoti_tui.record.kept_launches import KeptLaunches
from aoti_tui.record.options import Options
from tests.record.kernels import take_unchecked
from tests.record.recording import bundled, recorder_in

PROGRAM = """
import torch, triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.runtime.driver import driver

class Driver:
    def get_current_target(self): return GPUTarget("cuda", 90, 32)
    def get_current_device(self): return 0
    def get_active_torch_device(self): return torch.device("cpu")

driver.set_active(Driver())
import torch._inductor.config as config
config.cpu_backend = "triton"
config.compile_threads = 1

@torch.compile(dynamic=True)
def look_up(table, ids):
    return (table[ids] * 2).sum(-1)

@triton.jit
def add(x, y, n, MORE: tl.constexpr, BLOCK: tl.constexpr = 8):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, at < n) + MORE, at < n)

for call in range(4):
    table, ids = torch.randn(50, 8), torch.randint(0, 50, (7 + call,))
    assert torch.allclose(look_up(table, ids), (table[ids] * 2).sum(-1), atol=1e-5)
    x, grid = torch.randn(20), lambda meta: (triton.cdiv(20, meta["BLOCK"]),)
    add[grid](x, torch.empty(20), 20, call % 2)
"""


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "program.py").write_text(PROGRAM)
    home = Path(__file__).parents[2]
    return subprocess.run(
        [sys.executable, "-m", "aoti_tui", "record", *options, sys.executable, "program.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(home), "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )


def checked(capsys: pytest.CaptureFixture[str], bundle: Path) -> list[dict[str, Any]]:
    main(["check", str(bundle), "--json"])
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["launches"]
    return found


def test_launches_of_a_graph_and_of_a_script_equal_their_replay(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = run(tmp_path, "--launches", "triton_*", "--launches", "add")
    assert done.returncode == 0, done.stderr
    assert "8 launches of add, triton_red_fused" in done.stderr
    bundle = tmp_path / "call.aoti"
    found = checked(capsys, bundle)
    kernels = [one["kernel"] for one in found]
    assert kernels.count("add") == 4
    assert sum(one.startswith("triton_") for one in kernels) == 4
    assert {(one["status"], one["bit_equal"]) for one in found} == {("pass", True)}
    with zipfile.ZipFile(bundle) as packed:
        packed.extractall(tmp_path / "call")
        told = json.loads(packed.read("manifest.json"))["launches"]
    # A kernel compiled for other constants is another one, and Inductor's has the graph's code.
    assert [(one["kernels"], one["count"]) for one in told][1:] == [(["add"], 2), (["add"], 2)]
    graph = (tmp_path / "call" / told[0]["wrapper"]).read_text().splitlines()
    kept = torch.load(tmp_path / "call" / told[0]["file"], weights_only=True)
    assert {one["kernel"] in graph[one["line"] - 1] for one in kept} == {True}
    assert kept[0]["grid"] == (-(-7 // kept[0]["config"]["XBLOCK"]), 1, 1)
    table = next(one for one in kept[0]["args"] if one.get("shape") == (50, 8))
    assert (table["before"].shape, table["after"]) == ((50, 8), "same")


def test_a_name_that_is_not_launched_is_said_with_those_that_are(tmp_path: Path) -> None:
    done = run(tmp_path, "--launches", "softmax_*")
    assert done.returncode == 0
    assert "no launch of softmax_*; launched were add, triton_red_fused" in done.stderr


def kept_launch(folder: Path, spoilt: float, *, ends: bool = True, ring: int = 1 << 20) -> Path:
    """A bundle of one launch whose result is off by ``spoilt`` in one element."""
    kept = recorder_in(folder)
    kept.launches = KeptLaunches(kept.folder, Options(ring=ring, launches="take_*"))
    table, ids, out = torch.randn(50, 40), torch.randint(0, 50, (24,)), torch.zeros(24, 40)
    arguments = (table, ids, out, 40)
    number, whole = begin_launch(kept, take_unchecked, arguments, {"BLOCK": 64}, (24,))
    kept.end(number)
    out.copy_(table[ids])
    out[3, 7] += spoilt
    assert whole is not None
    if ends:
        kept.launches.after(*whole, {})
    (made,) = bundled(folder, None)
    return made.path


def test_what_a_replay_does_not_compute_is_a_mismatch_with_its_element(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(kept_launch(tmp_path, 1.0))]) == 1
    said = capsys.readouterr().out
    assert "out: 1 elements differ, the worst is element 127" in said
    assert "0 pass, 1 mismatch" in said


def test_a_launch_that_did_not_end_or_did_not_fit_is_not_called_right(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, how in (("ended", {"ends": False}), ("fitted", {"ring": 1 << 16})):
        folder = tmp_path / name
        folder.mkdir()
        (one,) = checked(capsys, kept_launch(folder, 0.0, **how))  # type: ignore[arg-type]
        assert one["status"] == "no-data"
        assert {"ended": "the GPU did not get to its end", "fitted": "do not fit"}[name] in (
            one["detail"]
        )


def test_a_bundle_that_is_given_away_has_no_launches(tmp_path: Path) -> None:
    path, public = kept_launch(tmp_path, 0.0), tmp_path / "public.aoti"
    assert main(["bundle", str(path), "-o", str(public), "--redact"]) == 0
    with zipfile.ZipFile(public) as packed:
        assert not [name for name in packed.namelist() if "launches" in name]
