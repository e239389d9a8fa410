"""From a wrong element of an output to the store that wrote it, on the screen."""

from __future__ import annotations

from tests.tui.driving import opened


async def test_a_wrong_element_leads_to_its_store() -> None:
    async with opened() as user:
        await user.press("5", "ctrl+f")
        await user.type("cumsum_0")
        await user.press("enter", "enter")
        await user.press("W")
        await user.see("Which element is wrong?")
        await user.see("This kernel writes out_ptr0.")
        await user.press("ctrl+u")
        await user.type("out_ptr0[2]")
        await user.press("enter")
        await user.see("out_ptr0[2] = 0, written once by lane [0, 2] of program 0.")
        assert user.app.session.state.lane == (0, 2)
        recording = user.app.session.state.recording
        assert recording is not None
        step = recording.steps[user.app.session.state.position]
        assert (step.kind, recording.kernel) == ("store", "triton_red_fused_cumsum_0")


async def test_an_element_that_is_none_is_refused_in_words() -> None:
    async with opened() as user:
        await user.press("W")
        await user.see("Which element is wrong?")
        await user.press("ctrl+u")
        await user.type("out_ptr0[999]")
        await user.press("enter")
        await user.see("999")
        await user.see("out_ptr0")
        assert user.app.session.state.recording is None
