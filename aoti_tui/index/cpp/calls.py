"""Taking one C++ statement apart: calls, arguments, brace lists, string literals."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_TEMPLATE = r"<[\w:\s,*&]*(?:<[\w:\s,*&]*>[\w:\s,*&]*)*>"
_BRACKET = re.compile(
    rf"""R"(?P<fence>[^()\s\\"]{{0,16}})\(.*?\)(?P=fence)"|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'"""
    rf"""|(?<=\w){_TEMPLATE}|[()\[\]{{}},]""",
    re.S,
)
_CALL = re.compile(rf"([A-Za-z_][\w:.]*(?:->[\w.]+)*(?:{_TEMPLATE})?(?:::\w+)*)\s*\(")
_STRING = re.compile(r'R"([^()\s\\"]{0,16})\((.*?)\)\1"|"((?:\\.|[^"\\])*)"', re.S)
_ESCAPE = re.compile(r"\\(.)", re.S)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


@dataclass(frozen=True, slots=True)
class Call:
    """``name(arguments)``, the whole of a text."""

    name: str
    arguments: tuple[str, ...]


def split_arguments(text: str) -> tuple[str, ...]:
    """The parts of ``text`` between commas that stand outside of every bracket and string."""
    return _parts(text, 0)[0]


def _parts(text: str, start: int) -> tuple[tuple[str, ...], int]:
    """The parts from ``start`` up to the bracket that closes them (or the end), and where it is."""
    parts: list[str] = []
    depth = 0
    end = len(text)
    for match in _BRACKET.finditer(text, start):
        sign = match.group()
        if sign in ("(", "[", "{"):
            depth += 1
        elif sign in (")", "]", "}"):
            depth -= 1
            if depth < 0:
                end = match.start()
                break
        elif sign == "," and depth == 0:
            parts.append(text[start : match.start()].strip())
            start = match.end()
    last = text[start:end].strip()
    # "{s0, }" and "f()" end in nothing.
    return (*parts, *([last] if last else [])), end


def closing(text: str, opened: int) -> int:
    """Position of the bracket that closes the one at ``opened``; -1 when there is none."""
    depth = 0
    for match in _BRACKET.finditer(text, opened):
        sign = match.group()
        if sign in ("(", "[", "{"):
            depth += 1
        elif sign in (")", "]", "}"):
            depth -= 1
            if depth == 0:
                return match.start()
    return -1


@lru_cache(maxsize=256)
def parse_call(text: str) -> Call | None:
    """``text`` as one call that spans all of it, or None."""
    text = text.strip()
    match = _CALL.match(text)
    if match is None:
        return None
    arguments, end = _parts(text, match.end())
    return Call(match.group(1), arguments) if end == len(text) - 1 else None


def checked_call(text: str) -> Call | None:
    """Like :func:`parse_call`, looking inside ``AOTI_TORCH_ERROR_CODE_CHECK(…)``."""
    call = parse_call(text)
    while (
        call is not None
        and call.name in ("AOTI_TORCH_ERROR_CODE_CHECK", "AOTI_RUNTIME_ERROR_CODE_CHECK")
        and len(call.arguments) == 1
    ):
        call = parse_call(call.arguments[0])
    return call


def braced(text: str) -> tuple[str, ...] | None:
    """The elements of ``{a, b}``, or None when ``text`` is no brace list."""
    text = text.strip()
    if not text.startswith("{") or closing(text, 0) != len(text) - 1:
        return None
    return split_arguments(text[1:-1])


def string_literal(text: str) -> str | None:
    """The value of a C++ string literal (adjacent and raw ones too); None without any."""
    found = list(_STRING.finditer(text))
    if not found:
        return None
    return "".join(
        m.group(2)
        if m.group(2) is not None
        else _ESCAPE.sub(lambda e: _ESCAPES.get(e.group(1), e.group(1)), m.group(3))
        for m in found
    )
