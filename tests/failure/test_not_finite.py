"""What a NaN did on the way to an index: cast, or compared so that a fill value stayed."""

from __future__ import annotations

import math

import pytest

from aoti_tui.failure.cause.not_finite import not_finite_effect
from aoti_tui.kernel.parse import parse_kernel

_KERNEL = """
def kernel(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    tmp0 = tl.load(in_ptr0 + (xindex), None)
    {statements}
    tl.store(out_ptr0 + (xindex), tmp9, None)
"""


@pytest.mark.parametrize(
    ("statements", "values", "said"),
    [
        ("tmp9 = tmp0.to(tl.int64)", {"tmp0": math.nan}, "which no integer can hold"),
        (
            "tmp1 = tmp0 == tmp0; tmp2 = tl.full([1], 83, tl.int64); "
            "tmp9 = tl.where(tmp1, xindex, tmp2)",
            {"tmp0": math.nan, "tmp1": False, "tmp2": 83},
            "so tmp1 = tmp0 == tmp0 is false and tmp9 = tl.where(tmp1, xindex, tmp2) takes "
            "tmp2 = 83",
        ),
        (
            "tmp1 = tmp0 > 0; tmp9 = tmp1.to(tl.int64)",
            {"tmp0": math.inf, "tmp1": True},
            "so tmp1 = tmp0 > 0 is true",
        ),
        ("tmp9 = tmp0.to(tl.int64)", {"tmp0": 3.0}, ""),
        ("tmp9 = tmp0.to(tl.float32)", {"tmp0": math.nan}, ""),
    ],
)
def test_what_it_did(statements: str, values: dict[str, float], said: str) -> None:
    source = _KERNEL.format(statements=statements.replace("; ", "\n    "))
    program = parse_kernel(source, "kernel")
    assert not_finite_effect(program, "tmp9", 10**6, values) == said
