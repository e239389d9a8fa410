"""A file as the source pane shows it: lines, colours and names, made only for what is looked at.

A wrapper holds two languages: C++ and, inside comments, the Python of its kernels. Colours are
worked out window by window for C++ and kernel by kernel for Python, once, so that opening a
60,000-line wrapper costs nothing and scrolling it costs one window.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pygments.lexer import Lexer
from pygments.lexers.c_cpp import CppLexer
from pygments.lexers.python import PythonLexer
from pygments.token import Token, _TokenType

from aoti_tui.answer.incident import Incident
from aoti_tui.answer.script import ScriptIncident
from aoti_tui.index.model import Kernel, WrapperIndex
from aoti_tui.session.text import NAME, visible

WINDOW = 40
"""Lines outside of kernels coloured at a time: about what a terminal shows."""
LONGEST = 600
"""Characters of a line that are coloured: the metadata of a kernel is one line of thousands."""

KEYWORDS = frozenset(
    # One list for both languages: what is a keyword in one is no name worth following in the other.
    {
        *("and", "as", "auto", "break", "class", "const", "constexpr", "continue", "def", "do"),
        *("else", "for", "from", "if", "import", "in", "inline", "is", "lambda", "namespace"),
        *("not", "or", "return", "sizeof", "static", "struct", "template", "this", "typename"),
        *("using", "void", "while", "static_cast", "reinterpret_cast", "maybe_unused", "std"),
        *("None", "True", "False", "true", "false", "nullptr", "tl", "triton"),
        *("bool", "int", "int32_t", "int64_t", "uint32_t", "uint64_t", "float", "double"),
    }
)

_STYLES: tuple[tuple[_TokenType, str], ...] = (
    (Token.Comment.Preproc, "preprocessor"),
    (Token.Comment, "comment"),
    (Token.Keyword.Type, "type"),
    (Token.Keyword, "keyword"),
    (Token.Name.Builtin, "builtin"),
    (Token.Name.Function, "function"),
    (Token.Name.Class, "type"),
    (Token.Name.Decorator, "decorator"),
    (Token.Name.Namespace, "type"),
    (Token.Literal.String, "string"),
    (Token.Literal.Number, "number"),
    (Token.Operator.Word, "keyword"),
    (Token.Operator, "operator"),
    (Token.Punctuation, "operator"),
)

_ASSERTS = re.compile(r"device_assert\(")

Run = tuple[str, str]
"""A piece of a line and the kind of its token (``""`` for plain text)."""


@dataclass(frozen=True, slots=True)
class NameAt:
    """An identifier of a shown line: ``start`` and ``end`` are columns of the shown text."""

    name: str
    start: int
    end: int


def _span(kernel: Kernel) -> tuple[int, int] | None:
    """First and last line of a kernel in its file; None without a source."""
    if kernel.source_line is None or not kernel.lines:
        return None
    return kernel.span or (kernel.source_line, kernel.source_line + len(kernel.lines) - 1)


def _has_long_strings(kernel: Kernel) -> bool:
    """Whether strings may go over lines, as in a docstring of a user's own kernel."""
    return any('"""' in line or "'''" in line for line in kernel.lines[1:-1])


def _kind(token: _TokenType) -> str:
    for parent, kind in _STYLES:
        if token in parent:
            return kind
    return ""


def _lex(lexer: Lexer, lines: list[str]) -> Iterator[tuple[Run, ...]]:
    runs: list[Run] = []
    count = 0
    for _, token, value in lexer.get_tokens_unprocessed("\n".join(lines)):
        kind = _kind(token)
        pieces = value.split("\n")
        for number, piece in enumerate(pieces):
            if number:
                yield tuple(runs)
                count += 1
                runs = []
            if piece:
                runs.append((piece, kind))
    yield tuple(runs)
    for _ in range(count + 1, len(lines)):
        yield ()


