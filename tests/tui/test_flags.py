"""What a CPU cannot do as the GPU did is said at its line, while stepping."""

from __future__ import annotations

from aoti_tui.artifacts.given import Given
from aoti_tui.session.request import OpenRequest
from tests.cases import DATA
from tests.tui.driving import opened


async def test_the_order_of_float_atomics_is_flagged_where_it_happens() -> None:
    folder = DATA / "scatter_add_atomic"
    request = OpenRequest(
        folder / "wrapper.cpp",
        log=folder / "error.idx_past_rows.log",
        given=Given(inputs=folder / "inputs.idx_past_rows.pt"),
        warm_up=False,
    )
    async with opened(request) as user:
        await user.press("c")
        await user.see("The assert at kernel line 26 fails")
        assert "⚑" not in user.text()
        await user.press("n")
        await user.see("⚑")
        recording = user.app.session.state.recording
        assert recording is not None
        step = recording.steps[user.app.session.state.position]
        assert step.kind == "atomic"
        assert any(f.kernel_line == step.kernel_line and "order" in f.text for f in recording.flags)
