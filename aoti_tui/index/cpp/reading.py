"""What reading a function body has gathered so far; the handlers add to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from aoti_tui.index.arguments import TensorView
from aoti_tui.index.cpp.expression import read
from aoti_tui.index.cpp.launchers import Launcher
from aoti_tui.index.cpp.statements import Statement
from aoti_tui.index.cpp.tensors import Made, Names
from aoti_tui.index.expression import Expr
from aoti_tui.index.model import (
    Buffer,
    BufferKind,
    ExternCall,
    Function,
    Gap,
    Input,
    Launch,
    ModelFrame,
    Output,
    RuntimeCheck,
    Scope,
    Symbol,
    SymbolKind,
)

_FLOAT = re.compile(r"z?uf\d|zf\d")


@dataclass(frozen=True, slots=True)
class Annotation:
    """The comment before a launch or an extern call."""

    source_nodes: tuple[str, ...] = ()
    aten: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PassedValue:
    """A ``var_3`` local that hands an argument to ``launchKernel`` (torch 2.5 and 2.6)."""

    text: str
    tensor: TensorView | None


@dataclass(slots=True)
class Reading:
    """The state of reading one function body from top to bottom."""

    function: Function
    launchers: Mapping[str, Launcher]
    passed_parameters: Callable[[str], tuple[str, ...]]
    """The run-time parameters of a kernel, for launches without a ``call_…`` function."""
    names: Names = field(default_factory=Names)
    scopes: list[Scope] = field(default_factory=list)
    frames: list[tuple[ModelFrame, ...]] = field(default_factory=list)
    annotation: Annotation = Annotation()
    debug_handles: dict[str, int] = field(default_factory=dict)

    positions: dict[str, int] = field(default_factory=dict)
    declared: dict[str, str] = field(default_factory=dict)
    """Type of scalars declared without a value (``int64_t u0_raw;``)."""
    items: dict[str, str] = field(default_factory=dict)
    """A raw scalar read from a tensor, to the tensor's name."""
    passed: dict[str, PassedValue] = field(default_factory=dict)
    argument_lists: dict[str, tuple[str, ...]] = field(default_factory=dict)
    grids: dict[str, tuple[Expr, ...]] = field(default_factory=dict)
    symbol_names: set[str] = field(default_factory=set)
    made_by: dict[str, str] = field(default_factory=dict)
    """``torch.ops.mylib.scale.default``, the operator that a check of a tensor's layout names."""
    operators: dict[str, str] = field(default_factory=dict)
    """Operators found by their schema (torch 2.5), by the local that holds them."""
    unfilled: set[str] = field(default_factory=set)
    """Tensors made empty for the next call to fill (``aoti_torch_new_uninitialized_tensor``)."""

    inputs: list[Input] = field(default_factory=list)
    symbols: list[Symbol] = field(default_factory=list)
    checks: list[RuntimeCheck] = field(default_factory=list)
    buffers: list[Buffer] = field(default_factory=list)
    externs: list[ExternCall] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    launches: list[Launch] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    all_scopes: list[Scope] = field(default_factory=list)
    warps: dict[str, tuple[int | None, int | None]] = field(default_factory=dict)
    """num_warps and shared memory by kernel, from ``launchKernel`` calls of the body."""

    def gap(self, statement: Statement, reason: str) -> None:
        self.gaps.append(Gap(statement.line, statement.text, reason))

    def where(self) -> tuple[Scope, ...]:
        return tuple(self.scopes)

    def enter(self, scope: Scope) -> None:
        self.scopes.append(scope)
        self.all_scopes.append(scope)

    def name_subgraph(self, name: str) -> None:
        """A ``// subgraph:`` comment names the scope it stands in; a ``while`` holds two."""
        if not self.scopes:
            return
        old = self.scopes[-1]
        renamed = replace(old, subgraph=name)
        self.scopes[-1] = renamed
        if old.subgraph:
            self.all_scopes.append(renamed)
        else:
            self.all_scopes[self.all_scopes.index(old)] = renamed

    def take_annotation(self) -> Annotation:
        taken, self.annotation = self.annotation, Annotation()
        return taken

    def symbol(
        self,
        name: str,
        line: int,
        kind: SymbolKind,
        expression: str,
        *,
        position: int | None = None,
        dim: int | None = None,
        tensor: str | None = None,
        declared: str = "",
    ) -> None:
        """``declared`` is the type that the wrapper gives the name, if any."""
        self.symbol_names.add(name)
        self.symbols.append(
            Symbol(
                name=name,
                line=line,
                kind=kind,
                expression=read(" ".join(expression.split())),
                function=self.function,
                type=_type_of(name, declared),
                position=position,
                dim=dim,
                tensor=tensor,
                scopes=self.where(),
            )
        )

    def buffer(self, name: str, line: int, made: Made) -> None:
        self.names.define(name)
        of = made.of
        self.buffers.append(
            Buffer(
                name=name,
                line=line,
                kind=made.kind,
                function=self.function,
                of=of.base if of is not None else None,
                sizes=made.sizes,
                strides=made.strides,
                dtype=made.dtype,
                offset=made.offset,
                scopes=self.where(),
                part=made.part,
            )
        )


def _type_of(name: str, declared: str) -> Literal["int", "float", "flag"]:
    """Inductor calls floats ``zuf0`` or ``zf1``, and what chooses a branch ``buf3_scalar``."""
    if _FLOAT.match(name) or declared.endswith(("double", "float")):
        return "float"
    return "flag" if name.endswith("_scalar") else "int"


def made_of(view: TensorView, kind: BufferKind) -> Made:
    """A tensor that is ``view``, under a name of its own."""
    return Made(kind, view, view.sizes, view.strides, view.dtype, view.offset)
