"""Where the top-level functions of a wrapper begin and end.

Real wrappers use macros without semicolons and, since torch 2.15, macros that open a brace in
one argument (``AOTI_RUNTIME_TRY({``). A C++ parser that meets one of them may swallow the
functions after it, so the outline is found lexically (comments, strings, raw strings and
preprocessor lines are skipped as wholes) and each function body is then parsed by itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from aoti_tui.artifacts.graph_ids import CPP_TEXT

# Every alternative begins with a sign of its own, by which the search finds the next one quickly.
_SKIPPED = r"""//[^\n]*|/\*|"(?:\\.|[^"\\\n])*"|"|'(?:\\.|[^'\\\n])+'|\#|\{|\}"""
_INSIDE = re.compile(_SKIPPED, re.S)
_OUTSIDE = re.compile(_SKIPPED + "|;", re.S)
_RAW = re.compile(r'"([^()\s\\"]{0,16})\(')
_DIRECTIVE = re.compile(r"(?:[^\n]*\\\n)*[^\n]*")
_RESTART = re.compile(r"(?:void|std::unordered_map<[^\n]*>) \w+::\w+(?=\()|template <(?=typename)")
_RESTART_WORDS = ("void ", "std::unordered_map<", "template <typename")
_HELD = re.compile(rf"^{CPP_TEXT}\(?\s*r?(?P<fence>\'\'\'|\"\"\")", re.M)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.S | re.M)
_CALLABLE = re.compile(r"([A-Za-z_][\w:~]*)\s*\(")
_TYPE = re.compile(r"\b(?:class|struct)\s+(\w+)")
_TRANSPARENT = re.compile(r'(?:\bnamespace\b[\w:\s]*|\bextern\s*"C"\s*)$')
_NOT_A_NAME = frozenset({"__attribute__", "__declspec", "decltype", "alignas", "defined"})


def program_text(text: str) -> str:
    """The C++ of a wrapper, on its own lines: of a Python file that holds it as a string
    (torch.compile's ``cpp_wrapper``) that string, the rest blank; any other text as it is."""
    held = _HELD.search(text)
    if held is None:
        return text
    end = text.find(held["fence"], held.end())
    end = len(text) if end < 0 else end
    before, after = text.count("\n", 0, held.end()), text.count("\n", end)
    return "\n" * before + text[held.end() : end] + "\n" * after


class _Lines:
    """Offsets of a text to 1-based line numbers, quick when asked from front to back."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._offset = 0
        self._line = 1

    def line(self, offset: int) -> int:
        """The line that holds the character at ``offset``."""
        if offset < self._offset:
            self._offset, self._line = 0, 1
        self._line += self._text.count("\n", self._offset, offset)
        self._offset = offset
        return self._line


class _Scan:
    """Finds braces and semicolons that stand in the code, and the lines where a function surely
    begins anew."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._restarts = sorted(_restarts(text))
        self._restarts.append(len(text))
        self._restart = 0

    def find(self, position: int, inside: bool) -> int:
        """Where the next brace stands, or outside of a block semicolon, or inside of one the line
        of a restart; the length of the text when nothing follows."""
        text = self._text
        search = (_INSIDE if inside else _OUTSIDE).search
        while True:
            found = search(text, position)
            at = found.start() if found is not None else len(text)
            while self._restarts[self._restart] < position:
                self._restart += 1
            if inside and self._restarts[self._restart] <= at:
                return self._restarts[self._restart]
            if found is None or text[at] in "{};":
                return at
            position = self._skipped(at, found.end())

    def _skipped(self, at: int, end: int) -> int:
        """The end of the comment, string or preprocessor line that begins ``at``."""
        text = self._text
        if text.startswith("/*", at):
            return self._behind("*/", at + 2)
        if text[at] == '"':
            raw = _RAW.match(text, at) if text[at - 1 : at] == "R" else None
            return self._behind(f'){raw[1]}"', raw.end()) if raw is not None else end
        if text[at] == "#" and _begins_line(text, at):
            found = _DIRECTIVE.match(text, at)
            return found.end() if found is not None else end
        return end

    def _behind(self, closing: str, start: int) -> int:
        at = self._text.find(closing, start)
        return at + len(closing) if at >= 0 else len(self._text)


