"""The bundled failure: jagged_reduce with an empty weights tensor."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import Any

import pytest

from .talking import Talk, line_of

DEMO = Path(__file__).resolve().parents[2] / "aoti_tui" / "demo"
KERNEL = "triton_red_fused_ge_index_scalar_tensor_sub_sum_where_1"
SIGNATURE = {
    "in_ptr0": "*i64",
    "in_ptr1": "*fp32",
    "out_ptr0": "*fp32",
    "ks0": "i64",
    "xnumel": "i32",
    "r0_numel": "i32",
    "XBLOCK": "constexpr",
    "R0_BLOCK": "constexpr",
}


def kernel_text() -> str:
    wrapper = (DEMO / "jagged_reduce.wrapper.cpp").read_text()
    match = re.search(rf"async_compile\.triton\('{KERNEL}', '''(.*?)''', device_str", wrapper, re.S)
    assert match is not None
    return textwrap.dedent(match[1])


@pytest.fixture
def launch(worker: Talk) -> dict[str, Any]:
    loaded = worker.ask("load", path=str(DEMO / "inputs.empty_weights.pt"), prefix="input")
    assert [v["shape"] for v in loaded["values"]] == [[4], [4, 16], [0, 640]]
    worker.ask(
        "kernel",
        key="k",
        source=kernel_text(),
        function=KERNEL,
        signature=SIGNATURE,
        constants={},
    )
    worker.ask("zeros", name="buf0", shape=[4], stride=[1], dtype="int64")
    worker.ask("empty", name="buf4", shape=[4], stride=[1], dtype="float32", poison=True)
    return {
        "kernel": "k",
        "args": {
            "in_ptr0": {"tensor": "buf0"},
            "in_ptr1": {"tensor": "input2"},
            "out_ptr0": {"tensor": "buf4"},
            "ks0": {"int": 0},
            "xnumel": {"int": 4},
            "r0_numel": {"int": 640},
        },
        "blocks": {"XBLOCK": 1, "R0_BLOCK": 512},
        "grid": [4, 1, 1],
    }


@pytest.mark.parametrize("mode", ["full", "big"])
def test_the_assert_fires_in_all_four_programs(
    worker: Talk, launch: dict[str, Any], mode: str
) -> None:
    result = worker.ask("scan", **launch, mode=mode, stop_at_first=False, write=False)
    assert result["mode"] == mode
    assert result["programs"] == 4
    (fired,) = result["asserts"]
    assert fired["kernel_line"] == 46
    assert fired["message"] == "index out of bounds: 0 <= tmp10 < ks0"
    assert fired["programs"] == [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]]
    assert fired["order"] == 0
    assert fired["first"]["program"] == [0, 0, 0]
    assert fired["first"]["lane"] == [0, 0]
    values = fired["first"]["values"]
    assert (values["tmp10"], values["ks0"], values["tmp6"], values["tmp0"]) == (-1, 0, -1, 0)
    (fault,) = result["faults"]
    assert (fault["argument"], fault["element"], fault["size"]) == ("in_ptr1", -640, 0)
    assert (fault["access"], fault["kernel_line"], fault["count"]) == ("load", 47, 4 * 640)


def test_the_scan_leaves_the_tensors_alone_unless_told_to_write(
    worker: Talk, launch: dict[str, Any]
) -> None:
    worker.ask("scan", **launch, mode="full", write=False)
    assert all(v != v for v in worker.values("buf4"))
    worker.ask("scan", **launch, mode="full", write=True)
    assert worker.values("buf4").tolist() == [0.0, 0.0, 0.0, 0.0]


def test_every_assignment_of_a_program_is_recorded(worker: Talk, launch: dict[str, Any]) -> None:
    text = kernel_text()
    reply = worker.ask("record", **launch, program=[2, 0, 0], lanes_limit=1 << 20)
    steps = reply["steps"]
    names = [step["name"] for step in steps if step["kind"] == "assign"]
    assert names.count("tmp10") == 2
    assert names[:4] == ["r0_numel", "rnumel", "RBLOCK", "xoffset"]
    for step in steps:
        if step["kind"] == "assign":
            assert re.search(rf"\b{step['name']}\b", text.split("\n")[step["kernel_line"] - 1])
    (loaded,) = [step for step in steps if step["name"] == "tmp0"]
    assert loaded["loads"][0]["argument"] == "in_ptr0"
    assert reply.block(loaded["loads"][0]["elements"]).tolist() == [[2]]
    asserts = [step for step in steps if step["kind"] == "assert"]
    assert [step["iteration"] for step in asserts] == [[0], [1]]
    assert reply.block(asserts[0]["failing"]).tolist() == [[True]]
    assert asserts[0]["kernel_line"] == line_of(text, "tl.device_assert(")
    masks = [reply.block(s["value"]) for s in steps if s["name"] == "r0_mask"]
    assert [int(mask.sum()) for mask in masks] == [512, 128]
    stored = steps[-1]
    assert (stored["kind"], stored["name"]) == ("store", "out_ptr0")
    assert stored["summary"] == {"min": 0.0, "max": 0.0, "nan": 0, "distinct": 1, "count": 1}
    faulty = [step for step in steps if step["faults"]]
    assert [step["name"] for step in faulty] == ["tmp12", "tmp12"]
    assert faulty[0]["faults"][0]["program"] == [2, 0, 0]


def test_a_program_outside_the_grid_is_a_bad_request(worker: Talk, launch: dict[str, Any]) -> None:
    error = worker.fail("record", **launch, program=[4, 0, 0])
    assert error["kind"] == "bad-request"
    assert "[4, 0, 0]" in error["message"]
