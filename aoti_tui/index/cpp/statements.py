"""A function body as a tree of statements (tree-sitter-cpp)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import tree_sitter_cpp
from tree_sitter import Language, Node, Parser

_PARSER = Parser(Language(tree_sitter_cpp.language()))
_PREFIX = b"void f()"
_DEEPEST = 60
"""Statements nested deeper than any generated code are kept as one piece of text."""
_LOOPS = frozenset({"while_statement"})
_NESTING = frozenset(
    {
        "for_statement",
        "for_range_loop",
        "do_statement",
        "switch_statement",
        "try_statement",
        "case_statement",
        "labeled_statement",
        "lambda_expression",
    }
)
_PIECE = re.compile(
    r"""//[^\n]*|/\*.*?(?:\*/|\Z)|R"([^()\s\\"]{0,16})\(.*?(?:\)\1"|\Z)"""
    r"""|"(?:\\.|[^"\\\n])*"|[()\[\]{};]""",
    re.S,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a body, or a comment between statements.

    ``kind`` is ``simple``, ``comment``, ``if``, ``while``, ``block``, ``nested`` (a construct
    that Inductor does not write, such as ``switch``: its inner statements are in ``body``) or
    ``broken`` (text the parser could not read).
    """

    kind: str
    text: str
    line: int
    end_line: int
    condition: str = ""
    body: tuple[Statement, ...] = ()
    orelse: tuple[Statement, ...] = ()
    else_line: int = 0


def parse_body(body: str, line: int) -> tuple[Statement, ...]:
    """The statements of ``body`` (braces included), whose first line is ``line``."""
    source = _PREFIX + body.encode()
    root = _PARSER.parse(source).root_node
    function = next((n for n in root.children if n.type == "function_definition"), None)
    compound = function.child_by_field_name("body") if function is not None else None
    if compound is None or compound.end_byte < len(source.rstrip()):
        # The parser closed the body too early or not at all.
        return tuple(_split(body[1:].rstrip().removesuffix("}"), line))
    return tuple(_children(compound, source, line, 0))


def _children(compound: Node, source: bytes, line: int, depth: int) -> Iterator[Statement]:
    for node in compound.children:
        if node.type not in ("{", "}", ";"):
            yield from _statement(node, source, line, depth)


def _text(node: Node, source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode()


def _statement(node: Node, source: bytes, line: int, depth: int) -> Iterator[Statement]:
    first = line + node.start_point[0]
    last = line + node.end_point[0]
    kind = node.type
    if depth > _DEEPEST:
        yield Statement("broken", _text(node, source), first, last)
        return
    if kind == "ERROR" or node.is_missing:
        yield from _split(_text(node, source), first)
        return
    if kind == "comment":
        yield Statement("comment", _text(node, source), first, last)
        return
    if kind == "compound_statement":
        inner = tuple(_children(node, source, line, depth + 1))
        yield Statement("block", "", first, last, body=inner)
        return
    if kind == "if_statement":
        yield _if(node, source, line, depth)
        return
    if kind in _LOOPS:
        condition = node.child_by_field_name("condition")
        yield Statement(
            "while",
            "",
            first,
            last,
            condition=_condition(condition, source),
            body=tuple(_inner(node.child_by_field_name("body"), source, line, depth + 1)),
        )
        return
    text = _text(node, source)
    if kind in _NESTING or kind == "function_definition":
        body = node.child_by_field_name("body")
        parts = [body] if body is not None else _statements_within(node)
        inside = tuple(s for part in parts for s in _inner(part, source, line, depth + 1))
        yield Statement("nested", text.split("{")[0].strip(), first, last, body=inside)
        return
    if node.has_error:
        yield from _split(text, first)
        return
    if text.strip(" ;\n"):
        yield Statement("simple", text.rstrip().rstrip(";").rstrip(), first, last)


def _condition(node: Node | None, source: bytes) -> str:
    if node is None:
        return ""
    text = _text(node, source).strip()
    return text[1:-1].strip() if text.startswith("(") and text.endswith(")") else text


def _inner(node: Node | None, source: bytes, line: int, depth: int) -> Iterator[Statement]:
    if node is None:
        return
    if node.type == "compound_statement":
        yield from _children(node, source, line, depth)
    else:
        yield from _statement(node, source, line, depth)


def _statements_within(node: Node) -> list[Node]:
    """The statements of a ``case`` or a label, which have no field for them."""
    return [
        child
        for child in node.named_children
        if child.type.endswith("_statement") or child.type == "declaration"
    ]


def _if(node: Node, source: bytes, line: int, depth: int) -> Statement:
    alternative = node.child_by_field_name("alternative")
    orelse: tuple[Statement, ...] = ()
    else_line = 0
    if alternative is not None:
        else_line = line + alternative.start_point[0]
        inner = alternative.named_children[-1] if alternative.named_children else None
        orelse = tuple(_inner(inner, source, line, depth + 1))
    return Statement(
        "if",
        "",
        line + node.start_point[0],
        line + node.end_point[0],
        condition=_condition(node.child_by_field_name("condition"), source),
        body=tuple(_inner(node.child_by_field_name("consequence"), source, line, depth + 1)),
        orelse=orelse,
        else_line=else_line,
    )


def _split(text: str, line: int) -> Iterator[Statement]:
    """Statements of text that the parser rejected, found by brackets and semicolons."""
    depth = 0
    start = 0
    for token in _PIECE.finditer(text):
        sign = token.group()
        if depth == 0 and sign.startswith(("//", "/*")):
            yield from _piece(text, start, token.start(), line)
            at = line + text.count("\n", 0, token.start())
            yield Statement("comment", sign, at, at + sign.count("\n"))
            start = token.end()
        elif sign in ("(", "["):
            depth += 1
        elif sign in (")", "]"):
            depth = max(0, depth - 1)
        elif depth == 0 and sign in (";", "{", "}"):
            yield from _piece(text, start, token.start(), line)
            start = token.end()
    yield from _piece(text, start, len(text), line)


def _piece(text: str, start: int, end: int, line: int) -> Iterator[Statement]:
    piece = text[start:end]
    stripped = piece.strip()
    if not stripped:
        return
    first = line + text.count("\n", 0, start + len(piece) - len(piece.lstrip()))
    yield Statement("simple", stripped, first, first + stripped.count("\n"))


def comment_after(statements: tuple[Statement, ...], position: int) -> str:
    """The comment on the same line right after a statement (``// reuse``), or ``""``."""
    following = position + 1
    while following < len(statements):
        other = statements[following]
        if other.line != statements[position].end_line:
            return ""
        if other.kind == "comment":
            return other.text
        following += 1
    return ""
