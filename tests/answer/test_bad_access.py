"""A memory fault without an assert leads to the model's first bad access and what made it."""

from __future__ import annotations

import pytest
import torch

from aoti_tui.answer.incident import Incident
from aoti_tui.failure.model import Failure
from aoti_tui.failure.prose.headline import heading_of
from aoti_tui.failure.prose.text import explanation
from tests.answer.conftest import Made
from tests.answer.wrappers import call, indices, inputs, wrapper

KERNEL = "triton_poi_fused_index_0"
FAULT = "RuntimeError: CUDA error: an illegal memory access was encountered\n"
HIP_FAULT = "Memory access fault by GPU node-2 on address 0x7f00. Reason: Unknown.\n"


def unchecked(offset: str, passed: str = "arg0_1", extent: str = "s0") -> str:
    """A kernel that loads from its input at an offset, and has no assert."""
    text = wrapper(call(KERNEL, passed, extent=extent), KERNEL)
    lines = [line for line in text.splitlines() if "tl.device_assert" not in line]
    return "\n".join(lines).replace("tmp0 + 0", f"tl.load(in_ptr0 + ({offset}), xmask)")


def found(incident: Incident) -> Failure:
    assert incident.only_memory_faults
    assert incident.failures == ()
    try:
        failure = incident.find_fault()
    finally:
        incident.close()
    assert failure is not None
    return failure


@pytest.mark.parametrize(
    ("offset", "demanded"),
    [
        ("tmp0", "int(inputs[0].max()) < inputs[0].numel()"),
        ("3*tmp0 + 1", "3*int(inputs[0].max()) + 1 < inputs[0].numel()"),
        ("tmp0 - 8", "int(inputs[0].max()) < inputs[0].numel() + 8"),
    ],
)
def test_what_the_call_must_hold_so_that_the_address_stays_inside(
    made: Made, offset: str, demanded: str
) -> None:
    """False of the failing call, and true of one whose address stays inside."""
    bad, good = inputs(indices(0, 1, 2, 90, 3, 0)), inputs(indices(*[0] * 30, 8, 9))
    failure = found(made(unchecked(offset), FAULT, bad))
    fix = next(fix for fix in failure.fixes if fix.requires is not None)
    assert fix.requires is not None
    assert demanded in fix.requires
    assert f"`{fix.requires}` must hold" in fix.text
    assert eval(fix.requires, {"inputs": list(bad)}) is False
    assert eval(fix.requires, {"inputs": list(good)}) is (offset != "tmp0 - 8")


@pytest.mark.parametrize("offset", ["tmp0", "tmp0 + 0*x0", "2*tmp0 - tmp0"])
def test_an_element_of_an_input_that_leads_outside(made: Made, offset: str) -> None:
    given = inputs(indices(0, 1, 2, 9, 3, 0))
    failure = found(made(unchecked(offset), FAULT, given))
    access = failure.access
    assert access is not None
    assert (failure.kernel, access.parameter, access.tensor) == (
        KERNEL,
        "in_ptr0",
        "input 0 (arg0_1)",
    )
    assert (access.element, access.size, access.program, access.lane) == (9, 6, (0, 0, 0), (3,))
    assert failure.cause.code == "index-unchecked"
    assert failure.cause.confirmed
    assert "input 0 (arg0_1) element [3] = 9 leads to element 9" in failure.cause.text
    assert [s.position for s in failure.index.sources if s.kind == "input"] == [0]
    assert "check the values before the call" in [fix.title for fix in failure.fixes]


def test_what_a_user_reads(made: Made) -> None:
    failure = found(made(unchecked("tmp0"), FAULT, inputs(indices(0, 7))))
    title, *rows = heading_of(failure, given=True).lines
    said = "load of element 7 of input 0 (arg0_1) (in_ptr0), which has 2"
    assert title == f"{KERNEL} failed: {said}"
    assert rows[0].startswith("guilty: input 0 (arg0_1) element [1] = 7 leads to element 7")
    assert "sure: confirmed by a replay in program 0; nothing else fits" in rows
    told = explanation(failure, "model.wrapper.cpp")
    assert "[index-unchecked: confirmed by the inputs]" in told
    assert "size   input 0 (arg0_1) (in_ptr0) has 2 elements" in told
    assert "lane [1]" in told


def test_sizes_alone_lead_outside_although_the_guards_hold(made: Made) -> None:
    failure = found(made(unchecked("x0 + 4"), FAULT, inputs(indices(0, 1, 2, 3, 4, 5))))
    assert failure.cause.code == "view-out-of-storage"
    assert failure.cause.confirmed
    assert "depends on sizes alone" in failure.cause.text
    assert "as_strided" in failure.cause.text
    assert "report to PyTorch" in [fix.title for fix in failure.fixes]


