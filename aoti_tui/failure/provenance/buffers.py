"""Where the data of a tensor comes from: inputs, constants, and the launches and calls before."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from aoti_tui.failure.model import ProvenanceNode, Source
from aoti_tui.failure.provenance.steps import (
    BufferData,
    Called,
    ConstantData,
    CutShort,
    InputData,
    NotFollowed,
    Written,
)
from aoti_tui.failure.provenance.trail import Trail
from aoti_tui.flow.storages import Memory, Storage, Writer, is_partial_op
from aoti_tui.index.arguments import TensorView
from aoti_tui.index.model import (
    Argument,
    ExternCall,
    Function,
    Input,
    Launch,
    Scope,
    Symbol,
)
from aoti_tui.kernel.model import KernelProgram, Store
from aoti_tui.kernel.slice import SliceNode, is_index_only, slice_expression

_RANDOM_OPS = ("rand", "normal_", "uniform_", "bernoulli", "multinomial")
_CREATES_DATA = ("zero_", "zeros", "ones", "full", "fill_", "empty", "arange", "eye")

FollowValue = Callable[[Launch | None, str, SliceNode], ProvenanceNode]
"""Follows a value through a kernel, given launch and kernel name."""


class Buffers:
    """The part of a tracer that follows tensors from launch to launch."""

    def __init__(self, trail: Trail, follow: FollowValue) -> None:
        self.trail = trail
        self.follow = follow

    def data(
        self,
        view: TensorView,
        before: int,
        function: Function,
        scopes: tuple[Scope, ...] = (),
    ) -> ProvenanceNode:
        """Where the data of a tensor comes from, as seen at line ``before``."""
        memory = self.trail.memory
        storages = memory.storages(view.base, before, function)
        children = [self._storage(s, before, scopes, function) for s in storages]
        if len(children) == 1 and children[0].name == view.base:
            return children[0]
        return ProvenanceNode(
            BufferData(view.base, tuple(dict.fromkeys(s[0] for s in storages))),
            defined_at(memory, view.base, before, function),
            children=tuple(children),
        )

    def read_by(self, launch: Launch, view: TensorView) -> ProvenanceNode:
        """Where the data that a launch reads comes from."""
        return self.data(view, launch.line, launch.function, launch.scopes)

    def behind_size(self, tensor: str, symbol: Symbol) -> ProvenanceNode:
        """A size that is read from a tensor's value, or from the shape of an op whose output
        depends on data: an input at its end decides a size."""
        return _deciding(self.data(TensorView(tensor), symbol.line, symbol.function))

    def _storage(
        self, storage: Storage, before: int, scopes: tuple[Scope, ...], function: Function
    ) -> ProvenanceNode:
        name, line = storage
        node = ProvenanceNode(BufferData(name), line or None)
        if not self.trail.first("storage", storage, before, function):
            return node.again()
        if self.trail.too_long:
            return ProvenanceNode(CutShort(name))
        children, complete = self._writers(storage, before, scopes, function)
        if not complete:
            origin = self._origin(name, function)
            if origin is not None:
                if not children:
                    return origin
                children.append(origin)
            elif not children and not self._is_result(storage, function):
                return ProvenanceNode(
                    NotFollowed(name, "no writer", before),
                    line or None,
                    source=Source("unknown", name=name),
                )
        return node.above(*children)

    def _writers(
        self, storage: Storage, before: int, scopes: tuple[Scope, ...], function: Function
    ) -> tuple[list[ProvenanceNode], bool]:
        """What wrote to a storage, newest first, and whether the last one of it overwrites all."""
        memory = self.trail.memory
        found: list[ProvenanceNode] = []
        for writer in memory.touching(storage, before, scopes, function):
            node, covers = self._written_by(writer)
            if node is None:
                continue
            found.append(node)
            covers = covers and not memory.is_part(writer, storage, function)
            if covers and writer.line < before and not _in_branch(writer, scopes):
                return found, True
        return found, False

    def _is_result(self, storage: Storage, function: Function) -> bool:
        definition = self.trail.memory.definition_of(storage, function)
        return definition is not None and definition.kind == "result"

    def _origin(self, name: str, function: Function) -> ProvenanceNode | None:
        """An input or a constant of that name."""
        index = self.trail.index
        given = index.input_named(name)
        if given is not None:
            return self.input_data(given)
        constant = index.constant_named(name)
        if constant is None:
            return None
        if constant.folded and function.role != "constants":
            for made in index.buffers:
                if made.function.role == "constants" and made.name == name:
                    return self.data(TensorView(name), 10**9, made.function)
        return ProvenanceNode(
            ConstantData(name, constant),
            constant.line,
            source=Source("constant", name=name, fqn=constant.fqn or name, line=constant.line),
        )

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
            ),
        )

    def _written_by(self, writer: Writer) -> tuple[ProvenanceNode | None, bool]:
        """The node of a writer and whether it overwrites all that stood there; None when the
        launch only reads the tensor."""
        if writer.extern is not None:
            return self._called(writer.extern), not is_partial_op(writer.extern)
        launch, argument = writer.launch, writer.argument
        if launch is None or argument is None:
            return None, False
        program = self.trail.program_of(launch.kernel)
        if program.problem or not program.parameters:
            return self._opaque(launch, argument)
        stores = [s for s in program.stores if argument.parameter in s.pointers]
        if not stores:
            return None, False
        node = ProvenanceNode(
            Written(launch.kernel, launch, argument.parameter),
            launch.line,
            kernel=launch.kernel,
            kernel_line=stores[0].line if launch.kernel in self.trail.index.kernels else None,
        )
        if not self.trail.first("write", launch.id, argument.parameter):
            return node.again(), True
        values: list[ProvenanceNode] = []
        for store in stores:
            if store.value is None:
                continue
            tree = slice_expression(program, store.value, store.order, store.line)
            values.extend(self.follow(launch, launch.kernel, leaf) for leaf in tree.children)
        return node.above(*values), all(covers_all(program, s) for s in stores)

    def _opaque(self, launch: Launch, argument: Argument) -> tuple[ProvenanceNode | None, bool]:
        """A kernel whose source is not there: its arguments are all that is known."""
        if re.match(r"in_ptr|arg_[A-Z]", argument.parameter):
            return None, False
        node = ProvenanceNode(
            Written(launch.kernel, launch, argument.parameter, source=False), launch.line
        )
        if not self.trail.first("write", launch.id, argument.parameter):
            return node.again(), True
        read = [
            self.read_by(launch, a.tensor)
            for a in launch.arguments
            if a.tensor is not None and not a.parameter.startswith("out_ptr")
        ]
        return node.above(*read), argument.parameter.startswith("out_ptr")

    def _called(self, extern: ExternCall) -> ProvenanceNode:
        node = ProvenanceNode(Called(extern.op, extern), extern.line)
        if not self.trail.first("extern", extern.line):
            return node.again()
        read = [self.data(view, extern.line - 1, extern.function) for view in extern.reads]
        source = None
        if any(part in extern.op for part in _RANDOM_OPS):
            source = Source("random", name=extern.op, line=extern.line)
        elif not read and not any(part in extern.op for part in _CREATES_DATA):
            source = Source("unknown", name=extern.op, line=extern.line)
        return replace(node.above(*read), source=source)


def defined_at(memory: Memory, name: str, before: int, function: Function) -> int | None:
    """The line that defines a tensor's name, as seen at line ``before``."""
    definitions = memory.definitions(name, before, function)
    return definitions[0].line if definitions else None


def covers_all(program: KernelProgram, store: Store) -> bool:
    """Whether a store overwrites its whole tensor: no atomic and no data-dependent address."""
    if store.atomic:
        return False
    if store.offset is None or is_index_only(program, store.offset, store.order):
        return True
    tree = slice_expression(program, store.offset, store.order, store.line)
    return not any(leaf.kind == "load" for leaf in tree.leaves())


def _in_branch(writer: Writer, scopes: tuple[Scope, ...]) -> bool:
    run = writer.launch if writer.launch is not None else writer.extern
    return run is not None and any(s.kind != "block" and s not in scopes for s in run.scopes)


def _deciding(node: ProvenanceNode) -> ProvenanceNode:
    """The same chain, where an input's data decides a size: ``input`` becomes ``input_value``."""
    source = node.source
    if source is not None and source.kind == "input":
        source = replace(source, kind="input_value")
    return replace(node, source=source, children=tuple(map(_deciding, node.children)))