class SourceDocument:
    """Lines of one file, 1-based, with ``first`` the number of its first line."""

    def __init__(
        self,
        lines: tuple[str, ...],
        *,
        path: str,
        kernels: Iterable[Kernel] = (),
        first: int = 1,
        is_script: bool = False,
    ) -> None:
        self.path = path
        self.first = first
        self.is_script = is_script
        """A file of Python as the user wrote it, which is a source of its own: a line of one of
        its kernels is called by its number in the file."""
        self._lines = lines
        self.know(kernels)
        self._python: dict[int, tuple[Run, ...]] = {}
        self._outer: dict[int, list[tuple[Run, ...]]] = {}
        self._folded: tuple[str, ...] | None = None
        """The lines in lower case, made by the first search that needs them."""
        self._found: tuple[str, tuple[int, ...]] = ("", ())
        self.width = max((len(line) for line in lines), default=0)

    @classmethod
    def of_wrapper(cls, index: WrapperIndex) -> SourceDocument:
        kernels = [k for k in index.kernels.values() if k.source_path is None]
        return cls(index.lines, path=index.path, kernels=kernels)

    @classmethod
    def of_incident(cls, incident: Incident) -> SourceDocument:
        """What was opened: a wrapper, or a script."""
        index = incident.index
        if isinstance(incident, ScriptIncident):
            return cls.of_script(index.path, index.lines, ())
        return cls.of_wrapper(index)

    @classmethod
    def of_kernel(cls, kernel: Kernel) -> SourceDocument:
        """The source of a kernel that another file than the wrapper holds."""
        return cls(
            kernel.lines,
            path=kernel.source_path or kernel.name,
            kernels=[kernel],
            first=kernel.source_line or 1,
        )

    @classmethod
    def of_script(
        cls, path: str, lines: tuple[str, ...], kernels: Iterable[Kernel]
    ) -> SourceDocument:
        """A file of the user's, and what it is known to hold of kernels."""
        return cls(lines, path=path, kernels=kernels, is_script=True)

    def know(self, kernels: Iterable[Kernel]) -> None:
        """Take in which kernels stand here: of a script they are known once they are launched."""
        self._spans = sorted(
            ((*span, kernel) for kernel in kernels if (span := _span(kernel)) is not None),
            key=lambda one: one[0],
        )
        self._starts = [start for start, _, _ in self._spans]
        self._by_kernel = {kernel.name: kernel for _, _, kernel in self._spans}

    @property
    def last(self) -> int:
        return self.first + len(self._lines) - 1

    def __len__(self) -> int:
        return len(self._lines)

    def raw(self, line: int) -> str:
        """The line as the file has it; ``""`` outside of it."""
        return self._lines[line - self.first] if self.first <= line <= self.last else ""

    def text(self, line: int) -> str:
        """The line as it is shown."""
        return visible(self.raw(line))

    def kernel_at(self, line: int) -> Kernel | None:
        position = bisect_right(self._starts, line) - 1
        if position >= 0 and line <= self._spans[position][1]:
            return self._spans[position][2]
        return None

    def span_of(self, kernel: str) -> tuple[int, int]:
        """First and last line of a kernel's source; ``(1, 0)`` where this file has none of it."""
        return next(((a, b) for a, b, k in self._spans if k.name == kernel), (1, 0))

    def line_of(self, source: str, line: int) -> int | None:
        """The line here of a line of a source, a kernel's or this file itself; None when this
        file does not hold it."""
        if self.is_script and source == self.path:
            return line
        found = self._by_kernel.get(source)
        return found.file_line(line) if found is not None else None

    def names(self, line: int) -> tuple[NameAt, ...]:
        """The identifiers of a line that can mean something, from left to right."""
        return tuple(
            NameAt(match.group(), match.start(), match.end())
            for match in NAME.finditer(self.text(line))
            if match.group() not in KEYWORDS
        )

    def runs(self, line: int) -> tuple[Run, ...]:
        """The coloured pieces of a line. Lexes its window or kernel the first time."""
        if not self.first <= line <= self.last:
            return ()
        if self.is_script:
            return self._script_runs()[line]
        position = bisect_right(self._starts, line) - 1
        if position >= 0 and line <= self._spans[position][1]:
            return self._python_runs(line, *self._spans[position])
        window = (line - self.first) // WINDOW
        return self._outer_runs(window)[(line - self.first) % WINDOW]

    def _script_runs(self) -> dict[int, tuple[Run, ...]]:
        """All of the file: strings and brackets may go over any number of its lines."""
        if not self._python:
            lexed = _lex(PythonLexer(), [visible(line) for line in self._lines])
            self._python = dict(enumerate(lexed, self.first))
        return self._python

    def _python_runs(self, line: int, start: int, end: int, kernel: Kernel) -> tuple[Run, ...]:
        found = self._python.get(line)
        if found is not None:
            return found
        if line in (start, end):
            # The quotes of async_compile.triton('…', '''…'''): lexed with the rest, they would
            # make all of it one string.
            self._python[line] = ((self.text(line), "comment"),)
        elif _has_long_strings(kernel):
            lines = range(start + 1, end)
            lexed = _lex(PythonLexer(), [self.text(number) for number in lines])
            self._python.update(zip(lines, lexed, strict=True))
        else:
            # Generated kernels have one statement a line, so that each can be lexed alone.
            text = self.text(line)
            runs = next(_lex(PythonLexer(), [text[:LONGEST]]))
            rest = ((text[LONGEST:], ""),) if len(text) > LONGEST else ()
            self._python[line] = (*runs, *rest)
        return self._python[line]

    def _outer_runs(self, window: int) -> list[tuple[Run, ...]]:
        found = self._outer.get(window)
        if found is None:
            start = self.first + window * WINDOW
            lines = [
                "" if self.kernel_at(line) else self.text(line)
                for line in range(start, min(start + WINDOW, self.last + 1))
            ]
            # `/*` opens right before a kernel and `*/` closes right after it; blanked kernels
            # keep that comment short, so that a window can be lexed on its own.
            lexer = PythonLexer() if self.path.endswith(".py") else CppLexer()
            found = list(_lex(lexer, lines))
            self._outer[window] = found
        return found

    def find(self, needle: str, start: int, step: int) -> int | None:
        """The next line after ``start`` (before it, for ``step`` -1) that holds ``needle``.

        Wraps round the ends. A needle without capitals matches both cases.
        """
        lines = self.lines_with(needle)
        if not lines:
            return None
        if step > 0:
            return next((line for line in lines if line > start), lines[0])
        return next((line for line in reversed(lines) if line < start), lines[-1])

    def lines_with(self, needle: str) -> tuple[int, ...]:
        """All lines that hold ``needle``, with the same case rule as :meth:`find`."""
        if not needle:
            return ()
        if self._found[0] != needle:
            fold = not any(character.isupper() for character in needle)
            if fold and self._folded is None:
                self._folded = tuple(line.lower() for line in self._lines)
            lines = self._folded if fold and self._folded is not None else self._lines
            numbers = (at for at, line in enumerate(lines, self.first) if needle in line)
            self._found = (needle, tuple(numbers))
        return self._found[1]


def matches(text: str, needle: str) -> list[tuple[int, int]]:
    """Columns of every occurrence of ``needle``, with the same case rule as :meth:`find`."""
    if not needle:
        return []
    flags = 0 if any(c.isupper() for c in needle) else re.IGNORECASE
    return [m.span() for m in re.finditer(re.escape(needle), text, flags)]


def condition_span(text: str) -> tuple[int, int] | None:
    """Where the condition stands in a line that asserts; None in a line that does not, or whose
    condition goes on in the next one."""
    call = _ASSERTS.search(text)
    if call is None:
        return None
    depth = 0
    for at in range(call.end(), len(text)):
        if depth == 0 and text[at] in ",)":
            return call.end(), at
        depth += (text[at] in "([{") - (text[at] in ")]}")
    return None
