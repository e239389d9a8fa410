"""`aoti-tui core FILE --info`: what a dump holds, as a person and as a script reads it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aoti_tui.cli.main import main
from tests.cases import DATA, DEMO

JAGGED = DATA / "cores" / "jagged_reduce.cudacore.xz"
KERNEL = "triton_red_fused_ge_index_scalar_tensor_sub_sum_where_1"


def test_a_person_reads_kernel_grid_threads_and_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["core", str(JAGGED), "--info"]) == 0
    said = capsys.readouterr().out
    assert f"{KERNEL}: grid 4×1×1, 256 threads a block" in said
    assert "enrr.py:46" in said
    assert "block [3, 0, 0]: thread 128, 129" in said
    assert "memory: 24.3 MiB in 9 ranges" in said


def test_a_script_reads_the_same_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["core", str(JAGGED), "--info", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["device"] == "NVIDIA H200, sm_90, 132 multiprocessors"
    (kernel,) = found["kernels"]
    assert (kernel["name"], kernel["grid"], kernel["block"]) == (KERNEL, [4, 1, 1], [256, 1, 1])
    assert kernel["parameters"][4] == {"name": "param_4", "bytes": 4, "value": 4}
    assert [one["block"] for one in kernel["exceptions"]] == [[n, 0, 0] for n in range(4)]
    assert {(one["kind"], one["line"]) for one in kernel["exceptions"]} == {("assert", 46)}
    assert found["memory"]["bytes"] == sum(one["bytes"] for one in found["memory"]["ranges"])


def test_another_file_is_refused_with_what_to_give(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "core.1234"
    path.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x04\0\x3e\0" + bytes(60))
    assert main(["core", str(path)]) == 2
    said = capsys.readouterr().err
    assert "it is a core dump of a process on the CPU" in said
    assert "CUDA_ENABLE_COREDUMP_ON_EXCEPTION=1" in said


def test_an_extract_of_kilobytes_gives_the_whole_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = tmp_path / "out.aoti"
    wrapper = DEMO / "jagged_reduce.wrapper.cpp"
    command = ["core", str(JAGGED), "--extract", str(bundle), "--wrapper", str(wrapper)]
    assert main([*command, "--redact"]) == 0
    assert "of 25,432,064 bytes of memory are kept" in capsys.readouterr().out
    assert bundle.stat().st_size < 100_000
    assert main(["explain", str(bundle), "--json"]) == 0
    (failure,) = json.loads(capsys.readouterr().out)["failures"]
    assert (failure["kernel"], failure["kernel_line"]) == (KERNEL, 46)
    assert failure["cause"]["code"] == "empty-dimension"
    assert failure["cause"]["confirmed"]


def test_without_a_wrapper_the_memory_behind_each_pointer_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = tmp_path / "out.aoti"
    assert main(["core", str(JAGGED), "--extract", str(bundle)]) == 0
    capsys.readouterr()
    wrapper = DEMO / "jagged_reduce.wrapper.cpp"
    assert main(["explain", str(wrapper), "--core", str(bundle), "--json"]) == 0
    (failure,) = json.loads(capsys.readouterr().out)["failures"]
    assert failure["cause"]["confirmed"]


def test_redacting_needs_to_know_which_bytes_are_floats(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["core", str(JAGGED), "--extract", str(tmp_path / "o.aoti"), "--redact"]) == 2
    assert "which bytes are floats stands in the wrapper" in capsys.readouterr().err
