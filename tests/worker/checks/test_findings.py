"""What is wrong with a launch is found by itself, with line, argument, element, program, lane."""

from __future__ import annotations

import pytest
import torch

from aoti_tui.worker.script.checks.launch_checks import Checks

from .launching import findings, kernel, line_of, told, unwritten

ADD = """
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)
"""
NO_MASK = ADD.replace(", mask=mask", "")


def test_a_right_kernel_has_no_findings() -> None:
    out = unwritten(1000)
    x = torch.rand(1000)
    assert findings(kernel(ADD), (4,), x_ptr=x, y_ptr=x, out_ptr=out, n=1000, BLOCK=256) == []
    assert torch.equal(out, x + x)


def test_reading_and_writing_past_the_end() -> None:
    x = torch.rand(1000)
    found = findings(
        kernel(NO_MASK), (4,), x_ptr=x, y_ptr=x, out_ptr=torch.zeros(1000), n=1000, BLOCK=256
    )
    assert [(f.kind, f.argument, f.element, f.program, f.lane, f.count) for f in found] == [
        ("out-of-bounds", "x_ptr", 1000, (3, 0, 0), (232,), 24),
        ("out-of-bounds", "y_ptr", 1000, (3, 0, 0), (232,), 24),
        ("out-of-bounds", "out_ptr", 1000, (3, 0, 0), (232,), 24),
    ]
    assert found[0].text == "reads x_ptr[1000], which has 1000 elements"


def test_a_store_beyond_the_view_inside_of_its_storage() -> None:
    wide = torch.zeros(1024)
    x = torch.rand(1024)
    found = findings(
        kernel(NO_MASK), (4,), x_ptr=x, y_ptr=x, out_ptr=wide[:1000], n=1000, BLOCK=256
    )
    assert told(found) == [("beyond-view", line_of(NO_MASK, "tl.store"), "out_ptr", 1000)]
    assert (found[0].program, found[0].lane, found[0].count) == ((3, 0, 0), (232,), 24)
    assert "shape [1000]" in found[0].text


ROWS = """
def rows(x_ptr, o_ptr, stride, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + cols, mask=cols < width, other=0.0)
    tl.store(o_ptr + row * width + cols, x, mask=cols < width)
"""


@pytest.mark.parametrize("passed", ["view", "base"])
def test_rows_of_a_strided_view_are_all_inside_of_it(passed: str) -> None:
    wide = torch.rand(6, 20)
    x = wide[:, 5:12] if passed == "view" else wide
    out = unwritten(6, 7)
    assert findings(kernel(ROWS), (6,), x_ptr=x, o_ptr=out, stride=20, width=7, BLOCK=8) == []


def test_what_lies_between_the_rows_of_a_view_is_outside_of_it() -> None:
    x = torch.rand(6, 20)[:, 5:12]
    found = findings(
        kernel(ROWS), (6,), x_ptr=x, o_ptr=torch.zeros(6, 7), stride=7, width=7, BLOCK=8
    )
    assert told(found) == [("beyond-view", line_of(ROWS, "tl.load"), "x_ptr", 7)]


def test_what_is_loaded_beyond_a_view_and_masked_later_is_fine() -> None:
    made = kernel("""
def masked(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    tl.store(o_ptr, tl.sum(tl.where(at < n, x, 0.0), axis=0))
""")
    x = torch.rand(16)[:10]
    out = torch.zeros(1)
    assert findings(made, (1,), x_ptr=x, o_ptr=out, n=10, BLOCK=16) == []


def test_parts_of_one_tensor_may_be_reached_from_each_other() -> None:
    both = torch.rand(32)
    made = kernel("""
def halves(a_ptr, b_ptr, o_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(o_ptr + at, tl.load(a_ptr + at) + tl.load(b_ptr + at % 16))
""")
    out = torch.zeros(32)
    assert findings(made, (1,), a_ptr=both[:16], b_ptr=both[16:], o_ptr=out, BLOCK=32) == []


def test_reading_what_nobody_wrote() -> None:
    x = unwritten(1000)
    x[:900] = 1.0
    y = torch.ones(1000)
    out = unwritten(1000)
    found = findings(kernel(ADD), (4,), x_ptr=x, y_ptr=y, out_ptr=out, n=1000, BLOCK=256)
    assert [(f.kind, f.argument, f.element, f.program, f.lane, f.count) for f in found] == [
        ("unwritten-read", "x_ptr", 900, (3, 0, 0), (132,), 100)
    ]


