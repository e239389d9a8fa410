"""The value that a name of a kernel has, followed through launches and buffers to the call."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from aoti_tui.failure.condition.formula import (
    FLOAT_METHODS,
    Axis,
    Elements,
    Formula,
    Kind,
    Lane,
    NotDerived,
    Of,
    Size,
    axes_of,
    kind_of,
)
from aoti_tui.failure.condition.operations import ZERO, applied, literal, unwrapped
from aoti_tui.failure.condition.places import Dimension, Place, Walk, moved, part_of, place_of
from aoti_tui.failure.condition.sizes import CallerSizes
from aoti_tui.failure.condition.tensors import tensor_of
from aoti_tui.flow.dataflow import DataFlow, Moment, Writer
from aoti_tui.flow.sharing import sharing
from aoti_tui.index.arguments import TensorView
from aoti_tui.index.model import ExternCall, Launch
from aoti_tui.index.nodes import Node, Number
from aoti_tui.kernel.addresses import masks_lanes_only
from aoti_tui.kernel.helpers import dotted_name
from aoti_tui.kernel.model import Assignment, KernelProgram, Load

_ROOT = re.compile(r"(x|y|z|r\d*_)index|rindex")
_DEEPEST = 80
_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "quotient",
    ast.Mod: "remainder",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_CALLS = {
    "minimum": "min",
    "maximum": "max",
    "div_floor_integer": "//",
    "remainder_integer": "%",
    "truediv": "/",
    "div_rn": "/",
}
_REDUCED = {"sum": "sum", "max2": "amax", "min2": "amin"}
_SHAPES = frozenset({"broadcast_to", "reshape", "view", "expand_dims"})
_MOST_VIEWS = 64
_MOST_LAUNCHES = 12


class Values:
    """Formulas of one wrapper, for known sizes of its inputs."""

    def __init__(
        self, flow: DataFlow, program_of: Callable[[str], KernelProgram], sizes: CallerSizes
    ) -> None:
        self.flow = flow
        self.program_of = program_of
        self.sizes = sizes

    def of(self, launch: Launch, expression: ast.expr, before: int | None) -> Formula:
        """The value of an expression of a kernel before one of its statements. Raises
        NotDerived."""
        try:
            return _InKernel(self, launch, 0).of(expression, before, 0)
        except RecursionError:
            raise NotDerived("nested too deeply") from None

    # -- tensors --------------------------------------------------------------------------------

    def contents(self, view: TensorView, at: Moment, place: Place, depth: int) -> Formula:
        """What stands at a place of a tensor at a moment. Raises NotDerived."""
        storages = self.flow.storages(view.base, at)
        if view.dtype is not None or depth > _MOST_LAUNCHES or len(storages) != 1:
            raise NotDerived(view.base)
        storage = storages[0]
        place = Place(place.start + self._offset(view, at), place.walks)
        made = next(iter(self.flow.writers(storage, at)), None)
        if made is not None:
            if not made.settles:
                raise NotDerived(storage.name)
            return self._made(made, place, depth)
        given = self.flow.index.input_named(storage.name)
        if given is not None:
            return self._input(given.position, place)
        constant = self.flow.index.constant_named(storage.name)
        if constant is None or not constant.fqn or constant.folded:
            raise NotDerived(storage.name)
        layout = tuple(
            Dimension(size, stride, True)
            for size, stride in zip(constant.shape, constant.stride, strict=True)
        )
        kind = _kind(constant.dtype)
        return part_of(_whole(f"constants[{constant.fqn!r}]", layout, kind), layout, place)

    def _offset(self, view: TensorView, at: Moment) -> int:
        """The element of its storage at which a view starts."""
        offsets, name = [view.offset], view.base
        for _ in range(_MOST_VIEWS):
            definitions = self.flow.definitions(name, at)
            shared = sharing(definitions[0]) if definitions else None
            if shared is None:
                break
            if len(definitions) > 1 or shared.dtype is not None:
                raise NotDerived(name)
            offsets.append(shared.offset)
            name, at = shared.base, self.flow.before(definitions[0])
        total = 0
        for offset in offsets:
            number = offset.known_int(self.sizes.known.symbols)
            if number is None:
                raise NotDerived(name)
            total += number
        return total

    def _input(self, position: int, place: Place) -> Elements:
        known = self.sizes.known
        strides = known.strides.get(position)
        if strides is None:
            raise NotDerived(f"inputs[{position}]")
        guards = self.flow.index.guards_of(position)
        fixed = {g.dim for g in guards if g.check == "equals"}
        least = {g.dim: g.value for g in guards if g.check == "min"}
        layout = tuple(
            Dimension(
                known.dims.get((position, dim)),
                stride,
                dim in fixed or known.from_start,
                known.whole,
            )
            for dim, stride in enumerate(strides)
        )
        dtype = next((g.value for g in guards if g.check == "dtype"), "int64")
        may_be_empty = any(
            dim not in fixed and least.get(dim, "0") == "0" for dim in range(len(strides))
        )
        name = f"inputs[{position}]"
        whole = _whole(name, layout, _kind(dtype), (name,) if may_be_empty else ())
        return part_of(whole, layout, place)

    def _made(self, made: Writer, place: Place, depth: int) -> Formula:
        """What a launch or a call wrote."""
        if made.extern is not None:
            return self._called(made.extern, place, depth)
        writer, argument = made.launch, made.argument
        if writer is None or argument is None:
            raise NotDerived(made.view.base)
        parameter = argument.parameter
        program = self.program_of(writer.kernel)
        stores = [s for s in program.stores if parameter in s.pointers]
        if len(stores) != 1 or stores[0].atomic or stores[0].value is None:
            raise NotDerived(writer.kernel)
        store, stored = stores[0], stores[0].value
        inside = _InKernel(self, writer, depth + 1)
        value = inside.of(stored, store.order, 0)
        kernel = self.flow.index.kernels.get(writer.kernel)
        types = {p.name: p.type for p in kernel.parameters} if kernel is not None else {}
        if kind_of(value) == "float" and types.get(parameter, "").startswith("*i"):
            value = applied("int", (value,), self.sizes.number)
        if store.offset is None:
            written = Place(0, ())
        else:
            written = place_of(inside.of(store.offset, store.order, 0), self.sizes.number)
        found = moved(value, written, place)
        return found if found is not None else self._cut(value, written, place)

    def _cut(self, value: Formula, written: Place, place: Place) -> Formula:
        """A part of what was written, by indexing the whole of it."""
        tensor = tensor_of(value)
        layout = []
        for axis in tensor.axes:
            stride = next(
                (
                    walk.step * (axis.start // walk.axis.start)
                    for walk in written.walks
                    if walk.axis.overlaps(axis)
                ),
                None,
            )
            if stride is None:
                raise NotDerived("a value that is stored elsewhere")
            layout.append(Dimension(axis.count, stride))
        whole = Elements(tensor.factor, tensor.axes, kind_of(value), emptiable(value))
        shifted = Place(place.start - written.start, place.walks)
        return part_of(whole, tuple(layout), shifted)

    def _called(self, extern: ExternCall, place: Place, depth: int) -> Formula:
        """What an operator outside of Triton gives: positions of what is not zero, in one
        dimension."""
        if extern.op != "nonzero" or len(extern.reads) != 1 or len(place.walks) > 1:
            raise NotDerived(extern.op)
        view = extern.reads[0]
        at = self.flow.before(extern)
        layout = self.flow.sizes_of(view, at)
        size = None if layout is None else layout[0][0].known_int(self.sizes.known.symbols)
        if layout is None or len(layout[0]) != 1 or size is None or place.start:
            raise NotDerived(extern.op)
        along = Place(0, (Walk(1, Axis(f"{extern.line}", 1, size)),))
        tensor = tensor_of(self.contents(view, at, along, depth + 1))
        axes = tuple(walk.axis for walk in place.walks)
        places = f"{tensor.factor}.nonzero()"
        return Elements(f"{places}.flatten()", axes, "int", (places,), negative=False)


class _InKernel:
    """The values of one launch's kernel."""

    def __init__(self, values: Values, launch: Launch, depth: int) -> None:
        self.values = values
        self.launch = launch
        self.depth = depth
        self.before = values.flow.before(launch)
        self.program = values.program_of(launch.kernel)
        if self.program.problem or not self.program.parameters:
            raise NotDerived(launch.kernel)
        self.cache: dict[tuple[str, int], Formula] = {}

    def apply(self, operator: str, *parts: Formula) -> Formula:
        return applied(operator, parts, self.values.sizes.number)

    def of(self, node: ast.expr, before: int | None, depth: int) -> Formula:
        if depth > _DEEPEST:
            raise NotDerived("nested too deeply")
        deeper = depth + 1
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            value = node.value
            return Size(Number(int(value) if isinstance(value, bool) else value))
        if isinstance(node, ast.Name):
            return self._name(node.id, before, deeper)
        if isinstance(node, ast.Subscript):
            return self.of(node.value, before, deeper)
        if isinstance(node, ast.IfExp) and "signbit" in ast.unparse(node.body):
            # Decided when compiled: whole numbers have no sign bit to look at.
            return self.of(node.orelse, before, deeper)
        if isinstance(node, ast.UnaryOp):
            inner = self.of(node.operand, before, deeper)
            signs: dict[type[ast.unaryop], str] = {ast.USub: "-", ast.Invert: "~", ast.Not: "~"}
            operator = signs.get(type(node.op))
            return inner if operator is None else self.apply(operator, inner)
        if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
            left, right = self.of(node.left, before, deeper), self.of(node.right, before, deeper)
            return self.apply(_BINARY[type(node.op)], left, right)
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARE:
            left = self.of(node.left, before, deeper)
            right = self.of(node.comparators[0], before, deeper)
            return self.apply(_COMPARE[type(node.ops[0])], left, right)
        if isinstance(node, ast.Call):
            return self._call(node, before, deeper)
        raise NotDerived(ast.unparse(node))

    # -- names --------------------------------------------------------------------------------

    def _name(self, name: str, before: int | None, depth: int) -> Formula:
        if _ROOT.fullmatch(name):
            return self._root(name)
        definition = self.program.definition(name, before)
        if definition is None:
            return Size(self.values.sizes.parameter(self.launch, name))
        key = (name, definition.order)
        if key not in self.cache:
            self.cache[key] = self._assigned(definition, name, depth)
        return self.cache[key]

    def _assigned(self, definition: Assignment, name: str, depth: int) -> Formula:
        value = definition.value
        if len(definition.names) == 1:
            if isinstance(value, ast.Constant) and not isinstance(value.value, (int, float)):
                raise NotDerived(name)
            return self.of(value, definition.order, depth)
        return self._one_of_several(definition, name, depth)

    def _one_of_several(self, definition: Assignment, name: str, depth: int) -> Formula:
        call = definition.value
        if not isinstance(call, ast.Call):
            raise NotDerived(name)
        place, last = definition.names.index(name), _last(call)
        if last in ("max_with_index", "min_with_index"):
            value = self.of(call.args[0], definition.order, depth)
            reduced = {"max": ("amax", "argmax"), "min": ("amin", "argmin")}[last[:3]]
            return self._reduced(reduced[place], value)
        if last in ("maximum_with_index", "minimum_with_index") and place == 0:
            return self.of(call.args[2], definition.order, depth)
        raise NotDerived(last)

    def _root(self, name: str) -> Lane:
        prefix = "r0_" if name == "rindex" else name.removesuffix("index")
        if prefix.startswith("r") and "r1_index" in self.program.by_name:
            raise NotDerived("a reduction over two axes")
        extent = self._extent(f"{prefix}numel")
        count = self.values.sizes.number(extent) if extent is not None else None
        return Lane(Axis(f"{self.launch.id}:{prefix}", 1, count), extent)

    def _extent(self, numel: str) -> Node | None:
        fixed = self.program.definition(numel)
        if fixed is not None:
            known = isinstance(fixed.value, ast.Constant) and isinstance(fixed.value.value, int)
            return Number(int(fixed.value.value)) if known else None  # type: ignore[attr-defined]
        try:
            return self.values.sizes.parameter(self.launch, numel)
        except NotDerived:
            return None

    # -- calls --------------------------------------------------------------------------------

    def _call(self, call: ast.Call, before: int | None, depth: int) -> Formula:
        load = _load_of(self.program, call)
        last = _last(call)
        if last == "bucketize_binary_search":
            return self._searched(call, before, depth)
        if load is not None:
            return self._load(load, before, depth)
        if isinstance(call.func, ast.Attribute) and call.func.attr == "to" and call.args:
            return self._cast(call, before, depth)
        if last == "where" and len(call.args) == 3:
            return self._where(call.args, before, depth)
        if last == "full" and len(call.args) > 1:
            return self.of(call.args[1], before, depth)
        if last == "float" and call.args and isinstance(call.args[0], ast.Constant):
            return Size(Number(float(call.args[0].value)))  # type: ignore[arg-type]
        if last in _SHAPES and call.args:
            return self.of(call.args[0], before, depth)
        if last in _REDUCED and len(call.args) > 1:
            return self._reduced(_REDUCED[last], self.of(call.args[0], before, depth))
        if last == "associative_scan":
            return self._scanned(call, before, depth)
        parts = [self.of(argument, before, depth) for argument in call.args]
        if last in _CALLS and len(parts) == 2:
            return self.apply(_CALLS[last], *parts)
        if (last in FLOAT_METHODS or last == "abs") and len(parts) == 1:
            return self.apply(last, *parts)
        raise NotDerived(last)

    def _cast(self, call: ast.Call, before: int | None, depth: int) -> Formula:
        assert isinstance(call.func, ast.Attribute)
        inner = self.of(call.func.value, before, depth)
        to = ast.unparse(call.args[0])
        if to in ("tl.int64", "tl.int32"):
            if kind_of(inner) == "int":
                return inner
            return self.apply("int", inner)
        if to in ("tl.float32", "tl.float64"):
            return self.apply("float", inner)
        if to == "tl.int1" and kind_of(inner) == "bool":
            return inner
        raise NotDerived(to)

    def _where(self, parts: list[ast.expr], before: int | None, depth: int) -> Formula:
        condition, chosen, other = parts
        if masks_lanes_only(ast.unparse(condition)):
            return self.of(chosen, before, depth)  # the rest is beyond the data
        if ast.unparse(condition) == "roffset > 0":
            return self.of(other, before, depth)  # a scan block by block is one scan
        return self.apply("where", *(self.of(part, before, depth) for part in parts))

    def _reduced(self, operator: str, value: Formula) -> Formula:
        space = f"{self.launch.id}:r0_"
        along = tuple(axis for axis in axes_of(value) if axis.space == space)
        if operator == "sum" and not along:
            raise NotDerived("a sum of what does not differ")
        return Of(operator, (value,), along) if along else value

    def _scanned(self, call: ast.Call, before: int | None, depth: int) -> Formula:
        helper = self.program.helper_nodes.get(ast.unparse(call.args[2]))
        given = call.args[0]
        if helper is None or not isinstance(given, ast.Tuple) or len(given.elts) != 1:
            raise NotDerived("a scan")
        names = [argument.arg for argument in helper.args.args]
        adds = any(
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Add)
            and ast.unparse(node) == " + ".join(names)
            for node in ast.walk(helper)
        )
        if not adds or len(helper.body) > 2:
            raise NotDerived("a scan that is no sum")
        value = self.of(given.elts[0], before, depth)
        space = f"{self.launch.id}:r0_"
        along = tuple(axis for axis in axes_of(value) if axis.space == space)
        if not along:
            raise NotDerived("a scan of what does not differ")
        return Of("cumsum", (value,), along)

    def _searched(self, call: ast.Call, before: int | None, depth: int) -> Formula:
        """``bucketize_binary_search(values, boundaries, count, …, 1, 0, dtype, right, None …)``."""
        flags = [a.value for a in call.args if isinstance(a, ast.Constant)]
        sorter = any(not isinstance(a, ast.Constant) for a in call.args[8:9])
        right = next((f for f in flags if isinstance(f, bool)), None)
        if right is None or sorter or not isinstance(call.args[1], ast.Name):
            raise NotDerived("a search")
        value = self.of(call.args[0], before, depth)
        count = self.of(call.args[2], before, depth)
        size = self.values.sizes.number(count.node) if isinstance(count, Size) else None
        argument = self.launch.argument(call.args[1].id)
        if size is None or argument is None or argument.tensor is None:
            raise NotDerived("a search")
        offset = call.args[5] if len(call.args) > 5 else ast.Constant(0)
        start = literal(self.of(offset, before, depth))
        if not isinstance(start, int):
            raise NotDerived("a search of one row of several")
        along = Place(start, (Walk(1, Axis(f"{self.launch.id}:edges", 1, size)),))
        edges = self.values.contents(argument.tensor, self.before, along, self.depth + 1)
        self.values.sizes.values[f"len({tensor_of(edges).text})"] = size
        return Of("right" if right else "left", (value, edges))

    # -- loads --------------------------------------------------------------------------------

    def _load(self, load: Load, before: int | None, depth: int) -> Formula:
        if len(load.pointers) != 1:
            raise NotDerived("a load")
        argument = self.launch.argument(load.pointers[0])
        if argument is None or argument.tensor is None:
            raise NotDerived(load.pointers[0])
        address = self.of(load.offset, before, depth) if load.offset is not None else ZERO
        address = unwrapped(address)
        if any(isinstance(part, (Elements, Of)) for part in _data(address)):
            return self._gathered(argument.tensor, address)
        place = place_of(address, self.values.sizes.number)
        found = self.values.contents(argument.tensor, self.before, place, self.depth + 1)
        return self._left_out(load, found, before, depth)

    def _left_out(self, load: Load, found: Formula, before: int | None, depth: int) -> Formula:
        """What a load gives where its mask leaves a part out, by the lane's own number."""
        for term in mask_terms(load.mask):
            condition = self.of(term, before, depth)
            along = [a for a in axes_of(condition) if any(a.overlaps(b) for b in axes_of(found))]
            if not along or has_data(condition):
                continue
            other = next((k.value for k in _keywords(load.node) if k.arg == "other"), None)
            if other is None:
                raise NotDerived("a load that leaves out a part")
            found = self.apply("where", condition, found, self.of(other, before, depth))
        return found

    def _gathered(self, view: TensorView, address: Formula) -> Formula:
        """A load whose address is another value, out of a tensor of one dimension."""
        layout = self.values.flow.sizes_of(view, self.before)
        given = self.values.flow.index.input_named(view.base)
        known = self.values.sizes.known
        size = None
        if (
            given is not None
            and view.sizes is None
            and len(known.strides.get(given.position, ())) == 1
        ):
            size = known.dims.get((given.position, 0))
        elif layout is not None and len(layout[0]) == 1:
            size = layout[0][0].known_int(known.symbols)
        if size is None:
            raise NotDerived("a lookup in several dimensions")
        along = Place(0, (Walk(1, Axis(f"{self.launch.id}:table", 1, size)),))
        table = self.values.contents(view, self.before, along, self.depth + 1)
        if len(axes_of(table)) != 1:
            raise NotDerived("a lookup")
        return Of("at", (table, address))


