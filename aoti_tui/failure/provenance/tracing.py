"""Following a value from a kernel's name through launches, symbols and buffers to model inputs and
constants.

What cannot be followed ends in an ``unknown`` node that says what was looked at; nothing is left
out in silence.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from aoti_tui.failure.model import ProvenanceNode, Source
from aoti_tui.failure.provenance.steps import (
    covers_all,
    data_to_value,
    divided,
    guard_text,
    leaf_source,
    slice_text,
)
from aoti_tui.failure.provenance.tree import Known
from aoti_tui.flow.storages import Memory, Writer, is_partial_op
from aoti_tui.index.arguments import TensorView
from aoti_tui.index.expression import Expr, ExpressionError
from aoti_tui.index.model import Argument, ExternCall, Function, Launch, Scope, Symbol, WrapperIndex
from aoti_tui.index.python.expression import parse_python
from aoti_tui.kernel.model import KernelProgram
from aoti_tui.kernel.slice import SliceNode, slice_expression

_MAX_NODES = 1500
_RANDOM_OPS = ("rand", "normal_", "uniform_", "bernoulli", "multinomial")
_CREATES_DATA = ("zero_", "zeros", "ones", "full", "fill_", "empty", "arange", "eye")


class Tracer:
    """Builds provenance for one question; every repeated step is shown once."""

    def __init__(
        self,
        index: WrapperIndex,
        program_of: Callable[[str], KernelProgram],
        memory: Memory,
        known: Known | None = None,
    ) -> None:
        self.index = index
        self.program_of = program_of
        self.memory = memory
        self.known = known or Known()
        self._seen: set[tuple[object, ...]] = set()
        self._nodes = 0

    # -- names of a kernel --------------------------------------------------------------------

    def kernel_value(self, launch: Launch | None, kernel: str, tree: SliceNode) -> ProvenanceNode:
        """The chain of a kernel slice, its ends followed through ``launch``."""
        self._nodes += 1
        children: list[ProvenanceNode] = []
        if self._nodes > _MAX_NODES:
            return ProvenanceNode("note", tree.name, "the chain goes on; it was cut here")
        if tree.kind == "parameter":
            return self._leaf(launch, kernel, tree)
        if tree.kind in ("load", "extent"):
            children.append(self._leaf(launch, kernel, tree))
        children.extend(self.kernel_value(launch, kernel, child) for child in tree.children)
        entry = self.index.kernels.get(kernel)
        line = entry.wrapper_line(tree.line) if entry and tree.line else None
        value = self.known.names.get(tree.name) if tree.name else None
        return ProvenanceNode(
            kind="temporary" if tree.kind in ("temporary", "seen", "constant") else tree.kind,
            name=tree.name,
            text=slice_text(tree),
            line=line,
            kernel=kernel,
            kernel_line=tree.line,
            value=None if value is None else str(value),
            children=tuple(children),
            source=leaf_source(tree),
        )

    def _leaf(self, launch: Launch | None, kernel: str, leaf: SliceNode) -> ProvenanceNode:
        if launch is None:
            return ProvenanceNode(
                "unknown", leaf.name, f"{kernel} is never launched in this wrapper"
            )
        argument = next((a for a in launch.arguments if a.parameter == leaf.name), None)
        if argument is None:
            return self._fixed_parameter(launch, leaf)
        if leaf.kind == "load" and argument.tensor is not None:
            return self._argument_node(
                argument, launch, self.tensor_data(argument.tensor, launch.line, launch)
            )
        if argument.tensor is not None:
            return self._argument_node(argument, launch)
        children = [
            self.expression_name(n, launch.line, launch.function, launch.scopes)
            for n in self._extent_names(argument, leaf, launch)
        ]
        return self._argument_node(argument, launch, *children)

    def _extent_names(self, argument: Argument, leaf: SliceNode, launch: Launch) -> tuple[str, ...]:
        """Names of an extent, without the factors its divisor takes away.

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
        symbol = self.index.symbol(value.written, launch.line)
        return symbol.expression if symbol is not None and symbol.kind == "expression" else value

    def _fixed_parameter(self, launch: Launch, leaf: SliceNode) -> ProvenanceNode:
        entry = self.index.kernels.get(launch.kernel)
        fixed = entry.constants.get(leaf.name) if entry is not None else None
        if fixed is None:
            return ProvenanceNode(
                "unknown", leaf.name, f"no argument of the launch becomes {leaf.name}", launch.line
            )
        return ProvenanceNode(
            "literal", leaf.name, f"{leaf.name} = {fixed}, fixed when compiled", launch.line
        )

    def _argument_node(
        self, argument: Argument, launch: Launch, *children: ProvenanceNode
    ) -> ProvenanceNode:
        return ProvenanceNode(
            kind="argument",
            name=argument.parameter,
            text=f"{argument.parameter} = {argument.text}",
            line=launch.line,
            kernel=launch.kernel,
            value=self._value_text(argument.parameter),
            children=children,
        )

    # -- names of the wrapper -----------------------------------------------------------------

    def expression_name(
        self, name: str, before: int, function: Function, scopes: tuple[Scope, ...] = ()
    ) -> ProvenanceNode:
        """A name in a size expression: symbol, local, scalar input or tensor."""
        symbol = self.symbol_at(name, before, function)
        if symbol is not None:
            return self.symbol_node(symbol, scopes)
        given = self.index.input_named(name)
        if given is not None and given.is_scalar:
            return ProvenanceNode(
                "input",
                name,
                f"{name} is input {given.position}, a number",
                given.line,
                value=self.known.inputs.get(given.position),
                source=Source("input_value", given.position, name=name, line=given.line),
            )
        if given is not None or self.index.constant_named(name) is not None:
            return self.tensor_data(TensorView(name), before, None, function)
        return ProvenanceNode(
            "unknown",
            name,
            f"no definition of {name} stands before line {before}",
            source=Source("unknown", name=name),
        )

    def symbol_at(self, name: str, before: int, function: Function) -> Symbol | None:
        found = None
        for symbol in self.index.symbols:
            if symbol.name == name and symbol.line <= before and symbol.function == function:
                found = symbol
        return found

    def symbol_node(self, symbol: Symbol, scopes: tuple[Scope, ...] = ()) -> ProvenanceNode:
        key = ("symbol", symbol.name, symbol.line)
        if key in self._seen:
            return self._seen_node("symbol", symbol.name, symbol.expression.written, symbol.line)
        self._seen.add(key)
        text = f"{symbol.name} = {symbol.expression.written}"
        children: tuple[ProvenanceNode, ...] = ()
        if symbol.kind == "input_dim" and symbol.position is not None and symbol.dim is not None:
            children = (self.input_dim_node(symbol.position, symbol.dim, symbol.line),)
            text = f"{symbol.name} = {self._input_name(symbol.position)}.size({symbol.dim})"
        elif symbol.kind == "item" and symbol.tensor is not None:
            text = f"{symbol.name} = {symbol.tensor}.item()"
            children = (self._sized_by_data(symbol.tensor, symbol),)
        elif symbol.kind == "buffer_dim" and symbol.tensor is not None:
            text = f"{symbol.name} = {symbol.tensor}.size({symbol.dim})"
            children = (self._sized_by_data(symbol.tensor, symbol),)
        else:
            children = tuple(
                self.expression_name(n, symbol.line - (n == symbol.name), symbol.function, scopes)
                for n in symbol.expression.names()
            )
            if symbol.expression.has_float_ratio:
                children += (
                    ProvenanceNode(
                        "note",
                        symbol.name,
                        f"{symbol.name} is computed with a float reciprocal, which can truncate "
                        "to the wrong integer",
                        symbol.line,
                    ),
                )
        return ProvenanceNode(
            "symbol",
            symbol.name,
            text,
            symbol.line,
            value=self._value_text(symbol.name),
            children=children,
        )

    def _sized_by_data(self, tensor: str, symbol: Symbol) -> ProvenanceNode:
        """A size read from a tensor's value, or made by an op whose output depends on data."""
        node = self.tensor_data(TensorView(tensor), symbol.line, None, symbol.function)
        return data_to_value(node)

    def input_dim_node(self, position: int, dim: int, line: int) -> ProvenanceNode:
        name = self._input_name(position)
        value = self.known.dims.get((position, dim))
        guards = tuple(
            ProvenanceNode("guard", name, guard_text(g.check, g.value, dim), g.line)
            for g in self.index.guards_of(position, dim)
            if g.check in ("min", "max", "equals")
        )
        given = next((i for i in self.index.inputs if i.position == position), None)
        return ProvenanceNode(
            "input",
            name,
            f"dimension {dim} of input {position} ({name})",
            given.line if given is not None else line,
            value=None if value is None else str(value),
            children=guards,
            source=Source("input_dim", position, dim, name, line=line),
        )

    def _input_name(self, position: int) -> str:
        return next((i.name for i in self.index.inputs if i.position == position), f"#{position}")

    # -- data of tensors ----------------------------------------------------------------------

    def tensor_data(
        self,
        view: TensorView,
        before: int,
        reader: Launch | None,
        function: Function | None = None,
    ) -> ProvenanceNode:
        """Where the data of a tensor comes from, as seen at line ``before``."""
        where = function or (reader.function if reader is not None else self.index.main)
        scopes = reader.scopes if reader is not None else ()
        storages = self.memory.storages(view.base, before, where)
        children = [self._storage_data(s, before, scopes, where) for s in storages]
        if len(children) == 1 and children[0].name == view.base:
            return children[0]
        return ProvenanceNode(
            "buffer",
            view.base,
            f"{view.base} shares memory with {', '.join(dict.fromkeys(s[0] for s in storages))}",
            self._definition_line(view.base, before, where),
            children=tuple(children),
        )

    def _definition_line(self, name: str, before: int, function: Function) -> int | None:
        definitions = self.memory.definitions(name, before, function)
        return definitions[0].line if definitions else None

    def _storage_data(
        self, storage: tuple[str, int], before: int, scopes: tuple[Scope, ...], function: Function
    ) -> ProvenanceNode:
        name, line = storage
        key = ("storage", storage, before, function)
        if key in self._seen:
            return self._seen_node("buffer", name, "", line or None)
        self._seen.add(key)
        if self._nodes > _MAX_NODES:
            return ProvenanceNode("note", name, "the chain goes on; it was cut here")
        children: list[ProvenanceNode] = []
        complete = False
        for writer in self.memory.touching(storage, before, scopes, function):
            node, covers = self._written_by(writer)
            if node is None:
                continue
            children.append(node)
            covers = covers and not self.memory.is_part(writer, storage, function)
            if covers and writer.line < before and not self._in_branch(writer, scopes):
                complete = True
                break
        if not complete:
            origin = self._origin(name, before, function)
            if origin is not None:
                if not children:
                    return origin
                children.append(origin)
            elif not children:
                definition = self.memory.definition_of(storage, function)
                made = definition is not None and definition.kind == "result"
                if not made:
                    return ProvenanceNode(
                        "unknown",
                        name,
                        f"nothing that writes {name} was found before line {before}",
                        line or None,
                        source=Source("unknown", name=name),
                    )
        return ProvenanceNode("buffer", name, name, line or None, children=tuple(children))

    @staticmethod
    def _in_branch(writer: Writer, scopes: tuple[Scope, ...]) -> bool:
        writer_scopes = (
            writer.launch.scopes
            if writer.launch is not None
            else writer.extern.scopes
            if writer.extern is not None
            else ()
        )
        return any(s.kind != "block" and s not in scopes for s in writer_scopes)

    def _origin(self, name: str, before: int, function: Function) -> ProvenanceNode | None:
        """An input or a constant of that name."""
        given = self.index.input_named(name)
        if given is not None:
            return ProvenanceNode(
                "input",
                name,
                f"input {given.position} ({name})",
                given.line,
                value=self.known.inputs.get(given.position),
                source=Source("input", given.position, name=name, line=given.line),
            )
        constant = self.index.constant_named(name)
        if constant is None:
            return None
        if constant.folded and function.role != "constants":
            folded = self._folded(name)
            if folded is not None:
                return folded
        return ProvenanceNode(
            "constant",
            name,
            f"constant {constant.fqn or name} {list(constant.shape)}",
            constant.line,
            source=Source("constant", name=name, fqn=constant.fqn or name, line=constant.line),
        )

    def _folded(self, name: str) -> ProvenanceNode | None:
        """A folded constant is made by a function of its own."""
        for output in self.index.buffers:
            if output.function.role == "constants" and output.name == name:
                return self.tensor_data(TensorView(name), 10**9, None, output.function)
        return None

    def _written_by(self, writer: Writer) -> tuple[ProvenanceNode | None, bool]:
        """The node of a writer and whether it overwrites all that stood there; None when the
        launch only reads the tensor."""
        if writer.extern is not None:
            return self._extern_node(writer.extern), not is_partial_op(writer.extern)
        launch, argument = writer.launch, writer.argument
        if launch is None or argument is None:
            return None, False
        program = self.program_of(launch.kernel)
        if program.problem or not program.parameters:
            return self._opaque_launch(launch, argument)
        stores = [s for s in program.stores if argument.parameter in s.pointers]
        if not stores:
            return None, False
        key = ("write", launch.line, argument.parameter)
        if key in self._seen:
            return self._seen_node("launch", launch.kernel, "", launch.line), True
        self._seen.add(key)
        values: list[ProvenanceNode] = []
        for store in stores:
            if store.value is None:
                continue
            tree = slice_expression(program, store.value, store.order, store.line)
            values.extend(self.kernel_value(launch, launch.kernel, leaf) for leaf in tree.children)
        covers = all(covers_all(program, s) for s in stores)
        entry = self.index.kernels.get(launch.kernel)
        node = ProvenanceNode(
            "launch",
            launch.kernel,
            f"written by {launch.kernel} (:{launch.line}) as {argument.parameter}",
            launch.line,
            kernel=launch.kernel,
            kernel_line=stores[0].line if entry is not None else None,
            children=tuple(values),
        )
        return node, covers

    def _opaque_launch(
        self, launch: Launch, argument: Argument
    ) -> tuple[ProvenanceNode | None, bool]:
        """A kernel whose source is not there: its arguments are all that is known."""
        if re.match(r"in_ptr|arg_[A-Z]", argument.parameter):
            return None, False
        key = ("write", launch.line, argument.parameter)
        if key in self._seen:
            return self._seen_node("launch", launch.kernel, "", launch.line), True
        self._seen.add(key)
        children = tuple(
            self.tensor_data(a.tensor, launch.line, launch)
            for a in launch.arguments
            if a.tensor is not None and not a.parameter.startswith("out_ptr")
        )
        text = (
            f"written by {launch.kernel} (:{launch.line}); its source is not in the wrapper, so "
            "all its tensors may count"
        )
        return ProvenanceNode(
            "launch", launch.kernel, text, launch.line, children=children
        ), argument.parameter.startswith("out_ptr")

    def _extern_node(self, extern: ExternCall) -> ProvenanceNode:
        key = ("extern", extern.line)
        if key in self._seen:
            return self._seen_node("extern", extern.op, "", extern.line)
        self._seen.add(key)
        children = [
            self.tensor_data(view, extern.line - 1, None, extern.function) for view in extern.reads
        ]
        source = None
        if any(part in extern.op for part in _RANDOM_OPS):
            source = Source("random", name=extern.op, line=extern.line)
        elif not children and any(part in extern.op for part in _CREATES_DATA):
            source = None
        elif not children:
            source = Source("unknown", name=extern.op, line=extern.line)
        return ProvenanceNode(
            "extern",
            extern.op,
            f"made by {extern.op} (:{extern.line})",
            extern.line,
            children=tuple(children),
            source=source,
        )

    # -- shared -------------------------------------------------------------------------------

    def _value_text(self, name: str) -> str | None:
        if name in self.known.names:
            return str(self.known.names[name])
        value = self.known.symbols.get(name)
        return None if value is None else str(value)

    @staticmethod
    def _seen_node(kind: str, name: str, text: str, line: int | None) -> ProvenanceNode:
        said = f"{name} = {text}, see above" if text else f"{name}, see above"
        return ProvenanceNode(kind, name, said, line)


def _divisor(text: str, launch: Launch) -> Expr | None:
    """What a kernel divides by: the launch's argument, or an expression of the kernel itself."""
    for argument in launch.arguments:
        if argument.parameter == text:
            return argument.value
    try:
        return parse_python(text)
    except ExpressionError:
        return None
