"""The two chains of an assert: of its bound, which may be some tensor's size, and of its index."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from aoti_tui.failure.model import ProvenanceNode, Source
from aoti_tui.failure.provenance.products import size_behind
from aoti_tui.failure.provenance.tracing import Tracer
from aoti_tui.failure.provenance.tree import sources_of
from aoti_tui.failure.steps import (
    Bound,
    BufferDim,
    Computed,
    ConstantDim,
    FixedSize,
    Index,
    NotFollowed,
    Passed,
    Step,
    Unlimited,
)
from aoti_tui.flow.dataflow import Moment
from aoti_tui.index.arguments import TensorView
from aoti_tui.index.expression import Expr, number
from aoti_tui.index.model import Argument, Constant, Input, Kernel, Launch
from aoti_tui.kernel.asserts import raw_index
from aoti_tui.kernel.indexed import Access, indexed_accesses
from aoti_tui.kernel.model import KernelAssert, KernelProgram
from aoti_tui.kernel.parse import names_read
from aoti_tui.kernel.slice import slice_name


@dataclass(frozen=True, slots=True)
class Asserted:
    """An assert of a kernel, and the launch that it is asked of."""

    kernel: Kernel
    program: KernelProgram
    found: KernelAssert
    launch: Launch | None

    @property
    def before(self) -> int | None:
        """The statement before which its names are read; None for the end of the kernel."""
        return self.found.order if self.found.order >= 0 else None

    def node(
        self, step: Step, tracer: Tracer, name: str, *children: ProvenanceNode
    ) -> ProvenanceNode:
        """A step that stands where the assert does; ``name`` is what it has a value by."""
        return ProvenanceNode(
            step,
            self.kernel.wrapper_line(self.found.line),
            kernel=self.kernel.name,
            kernel_line=self.found.line,
            value=tracer.known.names.get(name),
            children=children,
            elsewhere=self.kernel.elsewhere(self.found.line),
        )

    def value(self, tracer: Tracer, name: str) -> ProvenanceNode:
        """The chain of one of the names that the assert reads."""
        tree = slice_name(self.program, name, self.before)
        return tracer.value(self.launch, self.kernel.name, tree)


def bound_tree(tracer: Tracer, asserted: Asserted) -> ProvenanceNode:
    """The chain of the bound: its size parameters, or the tensor whose size a literal is."""
    found = asserted.found
    text = found.upper or found.lower or ""
    if found.upper_node is None:
        children = [ProvenanceNode(Unlimited(text or "0"))]
    else:
        names = dict.fromkeys(names_read(found.upper_node))
        children = [asserted.value(tracer, name) for name in names]
    return asserted.node(
        Bound(text), tracer, text, *(children or [_literal(tracer, asserted, text)])
    )


def index_tree(tracer: Tracer, asserted: Asserted) -> ProvenanceNode:
    """The chain of the raw index, through the kernel, its launch and what wrote its buffers."""
    found = asserted.found
    raw = raw_index(asserted.program, found)
    if raw is None:
        return ProvenanceNode(NotFollowed("", "no index"))
    if raw.isidentifier():
        node = asserted.value(tracer, raw)
    else:
        names = dict.fromkeys(names_read(ast.parse(raw, mode="eval").body))
        made_of = [asserted.value(tracer, name) for name in names]
        node = asserted.node(Computed(raw), tracer, "", *made_of)
    rounds = () if sources_of(node) else _rounds(tracer, asserted)
    return asserted.node(Index(found.index or raw, raw), tracer, raw, node, *rounds)


def _rounds(tracer: Tracer, asserted: Asserted) -> Iterator[ProvenanceNode]:
    """What decides how often the loops around a launch run: an index that is made of nothing that
    the call is given counts their rounds."""
    launch = asserted.launch
    for scope in launch.scopes if launch is not None else ():
        ends = scope.exit.condition if scope.exit is not None else scope.condition
        if launch is None or scope.kind != "while" or ends is None:
            continue
        at = tracer.flow.before(launch)
        behind = [
            tracer.buffers.data(TensorView(name), at)
            for name in ends.names()
            if tracer.flow.storages(name, at)
        ]
        if any(map(sources_of, behind)):
            step = Computed(f"the rounds of the loop of line {scope.line}")
            yield ProvenanceNode(step, scope.line, children=tuple(behind))


def _literal(tracer: Tracer, asserted: Asserted, size: str) -> ProvenanceNode:
    """What a literal bound is the size of: the dimension of the tensor that the index walks."""
    launch = asserted.launch
    looked: list[Argument] = []
    for access in indexed_accesses(asserted.program, asserted.found):
        argument = launch.argument(access.pointer) if launch is not None else None
        if launch is None or argument is None or argument.tensor is None:
            continue
        looked.append(argument)
        node = _dimension(tracer, argument.tensor, size, access, launch)
        if node is not None:
            return ProvenanceNode(
                Passed(access.pointer, argument, access.line),
                launch.line,
                kernel=asserted.kernel.name,
                kernel_line=access.line,
                children=(node,),
            )
    return ProvenanceNode(FixedSize(size, tuple(looked)), source=Source("literal", name=size))


def _dimension(
    tracer: Tracer, view: TensorView, size: str, access: Access, launch: Launch
) -> ProvenanceNode | None:
    """The dimension of a tensor that has this literal size, by the stride of the access."""
    index = tracer.index
    at = tracer.flow.before(launch)
    for storage in (s.name for s in tracer.flow.storages(view.base, at)):
        constant = index.constant_named(storage)
        if constant is not None:
            node = _of_constant(constant, size, access)
            if node is not None:
                return node
            continue
        given = index.input_named(storage)
        if given is not None:
            dim = _dim_of_input(given, size, access.coefficient)
            if dim is not None:
                return tracer.sizes.dimension(given.position, dim, given.line)
            for guard in index.guards_of(given.position):
                if guard.check == "equals" and guard.value == size and guard.dim is not None:
                    return tracer.sizes.dimension(given.position, guard.dim, given.line)
    layout = tracer.flow.sizes_of(view, at)
    dim = _pick_dim(*layout, size, access.coefficient) if layout is not None else None
    if dim is None:
        return None
    line = tracer.flow.defined_at(view.base, at)
    if layout is not None:
        behind = _factor(tracer, view, dim, len(layout[0]), size, at)
        if behind is not None:
            return ProvenanceNode(BufferDim(view.base, dim, size), line, children=(behind,))
    return ProvenanceNode(
        BufferDim(view.base, dim, size),
        line,
        source=Source("buffer_dim", dim=dim, name=view.base, line=line),
    )


def _dim_of_input(given: Input, size: str, coefficient: str | None) -> int | None:
    """The dimension of that size, where the wrapper says the sizes of its arguments."""
    if given.sizes is None or given.strides is None:
        return None
    return _pick_dim(given.sizes, given.strides, size, coefficient)


def _factor(
    tracer: Tracer, view: TensorView, dim: int, rank: int, size: str, at: Moment
) -> ProvenanceNode | None:
    """The input's dimension that a column or row of a matrix product is."""
    for storage in tracer.flow.storages(view.base, at):
        for writer in tracer.flow.writers(storage, at):
            if writer.extern is None:
                return None
            found = size_behind(writer.extern, dim, rank)
            factor = found[0] if found is not None else None
            given = tracer.index.input_named(factor.base) if factor is not None else None
            if found is None or factor is None or given is None:
                return None
            step = None
            if factor.strides is not None and found[1] < len(factor.strides):
                step = str(factor.strides[found[1]])
            own = _dim_of_input(given, size, step)
            return None if own is None else tracer.sizes.dimension(given.position, own, given.line)
    return None


def _of_constant(constant: Constant, size: str, access: Access) -> ProvenanceNode | None:
    shape, stride = tuple(map(number, constant.shape)), tuple(map(number, constant.stride))
    dim = _pick_dim(shape, stride, size, access.coefficient)
    if dim is None:
        return None
    fqn = constant.fqn or constant.name
    return ProvenanceNode(
        ConstantDim(constant.name, constant, dim),
        constant.line,
        source=Source("constant_dim", dim=dim, name=constant.name, fqn=fqn, line=constant.line),
    )


def _pick_dim(
    sizes: tuple[Expr, ...], strides: tuple[Expr, ...], size: str, coefficient: str | None
) -> int | None:
    plain, steps = [str(s) for s in sizes], [str(s) for s in strides]
    matching = [dim for dim, s in enumerate(plain) if s == size]
    for dim in matching:
        if coefficient is not None and dim < len(steps) and steps[dim] == coefficient:
            return dim
    return matching[0] if matching else None
