"""Values of one program beside what they are in float64, and beside what they should be."""

from __future__ import annotations

import ast
import textwrap
from typing import Any

import pytest
import torch

from aoti_tui.worker.protocol.problems import RequestError
from aoti_tui.worker.script.expected.expectation import compare, read
from aoti_tui.worker.script.expected.precision import precision

from .launching import LINES, kernel, launch, line_of

SUM = """
def total(x_ptr, o_ptr, n, BLOCK: tl.constexpr, ACC: tl.constexpr):
    at = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], ACC)
    for start in range(0, n, BLOCK):
        x = tl.load(x_ptr + start + at)
        wide = x.to(tl.float32)
        acc += wide.to(ACC)
    tl.store(o_ptr + at, acc)
"""


def measured(text: str, grid: tuple[int, ...] = (1,), **values: Any) -> dict[str, Any]:
    made = kernel(text, torch=torch)
    trees = {LINES: list(ast.parse(textwrap.dedent(text).strip("\n")).body)}
    return precision(lambda: launch(made, grid, **values), trees, (0, 0, 0))  # type: ignore[arg-type]


def first_of(found: dict[str, Any]) -> dict[str, Any]:
    step: dict[str, Any] = found["steps"][found["first"]]
    return step


def test_a_bfloat16_accumulator_loses_the_precision() -> None:
    import triton.language as tl

    x = torch.rand(4096) + 1
    bad = measured(SUM, x_ptr=x, o_ptr=torch.zeros(16), n=4096, BLOCK=16, ACC=tl.bfloat16)
    lost = first_of(bad)
    assert (lost["name"], lost["kernel_line"]) == ("acc", line_of(SUM, "acc +="))
    assert lost["error"] > 1e-3
    good = measured(SUM, x_ptr=x, o_ptr=torch.zeros(16), n=4096, BLOCK=16, ACC=tl.float32)
    assert good["first"] is None
    assert len(good["steps"]) == len(bad["steps"])


def test_cancellation_loses_it_in_the_difference() -> None:
    text = """
def spread(x_ptr, o_ptr, n):
    x = tl.load(x_ptr + tl.arange(0, 16))
    mean = tl.sum(x, axis=0) / n
    square = tl.sum(x * x, axis=0) / n
    variance = square - mean * mean
    tl.store(o_ptr, variance)
"""
    x = 10000 + torch.rand(16)
    lost = first_of(measured(text, x_ptr=x, o_ptr=torch.zeros(1), n=16))
    assert (lost["name"], lost["kernel_line"]) == ("variance", line_of(text, "variance ="))
    assert lost["operands_error"] < 1e-6 < lost["error"]


def test_an_overflow_of_float16_loses_everything() -> None:
    text = """
def squared(x_ptr, o_ptr):
    x = tl.load(x_ptr)
    y = x * x
    z = y / x
    tl.store(o_ptr, z)
"""
    x = torch.tensor([300.0], dtype=torch.float16)
    lost = first_of(measured(text, x_ptr=x, o_ptr=torch.zeros(1, dtype=torch.float16)))
    assert (lost["name"], lost["exact"], lost["actual"]) == ("y", 90000.0, "inf")


SCALE = """
def scale(x_ptr, w_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    y = x * 2
    z = y + tl.load(w_ptr)
    tl.store(o_ptr + i, z)
"""


def compared(*texts: str) -> dict[str, Any]:
    made = kernel(SCALE)
    values = {"x_ptr": torch.rand(64), "w_ptr": torch.ones(1), "o_ptr": torch.zeros(64)}
    return compare(
        lambda: launch(made, (4,), **values, n=64, BLOCK=16),
        {**values, "n": 64, "BLOCK": 16},
        (2, 0, 0),
        [read(text) for text in texts],
    )


def test_the_first_line_that_departs_is_named() -> None:
    part = "x_ptr[pid[0] * BLOCK:][:BLOCK]"
    found = compared(f"z = {part} * 3 + w_ptr", f"x = {part}", f"y = torch.mul({part}, 3)")
    assert [one["holds"] for one in found["expected"]] == [False, True, False]
    assert (found["first"]["name"], found["first"]["kernel_line"]) == ("y", line_of(SCALE, "y ="))
    assert "y departs in line" in found["first"]["text"]
    held = compared("y = 2 * x", "z = x_ptr[i.long()] * 2 + 1")
    assert held["first"] is None


@pytest.mark.parametrize(
    "text", ["y", "y == x", "y = nothing + 1", "missing = 1", "y = torch.ones(3)"]
)
def test_what_cannot_be_compared_is_said(text: str) -> None:
    with pytest.raises(RequestError):
        compared(text)
