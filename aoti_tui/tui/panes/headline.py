"""The verdict on top of the screen: a title and labelled rows, cut to the room that there is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text
from textual.message import Message
from textual.widgets import Static

from aoti_tui.failure.prose.headline import Heading, Row
from aoti_tui.session.text import visible
from aoti_tui.tui.text import fit_words, plain, shorten_middle

LABEL = 8
LEAST_NAME = 24
"""Cells under which a kernel's name says little."""


class Headline(Static):
    """Which kernel failed, on which assert, because of which input. What the rows have no room
    for is cut with ``…``; ``A`` shows the whole answer."""

    class Clicked(Message):
        """The user wants all of it."""

    def __init__(self) -> None:
        super().__init__("", id="headline", markup=False)
        self.heading = Heading()
        self._made_for = (0, 0)

    @property
    def lines(self) -> tuple[str, ...]:
        """All that is said, a line each, none of them cut."""
        return self.heading.lines

    def on_click(self) -> None:
        self.post_message(self.Clicked())

    def tell(self, heading: Heading) -> None:
        self.heading = heading
        self.set_class(heading.failed, "-failed")
        self._made_for = (0, 0)

    def rows(self, width: int) -> int:
        """Rows that all of it takes on a screen of that width."""
        return sum(len(part.lines) for part in self._parts(width))

    def fit(self, width: int, rows: int) -> None:
        """Show as much as fits into so many rows, what matters most first."""
        if (width, rows) == self._made_for:
            return
        self._made_for = (width, rows)
        text = Text(end="")
        for number, line in enumerate(_cut(self._parts(width), rows, width - 2)):
            text.append("\n" if number else "")
            text.append_text(line)
        self.update(text)

    def _parts(self, width: int) -> list[_Part]:
        mark = "✗ " if self.heading.failed else "• "
        title = _title(self.heading, max(10, width - 4))
        console = self.app.console
        parts = [_wrapped(plain(title, "bold"), mark, "  ", width - 2, console)]
        parts += [_row(row, width - 2, console) for row in self.heading.rows]
        return parts


@dataclass(frozen=True, slots=True)
class _Part:
    """One row of a heading, wrapped in as few words as it needs, and cut to one line."""

    lines: tuple[Text, ...]
    first: Text
    aside: bool = False


def _title(heading: Heading, width: int) -> str:
    """The title with the kernel's name shortened as far as it must be for one row."""
    title = visible(heading.title)
    spare = width - (cell_len(title) - cell_len(heading.subject))
    if cell_len(title) <= width or not heading.subject:
        return title
    name = shorten_middle(heading.subject, max(LEAST_NAME, spare))
    return f"{heading.which}{name} {visible(heading.said)}"


def _row(row: Row, width: int, console: Console) -> _Part:
    label = f"  {row.label:<{LABEL}}"
    room = width - len(label)
    fits = not row.short or cell_len(visible(row.text)) <= room
    text = plain(row.text if fits else row.short)
    return _wrapped(text, label, " " * len(label), width, console, row.aside)


def _wrapped(
    text: Text, first: str, others: str, width: int, console: Console, aside: bool = False
) -> _Part:
    room = max(10, width - len(first))
    lines = tuple(
        Text.assemble((others if number else first, "bold"), line, end="")
        for number, line in enumerate(text.wrap(console, room))
    )
    if len(lines) == 1:
        return _Part(lines, lines[0], aside)
    cut = fit_words(text.plain.split("\n", 1)[0], room)
    return _Part(lines, Text.assemble((first, "bold"), (cut, text.style), end=""), aside)


def _cut(parts: Sequence[_Part], rows: int, width: int) -> list[Text]:
    """As much as fits: a row of each that matters, a second one, a row of each aside, the rest."""
    given = [0] * len(parts)
    for most, asides in ((1, False), (2, False), (1, True), (rows, True)):
        for number, part in enumerate(parts):
            if part.aside and not asides:
                continue
            wanted = max(given[number], min(most, len(part.lines)))
            given[number] = min(wanted, given[number] + rows - sum(given))
    lines: list[Text] = []
    for part, count in zip(parts, given, strict=True):
        whole = count == len(part.lines)
        if count == 1:
            lines.append(part.first)
        elif count:
            lines.extend(part.lines[: count if whole else count - 1])
            lines.extend(() if whole else [_open_end(part.lines[count - 1], width)])
    return lines


def _open_end(line: Text, width: int) -> Text:
    line = line.copy()
    line.truncate(width - 2)
    return line.append(" …")
