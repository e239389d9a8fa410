"""Following a value from a kernel's name through launches, symbols and buffers to model inputs and
constants.

What cannot be followed ends in a :class:`~aoti_tui.failure.steps.NotFollowed` that says
why; nothing is left out in silence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aoti_tui.failure.model import ProvenanceNode, Source
from aoti_tui.failure.provenance.buffers import Buffers
from aoti_tui.failure.provenance.known import Known
from aoti_tui.failure.provenance.sizes import Sizes, divided
from aoti_tui.failure.provenance.trail import Trail
from aoti_tui.failure.steps import (
    BlockSize,
    CutShort,
    Extent,
    FixedParameter,
    Load,
    Modulus,
    NotFollowed,
    Passed,
    RandomNumbers,
    Step,
    Temporary,
)
from aoti_tui.flow.dataflow import DataFlow
from aoti_tui.index.expression import Expr
from aoti_tui.index.model import Argument, Launch, WrapperIndex
from aoti_tui.index.python.expression import read_python
from aoti_tui.kernel.model import KernelProgram
from aoti_tui.kernel.slice import SliceNode


class Tracer:
    """Builds provenance for one question; every repeated step is shown once."""

    def __init__(
        self,
        index: WrapperIndex,
        program_of: Callable[[str], KernelProgram],
        flow: DataFlow,
        known: Known | None = None,
        indexed: Sequence[int] = (),
    ) -> None:
        self.index = index
        self.flow = flow
        self.known = known or Known()
        self._trail = Trail(index, program_of, flow, self.known)
        self.buffers = Buffers(self._trail, self.value)
        self.sizes = Sizes(self._trail, self.buffers, indexed)

    def value(self, launch: Launch | None, kernel: str, tree: SliceNode) -> ProvenanceNode:
        """The chain of a kernel slice, its ends followed through ``launch``."""
        self._trail.count()
        if self._trail.too_long:
            return ProvenanceNode(CutShort(tree.name))
        if tree.kind == "parameter":
            return self._passed(launch, kernel, tree)
        children: list[ProvenanceNode] = []
        if tree.kind in ("load", "extent"):
            children.append(self._passed(launch, kernel, tree))
        children.extend(self.value(launch, kernel, child) for child in tree.children)
        entry = self.index.kernels.get(kernel)
        return ProvenanceNode(
            _step(tree),
            entry.wrapper_line(tree.line) if entry and tree.line else None,
            kernel=kernel,
            kernel_line=tree.line,
            value=self.known.names.get(tree.name) if tree.name else None,
            children=tuple(children),
            source=_source(tree),
            seen=tree.kind == "seen",
            elsewhere=entry.elsewhere(tree.line) if entry and tree.line else None,
        )

    def _passed(self, launch: Launch | None, kernel: str, leaf: SliceNode) -> ProvenanceNode:
        """What a launch passes for the parameter at the end of a slice."""
        if launch is None:
            return ProvenanceNode(NotFollowed(leaf.name, "never launched", kernel=kernel))
        argument = launch.argument(leaf.name)
        if argument is None:
            return self._fixed(launch, leaf)
        children: list[ProvenanceNode] = []
        if argument.tensor is None:
            children = [
                self.sizes.of(n, self.flow.before(launch))
                for n in self._names(argument, leaf, launch)
            ]
        elif leaf.kind == "load":
            children = [self.buffers.read_by(launch, argument.tensor)]
        return ProvenanceNode(
            Passed(argument.parameter, argument),
            launch.line,
            kernel=launch.kernel,
            value=self._trail.value(argument.parameter),
            children=tuple(children),
        )

    def _names(self, argument: Argument, leaf: SliceNode, launch: Launch) -> tuple[str, ...]:
        """Names of a number that is passed, for an extent without the factors its divisor takes
        away.

        A lane number divided by ``ks0`` runs to ``xnumel // ks0``: where the launch gives
        ``xnumel = s0*s1`` and ``ks0 = s1``, only ``s0`` bounds it.
        """
        if argument.value is None:
            return ()
        if leaf.kind == "extent" and leaf.divisor:
            divisor = _divisor(leaf.divisor, launch)
            if divisor is not None:
                remaining = divided(self._resolved(argument.value, launch), divisor)
                if remaining is not None:
                    return remaining
        return argument.value.names()

    def _resolved(self, value: Expr, launch: Launch) -> Expr:
        symbol = self.flow.symbol(value.written, self.flow.before(launch))
        return symbol.expression if symbol is not None and symbol.kind == "expression" else value

    def _fixed(self, launch: Launch, leaf: SliceNode) -> ProvenanceNode:
        entry = self.index.kernels.get(launch.kernel)
        fixed = entry.constants.get(leaf.name) if entry is not None else None
        step: Step = NotFollowed(leaf.name, "no argument")
        if fixed is not None:
            step = FixedParameter(leaf.name, str(fixed))
        return ProvenanceNode(step, launch.line)


def _step(tree: SliceNode) -> Step:
    if tree.kind == "load":
        return Load(tree.name, tree.text)
    if tree.kind == "extent":
        return Extent(tree.name, tree.text, tree.divisor)
    if tree.kind == "literal":
        return Modulus(tree.name, tree.text)
    if tree.kind == "random":
        return RandomNumbers(tree.name, tree.text)
    if tree.kind == "constant":
        return BlockSize(tree.name)
    if tree.kind == "unknown":
        return NotFollowed(tree.name, "not in the kernel")
    return Temporary(tree.name, tree.text, tree.operation)


def _source(tree: SliceNode) -> Source | None:
    if tree.kind == "random":
        return Source("random", name=tree.name)
    if tree.kind == "unknown":
        return Source("unknown", name=tree.name)
    return None


def _divisor(text: str, launch: Launch) -> Expr | None:
    """What a kernel divides by: the launch's argument, or an expression of the kernel itself."""
    argument = launch.argument(text)
    if argument is not None:
        return argument.value
    return read_python(text)
