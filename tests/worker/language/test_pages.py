"""Writing into a large tensor touches the pages that are written, not the whole of it."""

from __future__ import annotations

import numpy as np
import pytest

from aoti_tui.worker.engine.values.arguments import PAGE, pages_of


@pytest.mark.parametrize(
    ("starts", "length", "pages"),
    [
        ([], 4, []),
        ([0], 4, [0]),
        ([PAGE - 4], 8, [0, 1]),
        ([5 * PAGE, 9 * PAGE + 17], 4, [5, 9]),
        ([2 * PAGE - 4, 7 * PAGE - 4], 8, [1, 2, 6, 7]),
        ([PAGE // 2, 20 * PAGE], 2 * PAGE, [0, 1, 2, 20, 21]),
    ],
)
def test_pages_that_hold_what_is_written(starts: list[int], length: int, pages: list[int]) -> None:
    assert pages_of(np.array(starts, dtype=np.int64), length) == pages
