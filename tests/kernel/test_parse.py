"""What a kernel's source says: asserts in every form, the raw index, slices of data."""

from __future__ import annotations

import pytest

from aoti_tui.answer.opening import open_incident
from aoti_tui.kernel.asserts import raw_index
from aoti_tui.kernel.model import KernelAssert, KernelProgram
from aoti_tui.kernel.parse import parse_kernel
from aoti_tui.kernel.slice import slice_name
from tests.cases import DATA, DEMO

HEAD = (
    "\n@triton.jit\ndef k(in_ptr0, in_ptr1, out_ptr0, ks0, ks1, xnumel, XBLOCK : tl.constexpr):\n"
)
INDEX = """\
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex % 16
    x1 = xindex // ks1
"""


def kernel(body: str) -> KernelProgram:
    return parse_kernel(HEAD + INDEX + body, "k")


def only_assert(program: KernelProgram) -> KernelAssert:
    assert len(program.asserts) == 1
    return program.asserts[0]


@pytest.mark.parametrize(
    ("condition", "message", "lower", "index", "upper", "mask"),
    [
        ("((0 <= tmp4) & (tmp4 < ks0)) | ~(xmask)", "0 <= tmp4 < ks0", "0", "tmp4", "ks0", "xmask"),
        ("(0 <= tmp4) & (tmp4 < 50)", "0 <= tmp4 < 50", "0", "tmp4", "50", None),
        ("(x0 < 64) | ~(xmask)", "x0 < 64", None, "x0", "64", "xmask"),
        ("(0 <= tmp36) | ~(xmask)", "0 <= tmp36", "0", "tmp36", None, "xmask"),
        (
            "((0 <= tmp4) & (tmp4 < (-1) + ks0)) | ~(r0_mask & xmask)",
            "0 <= tmp4 < (-1) + ks0",
            "0",
            "tmp4",
            "(-1) + ks0",
            "r0_mask & xmask",
        ),
        (
            "((0 <= tl.broadcast_to(tmp10, [XBLOCK, R0_BLOCK])) & "
            "(tl.broadcast_to(tmp10, [XBLOCK, R0_BLOCK]) < 4*ks0)) | ~(tmp4 & xmask)",
            "0 <= tl.broadcast_to(tmp10, [XBLOCK, R0_BLOCK]) < 4*ks0",
            "0",
            "tmp10",
            "4*ks0",
            "tmp4 & xmask",
        ),
    ],
)
def test_asserts_in_every_form(
    condition: str,
    message: str,
    lower: str | None,
    index: str,
    upper: str | None,
    mask: str | None,
) -> None:
    text = f"index out of bounds: {message}"
    found = only_assert(kernel(f'    tl.device_assert({condition}, "{text}")\n'))
    assert (found.lower, found.index, found.upper, found.mask) == (lower, index, upper, mask)
    assert (found.message, found.disabled) == (text, False)


def test_a_commented_assert_cannot_fire() -> None:
    found = only_assert(kernel('    # tl.device_assert((0 <= x0) & (x0 < 5), "never")\n'))
    assert found.disabled
    assert found.message == "never"


def test_the_raw_index_is_what_stands_before_the_negative_wrap() -> None:
    wrapped = kernel(
        "    tmp0 = tl.load(in_ptr0 + (x0), xmask)\n    tmp1 = ks0\n    tmp2 = tmp0 + tmp1\n"
        "    tmp3 = tmp0 < 0\n    tmp4 = tl.where(tmp3, tmp2, tmp0)\n"
        '    tl.device_assert((0 <= tmp4) & (tmp4 < ks0), "a")\n'
    )
    assert raw_index(wrapped, only_assert(wrapped)) == "tmp0"
    plain = kernel(
        "    tmp0 = tl.load(in_ptr0 + (x0), xmask)\n    tmp1 = tl.where(tmp0 > 5, 0, tmp0)\n"
        '    tl.device_assert((0 <= tmp1) & (tmp1 < ks0), "a")\n'
    )
    assert raw_index(plain, only_assert(plain)) == "tmp1", "a where that is no wrap is kept"


def leaves(program: KernelProgram, name: str) -> list[tuple[str, str]]:
    return list(dict.fromkeys((n.kind, n.name) for n in slice_name(program, name).leaves()))


def test_a_slice_follows_data_and_not_addresses() -> None:
    program = kernel(
        "    tmp0 = tl.load(in_ptr0 + (x0), xmask)\n"
        "    tmp1 = tl.load(in_ptr1 + (ks1*tmp0), xmask)\n"
        "    tmp2 = tl.where(x0 < ks1, tmp1, 0)\n"
    )
    assert leaves(program, "tmp2") == [("load", "in_ptr1")]


def test_lane_numbers_lead_to_the_extent_that_bounds_them() -> None:
    program = kernel("    tmp0 = x1\n    tmp1 = tmp0 + ks0\n    tmp2 = x0\n")
    tree = slice_name(program, "tmp0")
    extent = next(tree.leaves())
    assert (extent.kind, extent.name, extent.divisor) == ("extent", "xnumel", "ks1")
    assert ("parameter", "ks0") in leaves(program, "tmp1")
    assert leaves(program, "tmp2") == [], "x % 16 is below 16 whatever the sizes"


def test_loop_carried_values_reach_around_the_loop() -> None:
    program = kernel(
        "    tmp3 = tl.full([XBLOCK], 0, tl.int64)\n"
        "    for r0_offset in tl.range(0, 64, 16):\n"
        "        tmp0 = tl.load(in_ptr0 + (r0_offset), xmask)\n"
        "        tmp4 = tmp3 + tmp0\n"
        "        tmp3 = tmp4\n"
        "    tmp5 = tmp3\n"
    )
    assert leaves(program, "tmp5") == [("load", "in_ptr0")]
    assert leaves(program, "tmp4") == [("load", "in_ptr0")]


def test_source_that_is_no_python_says_so() -> None:
    program = parse_kernel("\ndef k(:\n", "k")
    assert "not valid Python" in program.problem
    assert program.asserts == ()


def test_every_assert_of_real_wrappers_has_a_bound_and_an_index() -> None:
    seen = 0
    for wrapper in (DEMO / "jagged_reduce.wrapper.cpp", *sorted(DATA.glob("*/wrapper.cpp"))):
        incident = open_incident(wrapper)
        for name in incident.index.kernels:
            program = incident.kernel_program(name)
            assert not program.problem
            for found in program.asserts:
                seen += 1
                assert found.index is not None
                assert found.upper is not None
                assert raw_index(program, found)
                failure = incident.explain_assert(name, found.line)
                assert failure is not None
                assert failure.bound.sources
                assert failure.index.sources
                assert not any(
                    s.kind in ("unknown", "literal")
                    for s in (*failure.bound.sources, *failure.index.sources)
                )
    assert seen >= 14
