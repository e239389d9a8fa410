"""Where in the user's program a launch was made, and what it said there."""

from __future__ import annotations

import ast
import functools
import linecache
import sys
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

from ..frames_of_ours import is_ours, is_tritons


@dataclass(frozen=True)
class CallSite:
    """`stack`: innermost first, frames of the user's program and of the packages it uses;
    `texts`: what was written for each argument, by position and by keyword."""

    file: str
    line: int
    end_line: int
    stack: tuple[dict[str, Any], ...]
    texts: tuple[str, ...] = ()
    keywords: dict[str, str] = field(default_factory=dict)


NO_CALL = CallSite("", 0, 0, ())


def call_site() -> CallSite:
    """The place from which the kernel that is about to run was launched."""
    frames = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not is_ours(frame.f_code.co_filename):
            frames.append(frame)
        frame = frame.f_back
    while frames and is_tritons(frames[0].f_code.co_filename):
        frames.pop(0)
    if not frames:
        return NO_CALL
    place, texts, keywords = _call(frames[0].f_code, frames[0].f_lasti, frames[0].f_lineno)
    return CallSite(
        frames[0].f_code.co_filename,
        place[0],
        place[1],
        tuple(_described(one) for one in frames),
        texts,
        keywords,
    )


def _described(frame: FrameType) -> dict[str, Any]:
    file = frame.f_code.co_filename
    return {
        "file": file,
        "line": frame.f_lineno,
        "function": frame.f_code.co_name,
        "code": linecache.getline(file, frame.f_lineno).strip(),
    }


@functools.lru_cache(maxsize=1024)
def _call(
    code: CodeType, instruction: int, line: int
) -> tuple[tuple[int, int], tuple[str, ...], dict[str, str]]:
    """First and last line of the call that runs, and the texts of its arguments."""
    tree = _tree(code.co_filename)
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    if hasattr(code, "co_positions"):
        # Since Python 3.11 an instruction knows the text that it came from.
        first, last, column, end = list(code.co_positions())[instruction // 2]
        exact = [
            node
            for node in calls
            if (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)
            == (first, last, column, end)
        ]
        calls = exact or calls
    launches = [node for node in calls if isinstance(node.func, ast.Subscript)] or calls
    if not launches:
        return (line, line), (), {}
    call = min(launches, key=lambda node: (node.end_lineno or 0) - node.lineno)
    texts: list[str] = []
    for argument in call.args:
        # What a starred argument stands for is not in the text.
        if isinstance(argument, ast.Starred):
            break
        texts.append(ast.unparse(argument))
    keywords = {k.arg: ast.unparse(k.value) for k in call.keywords if k.arg is not None}
    return (call.lineno, call.end_lineno or call.lineno), tuple(texts), keywords


@functools.lru_cache(maxsize=64)
def _tree(file: str) -> ast.Module:
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return ast.Module(body=[], type_ignores=[])
