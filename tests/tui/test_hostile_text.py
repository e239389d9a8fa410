"""Sources, logs and names with markup, control characters and wide characters, on the screen."""

from pathlib import Path

from textual.widgets import TextArea

from aoti_tui.session.request import OpenRequest
from aoti_tui.tui.panes.source import SourceView
from tests.tui.driving import demo_request, opened

LINES = (
    "// tmp0[None, :] and [red]x[/red] and [@click=quit]y[/]",
    "// \x1b[31mescape\x1b]52;c;aGk=\x07 bell",
    "//\ttabs\there",
    "// 日本語 の 行 🚀 emoji",
    "// " + "long " * 400 + "END",
    "// left \u202e right",
)


def hostile_wrapper(folder: Path) -> Path:
    """The demo with hostile comments on top, and a hostile name for a constant."""
    text = demo_request().wrapper.read_text()
    text = text.replace('"proj.weight"', '"[red]proj[/red].weight\x1b"')
    path = folder / "hostile [b].wrapper.cpp"
    path.write_text("\n".join(LINES) + "\n" + text)
    return path


async def test_the_source_shows_text_as_it_is(tmp_path: Path) -> None:
    async with opened(
        OpenRequest(hostile_wrapper(tmp_path), warm_up=False), size=(120, 40)
    ) as user:
        await user.press("ctrl+home")
        assert user.screen.query_one(SourceView).line == 1
        await user.see(
            "tmp0[None, :] and [red]x[/red] and [@click=quit",
            "␛[31mescape␛]52;c;aGk=␇ bell",
            "日本語 の 行 🚀 emoji",
            "left ⟨U+202E⟩ right",
            "Source hostile [b].wrapper.cpp",
        )
        assert "//  tabs    here" in user.text()
        assert "\x1b" not in user.text()
        # The end of a very long line is reached by walking to its last name.
        await user.press("down", "down", "down", "down", "end")
        await user.see("long END")


async def test_names_keep_their_brackets_in_the_navigator_and_palette(tmp_path: Path) -> None:
    async with opened(OpenRequest(hostile_wrapper(tmp_path), warm_up=False)) as user:
        await user.press("ctrl+f")
        await user.type("[red]proj")
        await user.see("[red]proj[/red].weight␛")
        await user.press("enter", "ctrl+p")
        await user.type("proj weight")
        await user.see("Constant: [red]proj[/red].weight␛")


async def test_a_log_with_escapes_is_read_and_shown(tmp_path: Path) -> None:
    demo = demo_request()
    assert demo.log is not None
    line = demo.log.read_text().split("\n", 1)[0]
    async with opened(OpenRequest(demo.wrapper, warm_up=False)) as user:
        await user.press("p")
        user.app.screen.query_one(TextArea).text = f"\x1b[31m[rank0] {line}\x1b[0m\n[/red]\n"
        await user.press("ctrl+s")
        await user.see("failed: 0 <= tmp10 < ks0")


async def test_an_empty_message_never_hides_the_next() -> None:
    async with opened() as user:
        user.screen.say("[bold]not bold[/bold] \x1b[2J")
        await user.pilot.pause()
        await user.see("[bold]not bold[/bold] ␛[2J")
        await user.press("escape")
        assert "not bold" not in user.text()
