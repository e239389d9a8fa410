"""The command line, typed by someone who knows gdb."""

from __future__ import annotations

from textual.widgets import Input

from aoti_tui.session.kept.config import init_file
from aoti_tui.tui.dialogs.symbols import SetSymbol
from aoti_tui.tui.dialogs.tensor import TensorView
from aoti_tui.tui.panes.navigator import Navigator
from aoti_tui.tui.panes.source import SourceView
from tests.tui.driving import Driver, opened
from tests.tui.test_search import half


async def command(user: Driver, text: str) -> None:
    await user.press("colon", "ctrl+u")
    await user.type(text)
    await user.press("enter")


async def test_a_session_as_in_gdb() -> None:
    async with opened(half()) as user:
        await command(user, "b tmp4 if tmp4 < 0")
        await user.see("Breakpoint set: line 37 if tmp4 < 0")
        await command(user, "info b")
        assert user.screen.focused_pane() == "nav"
        highlighted = user.screen.query_one(Navigator).highlighted
        assert highlighted is not None
        assert "tmp4" in highlighted.label
        await command(user, "p tmp4")
        await user.see("tmp4 has no value yet: c runs the kernel.")
        await command(user, "run")
        await user.see("Stopped at breakpoint line 37")
        await command(user, "p tmp0 + ks0")
        await user.see("tmp0 + ks0 = -1 in lane [0, 0]")
        await command(user, "p ks0")
        await user.see("ks0 = 7")
        await command(user, "next")
        await user.see("The assert at kernel line 38 fails")
        await command(user, "reverse-next")
        assert user.app.session.state.position == 18
        await command(user, "display tmp4 - ks0")
        await user.see("Watching tmp4 - ks0 = -8")
        await command(user, "[3, 0]")
        assert user.app.session.state.lane == (3, 0)
        await command(user, "[9, 0]")
        await user.see("tmp4 has no lane [9, 0]: its block is [8, 1].")


async def test_places_are_gone_to_by_line_name_and_number() -> None:
    async with opened(half()) as user:
        view = user.screen.query_one(SourceView)
        await command(user, "7")
        assert view.line == 7
        await command(user, "k33")
        assert view.line == 660
        await command(user, "tmp3")
        assert view.line == 663
        await command(user, "s17")
        assert "s17" in view.document.text(view.line)
        await command(user, "quux")
        await user.see("“quux” is no command and nothing is called so.")
        await user.press("ctrl+o")
        assert view.line == 663


async def test_what_commands_refuse_they_refuse_in_words() -> None:
    async with opened(half()) as user:
        await command(user, "b tmp99")
        await user.see("tmp99 is assigned nowhere in triton_per_fused")
        await command(user, "p tmp4 +")
        await user.see("✗")
        await command(user, "set q7=3")
        await user.see("The wrapper has no symbol q7.")
        await command(user, "program x")
        await user.see("“x” is no program")
        await command(user, "info threads")
        await user.see("info knows breakpoints, locals")
        await command(user, "x arg0_1")
        await user.until(lambda: isinstance(user.app.screen, TensorView), "the elements")
        await user.see("float16 [7, 40]")


async def test_what_was_typed_comes_back_and_what_is_begun_is_completed() -> None:
    async with opened(half()) as user:
        await command(user, "info symbols")
        await command(user, "where")
        await user.press("colon", "ctrl+u")
        await user.press("up", "up")
        field = user.app.screen.query_one(Input)
        assert field.value == "info symbols"
        await user.press("ctrl+u")
        await user.type("verd")
        await user.press("tab")
        assert field.value == "verdict"
        await user.press("ctrl+u")
        await user.type("p tmp1")
        await user.press("tab")
        await user.see("tmp10 tmp11")


async def test_what_if_opens_on_the_guilty_element_and_sets_it() -> None:
    async with opened(half()) as user:
        await command(user, "c")
        await user.see("The assert at kernel line 38 fails")
        await user.press("equals_sign")
        await user.until(lambda: isinstance(user.app.screen, SetSymbol), "the dialog")
        assert user.app.screen.query_one(Input).value == "arg2_1[8]="
        await user.type("3")
        await user.press("enter")
        await user.see("No assert fails in")
        assert any("arg2_1)[8]: -8 → 3" in said for said in user.screen.messages_said)


async def test_an_init_file_is_done_once_something_is_open() -> None:
    init_file().parent.mkdir(parents=True, exist_ok=True)
    init_file().write_text("# mine\nb tmp4\n")
    try:
        async with opened(half()) as user:
            await user.see("Breakpoint set: line 37")
    finally:
        init_file().unlink()
