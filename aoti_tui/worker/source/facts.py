"""What a source says about the way in which its programs must be run."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

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
    `branches`: programs run together may part ways; `speaks`: they print or stop for a debugger;
    `blocks`: sizes the kernel's own body sets.
    """

    flags: tuple[tuple[Place, str], ...] = ()
    ordered: bool = False
    cooperative: bool = False
    branches: bool = False
    speaks: bool = False
    blocks: dict[str, int] = field(default_factory=dict)


def facts_of(sources: Iterable[Source], kernel: ast.FunctionDef, waiting: Waiting) -> Facts:
    """The facts of a kernel and of all files whose functions it may call."""
    readers = []
    for source in sources:
        reader = _Reader(source.file, waiting)
        reader.visit(source.tree)
        readers.append(reader)
    own = _Reader("", waiting)
    own.visit(kernel)
    return Facts(
        flags=tuple(one for reader in readers for one in reader.flags),
        ordered=any(reader.ordered for reader in readers),
        cooperative=any(reader.cooperative for reader in readers),
        branches=any(reader.branches for reader in readers),
        speaks=any(reader.speaks for reader in readers),
        blocks=own.blocks,
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
        self.blocks: dict[str, int] = {}

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for statement in node.body:
            self.visit(statement)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        value = node.value
        if value is None:
            return
        if isinstance(value, ast.Constant) and type(value.value) is int:
            name = ast.unparse(node.target)
            if "BLOCK" in name.upper():
                self.blocks[name] = max(value.value, self.blocks.get(name, 1))
        self.visit(value)

    def visit_For(self, node: ast.For) -> None:
        self.branches = True
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self.branches = True
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
        if last in _SPEAKING:
            self.speaks = True
        if last in self.waiting.on_all:
            self.cooperative = True
        if last == "inline_asm_elementwise":
            self.flags.append((Place(self.file, node.lineno), INLINE_ASSEMBLY))
        self.generic_visit(node)
