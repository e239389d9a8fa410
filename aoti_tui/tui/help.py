"""What ``?`` explains: the focused pane first, then every key in its group."""

from __future__ import annotations

from collections.abc import Mapping

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


def help_text(focused: Widget | None, keymap: Mapping[str, str]) -> Text:
    """Help of the focused widget and of the pane around it, then all keys as they are mapped."""
    text = Text(end="")
    node: Widget | None = focused
    told = set()
    while node is not None:
        words = getattr(node, "HELP", "")
        if words and words not in told:
            told.add(words)
            text.append_text(plain(words))
            text.append("\n\n")
        node = node.parent if isinstance(node.parent, Widget) else None
    for group, title in GROUPS.items():
        text.append(f"{title}\n", "bold underline")
        for action in ACTIONS:
            if action.group == group:
                keys = " ".join(keys_of(action, keymap))
                text.append(f"  {keys:<14}", "bold")
                text.append(f"{action.tooltip}\n")
        text.append("\n")
    text.append("Elsewhere\n", "bold underline")
    text.append("  tab shift+tab  To the next pane, to the one before\n")
    text.append(
        "  ^p             Palette: every action, kernel, symbol and input by name; themes\n"
    )
    return text
