"""The stand-alone script shows the failure by itself, under Triton's own interpreter."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.questions.script import write_script

from .models import DATA, DEMO, REDUCE, Opened, demo_index, expected, launch_of, model


def run(script: Path, *arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(script), *arguments],
        capture_output=True,
        text=True,
        input=typed,
        cwd=script.parent.parent,
        check=False,
    )


def test_the_script_stops_at_the_assert(opened: Opened, tmp_path: Path) -> None:
    session = opened(demo_index(), inputs=DEMO / "inputs.empty_weights.pt")
    folder = tmp_path / "with space"
    folder.mkdir()
    script, data = write_script(session, launch_of(demo_index(), REDUCE), folder / "repro.py")
    assert "aoti_tui" not in script.read_text()
    kept = torch.load(data, weights_only=True)
    assert {name: tuple(t.shape) for name, t in kept.items()} == {
        "in_ptr0": (4,),
        "in_ptr1": (0, 640),
        "out_ptr0": (4,),
    }
    done = run(script)
    assert done.returncode == 1
    assert done.stdout == (
        "program (0, 0, 0): 1 lanes fail: index out of bounds: 0 <= tmp10 < ks0\n"
    )


def test_the_script_opens_pdb_in_the_kernel(opened: Opened, tmp_path: Path) -> None:
    session = opened(demo_index(), inputs=DEMO / "inputs.empty_weights.pt")
    script, _ = write_script(session, launch_of(demo_index(), REDUCE), tmp_path / "repro.py")
    done = run(script, "--pdb", typed="p 'ks0 is', ks0\np int(tmp10.handle.data.min())\nq\n")
    assert "-1" in done.stdout
    assert "ks0 is" in done.stdout


def test_a_script_of_good_inputs_fails_nothing(opened: Opened, tmp_path: Path) -> None:
    session = opened(model("user_triton_kernel"), inputs=DATA / "user_triton_kernel/inputs.good.pt")
    launch = launch_of(session.index, "lookup_kernel_0")
    script, _ = write_script(session, launch, tmp_path / "repro.py")
    done = run(script)
    assert (done.returncode, done.stdout) == (0, "no assert failed\n"), done.stderr


def test_made_up_arguments_are_named_in_the_script(opened: Opened, tmp_path: Path) -> None:
    facts = expected("bucketize_small_table", "table_one_short")
    session = opened(
        model("bucketize_small_table"),
        inputs=DATA / "bucketize_small_table" / "inputs.table_one_short.pt",
    )
    launch = launch_of(session.index, facts["kernel"])
    script, _ = write_script(session, launch, tmp_path / "repro.py")
    assert "Made-up data, which may not show the real failure: in_ptr0." in script.read_text()


def test_a_script_that_cannot_be_written(opened: Opened, tmp_path: Path) -> None:
    session = opened(demo_index())
    with pytest.raises(ReplayError, match="cannot be written"):
        write_script(session, demo_index().launches[0], tmp_path / "absent" / "repro.py")
