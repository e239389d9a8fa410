"""What ``?`` explains: the focused pane first, then every key in its group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from textual.app import App
from textual.binding import ActiveBinding
from textual.screen import Screen
from textual.widget import Widget

from aoti_tui.help import topics
from aoti_tui.tui.actions import ACTIONS
from aoti_tui.tui.keyline import key_text, keys_of
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


def own_keys(
    focused: Widget | None, bindings: Mapping[str, ActiveBinding]
) -> tuple[tuple[str, str], ...]:
    """Keys that the focused widget and its pane take themselves, and what each does.

    ``bindings`` are those that work on the screen now, the screen's own among them.
    """
    if focused is None:
        return ()
    of = {node for node in focused.ancestors_with_self if not isinstance(node, Screen | App)}
    keys: dict[str, list[str]] = {}
    words: dict[str, str] = {}
    for key, active in bindings.items():
        told = active.binding.tooltip or active.binding.description
        if active.node in of and told:
            keys.setdefault(active.binding.action, []).append(key_text(key))
            words.setdefault(active.binding.action, told)
    return tuple((" ".join(shown), words[action]) for action, shown in keys.items())


def key_rows(
    own: Sequence[tuple[str, str]], keymap: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Keys and what they do, as they are mapped; a row without keys is a heading."""
    if own:
        yield "", "In this pane"
        yield from own
    for group, title in GROUPS.items():
        yield "", title
        for action in ACTIONS:
            if action.group == group:
                # What has no key of its own is in the palette.
                yield " ".join(keys_of(action, keymap)) or "^p", action.tooltip
    yield "", "Elsewhere"
    yield "tab", "To the next pane; shift+tab to the one before"
    yield "^p", "Palette: every action, kernel, symbol and input by name; themes"
    yield "", "Manual"
    yield "^p manual", f"A page to read, the same as aoti-tui help TOPIC: {', '.join(topics())}"


def help_text(
    focused: Widget | None, own: Sequence[tuple[str, str]], keymap: Mapping[str, str]
) -> tuple[str, RenderableType]:
    """The help as text, and as a table whose second column wraps under itself.

    ``own`` are the keys of the focused widget, see :func:`own_keys`.
    """
    about = pane_help(focused)
    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    lines = [about]
    for keys, words in key_rows(own, keymap):
        if keys:
            table.add_row(Text(f"  {keys}", "bold"), Text(words))
            lines.append(f"  {keys:<12}{words}")
        else:
            table.add_row(Text(""), Text(""))
            table.add_row(Text(""), Text(words, "bold underline"))
            lines.append(f"\n{words}")
    return "\n".join(lines), Group(plain(about), table)
