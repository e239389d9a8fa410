"""What an assignment does, told from its source alone; and which accesses an index is for."""

from __future__ import annotations

import pytest

from aoti_tui.kernel.indexed import Access, access_masks, indexed_accesses
from aoti_tui.kernel.operations import Operation, operation_of
from aoti_tui.kernel.parse import parse_kernel

BEFORE = """
def kernel(in_ptr0, in_ptr1, out_ptr0, ks0, xnumel, XBLOCK : tl.constexpr):
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tmp0 + ks0
    tmp2 = tmp0 < 0
"""


@pytest.mark.parametrize(
    ("written", "operation"),
    [
        ("tl.load(in_ptr0 + (x0), xmask)", "load"),
        ("tl.load(in_ptr0 + (x0), xmask).to(tl.float32)", "load"),
        ("tl.broadcast_to(tl.load(in_ptr0 + (x0), xmask), [XBLOCK])", "load"),
        ("tl.broadcast_to(tmp0, [XBLOCK])", "copy"),
        ("tmp0[None, :]", "copy"),
        ("tmp0", "copy"),
        ("tmp0.to(tl.int64)", "cast"),
        ("tl.where(tmp2, tmp1, tmp0)", "wrap"),
        ("tl.where(tmp2, tmp0, tmp1)", "choice"),
        ("triton_helpers.minimum(tmp0, tmp1)", "clamp"),
        ("tmp0 // ks0", "quotient"),
        ("triton_helpers.div_floor_integer(tmp0, 4)", "quotient"),
        ("tmp0 % ks0", "remainder"),
        ("triton_helpers.remainder_integer(tmp0, 4)", "remainder"),
        ("(-1) + ks0", "arithmetic"),
        ("tmp0 >= ks0", "test"),
        ("tmp2 & xmask", "test"),
        ("tl.full([1], 4, tl.int64)", "literal"),
        ("-1", "literal"),
        ("tl.sum(tmp0, 1)", "call"),
    ],
)
def test_an_assignment_does_what_its_outermost_part_does(
    written: str, operation: Operation
) -> None:
    program = parse_kernel(f"{BEFORE}    tmp3 = {written}\n", "kernel")
    assignment = program.definition("tmp3")
    assert assignment is not None
    assert operation_of(program, assignment) == operation


def test_the_accesses_of_an_index_with_what_it_is_multiplied_with_and_their_masks() -> None:
    program = parse_kernel(
        f"{BEFORE}    tmp3 = tl.where(tmp2, tmp1, tmp0)\n"
        '    tl.device_assert((0 <= tmp3) & (tmp3 < ks0), "0 <= tmp3 < ks0")\n'
        "    tmp4 = tl.load(in_ptr1 + (x0 + 8*tmp3), xmask & tmp2)\n"
        "    tl.store(out_ptr0 + (x0), tmp4, xmask)\n",
        "kernel",
    )
    found = program.asserts[0]
    assert indexed_accesses(program, found) == (Access("in_ptr1", found.line + 1, "8"),)
    assert access_masks(program, found) == ("xmask & tmp2",)


def test_an_index_of_lane_numbers_alone_is_found_in_the_address() -> None:
    program = parse_kernel(
        f"{BEFORE}"
        '    tl.device_assert((x0 % 128) < 100, "(x0 % 128) < 100")\n'
        "    tmp4 = tl.load(in_ptr1 + ((x0 % 128)), xmask)\n"
        '    tl.device_assert(64*x0 + (x0 // 128) < 100, "64*x0 + (x0 // 128) < 100")\n'
        "    tmp5 = tl.load(in_ptr1 + (64*x0 + (x0 // 128) + 7), xmask)\n",
        "kernel",
    )
    for found in program.asserts:
        assert indexed_accesses(program, found) == (Access("in_ptr1", found.line + 1, "1"),)
