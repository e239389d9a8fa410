"""A size that a float reciprocal cuts, and nothing fails: said wherever the inputs are given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from aoti_tui.answer.opening import open_incident
from aoti_tui.artifacts.given import Given
from aoti_tui.cli.main import main
from tests.answer.wrappers import call, indices, inputs, wrapper

KERNEL = "triton_poi_fused_index_0"
SAID = "a size came out wrong: s9 = (1.0/49.0)*s0 gave 0, exactly it is 1"
FAULT = "RuntimeError: CUDA error: an illegal memory access was encountered\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A wrapper that looks up 49 * s9 indices, and a call with 49 of them."""
    body = "    int64_t s9 = (1.0/49.0)*s0;\n" + call(KERNEL, "arg0_1", extent="49L*s9")
    path, given = tmp_path / "model.wrapper.cpp", tmp_path / "inputs.pt"
    path.write_text(wrapper(body, KERNEL))
    torch.save(inputs(indices(*([7] * 49))), given)
    return path, given


def test_replay_all_warns_and_does_not_say_that_all_is_well(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    wrapper_file, given = files
    asked = ["replay", str(wrapper_file), "--inputs", str(given), "--all"]
    assert main(asked) == 0
    told = capsys.readouterr().out
    assert f"warning: {SAID}" in told
    assert "s0 = 49" in told
    assert "its grid is empty (0×1×1)" in told
    assert "nothing failed" not in told
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (warning,) = found["warnings"]
    assert (warning["code"], warning["name"]) == ("symbol-truncated", "s9")
    assert (warning["value"], warning["exact"], found["first"]) == (0, 1, None)


def test_one_launch_warns_too(files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    wrapper_file, given = files
    main(["replay", str(wrapper_file), "--inputs", str(given), "--kernel", KERNEL, "--json"])
    assert [w["name"] for w in json.loads(capsys.readouterr().out)["warnings"]] == ["s9"]


def test_explain_and_the_first_screen_say_it_before_anything_runs(
    files: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrapper_file, given = files
    incident = open_incident(wrapper_file, given=Given(inputs=given))
    assert incident.notes[0].startswith(SAID)
    log = tmp_path / "error.log"
    log.write_text(FAULT)
    asked = ["explain", str(wrapper_file), "--log", str(log), "--inputs", str(given)]
    main([*asked, "--no-replay"])
    assert f"note   {SAID}" in capsys.readouterr().out
    main([*asked, "--no-replay", "--json"])
    assert [w["name"] for w in json.loads(capsys.readouterr().out)["warnings"]] == ["s9"]


def test_the_index_flags_the_definition(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    main(["index", str(files[0])])
    told = next(line for line in capsys.readouterr().out.splitlines() if "s9 = (1" in line)
    assert "can come out too small, for 49 it is 0 instead of 1" in told
    main(["index", str(files[0]), "--json"])
    symbols = json.loads(capsys.readouterr().out)["symbols"]
    assert {s["name"] for s in symbols if s["can_truncate"]} == {"s9"}


def test_a_size_that_comes_out_right_is_no_matter(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    wrapper_file, given = files
    wrapper_file.write_text(wrapper_file.read_text().replace("49", "7"))
    torch.save(inputs(indices(*([1] * 14))), given)
    main(["replay", str(wrapper_file), "--inputs", str(given), "--all", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["warnings"] == []
    assert [launch["status"] for launch in found["launches"]] == ["ok"]


def test_explain_says_it_where_nothing_failed_and_there_is_no_log(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    wrapper_file, given = files
    main(["explain", str(wrapper_file), "--inputs", str(given)])
    told = " ".join(capsys.readouterr().out.split())
    assert "no log was given, but the inputs make a size come out wrong" in told
    assert SAID in told
    main(["explain", str(wrapper_file), "--inputs", str(given), "--json"])
    found = json.loads(capsys.readouterr().out)
    assert [warning["name"] for warning in found["warnings"]] == ["s9"]
    torch.save(inputs(indices(*([7] * 245))), given)
    assert main(["explain", str(wrapper_file), "--inputs", str(given)]) != 0
    assert "no log was given" in capsys.readouterr().err
