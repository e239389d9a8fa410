"""Causes that are the compiler's and not the data's, established by a replay."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from aoti_tui.answer.opening import open_incident
from aoti_tui.artifacts.given import Given
from aoti_tui.failure.cause.causes import within
from aoti_tui.failure.cause.ranges import Interval
from aoti_tui.failure.model import Cause, CauseCode, Failure
from tests.cases import DATA
from tests.failure.test_forms import assert_line
from tests.workers import shared_worker


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
        client=shared_worker(),
    )
    try:
        return incident.judge(incident.failures[0]).failure
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
    assert "a clamp of the index" in failure.fixes[1].text


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
    # 32-bit ids wrap in eager mode as well: no fault of the compiler.
    assert failure.fixes[0].title == "convert to 64 bits before the arithmetic"
    assert "report to PyTorch" not in [fix.title for fix in failure.fixes]
    requires = failure.fixes[1].requires
    assert requires is not None
    assert eval(requires, {"inputs": list(inputs)}) is False
    assert eval(requires, {"inputs": [inputs[0], inputs[1] // 11000]}) is True


def test_an_8_bit_difference_that_wrapped(tmp_path: Path) -> None:
    """5 - 6 is 255 in 8 bits; as intervals of plain integers it would be -45 to 45."""
    wrapper = (DATA / "uint8_underflow" / "wrapper.cpp").read_text()
    a, b = torch.full((60,), 50, dtype=torch.uint8), torch.full((60,), 5, dtype=torch.uint8)
    a[31], b[31], b[0] = 5, 6, 50
    failure = diagnosed(tmp_path, wrapper, (a, b, torch.ones(200)), 31, "0 <= tmp7 < 200")
    assert (failure.cause.code, failure.cause.confirmed) == ("overflow", True)
    assert "tmp2 is 255 where plain arithmetic gives -1" in failure.cause.text
    assert failure.candidates[0].kernel == "triton_poi_fused__to_copy_index_sub_0"


def test_a_nan_behind_an_index_is_traced_to_the_division_that_made_it() -> None:
    """The mean of an empty batch is 0/0; the GPU makes the lowest integer of it."""
    folder = DATA / "nan_to_int"
    incident = open_incident(
        folder / "wrapper.cpp",
        log=(folder / "error.empty_batch.log").read_text(),
        given=Given(inputs=folder / "inputs.empty_batch.pt"),
    )
    try:
        cause = incident.judge(incident.failures[0]).failure.cause
    finally:
        incident.close()
    assert (cause.code, cause.confirmed) == ("index-too-negative", True)
    assert "goes down to -9223372036854775808" in cause.text
    assert "is nan (tmp2 = 0.0, tmp5 = 0.0), which no integer can hold" in cause.text
    assert any("tmp6 = tmp2 / tmp5 is nan (tmp2 = 0.0, tmp5 = 0.0)" in e for e in cause.evidence)
    assert "dimension 0 of input 0 (arg0_1) is 0" in cause.evidence


def test_the_mask_of_an_axis_along_which_the_index_is_one_value_is_no_cause() -> None:
    """tmp7 depends on rows alone: columns beyond xmask hold the same index as those within."""
    failure = logged("where_two_inputs", "b_bad_taken")
    assert "mask-too-narrow" not in {c.code for c in (failure.cause, *failure.possible_causes)}


def test_an_index_that_is_computed_is_not_said_to_be_an_inputs_value() -> None:
    """The mask of scan_positions holds booleans; positions are counted from it."""
    failure = logged("scan_positions", "long_row")
    assert failure.cause.text == "tmp5, computed from input 0 (arg1_1), goes beyond 16"
    assert "compare the maximum of tmp5 with" in (failure.cause.confirm_with or "")


def logged(model: str, bad: str) -> Failure:
    """The failure of a kept log, without inputs."""
    folder = DATA / model
    return open_incident(
        folder / "wrapper.cpp", log=(folder / f"error.{bad}.log").read_text()
    ).failures[0]


def test_a_runtime_check_is_found_again_in_the_wrapper() -> None:
    """``torch._check`` on a slice's start: no kernel failed, and the log has no assert."""
    folder = DATA / "item_slice_start"
    incident = open_incident(
        folder / "wrapper.cpp", log=(folder / "error.start_late.log").read_text()
    )
    assert not incident.failures
    assert (
        "wrapper line 907 checks 4L + u0 <= s77 with u0 = arg1_1.item() of input 1, "
        "s77 = arg0_1.size(0) of input 0"
    ) in incident.notes
    assert not any("no Triton assert" in note for note in incident.notes)


def test_lanes_beyond_the_rows_that_lost_their_mask(tmp_path: Path) -> None:
    """A load that lost its mask with the assert: the lanes beyond the rows do read, and still
    nothing keeps what they make."""
    wrapper = (DATA / "unbacked_item" / "wrapper.cpp").read_text()
    doctored = wrapper.replace(
        "tl.device_assert((x1 < ks0) | ~(xmask), ", "tl.device_assert(x1 < ks0, "
    )
    start = doctored.index("tl.device_assert(x1 < ks0, ")
    loaded = doctored.index(", xmask", start)
    doctored = doctored[:loaded] + ", None" + doctored[loaded + len(", xmask") :]
    inputs = (torch.ones(5, 16), torch.tensor(5))
    failure = diagnosed(tmp_path, doctored, inputs, 24, "x1 < ks0")
    assert (failure.cause.code, failure.cause.confirmed) == ("mask-too-narrow", True)
    assert "xindex is 80 to " in failure.cause.text
    assert "xnumel is 80" in failure.cause.text


@pytest.mark.parametrize(("mask", "offered"), [("", True), (" | ~(xmask)", False)])
def test_a_mask_that_the_assert_lost_is_a_cause_before_a_replay(
    tmp_path: Path, mask: str, offered: bool
) -> None:
    wrapper = (DATA / "unbacked_item" / "wrapper.cpp").read_text()
    path = tmp_path / "model.wrapper.cpp"
    path.write_text(
        wrapper.replace(
            "tl.device_assert((x1 < ks0) | ~(xmask), ", f"tl.device_assert((x1 < ks0){mask}, "
        )
    )
    log = assert_line("/c/cabc.py", 24, "index out of bounds: x1 < ks0")
    failure = open_incident(path, log=log).failures[0]
    causes = {c.code: c.text for c in (failure.cause, *failure.possible_causes)}
    assert ("mask-too-narrow" in causes) is offered
    assert "the assert lacks xmask" in causes.get("mask-too-narrow", "the assert lacks xmask")


@pytest.mark.parametrize(
    ("low", "high", "left"),
    [
        (0, 8, ["index-equals-size"]),
        (0, 9, ["index-too-large", "index-equals-size"]),
        (-8, 7, []),
        (-9, 7, ["index-too-negative"]),
        (None, None, ["index-too-large", "index-equals-size", "index-too-negative"]),
    ],
)
def test_causes_that_cannot_happen_are_not_offered(
    low: int | None, high: int | None, left: list[CauseCode]
) -> None:
    """Of an index that lies in low to high, for 8 rows and an index that wraps."""
    codes: tuple[CauseCode, ...] = ("index-too-large", "index-equals-size", "index-too-negative")
    causes = tuple(Cause(code, "", False) for code in codes)
    assert [c.code for c in within(causes, 8, Interval(low, high), True)] == left
