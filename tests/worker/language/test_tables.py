"""Each row of the tables, in the engine."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from . import tables
from .lab import evaluate
from .tables import Row

ROWS = [
    row
    for table in (tables.MATH, tables.ARITHMETIC, tables.SHAPES, tables.REDUCTIONS)
    for row in table
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_an_expression_gives(row: Row) -> None:
    expected = row.expected
    dtype = torch.int32 if expected.dtype == torch.int64 else expected.dtype
    given = evaluate(row.expression, tuple(expected.shape), dtype, **row.inputs).value
    if row.ulps:
        off = (given.double() - expected.double()).abs().numpy()
        unit = np.spacing(np.abs(expected.float().numpy()))
        assert (off <= row.ulps * unit).all(), off / unit
    else:
        torch.testing.assert_close(given, expected.to(dtype), rtol=0, atol=0, equal_nan=True)
