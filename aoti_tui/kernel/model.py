"""What one kernel's Python source says. Lines are kernel lines (see index.model.Kernel).

The forms are those of torch/_inductor/codegen/triton.py.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Load:
    """``tl.load(pointer + (offset), mask)``, or a call that reads through a pointer handed to it.

    ``pointers`` are the parameters the address can point into (one, but for odd user kernels).
    """

    line: int
    pointers: tuple[str, ...]
    offset: ast.expr | None
    mask: ast.expr | None
    node: ast.AST


@dataclass(frozen=True, slots=True)
class Store:
    """``tl.store(pointer + (offset), value, mask)`` or an atomic."""

    line: int
    pointers: tuple[str, ...]
    offset: ast.expr | None
    value: ast.expr | None
    mask: ast.expr | None
    atomic: str
    """``add``, ``max``, … for ``tl.atomic_*``; words where only a helper knows; else ``""``."""
    order: int
    """Position among the kernel's statements."""
    through: str = ""
    """The helper or descriptor that stores, when the address is not known: ``value`` is its
    call."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """One assignment, in source order. ``order`` counts all statements of the function."""

    line: int
    end_line: int
    names: tuple[str, ...]
    value: ast.expr
    text: str
    """Right-hand side as written."""
    order: int
    loop: int | None
    """Line of the innermost loop that holds it."""
    reads: tuple[str, ...]
    """Names the right-hand side reads, in order of appearance."""
    loads: tuple[Load, ...]
    is_temporary: bool
    """The target is ``tmpN``."""


@dataclass(frozen=True, slots=True)
class KernelAssert:
    """``tl.device_assert(((0 <= tmp10) & (tmp10 < ks0)) | ~(xmask), "index out of bounds: …")``.

    ``lower`` and ``upper`` are texts of the bounds or None when the assert is one-sided;
    ``index`` is the checked expression, with ``tl.broadcast_to`` removed from it;
    ``mask`` names the lanes for which the assert counts, or is None when all do.
    """

    line: int
    message: str
    condition: ast.expr
    index: str | None
    lower: str | None
    upper: str | None
    upper_node: ast.expr | None
    mask: str | None
    order: int
    disabled: bool = False
    """Commented out (``# tl.device_assert``): cannot fire."""


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop: its lines, its variable (``""`` for a ``while``) and the names its range reads."""

    line: int
    end_line: int
    variable: str
    reads: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KernelProgram:
    """One kernel function and what is known of each of its names."""

    function: str
    line: int
    """Line of the ``def``."""
    parameters: tuple[str, ...]
    constexprs: tuple[str, ...]
    assignments: tuple[Assignment, ...]
    asserts: tuple[KernelAssert, ...]
    stores: tuple[Store, ...]
    loads: tuple[Load, ...]
    """Of assignments and of all other statements, in source order."""
    loops: tuple[Loop, ...]
    helpers: tuple[str, ...]
    """Other functions of the source."""
    problem: str = ""
    """Why the source could not be understood (a syntax error), else empty."""
    by_name: dict[str, tuple[Assignment, ...]] = field(default_factory=dict)
    helper_nodes: dict[str, ast.FunctionDef] = field(default_factory=dict)
    helper_files: dict[str, str] = field(default_factory=dict)
    """Files of those helpers that stand in another one than the kernel."""

    def definition(self, name: str, before: int | None = None) -> Assignment | None:
        """The last assignment of ``name`` before statement ``before`` (or the last of all)."""
        found = None
        for assignment in self.by_name.get(name, ()):
            if before is None or assignment.order < before:
                found = assignment
        return found

    def assignment_at(self, line: int) -> Assignment | None:
        return next((a for a in self.assignments if a.line <= line <= a.end_line), None)

    def assert_at(self, line: int) -> KernelAssert | None:
        return next((a for a in self.asserts if a.line == line), None)
