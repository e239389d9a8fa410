"""The recording of failures on a GPU. These need one, and are skipped without: the programs are in
``programs``, and what they leave is opened by the other tests on any machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

PROGRAMS = Path(__file__).parent / "programs"

AOTI_TUI = (sys.executable, "-m", "aoti_tui")

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


@pytest.mark.parametrize(
    "command",
    [
        *(["aoti_models.py", name, "."] for name in ("gather", "experts", "bags")),
        *(["compiled_models.py", name] for name in ("lookup", "training", "replayed")),
        *(["launches.py", name] for name in ("assert", "address")),
    ],
    ids=" ".join,
)
def test_the_call_in_the_middle_is_found(tmp_path: Path, command: list[str]) -> None:
    home = Path(__file__).parents[2]
    done = subprocess.run(
        [*AOTI_TUI, "record", sys.executable, PROGRAMS / command[0], *command[1:]],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(home)},
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    told = subprocess.run(
        [*AOTI_TUI, "explain", "call.aoti"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(home)},
        capture_output=True,
        text=True,
    )
    number = 202 if command[1] == "training" else 101
    assert f"those of call {number} of" in told.stdout
    assert "confirmed" in told.stdout
