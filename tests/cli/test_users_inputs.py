"""The inputs of a graph's ``call`` are not the user's: either file is taken, and answers speak of
the user's arguments."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch

from aoti_tui.cli.main import main
from tests.cases import DATA

FOLDER = DATA / "output_code"
GNN = FOLDER / "gnn"
BUCKETIZE = FOLDER / "bucketize"


def explained(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    assert main(["explain", *map(str, arguments), "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def _users(sources: list[dict[str, Any]]) -> list[Any]:
    return [source["user"] for source in sources]


@pytest.mark.parametrize("file", ["users_inputs.bad_src.pt", "inputs.bad_src.pt"])
def test_the_users_inputs_and_those_of_call_give_the_same_answer(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    log, given = GNN / "error.bad_src.log", GNN / file
    found = explained(capsys, GNN / "output_code.py", "--log", log, "--inputs", given)
    failure = found["failures"][0]
    assert failure["cause"]["code"] == "index-equals-size"
    assert failure["cause"]["confirmed"]
    users = file.startswith("users")
    assert _users(failure["bound"]["sources"]) == [{"input": 0, "dim": 0} if users else None]
    assert _users(failure["index"]["sources"]) == [{"input": 1} if users else None]
    told = any("are those of the compiled function" in note for note in found["notes"])
    assert told == users


def test_the_inputs_decide_which_graph_ran(capsys: pytest.CaptureFixture[str]) -> None:
    wanted = json.loads((BUCKETIZE / "expected.table_one_short.json").read_text())
    log = BUCKETIZE / "error.table_one_short.log"
    given = BUCKETIZE / "users_inputs.table_one_short.pt"
    failure = explained(capsys, BUCKETIZE, "--log", log, "--inputs", given, "--no-replay")[
        "failures"
    ][0]
    assert failure["graph"] == wanted["graph"] == "1_inference"
    assert failure["launch_lines"] == wanted["launch_lines"]
    assert _users(failure["bound"]["sources"]) == [wanted["bound"]["sources"][0]["user"]]
    other = failure["candidate_details"][1]
    assert other["graph"] == "0_inference", "the log names this one's file"
    assert "does not take the given inputs" in other["reason"]


def test_inputs_of_another_model_are_no_inputs_of_this_graph(
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = BUCKETIZE / "users_inputs.table_one_short.pt"
    log = GNN / "error.bad_src.log"
    arguments = [str(GNN / "output_code.py"), "--log", str(log), "--inputs", str(given)]
    assert main(["explain", *arguments]) == 2
    assert "does not hold this model's inputs" in capsys.readouterr().err


def test_the_answer_speaks_of_the_users_arguments_and_of_torch_compile(
    capsys: pytest.CaptureFixture[str],
) -> None:
    log, given = GNN / "error.bad_src.log", GNN / "users_inputs.bad_src.pt"
    arguments = [str(GNN / "output_code.py"), "--log", str(log)]
    assert main(["explain", *arguments, "--inputs", str(given), "--no-replay"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "input 1[0, 11] = 9" in said
    assert "dimension 0 of input 0 of the compiled function (arg6_1)" in said
    assert "`int(inputs[1][0].max()) < inputs[0].size(0)` must hold" in said
    assert "TORCHINDUCTOR_CACHE_DIR" in said
    assert "AOT_INDUCTOR" not in said
    assert main(["explain", *arguments, "--no-replay"]) == 0
    assert "`call` argument 2 (arg2_1)" in " ".join(capsys.readouterr().out.split())


def test_a_size_that_was_compiled_as_0_is_led_back_to_the_empty_input(
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = FOLDER / "empty_copy"
    given = folder / "users_inputs.empty_table.pt"
    log = folder / "error.empty_table.log"
    failure = explained(capsys, folder / "output_code.py", "--log", log, "--inputs", given)[
        "failures"
    ][0]
    assert failure["cause"]["code"] == "empty-dimension"
    assert failure["cause"]["text"] == (
        "the indexed dimension was compiled with size 0, as dimension 0 of input 2 of the compiled "
        "function (arg3_1) has, so no index is valid"
    )
    assert _users(failure["bound"]["may_also_name"]) == [{"input": 2, "dim": 0}]
    first = failure["fixes"][0]
    assert first["title"] == "return early when inputs[2] is empty"
    assert first["requires"] == "inputs[2].size(0) > 0"
    assert eval(first["requires"], {"inputs": torch.load(given)}) is False
