"""A recording is opened by its name alone: the call that failed is found among those kept."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
import torch

from aoti_tui.cli.main import main
from tests.record.recording import DATA, bundled, record_calls, recorder_in

CASE = DATA / "gather_dynamic"
WRAPPER = CASE / "wrapper.cpp"
LOG = CASE / "error.idx_eq_size.log"
BAD = 16


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded")
    good = torch.load(CASE / "inputs.idx_eq_size.pt")
    bad = [one.clone() for one in good]
    for position, one in enumerate(good):
        if not one.dtype.is_floating_point:
            good = [*good[:position], one.clamp(max=5), *good[position + 1 :]]
    calls = [bad if number == BAD else good for number in range(1, 21)]
    record_calls(recorder_in(folder), WRAPPER, calls)
    (made,) = bundled(folder, LOG)
    return made.path


def test_the_call_that_the_log_is_of_is_found_and_the_others_are_named(
    bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", str(bundle), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    (failure,) = told["failures"]
    assert failure["cause"]["confirmed"]
    main(["explain", str(bundle)])
    said = capsys.readouterr().out
    assert "the values are those of call 16 of 20" in said
    assert "7 others are kept (14, 15, 17, 18, 19, 20)" in said
    assert "arg1_1[3, 1] = 11" in said


def test_it_is_replayed_with_nothing_but_its_name(
    bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(bundle), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["asserts"]


def test_a_folder_with_the_same_files_is_a_bundle_too(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with zipfile.ZipFile(bundle) as packed:
        packed.extractall(tmp_path / "call")
    assert main(["explain", str(tmp_path / "call")]) == 0
    assert "those of call 16 of 20" in capsys.readouterr().out


def test_floats_that_were_not_kept_are_made_up_and_called_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = torch.load(CASE / "inputs.idx_eq_size.pt")
    record_calls(recorder_in(tmp_path, data="none"), WRAPPER, [bad])
    (made,) = bundled(tmp_path, LOG)
    assert "not kept" in made.words
    assert main(["explain", str(made.path)]) == 0
    said = capsys.readouterr().out
    assert "confirmed" in said
    assert "not recorded, made up where a replay needs it: argument 0 (floats (--data))" in said


def test_the_manifest_says_what_is_there_and_torch_reads_the_calls(
    bundle: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(bundle) as packed:
        packed.extractall(tmp_path)
    told = json.loads((tmp_path / "manifest.json").read_text())
    assert (told["made_by"], told["ended"], told["calls_begun"]) == ("record", "signal SIGABRT", 20)
    assert [one["number"] for one in told["calls"]] == list(range(13, 21))
    for one in told["calls"]:
        assert len(torch.load(tmp_path / one["inputs"], weights_only=True)) == len(one["arguments"])
        assert (tmp_path / one["wrapper"]).read_text() == WRAPPER.read_text()
