"""What the user is told of a log, next to the wrapper that it is held against."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

from aoti_tui.answer.opening import open_incident
from tests.cases import DATA, DEMO

WRAPPER = DEMO / "jagged_reduce.wrapper.cpp"
LINE = "/x/ab/cabc.py:46: unknown: block: [2,0,0], thread: [32,0,0] Assertion `{}` failed.\n"


def notes(wrapper: Path, log: str) -> str:
    return "\n".join(open_incident(wrapper, log=log).notes)


def test_an_assert_of_no_kernel_is_answered_with_the_nearest() -> None:
    told = notes(WRAPPER, LINE.format("index out of bounds: 0 <= tmp10 < 4096"))
    assert "another model" in told
    near = told.split("Nearest here: ")[1]
    assert re.match(r"triton_\w+ line 46 \(:\d+\) `index out of bounds: 0 <= tmp10 < ks0`", near)


def test_many_asserts_of_another_model_are_summed_up() -> None:
    log = "".join(LINE.format(f"index out of bounds: 0 <= tmp{n} < 4096") for n in range(150))
    told = open_incident(WRAPPER, log=log).notes
    assert len(told) < 12
    assert "142 more asserts of the log are in no kernel" in told


def test_a_wrapper_without_sources_asks_for_them(tmp_path: Path) -> None:
    packed = DATA / "versions" / "2.5.1" / "mixed.wrapper.cpp.gz"
    wrapper = tmp_path / "mixed.wrapper.cpp"
    wrapper.write_bytes(gzip.decompress(packed.read_bytes()))
    incident = open_incident(wrapper, log=LINE.format("index out of bounds: 0 <= tmp4 < ks0"))
    assert incident.failures == ()
    told = "\n".join(incident.notes)
    assert "--kernels" in told
    assert "another model" not in told
    assert any("--kernels" in gap.reason for gap in incident.index.gaps)


def test_a_wrapper_with_sources_has_no_such_gap() -> None:
    assert not any("--kernels" in gap.reason for gap in open_incident(WRAPPER).index.gaps)


def test_a_memory_fault_leads_to_the_search_for_the_access() -> None:
    told = notes(WRAPPER, "CUDA error: an illegal memory access was encountered\n")
    assert "replay WRAPPER --all" in told
    assert "no Triton assert is in the log" not in told


def test_work_items_become_programs_by_the_kernel_that_they_ran() -> None:
    text = (DEMO / "error.empty_weights.log").read_text().split("\n")[0]
    kernel = open_incident(WRAPPER, log=text).failures[0].kernel
    warps = open_incident(WRAPPER).index.kernels[kernel].num_warps
    assert warps is not None
    # Groups of several sizes begin at three times the kernel's; the log alone does not tell which.
    size = 32 * warps
    place, message = text.split(" block:")[0], text.split("Assertion ")[1]
    line = f"{place} global id: [{{}},0,0], local id: [{{}},0,0] Assertion {message}\n"
    incident = open_incident(WRAPPER, log=line.format(3 * size + 32, 32) + line.format(39, 39))
    assert incident.failures[0].programs == ((3, 0, 0), (0, 0, 0))
