"""Where the data of a tensor comes from: inputs, constants, and the launches and calls before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from aoti_tui.failure.model import ProvenanceNode, Source
from aoti_tui.failure.provenance.trail import Trail
from aoti_tui.failure.steps import (
    BufferData,
    Called,
    ConstantData,
    CutShort,
    InputData,
    NotFollowed,
    Written,
)
from aoti_tui.flow.dataflow import Moment, Storage, Writer
from aoti_tui.index.arguments import TensorView
from aoti_tui.index.model import (
    ExternCall,
    Function,
    Input,
    Launch,
    Symbol,
)
from aoti_tui.kernel.slice import SliceNode, slice_expression

_RANDOM_OPS = ("rand", "normal_", "uniform_", "bernoulli", "multinomial")
_CREATES_DATA = ("zero_", "zeros", "ones", "full", "fill_", "empty", "arange", "eye")

FollowValue = Callable[[Launch | None, str, SliceNode], ProvenanceNode]
"""Follows a value through a kernel, given launch and kernel name."""


class Buffers:
    """The part of a tracer that follows tensors from launch to launch."""

    def __init__(self, trail: Trail, follow: FollowValue) -> None:
        self.trail = trail
        self.follow = follow

    def data(self, view: TensorView, at: Moment) -> ProvenanceNode:
        """Where the data of a tensor comes from, as seen at a moment."""
        flow = self.trail.flow
        storages = flow.storages(view.base, at)
        children = [self._storage(storage, at) for storage in storages]
        if len(children) == 1 and children[0].name == view.base:
            return children[0]
        return ProvenanceNode(
            BufferData(view.base, tuple(dict.fromkeys(s.name for s in storages))),
            flow.defined_at(view.base, at),
            children=tuple(children),
        )

    def read_by(self, launch: Launch, view: TensorView) -> ProvenanceNode:
        """Where the data that a launch reads comes from."""
        return self.data(view, self.trail.flow.before(launch))

    def behind_size(self, tensor: str, symbol: Symbol) -> ProvenanceNode:
        """A size that is read from a tensor's value, or from the shape of an op whose output
        depends on data: an input at its end decides a size."""
        return _deciding(self.data(TensorView(tensor), self.trail.flow.before(symbol)))

    def _storage(self, storage: Storage, at: Moment) -> ProvenanceNode:
        name, line = storage.name, storage.line
        node = ProvenanceNode(BufferData(name), line)
        if not self.trail.first("storage", name, line, at.function, at.number):
            return node.again()
        if self.trail.too_long:
            return ProvenanceNode(CutShort(name))
        children: list[ProvenanceNode] = []
        for writer in self.trail.flow.writers(storage, at):
            children.append(self._written_by(writer))
            if writer.settles:
                return node.above(*children)
        origin = self._origin(name, at.function)
        if origin is not None:
            return node.above(*children, origin) if children else origin
        if not children and (storage.buffer is None or storage.buffer.kind != "result"):
            unknown = Source("unknown", name=name)
            return ProvenanceNode(NotFollowed(name, "no writer", at.line), line, source=unknown)
        return node.above(*children)

    def _origin(self, name: str, function: Function) -> ProvenanceNode | None:
        """An input or a constant of that name."""
        index = self.trail.index
        given = index.input_named(name)
        if given is not None:
            return self.input_data(given)
        if index.is_script:
            return self._made_by_script(name)
        constant = index.constant_named(name)
        if constant is None:
            return None
        if constant.folded and function.role != "constants":
            for made in index.buffers:
                if made.function.role == "constants" and made.name == name:
                    return self.data(TensorView(name), self.trail.flow.end(made.function))
        return ProvenanceNode(
            ConstantData(name, constant),
            constant.line,
            source=Source("constant", name=name, fqn=constant.fqn or name, line=constant.line),
        )

    def _made_by_script(self, name: str) -> ProvenanceNode | None:
        made = [one for one in self.trail.index.buffers if one.name == name]
        if not made:
            return None
        line = made[-1].line
        return ProvenanceNode(BufferData(name), line, source=Source("tensor", name=name, line=line))

    def input_data(self, given: Input) -> ProvenanceNode:
        return ProvenanceNode(
            InputData(given.name, given),
            given.line,
            value=self.trail.known.inputs.get(given.position),
            source=Source(
                "input_value" if given.is_scalar else "input",
                given.position,
                name=given.name,
                line=given.line,
                user=self.trail.user(given.position),
            ),
        )

    def _written_by(self, writer: Writer) -> ProvenanceNode:
        launch, argument = writer.launch, writer.argument
        if launch is None or argument is None:
            assert writer.extern is not None
            return self._called(writer.extern)
        access = self.trail.flow.access(launch)
        stores = []
        if access.known:
            program = self.trail.program_of(launch.kernel)
            stores = [s for s in program.stores if argument.parameter in s.pointers]
        node = ProvenanceNode(
            Written(launch.kernel, launch, argument.parameter, source=access.known),
            launch.line,
            kernel=launch.kernel if access.known else None,
            kernel_line=stores[0].line if stores else None,
        )
        if not self.trail.first("write", launch.id, argument.parameter):
            return node.again()
        if not access.known:
            # The source is not there: all that the launch may read counts.
            read = (a.tensor for a in launch.arguments if a.parameter in access.reads)
            return node.above(*(self.read_by(launch, view) for view in read if view is not None))
        values: list[ProvenanceNode] = []
        for store in stores:
            if store.value is None:
                continue
            tree = slice_expression(program, store.value, store.order, store.line)
            values.extend(self.follow(launch, launch.kernel, leaf) for leaf in tree.children)
        return node.above(*values)

    def _called(self, extern: ExternCall) -> ProvenanceNode:
        node = ProvenanceNode(Called(extern.op, extern), extern.line)
        if not self.trail.first("extern", extern.line):
            return node.again()
        at = self.trail.flow.before(extern)
        read = [self.data(view, at) for view in extern.reads]
        source = None
        if any(part in extern.op for part in _RANDOM_OPS):
            source = Source("random", name=extern.op, line=extern.line)
        elif not read and not any(part in extern.op for part in _CREATES_DATA):
            source = Source("unknown", name=extern.op, line=extern.line)
        return replace(node.above(*read), source=source)


def _deciding(node: ProvenanceNode) -> ProvenanceNode:
    """The same chain, where an input's data decides a size: ``input`` becomes ``input_value``."""
    source = node.source
    if source is not None and source.kind == "input":
        source = replace(source, kind="input_value")
    return replace(node, source=source, children=tuple(map(_deciding, node.children)))
