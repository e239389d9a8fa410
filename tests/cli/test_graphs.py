"""What a user of torch.compile holds is a log, a cache, a folder: each leads to the graph."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from aoti_tui.artifacts.graphs.kernel_names import code_file_name, kernel_texts
from aoti_tui.cli.main import main
from tests.cases import DATA

FOLDER = DATA / "output_code"
GNN = FOLDER / "gnn"
TWO = FOLDER / "user_triton"
OLD_CACHE = "/tmp/c28w/gnn/torchinductor_root"


def explained(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    assert main(["explain", *map(str, arguments), "--json", "--no-replay"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def expected(folder: Path, label: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / f"expected.{label}.json").read_text())
    return found


def write_cache(cache: Path, *wrappers: Path, kernels: bool = True) -> None:
    """A cache folder as Inductor leaves it: each text under the name that it has."""
    for wrapper in wrappers:
        text = wrapper.read_text()
        for code in (text, *(kernel_texts(text) if kernels else ())):
            name = code_file_name(code)
            (cache / name[1:3]).mkdir(parents=True, exist_ok=True)
            (cache / name[1:3] / name).write_text(code)


def log_of(cache: Path, folder: Path) -> Path:
    """The log of a run whose cache was ``cache``."""
    folder.mkdir(exist_ok=True)
    log = folder / "error.log"
    said = (GNN / "error.bad_src.log").read_text()
    log.write_text(said.replace(OLD_CACHE, str(cache)))
    return log


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path / "none"))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "tmp"))


def assert_is_gnn(found: dict[str, Any], wrapper: Path) -> None:
    wanted = expected(GNN, "bad_src")
    failure = found["failures"][0]
    for key in ("message", "kernel", "kernel_line", "launch_lines", "graph"):
        assert failure[key] == wanted[key], key
    assert failure["wrapper_line"] == wanted["code_line"]
    assert Path(failure["wrapper"]) == wrapper


def test_a_log_alone_leads_through_its_paths_to_the_wrapper(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cache = tmp_path / "cache"
    write_cache(cache, GNN / "output_code.py", TWO / "output_code.1_inference.py")
    name = code_file_name((GNN / "output_code.py").read_text())
    found = explained(capsys, log_of(cache, tmp_path / "logs"))
    assert_is_gnn(found, cache / name[1:3] / name)
    assert len(found["graphs"]) == 2, "the other graphs of the cache are at hand"


@pytest.mark.parametrize("kernels", [True, False])
def test_a_cache_that_was_moved_is_known_by_the_names_of_its_texts(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    kernels: bool,
) -> None:
    moved = tmp_path / "moved"
    write_cache(moved, GNN / "output_code.py", kernels=kernels)
    log = log_of(tmp_path / "gone", tmp_path / "logs")
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(moved))
    name = code_file_name((GNN / "output_code.py").read_text())
    assert_is_gnn(explained(capsys, log), moved / name[1:3] / name)
    assert_is_gnn(explained(capsys, moved, "--log", log), moved / name[1:3] / name)


def test_a_log_that_leads_nowhere_says_which_file_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = log_of(tmp_path / "gone", tmp_path / "logs")
    assert main(["explain", str(log)]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "dy/cdymigng233aa2vaw2ryadjfh3762zykjalwqx4r3k6kmebag6jo.py" in said
    assert "TORCH_LOGS=output_code" in said
    assert "TORCHINDUCTOR_CACHE_DIR" in said


def test_the_code_of_another_run_is_named_as_such(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "output_code.py"
    text = (GNN / "output_code.py").read_text().replace("'num_load': 3", "'num_load': 4")
    other.write_text(text)
    second = tmp_path / "second.py"
    shutil.copy(TWO / "output_code.0_inference.py", second)
    found = explained(capsys, tmp_path, "--log", GNN / "error.bad_src.log")
    assert found["failures"][0]["kernel"] == expected(GNN, "bad_src")["kernel"]
    assert any("another run" in note for note in found["notes"])


def test_code_that_stands_in_the_log_is_read_without_its_prefixes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = (GNN / "output_code.py").read_text()
    other = (TWO / "output_code.1_inference.py").read_text()
    prefix = "V1130 21:11:22.758000 {} torch/_inductor/graph.py:2552] [0/0] [__output_code] "
    lines = []
    # Two processes write at once; a warning stands between their lines.
    pairs = list(zip(code.split("\n"), other.split("\n"), strict=False))
    lines.append(prefix.format(11) + "Output code: ")
    lines.append("[rank1]:" + prefix.format(22) + "Output code: ")
    for mine, theirs in pairs:
        lines.append(prefix.format(11) + mine)
        lines.append("[rank1]:" + prefix.format(22) + theirs)
        lines.append("UserWarning: something else")
    lines += [prefix.format(11) + rest for rest in code.split("\n")[len(pairs) :]]
    lines.append(prefix.format(11) + "Output code written to: /gone/xy/cxy.py")
    log = tmp_path / "error.log"
    log.write_text("\n".join(lines) + "\n" + (GNN / "error.bad_src.log").read_text())
    assert_is_gnn(explained(capsys, log), log)


def test_a_traceback_decides_between_graphs_that_share_a_kernel(
    capsys: pytest.CaptureFixture[str],
) -> None:
    wanted = expected(TWO, "user_assert")
    failure = explained(capsys, TWO, "--log", TWO / "error.user_assert.blocking.log")["failures"][0]
    assert failure["graph"] == wanted["graph"]
    assert failure["launch_lines"] == wanted["launch_lines"]
    assert failure["wrapper_line"] == wanted["code_line"]
    other = failure["candidate_details"][1]
    assert other["graph"] == "0_inference"
    assert "the traceback names graph 1_inference" in other["reason"]


def test_without_a_traceback_all_graphs_that_fit_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "error.log"
    said = (TWO / "error.user_assert.blocking.log").read_text()
    log.write_text("".join(ln for ln in said.splitlines(True) if "Assertion" in ln))
    failure = explained(capsys, TWO, "--log", log)["failures"][0]
    assert failure["candidates"] == ["lookup_kernel_0", "lookup_kernel_0"]
    assert any("in several graphs" in note for note in failure["notes"])
