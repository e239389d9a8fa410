"""A bad address in a graph of torch.compile, where no assert stands before it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from aoti_tui.cli.main import main
from tests.cases import DATA

GNN = DATA / "output_code" / "gnn"
FAULT = "RuntimeError: CUDA driver error: an illegal memory access was encountered\n"


@pytest.fixture
def wrapper(tmp_path: Path) -> Path:
    """A graph whose kernels check no index, as those of a template's score_mod do."""
    lines = (GNN / "output_code.py").read_text().split("\n")
    code = tmp_path / "output_code.py"
    # The lines keep their numbers.
    code.write_text("\n".join("" if "tl.device_assert" in line else line for line in lines))
    return code


def explained(wrapper: Path, log: str, capsys: pytest.CaptureFixture[str], *more: str) -> Any:
    path = wrapper.with_name("error.log")
    path.write_text(log)
    main(["explain", str(wrapper), "--log", str(path), *more, "--json"])
    return json.loads(capsys.readouterr().out)


def test_what_to_do_is_said_in_the_terms_of_torch_compile(
    wrapper: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And the condition is on the user's arguments, not on those of ``call``."""
    given = GNN / "users_inputs.bad_src.pt"
    (failure,) = explained(wrapper, FAULT, capsys, "--inputs", str(given))["failures"]
    assert failure["cause"]["code"] == "index-unchecked"
    said = " ".join(f"{fix['title']} {fix['text']}" for fix in failure["fixes"])
    assert "AOT_INDUCTOR" not in said
    assert "TORCHINDUCTOR_CACHE_DIR=FOLDER" in said
    condition = failure["fixes"][0]["requires"]
    assert eval(condition, {"inputs": torch.load(given)}) is False
