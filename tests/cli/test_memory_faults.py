"""An illegal access in a log, and in no log at all: the commands name the first bad access."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from aoti_tui.cli.main import main
from tests.answer.test_bad_access import FAULT, KERNEL, unchecked
from tests.answer.wrappers import indices, inputs


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str, str]:
    """A wrapper, a log and the inputs of the failed call."""
    for name, text in (("model.wrapper.cpp", unchecked("tmp0")), ("error.log", FAULT)):
        (tmp_path / name).write_text(text)
    torch.save(inputs(indices(0, 1, 9)), tmp_path / "inputs.pt")
    wrapper, log, given = (tmp_path / n for n in ("model.wrapper.cpp", "error.log", "inputs.pt"))
    return str(wrapper), str(log), str(given)


def test_explain_answers_as_for_an_assert(
    files: tuple[str, str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    wrapper, log, given = files
    asked = ["explain", wrapper, "--log", log, "--inputs", given]
    assert main(asked) == 0
    told = capsys.readouterr().out
    assert "[index-unchecked: confirmed by the inputs]" in told
    assert "input 0 (arg0_1) element [2] = 9 leads to element 9" in told
    assert "with --inputs" not in told, "they are given"
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (failure,) = found["failures"]
    assert (failure["kernel"], failure["cause"]["code"]) == (KERNEL, "index-unchecked")
    assert failure["access"] == {
        "access": "load",
        "argument": "in_ptr0",
        "tensor": "input 0 (arg0_1)",
        "element": 9,
        "size": 3,
        "program": [0, 0, 0],
        "lane": [2],
        "lanes": 1,
        "kernel_line": failure["kernel_line"],
    }
    assert [fault["kind"] for fault in found["memory_faults"]] == ["illegal"]


def test_without_inputs_a_fault_cannot_be_found(
    files: tuple[str, str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    wrapper, log, _ = files
    assert main(["explain", wrapper, "--log", log]) == 3
    assert "with --inputs" in capsys.readouterr().out


def test_replay_all_has_a_verdict(
    files: tuple[str, str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    wrapper, _, given = files
    asked = ["replay", wrapper, "--inputs", given, "--all"]
    main([*asked, "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"]["code"] == "index-unchecked"
    assert "no assert checks this index" in found["verdict"]["text"]
    assert found["first"]["memory"][0]["element"] == 9
    assert found["first"]["index_sources"][0]["kind"] == "input"
    main(asked)
    assert "[index-unchecked]" in capsys.readouterr().out
