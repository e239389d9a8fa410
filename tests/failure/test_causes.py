"""Causes that are the compiler's and not the data's, established by a replay."""

from __future__ import annotations

from pathlib import Path

import torch

from aoti_tui.failure.model import Failure
from aoti_tui.incident import Given, open_incident
from tests.cases import DATA
from tests.failure.test_forms import assert_line


def diagnosed(
    folder: Path, wrapper: str, inputs: tuple[object, ...], line: int, text: str
) -> Failure:
    """The failure of a log with one assert, judged by a replay with these inputs."""
    path = folder / "model.wrapper.cpp"
    path.write_text(wrapper)
    torch.save(inputs, folder / "inputs.pt")
    incident = open_incident(
        path,
        log=assert_line("/c/cabc.py", line, f"index out of bounds: {text}"),
        given=Given(inputs=folder / "inputs.pt"),
    )
    try:
        return incident.diagnose(incident.failures[0])
    finally:
        incident.close()


def test_an_assert_without_its_mask_is_the_compilers_fault(tmp_path: Path) -> None:
    """The mask is taken out of a real kernel's assert: 80 of the block's lanes have rows, those
    beyond are masked out of every access and fail the assert all the same."""
    wrapper = (DATA / "unbacked_item" / "wrapper.cpp").read_text()
    masked = "tl.device_assert((x1 < ks0) | ~(xmask), "
    assert masked in wrapper
    doctored = wrapper.replace(masked, "tl.device_assert(x1 < ks0, ")
    inputs = (torch.ones(5, 16), torch.tensor(5))
    failure = diagnosed(tmp_path, doctored, inputs, 24, "x1 < ks0")
    assert (failure.cause.code, failure.cause.confirmed) == ("mask-too-narrow", True)
    assert failure.fixes[0].title == "report to PyTorch"


def test_a_size_that_a_float_reciprocal_cut_short(tmp_path: Path) -> None:
    """30 rows are no multiple of 4: s65 = (1.0/4.0)*30 is 7, and 28 rows are allowed."""
    wrapper = (DATA / "max_autotune_mm" / "wrapper.cpp").read_text()
    inputs = (torch.ones(30, 128), torch.tensor([0, 5, 28, 29, 1]))
    failure = diagnosed(tmp_path, wrapper, inputs, 31, "0 <= tmp4 < 4*ks0")
    assert (failure.cause.code, failure.cause.confirmed) == ("symbol-truncated", True)
    assert "gave 7, exactly it is 7.5" in failure.cause.text
    assert failure.bound.value == 28


def test_an_index_that_wrapped_in_32_bits(tmp_path: Path) -> None:
    """11000 * 65536 * 3 does not fit 32 bits and comes out negative."""
    wrapper = (DATA / "overflow32" / "wrapper.cpp").read_text()
    inputs = (torch.ones(4000, 3), torch.full((12,), 11000, dtype=torch.int32))
    failure = diagnosed(tmp_path, wrapper, inputs, 36, "0 <= tmp10 < ks0")
    assert (failure.cause.code, failure.cause.confirmed) == ("overflow", True)
    assert "2162688000" in failure.cause.text or "2883584000" in failure.cause.text
