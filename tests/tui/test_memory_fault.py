"""A log with a memory fault and no assert: one key leads to the first bad access."""

from __future__ import annotations

from pathlib import Path

import torch

from aoti_tui.artifacts.given import Given
from aoti_tui.session.request import OpenRequest
from aoti_tui.tui.panes.headline import Headline
from tests.answer.test_bad_access import FAULT, KERNEL, unchecked
from tests.answer.wrappers import indices, inputs
from tests.tui.driving import opened


def request(folder: Path, *values: int) -> OpenRequest:
    (folder / "model.wrapper.cpp").write_text(unchecked("tmp0"))
    torch.save(inputs(indices(*values)), folder / "inputs.pt")
    return OpenRequest(
        folder / "model.wrapper.cpp",
        log_text=FAULT,
        given=Given(inputs=folder / "inputs.pt"),
        warm_up=False,
    )


async def test_d_goes_to_the_first_bad_access(tmp_path: Path) -> None:
    async with opened(request(tmp_path, 0, 1, 9), size=(100, 30)) as user:
        await user.press("d")
        await user.until(lambda: user.app.session.state.failure is not None, "the failure")
        await user.see(f"{KERNEL} failed: load of element 9 of input 0 (arg0_1)")
        lines = user.screen.query_one(Headline).lines
        assert lines[1].startswith("guilty: input 0 (arg0_1) element [2] = 9 leads to element 9")
        failure = user.app.session.state.failure
        assert failure is not None
        assert user.app.session.state.place.line == failure.wrapper_line
        await user.press("c")
        await user.until(lambda: user.app.session.state.recording is not None, "the recording")
        assert user.app.session.state.failure == failure


async def test_where_nothing_leaves_its_tensor_it_says_so(tmp_path: Path) -> None:
    async with opened(request(tmp_path, 0, 0), size=(100, 30)) as user:
        await user.press("d")
        await user.see("every access stays inside of its tensor")
