"""The path of an incident, step by step, on the bundled failure."""

from aoti_tui.tui.panes.callsite import CallSite
from aoti_tui.tui.panes.chain import Chain
from aoti_tui.tui.panes.source import SourceView
from tests.tui.driving import opened

KERNEL = "triton_red_fused_ge_index_scalar_tensor_sub_sum_where_1"


async def test_the_first_screen_answers() -> None:
    async with opened() as user:
        await user.see(
            f"{KERNEL} failed: 0 <= tmp10 < ks0 in 4 programs",
            "ks0 = s7 = arg4_1.size(0) = 0",
            "input 2 (arg4_1)",
            "AOTI_RUNTIME_CHECK_INPUTS=1",
        )
        view = user.screen.query_one(SourceView)
        assert view.line == 777
        assert "✗ 777  46 ┃" in user.text()


async def test_six_steps_from_the_assert_to_the_failing_lane() -> None:
    async with opened() as user:
        view = user.screen.query_one(SourceView)
        # Call site and chain stand beside the source.
        await user.see("s7 → ks0", "buf0 → in_ptr0", "dimension 0 of input 2 (arg4_1)")
        # i goes to the model input; back and forward.
        await user.press("i")
        assert view.line == 1329
        assert "auto arg4_1 = std::move(inputs[2]);" in view.document.text(view.line)
        await user.see("Input 2 is arg4_1, dimension 0 = 0", "arg4_1.size(0) >= 2")
        await user.press("ctrl+o")
        assert view.line == 777
        await user.press("alt+right")
        assert view.line == 1329
        await user.press("a")
        # A breakpoint on tmp6, and running to it.
        await user.press("up", "up", "up", "up", "up", "b")
        await user.see("Breakpoint set: kernel line 41 (tmp6)")
        await user.press("c")
        await user.see("Stopped at breakpoint line 41: tmp6")
        assert view.line == 772
        await user.see("tmp6 = where(tmp4=False, tmp2=-1, tmp5=-1) → -1")
        # Stepping temporary by temporary, and back.
        await user.press("n")
        assert view.line == 773
        await user.press("N")
        assert view.line == 772
        # At the assert it stops by itself.
        await user.press("c")
        await user.see(
            "The assert at kernel line 46 fails in 1 lane of program 2: tmp10 = -1, ks0 = 0",
            "data: inputs + replayed",
            "in 4 programs, 4 lanes (the only assert that fails)",
        )
        assert view.line == 777
        await user.see("✗-1‹", "why dimension 0 of input 2 (arg4_1) is 0")
        await user.see("buf0 → in_ptr0 *i64 int64 [4] replayed", "s7 → ks0 i64 0 input")


async def test_the_chain_walks_to_the_line_that_defines_the_symbol() -> None:
    async with opened() as user:
        # The cursor is on the guilty input at first, one step below.
        await user.press("3", "up", "enter")
        view = user.screen.query_one(SourceView)
        assert view.line == 1356
        assert "s7 = arg4_1_size[0]" in view.document.text(view.line)
        chain = user.screen.query_one(Chain)
        assert "s7 = arg4_1.size(0)" in chain.as_text()
        assert "arg2_1" in chain.as_text(), "the index comes from input 0 through buf0"


async def test_an_argument_leads_to_its_model_input() -> None:
    async with opened() as user:
        await user.press("2")
        user.screen.query_one(CallSite).select_parameter("in_ptr1")
        await user.press("i")
        await user.see("Input 2 is arg4_1")
        assert user.screen.query_one(SourceView).line == 1329
