"""``check`` against a file of launches that were recorded on the GPU, one by one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from aoti_tui.cli.main import main
from tests.cases import DATA

FOLDER = DATA / "output_code" / "unbacked_item"


def test_every_recorded_launch_equals_what_the_gpu_wrote(
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = [str(FOLDER / "output_code.py"), "--tensors", str(FOLDER / "recorded.good.pt")]
    assert main(["check", *arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["launch_line"] for one in found["launches"]] == [195, 199, 205]
    assert {one["status"] for one in found["launches"]} == {"pass"}
    assert all(one["bit_equal"] for one in found["launches"])


def test_a_kernel_that_computes_something_else_does_not_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (FOLDER / "output_code.py").read_text()
    wrapper = tmp_path / "output_code.py"
    wrapper.write_text(text.replace("tmp0 = tl.full([1], 0.0, ", "tmp0 = tl.full([1], 2.0, "))
    assert main(["check", str(wrapper), "--tensors", str(FOLDER / "recorded.good.pt")]) == 1
    assert "mismatch" in capsys.readouterr().out


def test_launches_of_another_wrapper_are_named_as_such(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrapper = tmp_path / "output_code.py"
    shutil.copy(DATA / "output_code" / "gnn" / "output_code.py", wrapper)
    assert main(["check", str(wrapper), "--tensors", str(FOLDER / "recorded.good.pt")]) == 2
    assert "holds no launch of this wrapper" in capsys.readouterr().err
