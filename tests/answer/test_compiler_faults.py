"""Generated code that is wrong is named as such, with what to attach and what helps until then."""

from __future__ import annotations

import pytest

from aoti_tui.answer.opening import open_incident
from aoti_tui.artifacts.given import Given
from aoti_tui.failure.model import Failure, Fix
from tests.answer.conftest import Made
from tests.answer.wrappers import MESSAGE, call, indices, inputs, logged, wrapper
from tests.cases import DATA
from tests.workers import shared_worker

A, B = "triton_poi_fused_index_0", "triton_poi_fused_index_1"


def fix(failure: Failure, title: str) -> Fix:
    return next(one for one in failure.fixes if one.title == title)


def test_a_search_that_lost_where_its_boundaries_start() -> None:
    """The model searches ``cu_seqlens[1:]``, and the wrapper says so; the log is of a compiler that
    dropped the 1. Without it the replay fails in exactly the programs of the log."""
    folder = DATA / "packed_searchsorted_valid"
    incident = open_incident(
        folder / "wrapper.cpp",
        log=(folder / "error.log").read_text(),
        given=Given(inputs=folder / "inputs.pt"),
        client=shared_worker(),
    )
    failure = incident.judge(incident.failures[0]).failure
    assert (failure.cause.code, failure.cause.confirmed) == ("compiler-fault", False)
    assert failure.cause.text.startswith(
        "without the offset 1 in arg1_1, which triton_poi_fused_arange_searchsorted_slice_0 "
        "(:1119) searches, the replay makes this assert fire in all 2 programs of the log, and in "
        "no other"
    )
    assert [cause.code for cause in failure.possible_causes] == ["other-inputs"]
    assert "the inputs, the source of" in fix(failure, "report to PyTorch").text
    assert "`.clone()` the view" in fix(failure, "work around it").text


def test_a_view_that_lost_its_offset(made: Made) -> None:
    """The launch takes a view that starts at element 2; from element 0, its third is out of range,
    as the log says."""
    view = "reinterpret_tensor_wrapper(arg0_1, 1, int_array_2, int_array_1, 2L)"
    body = "    static constexpr int64_t int_array_2[] = {4L};\n" + call(A, view, extent="4L")
    incident = made(wrapper(body, A), logged(0), inputs(indices(0, 9, 1, 2, 3, 4)))
    failure = incident.judge(incident.failures[0]).failure
    assert failure.cause.code == "compiler-fault"
    assert f"without the offset 2 of the view of arg0_1 that {A}" in failure.cause.text


def test_a_bound_in_single_precision(made: Made) -> None:
    """53 rows: 0.53 * 100 is 53 in double precision and 52.999996 in single, which is cut to 52."""
    bound = "(0.53*ks0.to(tl.float32)).to(tl.int32)"
    text = wrapper(call(A, "arg0_1", size="100L"), A)
    text = text.replace("(tmp0 < ks0)", f"(tmp0 < {bound})").replace(
        "tmp0 < ks0", f"tmp0 < {bound}"
    )
    log = logged(1).replace(MESSAGE, MESSAGE.replace("ks0", bound))
    incident = made(text, log, inputs(indices(0, 1, 2, 3, 52, 0)))
    before, failure = incident.failures[0], incident.judge(incident.failures[0]).failure
    assert not before.contradictions, "in double precision nothing could fail"
    assert (failure.cause.code, failure.cause.confirmed) == ("compiler-fault", True)
    assert "single precision; the data is fine" in failure.cause.text
    assert "not of your data" in fix(failure, "report to PyTorch").text
    assert "whole numbers" in fix(failure, "work around it").text


def test_a_bound_in_single_precision_that_lets_an_index_through(made: Made) -> None:
    """The other way round: 0.29 * 100 is 28 in double precision and 29 in single. Row 28 of 28
    passes the assert and is none."""
    bound = "(0.29*ks0.to(tl.float32)).to(tl.int32)"
    text = wrapper(call(A, "arg0_1", size="100L"), A)
    text = text.replace("(tmp0 < ks0)", f"(tmp0 < {bound})").replace(
        "tmp0 < ks0", f"tmp0 < {bound}"
    )
    text = text.replace("tmp0 + 0", "tl.load(in_ptr0 + tmp0, xmask)")
    fault = "RuntimeError: CUDA error: an illegal memory access was encountered\n"
    failure = made(text, fault, inputs(indices(*[0] * 27, 28))).find_fault()
    assert failure is not None
    assert (failure.cause.code, failure.cause.confirmed) == ("compiler-fault", True)
    assert "lets through" in failure.cause.text
    assert "in single precision" in failure.cause.text
    assert fix(failure, "report to PyTorch")


def test_a_load_before_the_assert_that_leaves_its_buffer_whatever_the_data(made: Made) -> None:
    """The first launch reads 4 elements past its input, whatever the values; the second looks up
    what came of it. On the GPU that is anything, in the replay 0."""
    text = wrapper(call(A, "arg0_1") + call(B, "buf0"), A, B)
    load, check = "tl.load(in_ptr0 + (x0), xmask)", "tl.device_assert("
    text = text.replace(load, "tl.load(in_ptr0 + (x0 + 4), xmask)", 1)
    start = text.index(check)
    text = text[:start] + "tmp9 = xmask" + text[text.index("\n", start) :]
    incident = made(text, logged(1), inputs(indices(0, 1, 2, 3, 4, 0)))
    failure = incident.judge(incident.failures[0]).failure
    assert (failure.kernel, failure.cause.code) == (B, "view-out-of-storage")
    assert not failure.cause.confirmed, "nothing made the assert itself fire"
    assert f"{A} (:" in failure.cause.text
    assert "load of element 6 of input 0 (arg0_1)" in failure.cause.text
    assert "the address depends on sizes alone" in failure.cause.text
    assert "as_strided" in fix(failure, "work around it").text


def test_a_view_of_more_than_there_is(made: Made) -> None:
    """The wrapper itself takes 6 elements from the third of 6 on: the GPU does as it is told."""
    view = "reinterpret_tensor_wrapper(arg0_1, 1, int_array_0, int_array_1, 2L)"
    text = wrapper(call(A, view), A)
    fault = "RuntimeError: CUDA error: an illegal memory access was encountered\n"
    failure = made(text, fault, inputs(indices(0, 1, 1, 2, 3, 4))).find_fault()
    assert failure is not None
    assert (failure.cause.code, failure.cause.confirmed) == ("view-out-of-storage", True)
    assert failure.access is not None
    assert (failure.access.element, failure.access.size) == (4, 4)


@pytest.mark.parametrize(("rows", "holds"), [(49, False), (48, False), (245, True)])
def test_a_quotient_that_was_cut_and_the_sizes_for_which_it_is_not(
    made: Made, rows: int, holds: bool
) -> None:
    """``(1.0/49.0)*49`` is 0.99…, which is cut to 0 rows."""
    body = "    int64_t s9 = (1.0/49.0)*s0;\n" + call(A, "arg0_1", size="s9")
    incident = made(wrapper(body, A), logged(0), inputs(indices(*[0] * 49)))
    failure = incident.judge(incident.failures[0]).failure
    assert (failure.cause.code, failure.cause.confirmed) == ("symbol-truncated", True)
    requires = fix(failure, "work around it").requires
    assert requires == "int((1.0/49.0)*inputs[0].size(0))*49 == inputs[0].size(0)"
    assert eval(requires, {"inputs": [indices(*[0] * rows)]}) is holds
