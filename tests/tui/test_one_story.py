"""Whatever keys were pressed, all panes speak of the same launch, and the focus stays put."""

import pytest

from aoti_tui.artifacts.given import Given
from aoti_tui.session.request import OpenRequest
from aoti_tui.tui.panes.callsite import CallSite
from aoti_tui.tui.panes.pane import Pane
from tests.cases import DATA
from tests.tui.driving import opened

CUMSUM = "triton_red_fused_cumsum_0"
REDUCE = "triton_red_fused_ge_index_scalar_tensor_sub_sum_where_1"


async def test_going_back_from_another_kernel_restores_what_runs_and_is_printed() -> None:
    async with opened() as user:
        await user.press("c")
        await user.see("The assert at kernel line 46 fails")
        await user.until(lambda: not user.busy(), "the end of the replay")
        stood = user.app.session.state
        user.screen.engine.places.show_kernel(CUMSUM)
        await user.see(f"c runs {CUMSUM}")
        assert user.screen.query_one(CallSite).launch is not stood.launch
        await user.press("ctrl+o")
        back = user.app.session.state
        assert (back.kernel, back.launch, back.outcome) == (
            stood.kernel,
            stood.launch,
            stood.outcome,
        )
        assert (back.position, back.lane, back.place) == (stood.position, stood.lane, stood.place)
        assert user.screen.query_one(CallSite).launch is stood.launch
        await user.press("colon")
        await user.type("b tmp12")
        await user.press("enter")
        await user.see("Breakpoint set")
        assert [kernel for kernel, _ in user.app.session.state.breakpoints] == [REDUCE]


async def test_a_breakpoint_by_name_is_of_the_kernel_that_the_cursor_is_in() -> None:
    async with opened() as user:
        user.app.session.go_kernel_line(CUMSUM, 12)
        await user.see(f"(c runs {REDUCE[:20]}")
        await user.press("colon")
        await user.type("b tmp0")
        await user.press("enter")
        await user.see("Breakpoint set")
        assert [kernel for kernel, _ in user.app.session.state.breakpoints] == [CUMSUM]


@pytest.mark.parametrize("pane", ["source", "call", "chain", "nav"])
async def test_a_run_never_sends_the_focus_into_a_filter_line(pane: str) -> None:
    async with opened(size=(120, 40)) as user:
        user.screen.open_pane(pane)
        await user.press("c")
        focused = user.screen.focused_pane()
        assert focused == ("source" if pane == "source" else "run")
        await user.see("The assert at kernel line 46 fails")
        await user.until(lambda: not user.busy(), "the end of the replay")
        assert user.screen.focused_pane() == focused
        assert user.screen.query_one("#run", Pane).display
        position = user.app.session.state.position
        await user.press("n")
        assert user.app.session.state.position == position + 1


async def test_a_failure_of_one_launch_is_confirmed_by_running_it() -> None:
    folder = DATA / "embedding_ln"
    request = OpenRequest(
        folder / "wrapper.cpp",
        log=folder / "error.id_too_large.log",
        given=Given(inputs=folder / "inputs.id_too_large.pt"),
        warm_up=False,
    )
    async with opened(request) as user:
        before = user.app.session.state.failure
        assert before is not None
        assert not any("failing lane" in said for said in before.cause.evidence)
        await user.press("c")
        await user.until(lambda: user.app.session.state.failure is not before, "the judgement")
        after = user.app.session.state.failure
        assert after is not None
        assert any("failing lane" in said for said in after.cause.evidence)