def _data(address: Formula) -> Iterator[Formula]:
    """The parts of an address that are neither sizes nor lane numbers."""
    if isinstance(address, Elements):
        yield address
    elif isinstance(address, Of):
        if address.operator not in ("+", "-", "*"):
            yield address
        else:
            for part in address.arguments:
                yield from _data(part)


def mask_terms(mask: ast.expr | None) -> Iterator[ast.expr]:
    """The conditions of a mask, but for those that leave out lanes beyond the data (``xmask``)."""
    pending = [] if mask is None else [mask]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd):
            pending += [node.left, node.right]
        elif not (isinstance(node, ast.Name) and masks_lanes_only(node.id)) and not (
            isinstance(node, ast.Constant)
        ):
            yield node


def has_data(formula: Formula) -> bool:
    if isinstance(formula, Of):
        return any(map(has_data, formula.arguments))
    return isinstance(formula, Elements)


def _keywords(node: ast.AST) -> list[ast.keyword]:
    return node.keywords if isinstance(node, ast.Call) else []


def _whole(
    text: str, layout: tuple[Dimension, ...], kind: Kind, may_be_empty: tuple[str, ...] = ()
) -> Elements:
    axes = tuple(
        Axis(text, one.stride, None if one.size is None else one.stride * one.size)
        for one in layout
    )
    return Elements(text, axes, kind, may_be_empty, negative=kind != "bool")


def _kind(dtype: str) -> Kind:
    if dtype == "bool":
        return "bool"
    return "float" if "float" in dtype else "int"


def emptiable(formula: Formula) -> tuple[str, ...]:
    if isinstance(formula, Elements):
        return formula.may_be_empty
    if isinstance(formula, Of):
        found = (name for part in formula.arguments for name in emptiable(part))
        return tuple(dict.fromkeys(found))
    return ()


def _last(call: ast.Call) -> str:
    name = dotted_name(call.func).rpartition(".")[2]
    return name or (call.func.attr if isinstance(call.func, ast.Attribute) else "")


def _load_of(program: KernelProgram, call: ast.Call) -> Load | None:
    for assignment in program.assignments:
        for load in assignment.loads:
            if load.node is call:
                return load
    return None
