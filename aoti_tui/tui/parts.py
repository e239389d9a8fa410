"""Component styles for widgets that draw lines themselves."""

from __future__ import annotations

from functools import lru_cache

from rich.style import Style
from textual.widget import Widget


def part_style(widget: Widget, name: str) -> Style:
    """The style of a component class, to lay over another one.

    Textual's partial style forgets that a colour is translucent, its full style brings the
    widget's background along: this takes the blended colours of the one, and of them only those
    that the component sets itself, as the other knows.
    """
    return _laid_over(
        widget.get_component_rich_style(name),
        widget.get_component_rich_style(name, partial=True),
    )


@lru_cache(maxsize=512)
def _laid_over(full: Style, partial: Style) -> Style:
    # Asked for every cell and line that is drawn, of which there are few different ones.
    return (
        Style(
            color=full.color if partial.color is not None else None,
            bgcolor=full.bgcolor if partial.bgcolor is not None else None,
        )
        + partial.without_color
    )
