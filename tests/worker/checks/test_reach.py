"""Which elements a view leads to, by its map and by its steps."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from aoti_tui.worker.engine.values.reach import Reach

BASE = torch.arange(2 * 5 * 4 * 6)
VIEWS = [
    BASE.view(2, 5, 4, 6)[:, :, :, 1:4],
    BASE.view(2, 5, 4, 6)[:, 1:3],
    BASE.view(2, 5, 4, 6).transpose(0, 2),
    BASE.view(2, 5, 4, 6)[:, ::2],
    BASE.view(10, 24)[:, :10].t(),
    BASE.as_strided((10, 4), (3, 1)),
    BASE[:7],
    BASE[:1].expand(8),
]


@pytest.mark.parametrize("view", VIEWS, ids=[str(tuple(v.stride())) for v in VIEWS])
def test_runs_are_inside_of_a_view_only_if_all_their_elements_are(view: torch.Tensor) -> None:
    reach = Reach(tuple(view.shape), tuple(view.stride()), 8)
    reached = set((view - view.reshape(-1)[0]).reshape(-1).tolist())
    for first in range(-2, reach.span + 3):
        assert reach.holds(first * 8) == (first in reached)
        beyond = reach.beyond(np.array([[first]]), 8)
        assert (beyond is None) == (first in reached)
        for length in (1, 2, 3, 7):
            runs = np.array([first]), np.array([length])
            whole = set(range(first, first + length)) <= reached
            assert not reach.whole_runs(*runs, 8) or whole
        # Gaps are stepped over by the numbers alone where no element lies among others.
        if first in reached and view.stride(-1) == 1 and view.stride() != (3, 1):
            assert reach.whole_runs(np.array([first]), np.array([1]), 8)