def test_inputs_that_break_a_check_of_the_wrapper_are_to_blame(made: Made) -> None:
    check = 'if (!(s0 >= 8L)) { throw std::runtime_error("Expected s0 >= 8"); }'
    text = unchecked("x0 + 4").replace("    call_", f"    {check}\n    call_", 1)
    failure = found(made(text, FAULT, inputs(indices(0, 1, 2))))
    assert failure.cause.code == "guard-violated"
    assert "s0 >= 8" in failure.cause.text


def test_a_size_that_was_cut_is_named(made: Made) -> None:
    """The buffer has 49 * s9 elements, which are none; the launch takes 49."""
    body = (
        "    int64_t s9 = (1.0/49.0)*s0;\n"
        "    const int64_t int_array_9[] = {49L*s9};\n"
        "    AtenTensorHandle buf9_handle;\n"
        "    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_empty_strided(\n"
        "        1, int_array_9, int_array_1, cached_torch_dtype_int64, "
        "cached_torch_device_type_cuda,\n        this->device_idx_, &buf9_handle));\n"
        "    RAIIAtenTensorHandle buf9(buf9_handle);\n"
    )
    text = wrapper(body + call(KERNEL, "buf9"), KERNEL)
    text = "\n".join(line for line in text.splitlines() if "tl.device_assert" not in line)
    failure = found(made(text, FAULT, inputs(indices(*([0] * 49)))))
    assert failure.cause.code == "symbol-truncated"
    assert "s9 = (1.0/49.0)*s0 gave 0, exactly it is 1" in failure.cause.text


def test_a_size_that_was_cut_elsewhere_is_not_to_blame(made: Made) -> None:
    body = "    int64_t s9 = (1.0/49.0)*s0;\n" + call(KERNEL, "arg0_1")
    text = wrapper(body, KERNEL)
    lines = [line for line in text.splitlines() if "tl.device_assert" not in line]
    text = "\n".join(lines).replace("tmp0 + 0", "tl.load(in_ptr0 + (x0 + 4), xmask)")
    failure = found(made(text, FAULT, inputs(indices(*([0] * 49)))))
    assert failure.cause.code == "view-out-of-storage"


def test_made_up_data_confirm_nothing(made: Made) -> None:
    body = (
        "    // Topologically Sorted Source Nodes: [s], Original ATen: [mylib.shift_]\n"
        "    aoti_torch_proxy_executor_call_function(proxy_executor, 0, 0, "
        "std::vector<int64_t>{}.data(), 1, std::vector<AtenTensorHandle>{arg0_1}.data());\n"
    )
    text = unchecked("tmp0 + 100").replace("    call_", f"{body}    call_", 1)
    failure = found(made(text, FAULT, inputs(indices(0, 1))))
    assert not failure.cause.confirmed
    assert any("made-up" in fact for fact in failure.cause.evidence)


def test_an_assert_that_the_build_leaves_out_is_the_answer(made: Made) -> None:
    """HIP builds leave asserts out: what would have fired shows as a memory fault."""
    text = wrapper(call(KERNEL, "arg0_1"), KERNEL).replace("cudaStream_t", "hipStream_t")
    failure = found(made(text, HIP_FAULT, inputs(indices(0, 9))))
    assert failure.access is None
    assert failure.cause.code in ("index-too-large", "index-equals-size")
    assert failure.cause.confirmed
    assert any("HIP builds up to torch 2.13 leave Triton's asserts out" in n for n in failure.notes)
    advice = failure.fixes[-1].text
    assert "AMD_SERIALIZE_KERNEL=3" in advice
    assert "CUDA_LAUNCH_BLOCKING" not in advice


def test_a_model_without_a_bad_access_gives_no_answer(made: Made) -> None:
    incident = made(unchecked("tmp0"), FAULT, inputs(torch.zeros(4, dtype=torch.int64)))
    assert incident.find_fault() is None


@pytest.mark.parametrize(("kernel", "confirmed"), [(KERNEL, True), ("triton_poi_other_7", False)])
def test_a_checker_that_names_another_kernel_contradicts(
    made: Made, kernel: str, confirmed: bool
) -> None:
    log = (
        "========= Invalid __global__ read of size 8 bytes\n"
        f"=========     at {kernel}+0x1f0 in cabc.py:23\n"
        "=========     by thread (2,0,0) in block (0,0,0)\n"
    )
    failure = found(made(unchecked("tmp0"), log, inputs(indices(0, 1, 9))))
    assert (failure.kernel, failure.cause.confirmed) == (KERNEL, confirmed)
    assert any("the log names triton_poi_other_7" in s for s in failure.contradictions) is (
        not confirmed
    )
