"""The source pane: a file by the line API, with gutter, two line numbers and a cursor on names."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from aoti_tui.session.shown import Marks, differing
from aoti_tui.session.source.document import (
    NameAt,
    SourceDocument,
    condition_span,
    matches,
)
from aoti_tui.tui.parts import part_style
from aoti_tui.tui.text import fit, fit_words

KINDS = (
    *("comment", "keyword", "type", "builtin", "function", "decorator", "string", "number"),
    *("operator", "preprocessor"),
)
EXTRAS = (
    *("gutter", "line", "name", "match", "breakpoint", "step", "failing", "inline"),
    *("kernel-line", "changed", "cut"),
)
NARROW = 48
"""Columns of code under which the indent that all lines share is scrolled away."""


class SourceView(ScrollView, can_focus=True):
    """A document that scrolls by lines. Left and right move over the names of the cursor line."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"source--{part}" for part in (*KINDS, *EXTRAS)}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Line up", show=False),
        Binding("down,j", "move(1)", "Line down", show=False),
        Binding("left,h", "move_name(-1)", "Name left", show=False),
        Binding("right,l", "move_name(1)", "Name right", show=False),
        Binding("home", "edge_name(0)", "First name of the line", show=False),
        Binding("end", "edge_name(-1)", "Last name of the line", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown,space", "page(1)", "Page down", show=False),
        Binding("ctrl+home", "edge(-1)", "Top of the file", show=False),
        Binding("ctrl+end,G", "edge(1)", "Bottom of the file", show=False),
        Binding("shift+left", "pan(-8)", "Scroll left", show=False),
        Binding("shift+right", "pan(8)", "Scroll right", show=False),
        Binding("enter", "follow", "Go to where the name comes from", show=False),
    ]
    HELP = (
        "Source of the wrapper and its kernels. The columns are breakpoint, marker, wrapper line "
        "and kernel line.\n"
        "● breakpoint  ○ disabled  ▶ just ran  ✗ assert that failed  ◇ assert that could\n"
        "↑↓ move over lines, ←→ over the names of a line, shift+←→ scroll sideways. "
        "Enter shows where the name comes from, i goes to its model input, b sets a breakpoint."
    )

    class Followed(Message):
        """Enter, or a double click, on a name."""

        def __init__(self, line: int, name: str) -> None:
            super().__init__()
            self.line = line
            self.name = name

    class GutterClicked(Message):
        def __init__(self, line: int) -> None:
            super().__init__()
            self.line = line

    def __init__(self, document: SourceDocument, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.document = document
        self.marks = Marks()
        self.moved: Callable[[int, str], None] = lambda line, name: None
        """Told of the cursor's line and name at once: the next key may ask about them."""
        self.line = document.first
        self.needle = ""
        self._name_number: int | None = None
        self._start = 0
        """Column at which the pane begins as long as the user does not scroll sideways."""
        self._code: dict[int, Text] = {}
        self._styles: dict[str, Style] = {}
        self._strips: dict[int, Strip] = {}
        self._strips_for: tuple[object, ...] = ()
        """What the kept strips were made for; with anything else they are made again."""

    def on_mount(self) -> None:
        self._measure()
        self.watch(self.app, "theme", self._repaint, init=False)

    def _measure(self) -> None:
        self._digits = max(4, len(str(self.document.last)))
        self._gutter = 3 + self._digits + 1 + (0 if self.document.is_script else 4) + 1
        self.virtual_size = Size(self.document.width + self._gutter + 40, len(self.document))

    def _repaint(self) -> None:
        self._styles.clear()
        self._code.clear()
        self._strips.clear()
        self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._styles.clear()
        self._code.clear()
        self._strips.clear()

    def show(self, document: SourceDocument) -> None:
        """Put another file in the pane."""
        if document is not self.document:
            self.document = document
            self._code.clear()
            self.line = document.first
            self._name_number = None
            self._measure()
            self.scroll_to(0, 0, animate=False, immediate=True, force=True)
            self.refresh()

    def set_marks(self, marks: Marks) -> None:
        before, self.marks = self.marks, marks
        for line in differing(before, marks):
            self._strips.pop(line, None)
            self._refresh_document_line(line)

    def set_needle(self, needle: str) -> None:
        self.needle = needle
        self.refresh()

    @property
    def name_at_cursor(self) -> NameAt | None:
        names = self.document.names(self.line)
        if not names:
            return None
        return names[min(self._name_number or 0, len(names) - 1)]

    def go(self, line: int, name: str = "", *, centre: bool = True) -> None:
        """Put the cursor on a line, and on ``name`` where the line has it."""
        old = self.line
        self.line = max(self.document.first, min(line, self.document.last))
        names = self.document.names(self.line)
        self._name_number = next((n for n, at in enumerate(names) if at.name == name), 0)
        self._reveal(centre and not self._on_screen(self.line))
        self._refresh_document_line(old)
        self._refresh_document_line(self.line)
        self._post()

    def _post(self) -> None:
        name = self.name_at_cursor
        self.moved(self.line, name.name if name else "")

    def _on_screen(self, line: int) -> bool:
        row = line - self.document.first - int(self.scroll_offset.y)
        margin = 2 if self.size.height > 8 else 0
        return margin <= row < self.size.height - margin

    def on_resize(self) -> None:
        self._reveal(not self._on_screen(self.line))

    def _reveal(self, centre: bool) -> None:
        row = self.line - self.document.first
        height = self.size.height
        if height <= 0:
            # Hidden or not laid out yet: on_resize comes when there is room.
            return
        if centre:
            self.scroll_to(y=max(0, row - height // 2), animate=False, immediate=True, force=True)
        elif row < self.scroll_offset.y:
            self.scroll_to(y=row, animate=False, immediate=True, force=True)
        elif row >= self.scroll_offset.y + height:
            self.scroll_to(y=row - height + 1, animate=False, immediate=True, force=True)
        self._reveal_start()

    def _common_indent(self) -> int:
        """Columns that are blank on every line of the screen, in a pane too narrow for them."""
        if self.scrollable_content_region.width - self._gutter >= NARROW:
            return 0
        top = int(self.scroll_offset.y) + self.document.first
        texts = (self.document.text(line) for line in range(top, top + self.size.height))
        indents = (len(text) - len(text.lstrip()) for text in texts if text.strip())
        return min(indents, default=0)

    def _reveal_start(self) -> None:
        """Show where the lines begin: a jump to the middle of a line would hide what it is."""
        wanted = self._start = self._common_indent()
        if wanted != int(self.scroll_offset.x):
            self.scroll_to(x=wanted, animate=False, immediate=True, force=True)

    def _reveal_name(self) -> None:
        """Bring the name under the cursor into the pane, which the user moved to."""
        name = self.name_at_cursor
        room = self.scrollable_content_region.width - self._gutter
        if name is None or room <= 0:
            return
        left = int(self.scroll_offset.x)
        text = self.document.text(self.line)
        start, end = cell_len(text[: name.start]), cell_len(text[: name.end])
        wanted = min(start, max(0, end + 2 - room))
        for offset in (self._common_indent(), left, 0):
            if offset <= start and end < offset + room:
                wanted = offset
                break
        if wanted != left:
            self.scroll_to(x=wanted, animate=False, immediate=True, force=True)

    def _refresh_document_line(self, line: int) -> None:
        self.refresh_line(line - self.document.first)

    def action_move(self, step: int) -> None:
        self.go(self.line + step, centre=False)

    def action_page(self, step: int) -> None:
        height = max(1, self.size.height - 2)
        self.scroll_to(
            y=self.scroll_offset.y + step * height, animate=False, immediate=True, force=True
        )
        self.go(self.line + step * height, centre=False)

    def action_edge(self, side: int) -> None:
        self.go(self.document.first if side < 0 else self.document.last, centre=False)

    def action_move_name(self, step: int) -> None:
        names = self.document.names(self.line)
        if names:
            self._name_number = max(0, min((self._name_number or 0) + step, len(names) - 1))
            self._reveal_name()
            self._refresh_document_line(self.line)
            self._post()

    def action_edge_name(self, side: int) -> None:
        names = self.document.names(self.line)
        self._name_number = 0 if side == 0 or not names else len(names) - 1
        self.action_move_name(0)

    def action_pan(self, columns: int) -> None:
        self.scroll_to(x=self.scroll_offset.x + columns, animate=False, immediate=True, force=True)

    def action_follow(self) -> None:
        name = self.name_at_cursor
        self.post_message(self.Followed(self.line, name.name if name else ""))

    def on_click(self, event: events.Click) -> None:
        line = int(self.scroll_offset.y) + event.y + self.document.first
        if line > self.document.last:
            return
        if event.x < 3 + self._digits:
            self.post_message(self.GutterClicked(line))
            return
        column = event.x - self._gutter + self._left_of(line)
        name = next((n.name for n in self.document.names(line) if n.start <= column < n.end), "")
        self.go(line, name, centre=False)
        if event.chain == 2 and name:
            self.action_follow()

    def _style(self, part: str) -> Style:
        style = self._styles.get(part)
        if style is None:
            style = part_style(self, f"source--{part}")
            self._styles[part] = style
        return style

    def _code_text(self, line: int) -> Text:
        text = self._code.get(line)
        if text is None:
            text = Text(no_wrap=True, end="")
            for piece, kind in self.document.runs(line):
                text.append(piece, self._style(kind) if kind else None)
            if len(self._code) > 4000:
                self._code.clear()
            self._code[line] = text
        return text

    def render_line(self, y: int) -> Strip:
        line = int(self.scroll_offset.y) + y + self.document.first
        width = self.scrollable_content_region.width
        if line > self.document.last:
            return Strip.blank(width, self.rich_style)
        if line == self.line:
            return self._strip(line, width, self.rich_style + self._style("line"))
        made_for = (id(self.document), self.needle, width, self.scroll_offset.x)
        if made_for != self._strips_for or len(self._strips) > 4000:
            self._strips.clear()
            self._strips_for = made_for
        strip = self._strips.get(line)
        if strip is None:
            strip = self._strips[line] = self._strip(line, width, self.rich_style)
        return strip

    def _strip(self, line: int, width: int, base: Style) -> Strip:
        left = self._left_of(line)
        room = max(0, width - self._gutter)
        code = self._decorated(line, line == self.line)
        whole = Strip(code.render(self.app.console))
        body = self._with_cuts(whole.crop(left, left + room), code, left, room)
        inline = self.marks.inline.get(line)
        if inline is not None:
            body = self._with_value(body, room, inline, self._kept(line, left))
        strip = Strip([*self._gutter_segments(line), *body])
        return strip.extend_cell_length(width).crop(0, width).apply_style(base)

    def _decorated(self, line: int, on_cursor: bool) -> Text:
        code = self._code_text(line)
        name = self.name_at_cursor if on_cursor else None
        if not (self.needle or name):
            return code
        code = code.copy()
        for start, end in matches(code.plain, self.needle):
            code.stylize(self._style("match"), start, end)
        if name is not None:
            focused = self._style("name") if self.has_focus else Style(underline=True)
            code.stylize(focused, name.start, name.end)
        return code

    def _with_cuts(self, body: Strip, code: Text, left: int, room: int) -> Strip:
        """``‹`` and ``›`` where text goes on outside of the pane."""
        if left and code.plain[:left].strip():
            body = Strip.join([Strip([Segment("‹", self._style("cut"))]), body.crop(1)])
        if room > 1 and code.cell_len > left + room:
            body = Strip.join([body.crop(0, room - 1), Strip([Segment("›", self._style("cut"))])])
        return body

    def _condition(self, line: int) -> tuple[int, int] | None:
        """Columns of the condition that a line asserts."""
        if line not in self.marks.asserts and line not in self.marks.failing:
            return None
        text = self.document.text(line)
        found = condition_span(text)
        return (cell_len(text[: found[0]]), cell_len(text[: found[1]])) if found else None

    def _left_of(self, line: int) -> int:
        """The first column of a line that is shown: that of the pane, but of an assert whose
        condition would be cut, that of the condition."""
        left = int(self.scroll_offset.x)
        condition = self._condition(line) if left == self._start else None
        if condition is None:
            return left
        if condition[1] <= left + self.scrollable_content_region.width - self._gutter:
            return left
        name = self.name_at_cursor if line == self.line else None
        start = max(left, condition[0] - 1)
        return left if name is not None and name.start < start else start

    def _kept(self, line: int, left: int) -> int:
        """Cells of a line over which no value may be put: its condition."""
        condition = self._condition(line)
        return condition[1] - left if condition is not None else 0

    def _with_value(self, body: Strip, room: int, inline: tuple[str, bool], kept: int) -> Strip:
        """The value of a line behind its code, or over the end of code that is too long, as far as
        that is not ``kept``."""
        value, changed = inline
        text = fit(f" ◂{'✱' if changed else ' '}{value} ", min(room, cell_len(value) + 5))
        at = min(body.cell_length + 1, max(0, room - cell_len(text)))
        if at < kept:
            text = fit_words(text.strip(), room - kept - 1)
            if not text:
                return body
            at, text = kept, f" {text}"
        segment = Segment(text, self._style("changed" if changed else "inline"))
        return Strip([*body.extend_cell_length(at).crop(0, at), segment])

    def _gutter_segments(self, line: int) -> list[Segment]:
        marks = self.marks
        enabled = marks.breakpoints.get(line)
        if enabled is None:
            stop = Segment(" ", self._style("gutter"))
        else:
            stop = Segment("●" if enabled else "○", self._style("breakpoint"))
        here = Segment("▶" if line == marks.step else " ", self._style("step"))
        if line in marks.failing:
            sign = Segment("✗", self._style("failing"))
        else:
            sign = Segment("◇" if line in marks.asserts else " ", self._style("gutter"))
        kernel = self.document.kernel_at(line)
        kernel_line = kernel.kernel_line(line) if kernel else None
        # A file's kernels have no lines of their own.
        own = (
            []
            if self.document.is_script
            else [Segment(f"{kernel_line or '':>3} ", self._style("kernel-line"))]
        )
        return [
            stop,
            here,
            sign,
            Segment(f"{line:>{self._digits}} ", self._style("gutter")),
            *own,
            Segment("┃" if line == self.line else "│", self._style("gutter")),
        ]

    def on_focus(self) -> None:
        self._refresh_document_line(self.line)

    def on_blur(self) -> None:
        self._refresh_document_line(self.line)
