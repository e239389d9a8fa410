"""Between which values an integer of a kernel must lie, whatever the data.

A replay needs every tensor; this needs none. ``bucketize`` over 33 boundaries gives 0 to 33 for
any boundaries at all, so an assert ``< 33`` that failed on its result can only have seen 33. The
intervals follow the kernel's arithmetic, launches and buffers; where nothing bounds a value the
end is None.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from aoti_tui.flow.dataflow import DataFlow, Storage
from aoti_tui.index.arguments import TensorView
from aoti_tui.index.model import Launch
from aoti_tui.kernel.helpers import dotted_name
from aoti_tui.kernel.model import KernelProgram, Load

_DEEPEST = 60
_INT32 = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class Interval:
    """``low`` to ``high``, both included; None where nothing bounds that side."""

    low: int | None = None
    high: int | None = None

    def join(self, other: Interval) -> Interval:
        return Interval(
            None if self.low is None or other.low is None else min(self.low, other.low),
            None if self.high is None or other.high is None else max(self.high, other.high),
        )


ANYTHING = Interval()


class Ranges:
    """Intervals of one wrapper's kernel values, for known sizes and inputs."""

    def __init__(
        self,
        program_of: Callable[[str], KernelProgram],
        flow: DataFlow,
        symbols: Mapping[str, int | float],
        inputs: Mapping[str, tuple[int, int]],
    ) -> None:
        """``inputs`` holds the smallest and largest element of integer inputs, by name."""
        self.program_of = program_of
        self.flow = flow
        self.symbols = symbols
        self.inputs = inputs

    def of_name(self, launch: Launch, name: str, before: int | None, depth: int = 0) -> Interval:
        """The interval of a kernel's name before one of its statements."""
        program = self.program_of(launch.kernel)
        return self.of(launch, program, ast.Name(name), before, depth)

    def of(
        self, launch: Launch, program: KernelProgram, node: ast.expr, before: int | None, depth: int
    ) -> Interval:
        if depth > _DEEPEST:
            return ANYTHING
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return Interval(int(node.value), int(node.value))
        if isinstance(node, ast.Name):
            return self._name(launch, program, node.id, before, depth)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self.of(launch, program, node.operand, before, depth + 1)
            return Interval(_negative(inner.high), _negative(inner.low))
        if isinstance(node, ast.BinOp):
            left = self.of(launch, program, node.left, before, depth + 1)
            right = self.of(launch, program, node.right, before, depth + 1)
            return _arithmetic(node.op, left, right)
        if isinstance(node, ast.Subscript):
            return self.of(launch, program, node.value, before, depth + 1)
        if isinstance(node, ast.Call):
            return self._call(launch, program, node, before, depth)
        return ANYTHING

    def _name(
        self, launch: Launch, program: KernelProgram, name: str, before: int | None, depth: int
    ) -> Interval:
        definition = program.definition(name, before)
        if definition is None:
            return self._parameter(launch, name)
        if name.endswith("index") and name[:1] in "xyz":
            extent = self._parameter(launch, f"{name[:1]}numel")
            return Interval(0, None if extent.high is None else max(extent.high - 1, 0))
        if len(definition.names) != 1 or len(program.by_name.get(name, ())) > 1:
            return ANYTHING
        return self.of(launch, program, definition.value, definition.order, depth + 1)

    def _parameter(self, launch: Launch, name: str) -> Interval:
        argument = launch.argument(name)
        if argument is None or argument.value is None:
            return ANYTHING
        value = argument.value.known_int(self.symbols)
        return Interval(value, value)

    def _call(
        self, launch: Launch, program: KernelProgram, call: ast.Call, before: int | None, depth: int
    ) -> Interval:
        function = dotted_name(call.func)
        last = function.rsplit(".", 1)[-1]
        inner = [
            self.of(launch, program, argument, before, depth + 1)
            for argument in call.args
            if not isinstance(argument, (ast.List, ast.Tuple))
        ]
        if last == "bucketize_binary_search" and len(call.args) > 2:
            size = self.of(launch, program, call.args[2], before, depth + 1)
            return Interval(0, size.high)
        if last == "where" and len(inner) == 3:
            return inner[1].join(inner[2])
        if last == "minimum" and len(inner) == 2:
            highs = [i.high for i in inner if i.high is not None]
            lows = [i.low for i in inner]
            return Interval(_least(lows), min(highs) if highs else None)
        if last == "maximum" and len(inner) == 2:
            lows_known = [i.low for i in inner if i.low is not None]
            return Interval(max(lows_known) if lows_known else None, _most([i.high for i in inner]))
        if last == "full" and len(call.args) > 1:
            return self.of(launch, program, call.args[1], before, depth + 1)
        if last == "broadcast_to" and inner:
            return inner[0]
        if last == "load":
            return self._load(launch, program, call, depth)
        if isinstance(call.func, ast.Attribute) and last in ("to", "") and _to_integer(call):
            return self.of(launch, program, call.func.value, before, depth + 1)
        return ANYTHING

    def _load(self, launch: Launch, program: KernelProgram, call: ast.Call, depth: int) -> Interval:
        load = _load_of(program, call)
        if load is None or len(load.pointers) != 1:
            return ANYTHING
        argument = launch.argument(load.pointers[0])
        if argument is None or argument.tensor is None:
            return ANYTHING
        # Masked-out lanes hold `other`, or anything; they take no part in a failure.
        return self._tensor(argument.tensor, launch, depth)

    def _tensor(self, view: TensorView, reader: Launch, depth: int) -> Interval:
        found: Interval | None = None
        for storage in self.flow.storages(view.base, self.flow.before(reader)):
            one = self._storage(storage, reader, depth)
            found = one if found is None else found.join(one)
        return found or ANYTHING

    def _storage(self, storage: Storage, reader: Launch, depth: int) -> Interval:
        writers = self.flow.writers(storage, self.flow.before(reader))
        if storage.defined is None and storage.name in self.inputs:
            low, high = self.inputs[storage.name]
            return ANYTHING if writers else Interval(low, high)
        newest = next(iter(writers), None)
        if newest is None or newest.launch is None or newest.argument is None:
            return ANYTHING
        if not newest.settles or any(not writer.earlier for writer in writers):
            return ANYTHING
        return self._stored(newest.launch, newest.argument.parameter, depth)

    def _stored(self, launch: Launch, parameter: str, depth: int) -> Interval:
        program = self.program_of(launch.kernel)
        found: Interval | None = None
        for store in program.stores:
            if parameter not in store.pointers:
                continue
            if store.atomic or store.value is None or len(store.pointers) != 1:
                return ANYTHING
            one = self.of(launch, program, store.value, store.order, depth + 1)
            found = one if found is None else found.join(one)
        return found or ANYTHING


