"""Kernel sources wherever they stand: in a wrapper's comment or in a file beside it.

Everywhere line 1 of a kernel is the ``async_compile.triton('…', '''`` line: Inductor writes the
text after the quotes into a file of its own and that file is what a GPU assert counts, so line 1
of such a cache file is the empty rest of that line.
Formats: torch/_inductor/codegen/triton.py (define_kernel), torch/_inductor/async_compile.py,
torch/_inductor/codecache.py (PyCodeCache).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

SOURCE_MARK = "async_compile.triton("
"""What stands before every kernel source."""
_OPENING = re.compile(
    r"^(?P<indent>[ \t]*)(?:(?P<name>\w+)\s*=\s*)?async_compile\.triton\(\s*"
    r"(?P<quote>['\"])(?P<function>\w+)(?P=quote)\s*,\s*r?(?P<fence>'''|\"\"\")",
    re.M,
)
_DEF = re.compile(r"^def (triton_\w*|\w+)\(", re.M)
_KERNEL_NAME = re.compile(r"'kernel_name': '(\w+)'")
_HEURISTIC = re.compile(r"^@triton_heuristics\.\w+\(", re.M)


@dataclass(frozen=True, slots=True)
class KernelSource:
    """The source of one kernel, with kernel line 1 first."""

    name: str
    """The name launches use."""
    function: str
    """The name of the ``def`` as its file says it."""
    path: str | None
    """The file that holds it; None for the wrapper itself."""
    line: int
    """Line of kernel line 1 in that file."""
    lines: tuple[str, ...]
    """Without common indentation; the last is the closing ``''', device_str='cuda')`` line, or
    ``""`` where the file ends instead."""
    closed: bool = True
    """False when the text ends before the source does."""


def find_kernel_sources(text: str, path: str) -> dict[str, KernelSource]:
    """Every kernel source of a Python file, by the name launches use.

    Takes autotune blocks, ``output_code.py`` and a cache file of one kernel (which has no
    ``async_compile`` around it). Any other text gives an empty dict.
    """
    found: dict[str, KernelSource] = {}
    for source in embedded_sources(text, path):
        found.setdefault(source.name, source)
    if not found:
        single = _cache_file(text, path)
        if single is not None:
            found[single.name] = single
    return found


def embedded_sources(text: str, path: str | None, line: int = 1) -> Iterator[KernelSource]:
    """The ``async_compile.triton('…', '''…''')`` blocks of ``text``, which starts at ``line``."""
    position = 0
    counted = 0
    while True:
        match = _OPENING.search(text, position)
        if match is None:
            return
        line += text.count("\n", counted, match.start())
        counted = match.start()
        end = text.find(match["fence"], match.end())
        closed = end >= 0
        last = text.find("\n", end) if closed else len(text)
        last = len(text) if last < 0 else last
        lines = text[match.start() : last].split("\n")
        if not closed:
            lines.append("")
        indent = match["indent"]
        yield KernelSource(
            name=match["name"] or match["function"],
            function=match["function"],
            path=path,
            line=line,
            lines=tuple(s.removeprefix(indent).rstrip("\r") for s in lines),
            closed=closed,
        )
        position = last


def _cache_file(text: str, path: str) -> KernelSource | None:
    decorator = _HEURISTIC.search(text)
    if decorator is None:
        return None
    definition = _DEF.search(text, decorator.end())
    if definition is None:
        return None
    function = definition.group(1)
    named = _KERNEL_NAME.search(text, decorator.start(), definition.start())
    return KernelSource(
        name=named.group(1) if named else function,
        function=function,
        path=path,
        line=1,
        lines=(*text.rstrip("\n").split("\n"), ""),
        closed=_parses(text),
    )


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