def test_what_nobody_wrote_may_be_read_and_masked() -> None:
    made = kernel("""
def half(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    kept = tl.where(at < n, x, 0.0)
    tl.store(o_ptr + at, kept * 2)
""")
    x = unwritten(64)
    x[:40] = 1.0
    assert findings(made, (1,), x_ptr=x, o_ptr=torch.zeros(64), n=40, BLOCK=64) == []


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("if tl.load(x_ptr + 5) > 0:\n        tl.store(o_ptr, 1.0)", 2),
        ("tl.store(o_ptr + tl.load(x_ptr + 5).to(tl.int32) % 2, 1.0)", 2),
        ("tl.atomic_add(x_ptr + 5, 1.0)", 2),
    ],
)
def test_what_nobody_wrote_decides_a_branch_an_address_or_an_atomic(body: str, line: int) -> None:
    made = kernel(f"def k(x_ptr, o_ptr):\n    {body}")
    found = findings(made, (1,), x_ptr=unwritten(8), o_ptr=torch.zeros(2))
    assert ("unwritten-read", line, "x_ptr", 5) in told(found)


def test_an_atomic_exchange_needs_no_old_value() -> None:
    made = kernel("def k(x_ptr):\n    tl.atomic_xchg(x_ptr + 5, 1.0)")
    assert findings(made, (1,), x_ptr=unwritten(8)) == []


HISTOGRAM = """
def histogram(x_ptr, o_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    bins = tl.load(x_ptr + at)
    here = tl.load(o_ptr + bins)
    tl.store(o_ptr + bins, here + 1)
"""


def test_two_programs_that_add_to_one_element_race() -> None:
    x = torch.arange(32, dtype=torch.int32) % 8
    found = findings(
        kernel(HISTOGRAM), (4,), x_ptr=x, o_ptr=torch.zeros(8, dtype=torch.int32), BLOCK=8
    )
    kinds = {(f.kind, f.place.line, f.argument) for f in found}
    assert ("race", line_of(HISTOGRAM, "tl.store"), "o_ptr") in kinds
    assert "in no order with" in found[-1].text


def test_atomics_do_not_race() -> None:
    text = HISTOGRAM.replace("here = tl.load(o_ptr + bins)", "pass").replace(
        "tl.store(o_ptr + bins, here + 1)", "tl.atomic_add(o_ptr + bins, 1)"
    )
    x = torch.arange(32, dtype=torch.int32) % 8
    out = torch.zeros(8, dtype=torch.int32)
    assert findings(kernel(text), (4,), x_ptr=x, o_ptr=out, BLOCK=8) == []
    assert out.tolist() == [4] * 8


def test_programs_that_change_their_own_elements_in_place_do_not_race() -> None:
    made = kernel("""
def double(x_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(x_ptr + at) * 2)
""")
    checks = Checks()
    x = torch.ones(64)
    for _ in range(2):
        assert findings(made, (8,), checks, x_ptr=x, BLOCK=8) == []
    assert x.tolist() == [4.0] * 64


def test_a_neighbour_that_is_read_while_its_program_writes_it_is_a_race() -> None:
    text = """
def smooth(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    left = tl.load(x_ptr + at - 1, mask=at > 0, other=0.0)
    tl.store(x_ptr + at, left + 1.0, mask=at < n)
"""
    checks = Checks()
    for _ in range(2):
        found = findings(kernel(text), (8,), checks, x_ptr=torch.rand(64), n=64, BLOCK=8)
        assert {f.kind for f in found} == {"race"}
        assert {f.argument for f in found} == {"x_ptr"}


def test_two_programs_that_store_the_same_do_no_harm() -> None:
    made = kernel("""
def same(o_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(o_ptr + at, at * 2)
""")
    assert findings(made, (8,), o_ptr=torch.zeros(16, dtype=torch.int32), BLOCK=16) == []


def test_two_programs_that_store_different_values_race() -> None:
    made = kernel("""
def last(o_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(o_ptr + at, at + tl.program_id(0))
""")
    found = findings(made, (8,), o_ptr=torch.zeros(16, dtype=torch.int32), BLOCK=16)
    assert told(found) == [("race", 3, "o_ptr", 0)]


LOCKED = """
def locked(total_ptr, lock_ptr, x_ptr):
    x = tl.load(x_ptr + tl.program_id(0))
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    old = tl.load(total_ptr)
    tl.store(total_ptr, old + x)
    tl.atomic_xchg(lock_ptr, 0)
"""


