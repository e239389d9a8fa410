"""What ``?`` explains: the focused pane first, then every key in its group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from textual.widget import Widget

from aoti_tui.tui.actions import ACTIONS
from aoti_tui.tui.keyline import keys_of
from aoti_tui.tui.text import plain

GROUPS = {
    "Find": "Find where a value comes from",
    "Replay": "Watch it happen",
    "Bring": "Bring a log and inputs",
    "Take": "Take something along",
    "View": "Arrange the screen",
}


def pane_help(focused: Widget | None) -> str:
    """Help of the focused widget and of the pane around it."""
    told: list[str] = []
    node: Widget | None = focused
    while node is not None:
        words = getattr(node, "HELP", "")
        if words and words not in told:
            told.append(words)
        node = node.parent if isinstance(node.parent, Widget) else None
    return "\n\n".join(told)


def key_rows(keymap: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Keys and what they do, as they are mapped; a row without keys is a heading."""
    for group, title in GROUPS.items():
        yield "", title
        for action in ACTIONS:
            if action.group == group:
                yield " ".join(keys_of(action, keymap)), action.tooltip
    yield "", "Elsewhere"
    yield "tab", "To the next pane; shift+tab to the one before"
    yield "^p", "Palette: every action, kernel, symbol and input by name; themes"


def help_text(focused: Widget | None, keymap: Mapping[str, str]) -> tuple[str, RenderableType]:
    """The help as text, and as a table whose second column wraps under itself."""
    about = pane_help(focused)
    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    lines = [about]
    for keys, words in key_rows(keymap):
        if keys:
            table.add_row(Text(f"  {keys}", "bold"), Text(words))
            lines.append(f"  {keys:<12}{words}")
        else:
            table.add_row(Text(""), Text(""))
            table.add_row(Text(""), Text(words, "bold underline"))
            lines.append(f"\n{words}")
    return "\n".join(lines), Group(plain(about), table)