def _restarts(text: str) -> Iterator[int]:
    """The lines that begin a function as Inductor writes it."""
    for word in _RESTART_WORDS:
        at = 0 if text.startswith(word) else text.find("\n" + word) + 1
        while at or text.startswith(word):
            if _RESTART.match(text, at):
                yield at
            at = text.find("\n" + word, at) + 1
            if not at:
                break


def _begins_line(text: str, at: int) -> bool:
    at -= 1
    while at >= 0 and text[at] in " \t":
        at -= 1
    return at < 0 or text[at] == "\n"


@dataclass(frozen=True, slots=True)
class Block:
    """A function, class or struct at the top level (namespaces do not count as a level)."""

    name: str
    """``AOTInductorModel::run_impl``, ``call_triton_poi_fused_add_0``; a class's own name."""
    is_type: bool
    header: str
    """The text before the brace, without comments and preprocessor lines."""
    line: int
    """Of the name."""
    body_line: int
    """Of the opening brace."""
    body: str
    """With both braces. A body that the file cuts off ends after its last whole statement and
    has its braces added."""
    cut: str = ""
    """What follows the last whole statement when the file ends inside of this block."""
    cut_line: int = 0
    """Where the file ends inside of this block; 0 when it does not."""


def blocks(text: str, progress: Callable[[float], None] | None = None) -> Iterator[Block]:
    """The top-level blocks of ``text`` in order, in one linear pass.

    ``progress`` is called now and then with the fraction of ``text`` that has been read.
    """
    scan, lines = _Scan(text), _Lines(text)
    depth = header_start = opened = shown = 0
    at = scan.find(0, False)
    while at < len(text):
        sign, boundary = text[at], at + 1
        if progress is not None and boundary - shown > 400_000:
            shown = boundary
            progress(boundary / len(text))
        if sign == "{":
            if depth == 0:
                header = _COMMENT.sub("", text[header_start:at]).rstrip()
                if _TRANSPARENT.search(header):
                    header_start = boundary
                    at = scan.find(boundary, False)
                    continue
                opened = at
            depth += 1
        elif sign == "}":
            if depth == 1:
                yield _block(text, lines, header_start, opened, boundary, "", boundary)
            depth = max(0, depth - 1)
            if depth == 0:
                header_start = boundary
        elif sign == ";":
            header_start = boundary
        else:
            # A brace before this line was never closed (a macro holds it): start afresh.
            depth = 0
            header_start = boundary = at
        at = scan.find(boundary, depth > 0)
    if depth:
        boundary = _last_sign(text, opened)
        yield _block(text, lines, header_start, opened, boundary, "}" * depth, boundary)


def _last_sign(text: str, opened: int) -> int:
    """The end of the last brace or semicolon of the block that ``opened`` begins."""
    scan, boundary = _Scan(text), opened
    while (at := scan.find(boundary, False)) < len(text):
        boundary = at + 1
    return boundary


def _block(
    text: str, lines: _Lines, start: int, opened: int, end: int, closing: str, boundary: int
) -> Block:
    header = _COMMENT.sub(lambda m: "\n" * m.group().count("\n"), text[start:opened])
    name, position, is_type = _name(header)
    line = lines.line(start) + header.count("\n", 0, position)
    body_line = lines.line(opened)
    rest = text[boundary:] if closing else ""
    blank = len(rest) - len(rest.lstrip())
    return Block(
        name=name,
        is_type=is_type,
        header=header.strip(),
        line=line,
        body_line=body_line,
        body=text[opened:end] + closing,
        cut=rest.strip(),
        cut_line=lines.line(boundary + blank) if closing else 0,
    )


def _name(header: str) -> tuple[str, int, bool]:
    for match in _CALLABLE.finditer(header):
        if match.group(1) not in _NOT_A_NAME:
            return match.group(1), match.start(), False
    found = _TYPE.search(header)
    if found:
        return found.group(1), found.start(), True
    return "", len(header) - len(header.lstrip()), False