def test_a_lock_orders_what_it_guards() -> None:
    total, lock = torch.zeros(1), torch.zeros(1, dtype=torch.int32)
    x = torch.ones(16)
    assert findings(kernel(LOCKED), (16,), total_ptr=total, lock_ptr=lock, x_ptr=x) == []
    assert total.item() == 16


def test_what_is_written_after_the_lock_was_given_back_races() -> None:
    text = (
        LOCKED.replace("    tl.store(total_ptr, old + x)\n", "")
        + "    tl.store(total_ptr, old + x)\n"
    )
    total, lock = torch.zeros(1), torch.zeros(1, dtype=torch.int32)
    found = findings(kernel(text), (16,), total_ptr=total, lock_ptr=lock, x_ptr=torch.ones(16))
    assert {(f.kind, f.argument) for f in found} == {("race", "total_ptr")}


def test_an_offset_that_32_bits_cannot_hold() -> None:
    text = """
def far(x_ptr, rows_ptr, o_ptr, stride):
    row = tl.load(rows_ptr + tl.program_id(0))
    offset = row * stride
    tl.store(o_ptr, tl.load(x_ptr + offset))
"""
    found = findings(
        kernel(text),
        (2,),
        x_ptr=torch.zeros(8),
        rows_ptr=torch.tensor([0, 32768], dtype=torch.int32),
        o_ptr=torch.zeros(1),
        stride=65536,
    )
    assert told(found) == [
        ("overflow", line_of(text, "offset ="), "x_ptr", -(2**31)),
        ("out-of-bounds", line_of(text, "tl.load(x_ptr"), "x_ptr", -(2**31)),
    ]
    assert found[0].text.startswith("32768 * 65536 = 2147483648 does not fit 32 bits")


def test_a_hash_that_wraps_is_no_overflow() -> None:
    text = """
def hashed(x_ptr, o_ptr, size):
    key = tl.program_id(0) * 1000003 * 1000003
    tl.store(o_ptr, tl.load(x_ptr + (key & 7) + size))
"""
    found = findings(kernel(text), (9,), x_ptr=torch.zeros(8), o_ptr=torch.zeros(1), size=8)
    assert {f.kind for f in found} == {"out-of-bounds"}


def test_the_operation_that_made_a_nan_is_named() -> None:
    text = """
def normed(x_ptr, o_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    less = x - 1.0
    root = tl.sqrt(less)
    twice = root * 2.0
    tl.store(o_ptr + at, twice)
"""
    x = torch.full((32,), 2.0)
    x[20] = 0.5
    found = findings(kernel(text), (4,), x_ptr=x, o_ptr=torch.zeros(32), BLOCK=8)
    assert told(found) == [("nan", line_of(text, "root ="), "o_ptr", 20)]
    assert (found[0].program, found[0].lane) == ((2, 0, 0), (4,))
    assert found[0].values == {"less": -0.5}
    assert "root becomes NaN here (less = -0.5)" in found[0].text


def test_a_nan_that_was_loaded_or_is_masked_is_not_the_kernels() -> None:
    text = """
def masked(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    root = tl.sqrt(-x)
    tl.store(o_ptr + at, tl.where(at < n, x * 2, root), mask=at < n)
"""
    x = torch.ones(16)
    x[3] = float("nan")
    assert findings(kernel(text), (1,), x_ptr=x, o_ptr=torch.zeros(16), n=10, BLOCK=16) == []


def test_an_overflow_of_float16_is_named() -> None:
    text = """
def square(x_ptr, o_ptr):
    x = tl.load(x_ptr)
    y = x * x
    tl.store(o_ptr, y)
"""
    x = torch.tensor([300.0], dtype=torch.float16)
    found = findings(kernel(text), (1,), x_ptr=x, o_ptr=torch.zeros(1, dtype=torch.float16))
    assert told(found) == [("nan", 3, "o_ptr", 0)]
    assert "y becomes inf here (x = 300)" in found[0].text


def test_a_failed_assert_has_the_values_of_its_first_lane() -> None:
    text = """
def looked_up(i_ptr, n, BLOCK: tl.constexpr):
    i = tl.load(i_ptr + tl.arange(0, BLOCK))
    tl.device_assert(i < n, "index outside")
"""
    i = torch.arange(8)
    i[5] = 50
    found = findings(kernel(text), (1,), i_ptr=i, n=8, BLOCK=8)
    assert [(f.kind, f.place.line, f.lane, f.values["i"]) for f in found] == [
        ("assert", 3, (5,), 50)
    ]
