"""torch.compile's ``cpp_wrapper``: kernels in a docstring, the program in a C++ string."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from aoti_tui.artifacts.graphs.kernel_names import code_file_name
from aoti_tui.cli.main import main
from tests.cases import DATA

FOLDER = DATA / "output_code" / "cpp_wrapper"
WRAPPER = FOLDER / "output_code.py"
LOG = FOLDER / "error.row_eq_rows.log"
GIVEN = FOLDER / "inputs.row_eq_rows.pt"


def _failure(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    assert main(["explain", *map(str, arguments), "--json"]) == 0
    failures = json.loads(capsys.readouterr().out)["failures"]
    assert len(failures) == 1
    found: dict[str, Any] = failures[0]
    return found


def test_its_failure_leads_to_the_users_argument(capsys: pytest.CaptureFixture[str]) -> None:
    found = _failure(capsys, WRAPPER, "--log", LOG, "--inputs", GIVEN)
    assert found["kernel"] == "triton_red_fused_index_sum_0"
    assert found["wrapper_line"] == 66, "in the docstring"
    assert found["launch_lines"] == [243], "in the C++"
    (bound,), (index,) = found["bound"]["sources"], found["index"]["sources"]
    assert (bound["name"], bound["user"]) == ("arg2_1", {"input": 0, "dim": 0})
    assert (index["name"], index["user"]) == ("arg4_1", {"input": 1})
    assert found["cause"]["code"] == "index-equals-size"
    assert found["cause"]["confirmed"]


def test_nothing_of_it_is_a_gap(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", str(WRAPPER), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["gaps"] == []
    symbols = {s["name"]: s["expression"] for s in found["symbols"]}
    assert symbols["s77"] == "arg2_1.size(0)", "as the graph fragment above the kernel says"


def test_the_log_leads_to_it_in_the_cache(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = code_file_name(WRAPPER.read_text())
    (tmp_path / name[1:3]).mkdir()
    shutil.copy(WRAPPER, tmp_path / name[1:3] / name)
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    found = _failure(capsys, LOG)
    assert found["launch_lines"] == [243]
    assert found["graph"] == name.removesuffix(".py"), "no AOT id is written in it"
