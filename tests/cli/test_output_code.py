"""A failure of torch.compile is explained from its output_code.py as one of AOTInductor is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from aoti_tui.cli.main import main
from tests.cases import DATA

FOLDER = DATA / "output_code"
CASES = {
    "gnn": "bad_src",
    "cudagraph": "replayed",
    "cpu_part": "offsets_past_values",
    "unbacked_item": "count_too_small",
}


def _explained(model: str, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[Any, Any]:
    folder, label = FOLDER / model, CASES[model]
    arguments = ["--log", folder / f"error.{label}.log", "--inputs", folder / f"inputs.{label}.pt"]
    wrapper = folder / "output_code.py"
    assert main(["explain", *map(str, (wrapper, *arguments)), "--json", *more]) == 0
    failures = json.loads(capsys.readouterr().out)["failures"]
    return failures[0], json.loads((folder / f"expected.{label}.json").read_text())


def _sources(provenance: Any) -> set[tuple[Any, ...]]:
    return {(s["kind"], s.get("position"), s.get("dim")) for s in provenance["sources"]}


@pytest.mark.parametrize("model", CASES)
def test_the_failing_line_launch_bound_and_index_are_those_found_by_hand(
    model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found, expected = _explained(model, capsys, "--no-replay")
    for key in ("message", "kernel", "kernel_line", "launch_lines"):
        assert found[key] == expected[key], key
    assert found["wrapper_line"] == expected["code_line"]
    assert _sources(found["bound"]) == _sources(expected["bound"])
    assert _sources(found["index"]) <= _sources(expected["index"])
    assert found["index"]["sources"]
    assert found["cause"]["code"] == expected["cause_with_inputs"]


@pytest.mark.parametrize("model", ["gnn", "cudagraph", "unbacked_item"])
def test_a_replay_confirms_the_cause_though_the_tuned_blocks_are_not_known(
    model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found, expected = _explained(model, capsys)
    assert found["cause"]["code"] == expected["cause_with_inputs"]
    assert found["cause"]["confirmed"]
    assert found["contradictions"] == []


@pytest.mark.parametrize("given", [True, False])
def test_every_launch_is_replayed_with_the_numbers_that_call_is_given(
    given: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = FOLDER / "gnn"
    arguments = [str(folder / "output_code.py"), "--all", "--json"]
    if given:
        arguments += ["--inputs", str(folder / "inputs.bad_src.pt")]
    main(["replay", *arguments])
    launches = json.loads(capsys.readouterr().out)["launches"]
    status = [la["status"] for la in launches]
    assert status == (["ok", "assert"] if given else ["ok"] * 5)


def test_the_index_command_lists_the_wrapper(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", str(FOLDER / "gnn" / "output_code.py"), "--json"]) == 0
    index = json.loads(capsys.readouterr().out)
    assert len(index["kernels"]) == len(index["launches"]) == 5
    assert index["gaps"] == []


def test_a_folder_with_one_graph_opens_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    below = tmp_path / "run_2026" / "model__0_inference_0.0"
    below.mkdir(parents=True)
    shutil.copy(FOLDER / "gnn" / "output_code.py", below / "output_code.py")
    (below / "fx_graph_runnable.py").write_text("import torch\n")
    assert main(["index", str(tmp_path), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["kernels"]) == 5


def test_a_folder_with_several_graphs_asks_which(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("cgnn.py", "ccudagraph.py"):
        shutil.copy(FOLDER / name[1:-3] / "output_code.py", tmp_path / name)
    assert main(["replay", str(tmp_path), "--all"]) == 2
    said = capsys.readouterr().err
    assert "holds 2 graphs" in said
    assert "0_inference  cgnn.py" in said
    assert main(["index", str(tmp_path), "--json"]) == 0
    graphs = json.loads(capsys.readouterr().out)["graphs"]
    assert sorted(len(graph["launches"]) for graph in graphs) == [2, 5]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "V1130 21:11:24.127000 2314 torch/_inductor/graph.py:2552] [0/0] [__graph_sizes] x\n",
            "names the kernel file dy/cdymigng",
        ),
        (
            "import torch\ncpp_wrapper_src = (\nr'''\nCACHE_TORCH_DTYPE(float32);\n'''\n)\n",
            "holds its C++ as cpp_wrapper_src, and that launches no kernels",
        ),
        (
            "import triton\n@triton_heuristics.pointwise(\n    size_hints={'x': 8},\n)\n"
            "@triton.jit\ndef triton_poi_fused_0(in_ptr0, xnumel):\n    pass\n",
            "Give the output_code.py that holds this kernel",
        ),
        (
            "# AOT ID: ['0_inference']\nimport torch\ndef call(args):\n    return ()\n",
            "holds no Triton kernel",
        ),
    ],
)
def test_what_is_not_read_yet_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, words: str
) -> None:
    path = tmp_path / "given.py"
    path.write_text(text)
    log = FOLDER / "gnn" / "error.bad_src.log"
    assert main(["explain", str(path), "--log", str(log)]) == 2
    assert words in " ".join(capsys.readouterr().err.split())
