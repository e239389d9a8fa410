"""What a source says about the way in which its programs must be run."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from .place import Place
from .source import Source

_SPEAKING = frozenset(["print", "device_print", "breakpoint", "set_trace"])
INLINE_ASSEMBLY = "of inline PTX a CPU runs only what calculates with values"


@dataclass(frozen=True)
class Waiting:
    """Helpers through which the programs of a grid wait: for earlier ones, or for all others."""

    on_earlier: frozenset[str] = frozenset()
    on_all: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Facts:
    """`ordered`: programs depend on earlier ones; `cooperative`: they meet at a grid barrier;
    `waits`: they may wait in a loop for what others write; `branches`: programs run together may
    part ways; `speaks`: they print or stop for a debugger.
    """

    flags: tuple[tuple[Place, str], ...] = ()
    ordered: bool = False
    cooperative: bool = False
    waits: bool = False
    branches: bool = False
    speaks: bool = False


def facts_of(sources: Iterable[Source], waiting: Waiting) -> Facts:
    """The facts of a kernel and of all files whose functions it may call."""
    readers = []
    for source in sources:
        reader = _Reader(source.file, waiting)
        reader.visit(source.tree)
        readers.append(reader)
    loops, polls = (any(getattr(reader, kind) for reader in readers) for kind in ("loops", "polls"))
    return Facts(
        flags=tuple(one for reader in readers for one in reader.flags),
        ordered=any(reader.ordered for reader in readers) or (loops and polls),
        cooperative=any(reader.cooperative for reader in readers),
        waits=loops and polls,
        branches=any(reader.branches for reader in readers),
        speaks=any(reader.speaks for reader in readers),
    )


class _Reader(ast.NodeVisitor):
    def __init__(self, file: str, waiting: Waiting) -> None:
        self.file = file
        self.waiting = waiting
        self.flags: list[tuple[Place, str]] = []
        self.ordered = False
        self.cooperative = False
        self.branches = False
        self.speaks = False
        self.loops = False
        self.polls = False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for statement in node.body:
            self.visit(statement)

    def visit_For(self, node: ast.For) -> None:
        self.branches = True
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self.branches = self.loops = True
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        self.branches = True
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.branches = True
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call) and "atomic" in ast.unparse(node.value.func):
            # Nobody reads what the atomic found, so the order of programs does not show.
            if "cas" in ast.unparse(node.value.func):
                self.ordered = True
            for child in ast.iter_child_nodes(node.value):
                self.visit(child)
            return
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        called = ast.unparse(node.func)
        last = called.rsplit(".", 1)[-1]
        if last in self.waiting.on_earlier or last.startswith("atomic_"):
            self.ordered = True
        if last.startswith("atomic_") or any(word.arg == "volatile" for word in node.keywords):
            self.polls = True
        if last in _SPEAKING:
            self.speaks = True
        if last in self.waiting.on_all:
            self.cooperative = True
        if last == "inline_asm_elementwise":
            self.flags.append((Place(self.file, node.lineno), INLINE_ASSEMBLY))
        self.generic_visit(node)
