"""A core dump of a script's own kernel: the script is read, not run, and the launch replayed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from aoti_tui.cli.main import main
from tests.cases import DATA

SCRIPTS = DATA / "scripts_of_dumps"
CORES = DATA / "cores"


def explained(capsys: pytest.CaptureFixture[str], *arguments: Path | str) -> dict[str, Any]:
    assert main(["explain", *map(str, arguments), "--json"]) == 0
    (failure,) = json.loads(capsys.readouterr().out)["failures"]
    found: dict[str, Any] = failure
    return found


def test_an_assert_is_replayed_with_the_memory_of_the_gpu(
    capsys: pytest.CaptureFixture[str],
) -> None:
    failure = explained(capsys, SCRIPTS / "row.py", "--core", CORES / "row.cudacore.xz")
    assert (failure["kernel"], failure["kernel_line"], failure["message"]) == ("k", 6, "row")
    assert failure["programs"] == [[0, 0, 0]]
    assert failure["launch_lines"] == [11, 14, 17]
    assert failure["cause"]["confirmed"]
    assert "99" in failure["cause"]["text"]
    parameters = {one["name"]: one for one in failure["core"]["parameters"]}
    assert parameters["i"]["tensor"] == {"dtype": "int64", "shape": [500], "bytes": 4000}
    assert parameters["x"]["tensor"] == {"dtype": "float32", "shape": [64], "bytes": 256}
    assert parameters["n"]["value"] == 500
    assert [(s["kind"], s["name"]) for s in failure["index"]["sources"]] == [("tensor", "i")]
    said = " ".join(fix["text"] for fix in failure["fixes"])
    assert "aoti-tui run" in said
    assert "TORCH_LOGS" not in said


def test_a_dump_alone_finds_the_script_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(CORES / "row.cudacore.xz", tmp_path)
    shutil.copy(SCRIPTS / "row.py", tmp_path)
    shutil.copy(SCRIPTS / "take.py", tmp_path)
    failure = explained(capsys, tmp_path / "row.cudacore.xz")
    assert failure["wrapper"] == str(tmp_path / "row.py")
    assert failure["cause"]["confirmed"]


def test_an_illegal_address_leads_to_the_element_that_it_is_made_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    failure = explained(capsys, SCRIPTS / "take.py", "--core", CORES / "take.cudacore.xz")
    assert (failure["kernel"], failure["kernel_line"]) == ("take", 17)
    assert failure["cause"]["text"].startswith(f"i[77] = 5 leads to element {5 << 30} of x")
    assert failure["cause"]["confirmed"]


def test_a_script_without_a_dump_is_told_how_it_is_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "error.log"
    log.write_text("RuntimeError: CUDA error: device-side assert triggered\n")
    assert main(["explain", str(SCRIPTS / "row.py"), "--log", str(log)]) == 2
    said = capsys.readouterr().err
    assert "a script with Triton kernels of its own" in said
    assert "aoti-tui run" in said
