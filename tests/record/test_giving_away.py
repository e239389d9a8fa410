"""A bundle for a public issue: the failing call alone, its floats replaced."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
import torch

from aoti_tui.cli.main import main
from tests.record.recording import DATA, bundled, record_calls, recorder_in

CASE = DATA / "gather_dynamic"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    bad = torch.load(CASE / "inputs.idx_eq_size.pt")
    good = [one if one.dtype.is_floating_point else one.clamp(max=5) for one in bad]
    record_calls(recorder_in(tmp_path), CASE / "wrapper.cpp", [good, good, bad, good])
    (made,) = bundled(tmp_path, CASE / "error.idx_eq_size.log")
    return made.path


def test_noise_replaces_floats_and_the_answer_stays(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    public = tmp_path / "public.aoti"
    assert main(["bundle", str(bundle), "-o", str(public), "--redact", "--minimal"]) == 0
    assert "call 3 alone" in capsys.readouterr().out
    with zipfile.ZipFile(public) as packed:
        packed.extractall(tmp_path / "public")
    assert [one.name for one in (tmp_path / "public" / "calls").iterdir()] == ["3.pt"]
    given = torch.load(tmp_path / "public" / "calls" / "3.pt", weights_only=True)
    for one, was in zip(given, torch.load(CASE / "inputs.idx_eq_size.pt"), strict=True):
        assert (one.dtype, one.shape, one.stride()) == (was.dtype, was.shape, was.stride())
        assert torch.equal(one, was) is (not one.dtype.is_floating_point)
    assert main(["explain", str(public)]) == 0
    said = capsys.readouterr().out
    assert "confirmed" in said
    assert "arg1_1[3, 1] = 11" in said


def test_a_recording_that_was_left_becomes_a_bundle(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "left"
    folder.mkdir()
    bad = torch.load(CASE / "inputs.idx_eq_size.pt")
    record_calls(recorder_in(folder), CASE / "wrapper.cpp", [bad])
    target = tmp_path / "call.aoti"
    assert main(["bundle", str(folder), "-o", str(target)]) == 0
    assert "the last 1 of 1 calls" in capsys.readouterr().out
    assert main(["explain", str(target), "--log", str(CASE / "error.idx_eq_size.log")]) == 0
    assert "confirmed" in capsys.readouterr().out


def test_what_is_no_bundle_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.aoti").write_text("no")
    assert main(["bundle", str(tmp_path / "x.aoti"), "-o", str(tmp_path / "y.aoti")]) != 0
    assert "is no bundle" in capsys.readouterr().err
