"""Where the top-level functions of a wrapper begin and end.

Real wrappers use macros without semicolons and, since torch 2.15, macros that open a brace in
one argument (``AOTI_RUNTIME_TRY({``). A C++ parser that meets one of them may swallow the
functions after it, so the outline is found lexically (comments, strings, raw strings and
preprocessor lines are skipped as wholes) and each function body is then parsed by itself.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
      (?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))
    | (?P<raw>R"(?P<fence>[^()\s\\"]{0,16})\(.*?(?:\)(?P=fence)"|\Z))
    | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+')
    | (?P<directive>^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*)
    | (?P<method>^(?:void|std::unordered_map<[^\n]*>)[ ]\w+::\w+(?=\())
    | (?P<template>^template[ ]<(?=typename))
    | (?P<punctuation>[{};])
    """,
    re.S | re.M | re.X,
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.S | re.M)
_CALLABLE = re.compile(r"([A-Za-z_][\w:~]*)\s*\(")
_TYPE = re.compile(r"\b(?:class|struct)\s+(\w+)")
_TRANSPARENT = re.compile(r'(?:\bnamespace\b[\w:\s]*|\bextern\s*"C"\s*)$')
_NOT_A_NAME = frozenset({"__attribute__", "__declspec", "decltype", "alignas", "defined"})


class LineMap:
    """Offsets of a text to 1-based line numbers."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(m.end() for m in re.finditer("\n", text))]

    def line(self, offset: int) -> int:
        """The line that holds the character at ``offset``."""
        return bisect_right(self._starts, offset)


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


def blocks(
    text: str, lines: LineMap, progress: Callable[[float], None] | None = None
) -> Iterator[Block]:
    """The top-level blocks of ``text`` in order, in one linear pass.

    ``progress`` is called now and then with the fraction of ``text`` that has been read.
    """
    depth = 0
    header_start = 0
    opened = 0
    boundary = 0
    shown = 0
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind in ("method", "template"):
            if depth:
                # A brace before this line was never closed (a macro holds it): start afresh.
                depth = 0
                header_start = token.start()
            continue
        if kind != "punctuation":
            continue
        boundary = token.end()
        if progress is not None and boundary - shown > 400_000:
            shown = boundary
            progress(boundary / len(text))
        sign = token.group()
        if sign == "{":
            if depth == 0:
                header = _COMMENT.sub("", text[header_start : token.start()]).rstrip()
                if _TRANSPARENT.search(header):
                    header_start = boundary
                    continue
                opened = token.start()
            depth += 1
        elif sign == "}":
            if depth == 1:
                yield _block(text, lines, header_start, opened, boundary, "", boundary)
            depth = max(0, depth - 1)
            if depth == 0:
                header_start = boundary
        elif depth == 0:
            header_start = boundary
    if depth:
        yield _block(text, lines, header_start, opened, boundary, "}" * depth, boundary)


def _block(
    text: str, lines: LineMap, start: int, opened: int, end: int, closing: str, boundary: int
) -> Block:
    header = _COMMENT.sub(lambda m: "\n" * m.group().count("\n"), text[start:opened])
    name, position, is_type = _name(header)
    line = lines.line(start) + header.count("\n", 0, position)
    rest = text[boundary:] if closing else ""
    cut = rest.strip()
    cut_line = lines.line(boundary + len(rest) - len(rest.lstrip()))
    return Block(
        name=name,
        is_type=is_type,
        header=header.strip(),
        line=line,
        body_line=lines.line(opened),
        body=text[opened:end] + closing,
        cut=cut,
        cut_line=cut_line if closing else 0,
    )


def _name(header: str) -> tuple[str, int, bool]:
    for match in _CALLABLE.finditer(header):
        if match.group(1) not in _NOT_A_NAME:
            return match.group(1), match.start(), False
    found = _TYPE.search(header)
    if found:
        return found.group(1), found.start(), True
    return "", len(header) - len(header.lstrip()), False
