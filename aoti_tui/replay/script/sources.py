"""The files that a script's kernels stand in: their lines, and their ``@triton.jit`` functions."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aoti_tui.artifacts.text_encoding import encoding_of
from aoti_tui.kernel.model import KernelProgram
from aoti_tui.kernel.parse import parse_kernel, read_function
from aoti_tui.replay.script.model import JitFunction, SeenKernel


@dataclass(slots=True)
class _File:
    lines: tuple[str, ...]
    functions: list[ast.FunctionDef] = field(default_factory=list)
    """Its functions for kernels, in order."""


class Sources:
    """Files as they are when they are first asked for, and the programs of their functions."""

    def __init__(self) -> None:
        self._files: dict[str, _File | None] = {}
        self._programs: dict[tuple[str, int, tuple[str, ...]], KernelProgram] = {}

    def lines(self, file: str) -> tuple[str, ...] | None:
        """The lines of a file; None where it cannot be read."""
        found = self._file(file)
        return found.lines if found is not None else None

    def know(self, function: JitFunction) -> None:
        """Take in the source of a function, in case that its file is none (a notebook's cell)."""
        if self._file(function.file) is None and function.source:
            above = ("",) * (function.line - 1)
            lines = (*above, *function.source.splitlines())
            self._files[function.file] = _read(lines)

    def program_of(self, kernel: SeenKernel, pointers: tuple[str, ...] = ()) -> KernelProgram:
        """A kernel's source, understood, with the helpers that it calls, of other files too."""
        function = kernel.function
        found = self._file(function.file)
        node = self._function_at(function.file, function.end_line)
        if found is None or node is None:
            return parse_kernel(_placed(function), function.name, pointers or None)
        key = (function.file, node.lineno, pointers)
        if key not in self._programs:
            helpers, files = self._helpers(kernel)
            self._programs[key] = read_function(
                node, {**_named(found, node), **helpers}, list(found.lines), pointers or None, files
            )
        return self._programs[key]

    def program_at(self, file: str, line: int) -> KernelProgram | None:
        """The program of the function for kernels that a line is in; None for any other line."""
        found, node = self._file(file), self._function_at(file, line)
        if found is None or node is None:
            return None
        key = (file, node.lineno, ())
        if key not in self._programs:
            lines = list(found.lines)
            self._programs[key] = read_function(node, _named(found, node), lines)
        return self._programs[key]

    def _helpers(self, kernel: SeenKernel) -> tuple[dict[str, ast.FunctionDef], Mapping[str, str]]:
        """Helpers that stand in other files, and which."""
        nodes: dict[str, ast.FunctionDef] = {}
        files: dict[str, str] = {}
        for helper in kernel.helpers:
            if helper.file == kernel.function.file:
                continue
            node = self._function_at(helper.file, helper.end_line)
            if node is not None:
                nodes[helper.name], files[helper.name] = node, helper.file
        return nodes, files

    def _function_at(self, file: str, line: int) -> ast.FunctionDef | None:
        """The innermost function for kernels that a line is in, its decorators included."""
        found = self._file(file)
        fits = [f for f in found.functions if _holds(f, line)] if found is not None else []
        return fits[-1] if fits else None

    def _file(self, file: str) -> _File | None:
        if file not in self._files:
            self._files[file] = _opened(file)
        return self._files[file]


def _opened(file: str) -> _File | None:
    try:
        data = Path(file).read_bytes()
        text = data.decode(encoding_of(data), "replace")
    except (OSError, LookupError, ValueError):
        return None
    return _read(tuple(text.splitlines()))


def _read(lines: tuple[str, ...]) -> _File:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            module = ast.parse("\n".join(lines) + "\n")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _File(lines)
    found = [node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)]
    return _File(lines, sorted(filter(_is_jit, found), key=lambda node: node.lineno))


def _is_jit(node: ast.FunctionDef) -> bool:
    """Whether one of the decorators is a ``jit``: what they are called in the end is not known."""
    return any("jit" in ast.unparse(one) for one in node.decorator_list)


def _holds(node: ast.FunctionDef, line: int) -> bool:
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    return first <= line <= (node.end_lineno or node.lineno)


def _named(found: _File, node: ast.FunctionDef) -> dict[str, ast.FunctionDef]:
    return {other.name: other for other in found.functions if other is not node}


def _placed(function: JitFunction) -> str:
    """A function's source at its own line numbers."""
    return "\n" * (function.line - 1) + function.source


def functions_of(kernels: Mapping[str, SeenKernel]) -> Iterator[JitFunction]:
    """All functions that launched kernels are made of."""
    for kernel in kernels.values():
        yield kernel.function
        yield from kernel.helpers
