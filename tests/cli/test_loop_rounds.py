"""A ``while_loop`` of torch.compile: its condition is a function that is asked before every round,
and its rounds are replayed as the GPU ran them."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from aoti_tui.cli.main import main
from tests.cases import DATA

FOLDER = DATA / "output_code" / "while_loop"
WRAPPER = FOLDER / "output_code.py"
CONDITION, LOOKUP, COUNTER = 121, 223, 229


def _json(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    assert main([*map(str, arguments), "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_as_many_rounds_are_replayed_as_the_input_says(capsys: pytest.CaptureFixture[str]) -> None:
    given = FOLDER / "inputs.good.pt"
    found = _json(capsys, "replay", WRAPPER, "--all", "--inputs", given)
    lines = Counter(one["launch_line"] for one in found["launches"])
    assert lines == {258: 1, CONDITION: 5, LOOKUP: 4, COUNTER: 4}, "14 launches, as on the GPU"


def test_a_counter_that_runs_too_far_is_led_to_what_ends_the_loop(
    capsys: pytest.CaptureFixture[str],
) -> None:
    log, given = FOLDER / "error.one_step_too_many.log", FOLDER / "inputs.one_step_too_many.pt"
    failure = _json(capsys, "explain", WRAPPER, "--log", log, "--inputs", given)["failures"][0]
    assert failure["launch_lines"] == [LOOKUP]
    assert failure["cause"]["code"] == "index-equals-size"
    assert failure["cause"]["confirmed"]
    (source,) = failure["index"]["sources"]
    assert (source["name"], source["user"]) == ("arg1_1", {"input": 2})
