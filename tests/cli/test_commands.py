"""The program as a user runs it: exit codes, messages, JSON, and what it must not import."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.cases import DATA, DEMO

WRAPPER = DEMO / "jagged_reduce.wrapper.cpp"
LOG = DEMO / "error.empty_weights.log"
INPUTS = DEMO / "inputs.empty_weights.pt"


def run(*arguments: object, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "aoti_tui", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "NO_COLOR": "1"},
    )


def test_help_names_the_commands() -> None:
    done = run("--help")
    assert done.returncode == 0
    for name in ("explain", "index", "replay", "check", "--demo", "--log", "--inputs", "--set"):
        assert name in done.stdout


@pytest.mark.parametrize("statement", ["import aoti_tui.cli", "import aoti_tui.cli.main"])
def test_starting_loads_neither_torch_nor_triton_nor_numpy(statement: str) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", statement], capture_output=True, text=True
    )
    assert done.returncode == 0
    loaded = {line.split("|")[-1].strip().split(".")[0] for line in done.stderr.splitlines()}
    assert "aoti_tui" in loaded
    assert loaded.isdisjoint({"torch", "triton", "numpy", "textual"})


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["explain", str(WRAPPER), "--log", str(LOG), "--inputs", str(INPUTS), "--no-replay"],
        ["index", str(WRAPPER)],
    ],
)
def test_headless_answers_load_neither_torch_nor_the_interface(arguments: list[str]) -> None:
    code = (
        "import sys; from aoti_tui.cli.main import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "bad = {'torch', 'triton', 'numpy', 'textual'} & {m.split('.')[0] for m in sys.modules}\n"
        "print('LOADED', sorted(bad), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=60
    )
    assert "LOADED []" in done.stderr


def test_explain_says_it_all_for_people() -> None:
    done = run("explain", WRAPPER, "--log", LOG, "--inputs", INPUTS)
    assert done.returncode == 0, done.stderr
    for words in (
        "triton_red_fused_ge_index_scalar_tensor_sub_sum_where_1",
        "0 <= tmp10 < ks0",
        "4 programs: (0,0,0) (1,0,0) (2,0,0) (3,0,0)",
        "dimension 0 of input 2 (arg4_1) is 0, so no index is valid",
        "empty-dimension: confirmed by the inputs",
        "ks0 = s7 = arg4_1.size(0) = 0",
        "tmp6 = tl.where(tmp4, tmp2, tmp5) → -1",
        "triton_red_fused_cumsum_0 (:1367)",
        "int64[4], all 0",
        "2 <= arg4_1.size(0) <= 230400",
        "AOTI_RUNTIME_CHECK_INPUTS=1",
        "aten.index: tensor[index]",
        "return early when input 2 is empty",
    ):
        assert words in done.stdout


def test_explain_json_is_the_contract() -> None:
    done = run("explain", WRAPPER, "--log", LOG, "--inputs", INPUTS, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["version"] == 1
    assert found["gaps"] == []
    failure = found["failures"][0]
    assert failure["launch_lines"] == [1375]
    assert failure["lanes_reported"] == 396
    assert sorted(failure["programs"]) == [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]]
    assert failure["index"]["raw"] == "tmp6"
    assert failure["cause"]["code"] == "empty-dimension"
    assert failure["cause"]["confirmed"] is True
    guard = failure["guards"][0]
    assert (guard["position"], guard["dim"], guard["min"], guard["max"], guard["equals"]) == (
        2,
        0,
        2,
        230400,
        None,
    )
    assert guard["present"] is True
    assert guard["enforced"] is False
    assert guard["only_with"] == "AOTI_RUNTIME_CHECK_INPUTS"
    assert guard["would_catch"] is True
    assert failure["aten"][0] == "aten.sub"
    assert all(fix["title"] and fix["text"] for fix in failure["fixes"])


def test_a_log_comes_through_a_pipe() -> None:
    done = run("explain", WRAPPER, "--log", "-", stdin=LOG.read_text())
    assert done.returncode == 0
    assert "0 <= tmp10 < ks0" in done.stdout


def test_a_report_is_written(tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    done = run(
        "explain", WRAPPER, "--log", LOG, "--inputs", INPUTS, "--no-replay", "--report", report
    )
    assert done.returncode == 0
    text = report.read_text()
    assert "dimension 0 of input 2 (arg4_1) is 0" in text
    assert "AOTI_RUNTIME_CHECK_INPUTS" in text


def test_index_json_lists_every_fact_with_its_line() -> None:
    done = run("index", WRAPPER, "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert len(found["kernels"]) == 6
    assert [la["line"] for la in found["launches"]] == [1367, 1375, 1386, 1394, 1396, 1412]
    assert {s["name"]: s["expression"] for s in found["symbols"]}["s7"] == "arg4_1_size[0]"
    assert [i["name"] for i in found["inputs"]] == ["arg2_1", "arg3_1", "arg4_1"]
    assert found["gaps"] == []
    for kind in ("kernels", "launches", "inputs", "symbols", "constants", "guards", "buffers"):
        assert all(fact["line"] > 0 for fact in found[kind])


def test_without_a_terminal_the_explanation_is_printed() -> None:
    done = run("--demo")
    assert done.returncode == 0
    assert "needs a terminal" in done.stderr
    assert "dimension 0 of input 2 (arg4_1) is 0" in done.stdout


def _files(folder: Path) -> dict[str, Path]:
    made = {
        "missing": folder / "none.wrapper.cpp",
        "empty": folder / "empty.wrapper.cpp",
        "binary": folder / "model.so",
        "other C++": folder / "main.cpp",
        "CPU wrapper": folder / "cpu.wrapper.cpp",
        "folder without": folder / "nothing",
        "package without": folder / "empty.pt2",
    }
    made["empty"].write_text("")
    made["binary"].write_bytes(b"\x7fELF\x02\x01" + bytes(200))
    made["other C++"].write_text("#include <vector>\nint main() { return 0; }\n")
    made["CPU wrapper"].write_text(
        "#include <torch/csrc/inductor/aoti_runtime/model.h>\n"
        "namespace torch::aot_inductor {\nvoid AOTInductorModel::run_impl(\n"
        "    AtenTensorHandle* input_handles) {\n"
        "    auto inputs = steal_from_raw_handles_to_raii_handles(input_handles, 1);\n"
        "    auto arg0_1 = std::move(inputs[0]);\n}\n}\n"
    )
    made["folder without"].mkdir()
    with zipfile.ZipFile(made["package without"], "w") as package:
        package.writestr("m/archive_format", "pt2")
    return made


@pytest.mark.parametrize(
    ("which", "words"),
    [
        ("missing", "was not found"),
        ("empty", "is empty"),
        ("binary", "ELF"),
        ("other C++", "not a wrapper of AOTInductor or torch.compile"),
        ("CPU wrapper", "CPU-only"),
        ("folder without", "holds no wrapper"),
        ("package without", "no *.wrapper.cpp is in the package"),
    ],
)
@pytest.mark.parametrize("command", ["explain", "interface"])
def test_unusable_wrappers_get_a_message(
    tmp_path: Path, which: str, words: str, command: str
) -> None:
    path = _files(tmp_path)[which]
    arguments = ["explain", path, "--log", LOG] if command == "explain" else [path]
    done = run(*arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr + done.stdout
    assert len(done.stderr.strip().splitlines()) >= 3, "what, why and what to do"


def test_a_log_of_another_model_matches_nothing() -> None:
    other = DATA / "unbacked_item" / "error.count_too_small.log"
    done = run("explain", WRAPPER, "--log", other)
    assert done.returncode == 3
    assert "another model" in done.stdout
    assert "x1 < ks0" in done.stdout


def test_a_log_without_an_assert_says_what_was_expected(tmp_path: Path) -> None:
    log = tmp_path / "quiet.log"
    log.write_text("step 1 done\nstep 2 done\n")
    done = run("explain", WRAPPER, "--log", log)
    assert done.returncode == 3
    assert "no Triton assert is in the log" in done.stdout


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        (DATA / "unbacked_item" / "inputs.good.pt", "does not hold this model's inputs"),
        (DATA / "symbol_arithmetic" / "inputs.good.pt", "does not fit this model"),
        (LOG, "is not a torch.save file"),
        (Path("nowhere.pt"), "was not found"),
    ],
)
def test_inputs_of_another_model_are_refused(inputs: Path, words: str) -> None:
    done = run("explain", WRAPPER, "--log", LOG, "--inputs", inputs)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_package_with_several_models_asks_which(tmp_path: Path) -> None:
    path = tmp_path / "two.pt2"
    with zipfile.ZipFile(path, "w") as package:
        package.write(WRAPPER, "m/data/aotinductor/encoder/ca.wrapper.cpp")
        package.write(
            DATA / "unbacked_item" / "wrapper.cpp", "m/data/aotinductor/decoder/cb.wrapper.cpp"
        )
    asked = run("explain", path, "--log", LOG)
    assert asked.returncode == 2
    assert "encoder" in asked.stderr
    assert "decoder" in asked.stderr
    assert "--model" in asked.stderr
    chosen = run("explain", path, "--log", LOG, "--model", "encoder")
    assert chosen.returncode == 0
    assert "0 <= tmp10 < ks0" in chosen.stdout


@pytest.mark.parametrize("text", ["s7", "s7=nan", "s7=1e400", "s7=-inf", f"s7={'9' * 5000}"])
def test_a_wrong_setting_is_explained(text: str) -> None:
    done = run("explain", WRAPPER, "--log", LOG, "--set", text)
    assert done.returncode == 2
    assert "s7=0" in done.stderr


def test_replay_all_names_the_first_failure_and_where_its_index_comes_from() -> None:
    done = run("replay", WRAPPER, "--inputs", INPUTS, "--all", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [la["status"] for la in found["launches"][:2]] == ["ok", "assert"]
    first = found["first"]
    assert (first["kernel"], first["launch_line"]) == (
        "triton_red_fused_ge_index_scalar_tensor_sub_sum_where_1",
        1375,
    )
    assert first["asserts"][0]["first"]["values"]["tmp10"] == -1
    assert [(s["kind"], s["position"]) for s in first["index_sources"]] == [
        ("input", 0),
        ("input_dim", 2),
    ]


def test_replay_of_a_log_agrees_with_it() -> None:
    done = run("replay", WRAPPER, "--inputs", INPUTS, "--log", LOG, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["agrees_with_log"] is True
    assert found["grid"] == [4, 1, 1]
    fired = found["asserts"][0]
    assert (fired["kernel_line"], fired["failing_lanes"], len(fired["programs"])) == (46, 4, 4)
    sources = {a["name"]: a["source"] for a in found["arguments"]}
    assert sources == {
        "in_ptr0": "replayed",
        "in_ptr1": "input",
        "out_ptr0": "replayed",
        "ks0": "input",
        "xnumel": "input",
        "r0_numel": "constant",
    }


def test_a_sweep_shows_which_sizes_fire() -> None:
    done = run("replay", WRAPPER, "--inputs", INPUTS, "--log", LOG, "--sweep", "s7", "--json")
    assert done.returncode == 0, done.stderr
    fires = {p["value"]: p["fires"] for p in json.loads(done.stdout)["sweep"]}
    assert fires[0] is True
    assert fires[1] is False
    assert fires[2] is False


def test_check_compares_with_the_gpu() -> None:
    folder = DATA / "gather_half"
    done = run("check", folder / "wrapper.cpp", "--tensors", folder / "tensors", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["totals"] == {"pass": 1, "mismatch": 0, "no-data": 0, "unsupported": 0}
    assert found["launches"][0]["status"] == "pass"
