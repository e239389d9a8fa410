"""Looking at the elements of a tensor: which of them the failing lanes read."""

from __future__ import annotations

from aoti_tui.artifacts.given import Given
from aoti_tui.session.request import OpenRequest
from aoti_tui.tui.dialogs.tensor import TensorView
from aoti_tui.tui.panes.lanes import LaneGrid
from tests.cases import DATA
from tests.tui.driving import opened


def embedding() -> OpenRequest:
    folder = DATA / "embedding_ln"
    return OpenRequest(
        folder / "wrapper.cpp",
        log=folder / "error.id_too_large.log",
        given=Given(inputs=folder / "inputs.id_too_large.pt"),
        warm_up=False,
    )


async def test_the_wrong_element_of_an_input_is_seen_among_the_others() -> None:
    async with opened(embedding()) as user:
        await user.press("c")
        await user.see("The assert at kernel line 42 fails")
        await user.press("2", "home", "down", "down")
        await user.press("v")
        await user.see("Elements of in_ptr0", "int64 [3, 9], strides [9, 1]", "data: input")
        await user.see("in_ptr0[1, 4] = 32000 element 13 of 27 ✗ read by a failing lane")
        await user.see("✗ 1 read by failing lanes of 27 ▁ 451 … █ 32000")
        await user.press("right")
        await user.see("in_ptr0[1, 5] = 31678 element 14 of 27")
        await user.press("right_square_bracket")
        await user.see("in_ptr0[1, 4] = 32000")
        await user.press("2", "6", "enter")
        await user.see("in_ptr0[2, 8] = 14376 element 26 of 27")
        await user.press("m")
        await user.until(lambda: user.app.screen.query_one(LaneGrid).as_map, "the map")
        await user.press("escape")
        assert not isinstance(user.app.screen, TensorView)


async def test_a_long_tensor_is_read_part_by_part_and_says_so() -> None:
    """8,192,000 elements: more than are read at once."""
    async with opened(embedding()) as user:
        await user.press("2", "home", "down", "down", "down")
        await user.press("v")
        await user.see("Elements of in_ptr1", "data: MADE-UP")
        await user.see("in_ptr1[0, 0] = ", "shown: 0 to 1048575; type a number for others")
        await user.press(*"7999999", "enter")
        await user.see("in_ptr1[31249, 255] = ", "element 7999999 of 8192000")


async def test_an_input_without_elements_says_so() -> None:
    async with opened() as user:
        await user.press("i")
        await user.press("v")
        await user.see("float32 [0, 640] has no elements.")


async def test_what_is_no_tensor_is_refused_in_words() -> None:
    async with opened() as user:
        await user.press("v")
        await user.see("tmp10 is no tensor of this launch")
