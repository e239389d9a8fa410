"""A launch of a script's own kernel is explained and replayed from its recording alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from aoti_tui.cli.main import main
from aoti_tui.record.hooks.launches import begin_launch
from tests.record.kernels import take_rows, take_unchecked
from tests.record.recording import bundled, recorder_in

LOG = (
    "/app/kernels.py:14: row_of: block: [5,0,0], thread: [{thread},0,0] Assertion "
    "`row outside the table` failed.\n"
)
FAULT = (
    "torch.AcceleratorError: CUDA error: an illegal memory access was encountered\n"
    "CUDA kernel errors might be asynchronously reported at some other API call\n"
)


def recorded(folder: Path, kernel: Any, log: str, bad: int) -> Path:
    """A bundle of twenty launches, of which the last has a bad row in program 5."""
    kept = recorder_in(folder)
    table = torch.randn(50, 40)
    for call in range(20):
        ids = torch.randint(0, 50, (24,))
        if call == 19:
            ids[5] = bad
        arguments = (table, ids, torch.empty(24, 40))
        sizes = (50, 40) if kernel is take_rows else (40,)
        number, _ = begin_launch(kept, kernel, (*arguments, *sizes), {"BLOCK": 64}, (24,))
        kept.end(number)
    (folder / "log").write_text(log)
    (made,) = bundled(folder, folder / "log")
    return made.path


def test_a_failed_assert_of_a_helper_is_found_with_its_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = "".join(LOG.format(thread=lane) for lane in range(4))
    path = recorded(tmp_path, take_rows, log, 50)
    assert main(["explain", str(path), "--json"]) == 0
    (failure,) = json.loads(capsys.readouterr().out)["failures"]
    assert failure["cause"]["confirmed"]
    assert failure["kernel"] == "take_rows"
    main(["explain", str(path)])
    said = capsys.readouterr().out
    assert "those of call 20 of 20 (launch take_rows)" in said
    assert "row = 50 in lane [] of program (5, 0, 0), valid 0..49" in said
    assert "data of argument `ids` = int64[24]" in said
    assert "check it before the launch" in said
    for theirs in ("compiled function", "inputs[", "torch._check", "TORCH_LOGS"):
        assert theirs not in said


def test_a_bad_address_is_found_by_replaying_the_launch(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = recorded(tmp_path, take_unchecked, FAULT, 1 << 40)
    assert main(["explain", str(path)]) == 0
    said = capsys.readouterr().out
    assert "take_unchecked" in said
    assert "those of call 20 of 20" in said
    assert f"argument `ids` element [5] = {1 << 40} leads to element {40 << 40} of" in said
    assert "the values of ids make the address" in said
    assert "program (5, 0, 0)" in said or "(5,0,0)" in said


def test_replay_debug_and_check_take_the_bundle_by_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(recorded(tmp_path, take_unchecked, FAULT, 1 << 40))
    assert main(["replay", path, "--json"]) == 0
    (fault,) = json.loads(capsys.readouterr().out)["memory"]
    assert (fault["argument"], fault["element"], fault["program"]) == ("x", 40 << 40, [5, 0, 0])
    assert main(["debug", path, "-ex", "continue", "-ex", "print row"]) == 0
    said = capsys.readouterr().out
    assert "load outside x" in said
    assert f"row = {1 << 40}" in said
    assert main(["check", path]) == 2
    assert "does not hold what the GPU wrote" in capsys.readouterr().err
