"""What reading a wrapper's functions has gathered so far; the handlers add to it.

A function that ``call`` hands a list of arguments (a partition, a branch, a loop's body) is read
where it is called, with its parameters standing for what they are given.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from aoti_tui.index.arguments import TensorView
from aoti_tui.index.expression import ZERO, Expr
from aoti_tui.index.model import (
    Body,
    Buffer,
    BufferKind,
    ExternCall,
    Function,
    Gap,
    Guard,
    Input,
    Kernel,
    Launch,
    Output,
    RuntimeCheck,
    Scope,
    Symbol,
    SymbolKind,
)
from aoti_tui.index.nodes import Name, Node, Unknown, put
from aoti_tui.index.nodes import Reading as Element
from aoti_tui.index.python.comments import Annotation
from aoti_tui.index.python.expression import read_size
from aoti_tui.index.python.outline import Outline

Item = TensorView | Expr | None
"""What a name or an argument stands for; None is Python's own."""


@dataclass(slots=True)
class Reading:
    """The state of reading a wrapper from the top of ``call`` to its end."""

    outline: Outline
    lines: Sequence[str]
    kernels: Mapping[str, Kernel]
    annotations: Sequence[tuple[int, Annotation]]
    dimensions: Mapping[str, tuple[tuple[str, int], ...]]
    """The dimensions of inputs that are checked to be a symbol, by its name."""
    function: Function
    annotated: int = 0
    """The line up to which annotations have been given away."""

    tensors: dict[str, TensorView] = field(default_factory=dict)
    """Names of tensors, with what they stand for: mostly themselves."""
    numbers: dict[str, Node] = field(default_factory=dict)
    lists: dict[str, tuple[Item, ...]] = field(default_factory=dict)
    slots: dict[str, int] = field(default_factory=dict)
    """Lists that are made empty and filled later, with their lengths."""
    sizes: dict[str, str] = field(default_factory=dict)
    """``x_size = x.size()``, by the name it is given."""
    grids: dict[str, tuple[Expr, ...]] = field(default_factory=dict)
    results: dict[str, tuple[Item, ...]] = field(default_factory=dict)
    """What a function that was read gives back."""
    returned: tuple[Item, ...] = ()
    bodies: list[Body] = field(default_factory=list)

    scopes: list[Scope] = field(default_factory=list)
    all_scopes: list[Scope] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)
    symbols: list[Symbol] = field(default_factory=list)
    guards: list[Guard] = field(default_factory=list)
    checks: list[RuntimeCheck] = field(default_factory=list)
    buffers: list[Buffer] = field(default_factory=list)
    externs: list[ExternCall] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    launches: list[Launch] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)

    # -- text and expressions -----------------------------------------------------------------

    def text(self, node: ast.AST) -> str:
        """``node`` as it is written, on one line."""
        first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
        if first == last and first:
            written = self.lines[first - 1].encode()
            return written[node.col_offset : node.end_col_offset].decode()  # type: ignore[attr-defined]
        return ast.unparse(node)

    def expression(self, node: ast.expr) -> Expr:
        """A number; its names are those of ``call``, not those of the function it stands in."""
        found = read_size(node, self.text(node))
        if isinstance(found.root, Unknown):
            return found
        nodes: dict[str, Node] = {}
        for name in found.names():
            if name in self.numbers:
                nodes[name] = self.numbers[name]
            elif name in self.tensors:
                # A tensor that stands where a number does: `while should_loop:`.
                nodes[name] = Element(self.tensors[name].base, "item")
        root = put(found.root, nodes)
        return found if root == found.root else Expr(found.written, root)

    def numbers_of(self, node: ast.expr) -> tuple[Expr, ...] | None:
        """A tuple or list of numbers, as sizes are written."""
        if not isinstance(node, (ast.Tuple, ast.List)):
            return None
        return tuple(self.expression(e) for e in node.elts)

    # -- what was read ------------------------------------------------------------------------

    def gap(self, node: ast.AST, reason: str) -> None:
        line = getattr(node, "lineno", 1)
        self.gaps.append(Gap(line, self.lines[line - 1].strip(), reason))

    def where(self) -> tuple[Scope, ...]:
        return tuple(self.scopes)

    def enter(self, scope: Scope) -> None:
        self.scopes.append(scope)
        self.all_scopes.append(scope)

    def name_subgraph(self, name: str) -> None:
        """Names the innermost scope after the function that it runs."""
        if self.scopes:
            named = replace(self.scopes[-1], subgraph=name)
            if self.scopes[-1] in self.all_scopes and not self.scopes[-1].subgraph:
                self.all_scopes.remove(self.scopes[-1])
            self.scopes[-1] = named
            self.all_scopes.append(named)

    def annotation(self, line: int) -> Annotation:
        """The comment above a call on ``line``, given once."""
        found = Annotation()
        for number, annotation in self.annotations:
            if self.annotated < number < line:
                found = annotation
        self.annotated = line
        return found

    def input_named(self, name: str) -> Input | None:
        return next((i for i in self.inputs if i.name == name), None)

    def define(self, name: str) -> None:
        """``name`` is a tensor of its own from here on."""
        self.tensors[name] = TensorView(name)
        self.numbers.pop(name, None)
        self.lists.pop(name, None)

    def buffer(
        self,
        name: str,
        line: int,
        kind: BufferKind,
        of: TensorView | None = None,
        *,
        sizes: tuple[Expr, ...] | None = None,
        strides: tuple[Expr, ...] | None = None,
        dtype: str | None = None,
        offset: Expr = ZERO,
        part: int = 0,
    ) -> None:
        """Keeps where a tensor gets its memory; the layout is that of ``of`` unless it is said."""
        self.define(name)
        if of is not None and sizes is None:
            sizes, strides, dtype, offset = of.sizes, of.strides, of.dtype or dtype, of.offset
        self.buffers.append(
            Buffer(
                name=name,
                line=line,
                kind=kind,
                function=self.function,
                of=of.base if of is not None else None,
                sizes=sizes,
                strides=strides,
                dtype=dtype,
                offset=offset,
                scopes=self.where(),
                part=part,
            )
        )

    def symbol(
        self,
        name: str,
        line: int,
        kind: SymbolKind,
        expression: Expr,
        *,
        position: int | None = None,
        dim: int | None = None,
        tensor: str | None = None,
        number: int | None = None,
    ) -> None:
        self.numbers[name] = Name(name)
        self.tensors.pop(name, None)
        self.symbols.append(
            Symbol(
                name=name,
                line=line,
                kind=kind,
                expression=expression,
                function=self.function,
                type=_type_of(name),
                position=position,
                dim=dim,
                tensor=tensor,
                scopes=self.where(),
                number=number,
            )
        )


def _type_of(name: str) -> Literal["int", "float"]:
    """Inductor calls floats ``zuf0`` or ``zf1``."""
    return "float" if name.lstrip("z").startswith(("uf", "f")) and name[-1].isdigit() else "int"
