"""A core dump alone, without log and inputs, leads to the whole answer."""

from __future__ import annotations

import json
import lzma
import shutil
from pathlib import Path
from typing import Any

import pytest

from aoti_tui.cli.main import main
from tests.cases import DATA, DEMO

DUMP = DATA / "cores" / "jagged_reduce.cudacore.xz"
WRAPPER = DEMO / "jagged_reduce.wrapper.cpp"
KERNEL = "triton_red_fused_ge_index_scalar_tensor_sub_sum_where_1"


def explained(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["explain", *arguments, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_empty_input_is_confirmed_by_the_memory_of_the_gpu(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (failure,) = explained(capsys, str(WRAPPER), "--core", str(DUMP))["failures"]
    assert (failure["kernel"], failure["kernel_line"]) == (KERNEL, 46)
    assert failure["launch_line"] == 1375
    assert failure["programs"] == [[n, 0, 0] for n in range(4)]
    assert failure["cause"]["code"] == "empty-dimension"
    assert failure["cause"]["confirmed"]
    core = failure["core"]
    assert (core["kernel"], core["grid"], core["block"]) == (KERNEL, [4, 1, 1], [256, 1, 1])
    assert {(one["kind"], one["line"]) for one in core["exceptions"]} == {("assert", 46)}
    parameters = {one["name"]: one for one in core["parameters"]}
    assert parameters["ks0"]["value"] == 0
    assert parameters["in_ptr0"]["tensor"] == {"dtype": "int64", "shape": [4], "bytes": 32}
    assert parameters["in_ptr1"]["value"] == 0
    assert parameters["in_ptr1"]["tensor"] == {"dtype": "float32", "shape": [0, 640], "bytes": 0}


def test_a_person_is_told_what_confirms_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(WRAPPER), "--core", str(DUMP)]) == 0
    said = capsys.readouterr().out
    assert "dimension 0 of input 2 (arg4_1) is 0, so no index is valid" in said
    assert "[empty-dimension: confirmed by the core dump]" in said


def test_without_memory_the_scalars_still_say_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """With skip_global_memory the grid, the block, the line and ks0 are left in the file."""
    data = bytearray(lzma.decompress(DUMP.read_bytes()))
    table = int.from_bytes(data[40:48], "little")
    for at in range(table, len(data) - 63, 64):
        if int.from_bytes(data[at + 4 : at + 8], "little") == 0x80000002:
            data[at + 32 : at + 40] = bytes(8)
    light = tmp_path / "light.cudacore"
    light.write_bytes(data)
    (failure,) = explained(capsys, str(WRAPPER), "--core", str(light))["failures"]
    assert failure["cause"]["code"] == "empty-dimension"
    assert failure["bound"]["value"] == 0


def test_the_dump_of_another_model_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    other = DATA / "gather_dynamic" / "wrapper.cpp"
    assert main(["explain", str(other), "--core", str(DUMP), "--json"]) == 3
    notes = json.loads(capsys.readouterr().out)["notes"]
    assert any("no kernel of this wrapper was running" in note and KERNEL in note for note in notes)


def test_a_dump_given_alone_finds_the_wrapper_beside_it_or_says_what_is_missing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    dump = tmp_path / "core.1234"
    shutil.copy(DUMP, dump)
    assert main(["explain", str(dump)]) == 2
    said = capsys.readouterr().err
    assert "cbsyzkdqskw6edexfmmoh4c6t5fsyurkmothj7bfrezcafg5enrr.py" in said