def _load_of(program: KernelProgram, call: ast.Call) -> Load | None:
    for assignment in program.assignments:
        for load in assignment.loads:
            if load.node is call:
                return load
    return None


def _to_integer(call: ast.Call) -> bool:
    return bool(call.args) and ast.unparse(call.args[0]) in ("tl.int64",)


def _arithmetic(operator: ast.operator, left: Interval, right: Interval) -> Interval:
    """The interval of a sum, product …; nothing is said of one that 32 bits may not hold."""
    found = _unlimited(operator, left, right)
    ends = [abs(end) for end in (found.low, found.high) if end is not None]
    return ANYTHING if any(end > _INT32 for end in ends) else found


def _unlimited(operator: ast.operator, left: Interval, right: Interval) -> Interval:
    if isinstance(operator, ast.Add):
        return Interval(_sum(left.low, right.low), _sum(left.high, right.high))
    if isinstance(operator, ast.Sub):
        return Interval(
            _sum(left.low, _negative(right.high)), _sum(left.high, _negative(right.low))
        )
    if None in (left.low, left.high, right.low, right.high):
        return ANYTHING
    ends = [(a, b) for a in (left.low, left.high) for b in (right.low, right.high)]
    if isinstance(operator, ast.Mult):
        products = [a * b for a, b in ends if a is not None and b is not None]
        return Interval(min(products), max(products))
    positive = right.low is not None and right.low > 0 and left.low is not None and left.low >= 0
    if isinstance(operator, ast.FloorDiv) and positive:
        quotients = [a // b for a, b in ends if a is not None and b]
        return Interval(min(quotients), max(quotients))
    if isinstance(operator, ast.Mod) and positive and right.high is not None:
        return Interval(0, right.high - 1)
    return ANYTHING


def _sum(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left + right


def _negative(value: int | None) -> int | None:
    return None if value is None else -value


def _least(values: list[int | None]) -> int | None:
    known = [v for v in values if v is not None]
    return min(known) if len(known) == len(values) else None


def _most(values: list[int | None]) -> int | None:
    known = [v for v in values if v is not None]
    return max(known) if len(known) == len(values) else None
