"""From a value to the element behind it, across kernels, and back to where one stood."""

from __future__ import annotations

from aoti_tui.artifacts.given import Given
from aoti_tui.replay.model import Step
from aoti_tui.session.request import OpenRequest
from aoti_tui.tui.panes.source import SourceView
from tests.cases import DATA
from tests.tui.driving import Driver, opened

CUMSUM = "triton_red_fused_cumsum_0"
REDUCE = "triton_red_fused_ge_index_scalar_tensor_sub_sum_where_1"


def request(model: str, case: str, log: str = "") -> OpenRequest:
    folder = DATA / model
    return OpenRequest(
        folder / "wrapper.cpp",
        log=folder / f"error.{log or case}.log",
        given=Given(inputs=folder / f"inputs.{case}.pt"),
        warm_up=False,
    )


def at_step(user: Driver) -> Step:
    state = user.app.session.state
    assert state.recording is not None
    return state.recording.steps[state.position]


async def test_who_made_goes_through_a_load_into_the_kernel_that_wrote_it() -> None:
    """tmp10 → tmp6 → tmp2 → tmp0 = in_ptr0[2] → the store of the cumsum → its own values."""
    async with opened() as user:
        await user.press("c")
        await user.see("The assert at kernel line 46 fails")
        await user.press("1")
        user.screen.query_one(SourceView).go(759, "tmp0")
        await user.press("w")
        assert user.app.session.state.recording is not None
        assert (
            user.app.session.state.recording.steps[user.app.session.state.position].name == "tmp0"
        )
        stood = user.app.session.state.position
        await user.press("w")
        await user.see("in_ptr0[2] is buf0[2] = 0, written once by lane [0, 2] of program 0")
        await user.see(f"of {CUMSUM} (:1367). ctrl+o goes back.")
        assert user.app.session.state.recording.kernel == CUMSUM
        assert (
            user.app.session.state.recording.steps[user.app.session.state.position].kind == "store"
        )
        assert user.app.session.state.lane == (0, 2)
        # Back: kernel, step and lane are those that were left.
        await user.press("ctrl+o")
        await user.see(f"Back at step {stood + 1} of 34.")
        assert user.app.session.state.recording.kernel == REDUCE
        assert user.app.session.state.position == stood
        assert user.screen.query_one(SourceView).line == 759
        assert user.app.session.state.launch is not None
        assert user.app.session.state.launch.kernel == REDUCE


async def test_the_trail_ends_at_an_element_of_a_model_input() -> None:
    async with opened(request("embedding_ln", "id_too_large")) as user:
        await user.press("c")
        await user.see("The assert at kernel line 42 fails")
        await user.press("1")
        user.screen.query_one(SourceView).go(708, "tmp0")
        await user.press("w", "w")
        await user.see("in_ptr0[13] is arg5_1[1, 4]: data of input 0 of the model")
        view = user.screen.query_one(SourceView)
        assert "arg5_1" in view.document.text(view.line)


async def test_a_shorter_recording_after_a_longer_one() -> None:
    """Run a kernel to its end before the log is there, then the failing one."""
    folder = DATA / "max_autotune_mm"
    bare = OpenRequest(folder / "wrapper.cpp", warm_up=False)
    async with opened(bare) as user:
        await user.press("c")
        await user.until(lambda: user.app.session.state.recording is not None, "a recording")
        first = user.app.session.state.recording
        await user.press("o")
        await user.see("Read a log")
        await user.type(str(folder / "error.row_oob.log"))
        await user.press("enter")
        await user.see("failed:")
        await user.press("c")
        await user.until(
            lambda: user.app.session.state.recording not in (None, first), "another recording"
        )
        recording = user.app.session.state.recording
        assert recording is not None
        assert 0 <= user.app.session.state.position < len(recording.steps)


async def test_keys_run_the_kernel_that_is_looked_at() -> None:
    """After another kernel was run, `a` and `t` mean the failing one again."""
    async with opened() as user:
        user.screen.engine.places.show_kernel(CUMSUM)
        await user.press("c")
        await user.see("No assert fails")
        await user.press("1", "a", "t")
        await user.see("The assert at kernel line 46 fails")
        recording = user.app.session.state.recording
        assert recording is not None
        assert recording.kernel == REDUCE
        # The other recording was kept.
        user.screen.engine.places.show_kernel(CUMSUM)
        assert user.app.session.state.recording is not None
        assert user.app.session.state.recording is not recording


async def test_other_inputs_make_what_was_recorded_void() -> None:
    async with opened() as user:
        await user.press("c")
        await user.see("The assert at kernel line 46 fails")
        await user.press("O")
        await user.see("Read inputs")
        assert user.screen.request.given.inputs is not None
        other = user.screen.request.given.inputs.with_name("inputs.empty_weights.pt")
        await user.type(str(other))
        await user.press("enter")
        await user.see("are used from now on")
        await user.see("c runs")
        assert user.app.session.state.outcome is None
