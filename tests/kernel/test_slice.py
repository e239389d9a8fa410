"""What a value is made of: its loads, sizes and extents, and nothing that says where it stands."""

from __future__ import annotations

import pytest

from aoti_tui.kernel.slice import is_index_only, slice_name
from tests.kernel.test_parse import kernel


@pytest.mark.parametrize(
    ("body", "leaves"),
    [
        ("tmp0 = tl.load(in_ptr0 + x0)", {("load", "in_ptr0")}),
        ("tmp0 = tl.load(in_ptr0 + ks0*x1, xmask)", {("load", "in_ptr0")}),
        ("tmp0 = tl.load(in_ptr0 + x0) + ks0", {("load", "in_ptr0"), ("parameter", "ks0")}),
        (
            "tmp1 = tl.load(in_ptr1 + x0)\n    tmp0 = tl.load(in_ptr0 + tmp1)",
            {("load", "in_ptr0")},
        ),
        ("tmp0 = xindex", {("extent", "xnumel")}),
        (
            "tmp1 = tl.load(in_ptr0 + 0)\n    tmp0 = tl.rand(tmp1, x0.to(tl.uint32))",
            {("random", "rand"), ("load", "in_ptr0")},
        ),
        ("tmp0 = tl.where(x0 < 4, tl.load(in_ptr0 + x0), ks1)",
         {("load", "in_ptr0"), ("parameter", "ks1")}),
        ("tmp0 = 7", set()),
        ("tmp0 = nowhere", {("unknown", "nowhere")}),
    ],
)  # fmt: skip
def test_a_slice_ends_at_what_the_value_comes_from(body: str, leaves: set[tuple[str, str]]) -> None:
    found = slice_name(kernel(f"    {body}\n"), "tmp0")
    assert {(leaf.kind, leaf.name) for leaf in found.leaves()} == leaves


def test_a_value_that_is_used_twice_is_shown_once() -> None:
    body = "    tmp1 = tl.load(in_ptr0 + x0)\n    tmp0 = tmp1 * tmp1\n"
    found = slice_name(kernel(body), "tmp0")
    assert [child.kind for child in found.children] == ["temporary", "seen"]


def test_the_value_before_a_statement_is_that_of_the_assignment_above_it() -> None:
    program = kernel("    tmp0 = tl.load(in_ptr0 + x0)\n    tmp0 = tl.load(in_ptr1 + x0)\n")
    last = program.definition("tmp0")
    assert last is not None
    before = slice_name(program, "tmp0", last.order)
    assert [leaf.name for leaf in before.leaves()] == ["in_ptr0"]
    assert [leaf.name for leaf in slice_name(program, "tmp0").leaves()] == ["in_ptr1"]


def test_program_and_lane_numbers_are_no_data() -> None:
    program = kernel("    tmp0 = x0 + ks0*x1\n    tmp1 = tmp0 + tl.load(in_ptr0 + x0)\n")
    index, data = program.definition("tmp0"), program.definition("tmp1")
    assert index is not None
    assert data is not None
    assert is_index_only(program, index.value, index.order)
    assert not is_index_only(program, data.value, data.order)
