"""A function as it stands in a user's file: its text, its place, its tree."""

from __future__ import annotations

import ast
import inspect
import textwrap
from dataclasses import dataclass
from typing import Any

from .source import Source


@dataclass(frozen=True)
class Written:
    """`text` has the decorators; `line` and `end_line` are those of the whole in its file."""

    file: str
    name: str
    line: int
    end_line: int
    text: str
    tree: ast.FunctionDef

    @property
    def source(self) -> Source:
        """The function as the only one of its file."""
        return Source(self.file, ast.Module(body=[self.tree], type_ignores=[]), {})


def written(jit: Any) -> Written:
    """Where a triton.jit function stands, from what triton read when it was decorated.

    The file may have changed since then, and `src` may have been replaced (triton/runtime/jit.py,
    JITCallable).
    """
    function = jit.fn
    # Up to triton 3.4 a function keeps only what follows its decorators, and dedented.
    raw = getattr(jit, "raw_src", None)
    lines: list[str] = list(inspect.getsourcelines(jit.fn)[0] if raw is None else raw)
    first = int(jit.starting_line_number)
    offset = next((i for i, line in enumerate(lines) if line.lstrip().startswith("def ")), 0)
    tree = ast.parse(textwrap.dedent(jit.src)).body[0]
    if not isinstance(tree, ast.FunctionDef):
        raise TypeError(f"{jit.fn.__qualname__} is no function")
    ast.increment_lineno(tree, first + offset - tree.lineno)
    return Written(
        function.__code__.co_filename,
        function.__name__,
        first,
        first + len(lines) - 1,
        "".join(lines),
        tree,
    )
