"""`replay --element` and `--reference` as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from tests.cases import DATA, DEMO

from .test_commands import INPUTS, WRAPPER, run

GATHER = DATA / "gather_half"
GIVEN = ("--inputs", GATHER / "inputs.good.pt", "--tensors", GATHER / "tensors")
REDUCE = "triton_red_fused_ge_index_scalar_tensor_sub_sum_where_1"


def test_an_element_by_hand_in_json() -> None:
    done = run("replay", WRAPPER, "--inputs", INPUTS, "--kernel", REDUCE, "--json",
               "--element", "out_ptr0[2]")  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    (writer,) = found["writers"]
    assert (writer["program"], writer["lane"]) == ([2, 0, 0], [0, 0])
    assert (writer["access"], writer["kernel_line"], writer["value"]) == ("store", 52, 0.0)
    assert "expected" not in writer
    assert found["element"]["index"] == [2]
    assert found["element"]["before"] == "nan"
    assert found["kernel"] == REDUCE


def test_a_reference_with_one_wrong_element(tmp_path: Path) -> None:
    (path,) = (GATHER / "tensors").glob("*after_launch*_buf3_cuda*.pt")
    wanted = torch.load(path, weights_only=True, map_location="cpu")
    right = float(wanted[8, 3])
    wanted[8, 3] = 1000.0
    torch.save(wanted, tmp_path / "wanted.pt")
    asked = ("replay", GATHER / "wrapper.cpp", *GIVEN, "--launch", 983, "--reference",
             tmp_path / "wanted.pt", "--argument", "out_ptr0")  # fmt: skip
    done = run(*asked, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    (writer,) = found["writers"]
    assert (writer["program"], writer["lane"]) == ([1, 0, 0], [0, 3])
    assert writer["expected"] == 1000.0
    assert abs(writer["value"] - right) < 1e-4
    assert found["element"]["index"] == [8, 3]
    assert not found["element"]["within_tolerance"]
    done = run(*asked)
    assert "expected 1000.0" in done.stdout
    assert "written by program (1, 0, 0), lane (0, 3)" in done.stdout


@pytest.mark.parametrize(
    ("extra", "says"),
    [
        (("--element", "in_ptr1[2,3]"), "No program of this launch writes in_ptr1[83]"),
        (("--element", "out_ptr9[0]"), "no argument called out_ptr9"),
        (("--element", "out_ptr0[360]"), "0 to 359"),
        (("--reference", "captured"), "it writes in_out_ptr0, out_ptr0"),
        (("--reference", DEMO / "missing.pt", "--argument", "out_ptr0"), "cannot be read"),
        (("--argument", "out_ptr0"), "give both"),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_errors_say_what_to_do(extra: tuple[object, ...], says: str) -> None:
    done = run("replay", GATHER / "wrapper.cpp", *GIVEN, "--launch", 983, *extra)
    assert done.returncode == 2, done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
