"""A small, safe expression language over the values of a position in a recording.

``any(tmp10 < 0)``, ``tmp4[13] == 50``, ``max(tmp4) - min(tmp4) > 3 and ks0 == 0``: names are
temporaries and size parameters; comparisons and arithmetic work lane by lane, with Triton's
broadcasting; ``any``, ``all``, ``min``, ``max``, ``sum`` and ``count`` make one number of a
block. Nothing else can be said, so an expression from a file cannot do anything.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

from aoti_tui.replay.model import Block
from aoti_tui.replay.recorded.blocks import Number

MAX_LENGTH = 500
MAX_LANES = 1 << 20
_SHIFT_LIMIT = 64


class ConditionError(ValueError):
    """The text is no expression of this language, or has no value here; ``str()`` says why."""


@dataclass(frozen=True, slots=True)
class Lanes:
    """Numbers over the lanes of a block, C-contiguous."""

    shape: tuple[int, ...]
    values: Sequence[Number]


Value = Number | Lanes
_BINARY: dict[type[ast.AST], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Mod: operator.mod,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv,
}
_BITS: dict[type[ast.AST], Callable[[int, int], int]] = {
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
_COMPARE: dict[type[ast.AST], Callable[[Number, Number], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


@dataclass(frozen=True, slots=True)
class Condition:
    """A parsed expression; make one with :func:`parse_condition`."""

    text: str
    node: ast.expr

    def names(self) -> tuple[str, ...]:
        """Temporaries and parameters it speaks of."""
        found = [n for n in ast.walk(self.node) if isinstance(n, ast.Name)]
        return tuple(dict.fromkeys(n.id for n in found if n.id not in _FUNCTIONS))

    def evaluate(self, values: Mapping[str, Block | Number | None]) -> Value:
        """Its value. Raises :class:`ConditionError`, e.g. for a name without a value yet."""
        try:
            return _value(self.node, values)
        except (ArithmeticError, OverflowError) as error:
            raise ConditionError(f"{self.text}: {error}") from error

    def holds(self, values: Mapping[str, Block | Number | None]) -> bool:
        """Whether it is true; of a block without ``any`` or ``all``, in any lane."""
        value = self.evaluate(values)
        return any(value.values) if isinstance(value, Lanes) else bool(value)


def parse_condition(text: str) -> Condition:
    """Raises :class:`ConditionError` that says which part is not understood."""
    if len(text) > MAX_LENGTH:
        raise ConditionError(f"longer than {MAX_LENGTH} characters")
    try:
        node = ast.parse(text.strip(), mode="eval").body
        _check(node)
    except SyntaxError as error:
        raise ConditionError(f"{text!r} is no expression: {error.msg}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        if isinstance(error, ConditionError):
            raise
        raise ConditionError(f"{text!r} is no expression") from error
    return Condition(text.strip(), node)


def _check(node: ast.AST) -> None:
    if isinstance(node, ast.Constant):
        if not isinstance(node.value, bool | int | float):
            raise ConditionError(f"only numbers can be compared with, not {node.value!r}")
        return
    if isinstance(node, ast.Name):
        return
    if isinstance(node, ast.Call):
        known = isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS
        if not known or node.keywords or not node.args:
            raise ConditionError(
                f"{ast.unparse(node.func)}(…) is not known; there are {', '.join(_FUNCTIONS)}"
            )
        for argument in node.args:
            _check(argument)
        return
    if isinstance(node, ast.Subscript):
        _check(node.value)
        _index(node)
        return
    if isinstance(node, ast.Compare):
        if any(type(op) not in _COMPARE for op in node.ops):
            raise ConditionError("only < <= > >= == != compare")
    elif isinstance(node, ast.BinOp):
        if type(node.op) not in _BINARY and type(node.op) not in _BITS:
            raise ConditionError("only + - * / // % & | ^ << >> are known")
    elif not isinstance(node, ast.BoolOp | ast.UnaryOp):
        raise ConditionError(f"{ast.unparse(node)!r} is not understood here")
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            _check(child)


def _index(node: ast.Subscript) -> tuple[int, ...]:
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    found = []
    for part in parts:
        negative = isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.USub)
        constant = part.operand if isinstance(part, ast.UnaryOp) else part
        if not isinstance(constant, ast.Constant) or not isinstance(constant.value, int):
            raise ConditionError(f"a lane is a number: {ast.unparse(node)}")
        found.append(-constant.value if negative else constant.value)
    return tuple(found)


def _value(node: ast.expr, values: Mapping[str, Block | Number | None]) -> Value:
    if isinstance(node, ast.Constant):
        number: Number = node.value  # type: ignore[assignment]
        return number
    if isinstance(node, ast.Name):
        return _named(node.id, values)
    if isinstance(node, ast.Call):
        assert isinstance(node.func, ast.Name)
        return _FUNCTIONS[node.func.id]([_value(a, values) for a in node.args])
    if isinstance(node, ast.Subscript):
        return _lane(_value(node.value, values), _index(node), ast.unparse(node))
    if isinstance(node, ast.Compare):
        return _compared(node, values)
    if isinstance(node, ast.BoolOp):
        parts = [_value(part, values) for part in node.values]
        conjunction = isinstance(node.op, ast.And)
        result = parts[0]
        for part in parts[1:]:
            result = _each(result, part, _both if conjunction else _either)
        return result
    if isinstance(node, ast.UnaryOp):
        return _unary(node, _value(node.operand, values))
    assert isinstance(node, ast.BinOp)
    left, right = _value(node.left, values), _value(node.right, values)
    if type(node.op) in _BINARY:
        return _each(left, right, _BINARY[type(node.op)])
    return _each(left, right, _on_bits(_BITS[type(node.op)]))


def _named(name: str, values: Mapping[str, Block | Number | None]) -> Value:
    value = values.get(name)
    if value is None:
        raise ConditionError(f"{name} has no value here")
    if isinstance(value, Block):
        if len(value) > MAX_LANES:
            raise ConditionError(f"{name} has more than {MAX_LANES} lanes")
        return Lanes(value.shape, value.values)
    return value


def _lane(value: Value, index: tuple[int, ...], text: str) -> Value:
    if not isinstance(value, Lanes):
        raise ConditionError(f"{text}: this is one number, it has no lanes")
    shape = value.shape
    if not shape:
        return value.values[0]  # the same in every lane
    if len(index) == 1 and len(shape) != 1:
        shape = (len(value.values),)
    if len(index) != len(shape):
        raise ConditionError(f"{text}: the block has {len(shape)} dimensions")
    flat = 0
    for size, position in zip(shape, index, strict=True):
        at = position + size if position < 0 else position
        if not 0 <= at < size:
            raise ConditionError(f"{text}: the block has {size} lanes there")
        flat = flat * size + at
    return value.values[flat]


def _compared(node: ast.Compare, values: Mapping[str, Block | Number | None]) -> Value:
    left = _value(node.left, values)
    result: Value | None = None
    for op, right_node in zip(node.ops, node.comparators, strict=True):
        right = _value(right_node, values)
        one = _each(left, right, _COMPARE[type(op)])
        result = one if result is None else _each(result, one, _both)
        left = right
    assert result is not None
    return result


def _unary(node: ast.UnaryOp, value: Value) -> Value:
    if isinstance(node.op, ast.Not):
        return _map(value, lambda v: not v)
    if isinstance(node.op, ast.USub):
        return _map(value, lambda v: -v)
    if isinstance(node.op, ast.Invert):
        return _map(value, lambda v: (not v) if isinstance(v, bool) else ~int(v))
    return value


def _both(a: Number, b: Number) -> bool:
    return bool(a) and bool(b)


def _either(a: Number, b: Number) -> bool:
    return bool(a) or bool(b)


def _on_bits(function: Callable[[int, int], int]) -> Callable[[Number, Number], Number]:
    def apply(a: Number, b: Number) -> Number:
        if isinstance(a, float) or isinstance(b, float):
            raise ConditionError("bits of a float are not known")
        if function in (operator.lshift, operator.rshift) and not 0 <= b < _SHIFT_LIMIT:
            raise ConditionError(f"a shift by {b} is not possible")
        return function(a, b)

    return apply


def _map(value: Value, function: Callable[[Number], Number]) -> Value:
    if isinstance(value, Lanes):
        return Lanes(value.shape, list(map(function, value.values)))
    return function(value)


def _each(left: Value, right: Value, function: Callable[[Number, Number], Number]) -> Value:
    """Lane by lane, with size-1 dimensions broadcast and shapes aligned at the right."""
    if not isinstance(left, Lanes) and not isinstance(right, Lanes):
        return function(left, right)
    if not isinstance(left, Lanes):
        assert isinstance(right, Lanes)
        return Lanes(right.shape, list(map(function, repeat(left), right.values)))
    if not isinstance(right, Lanes):
        return Lanes(left.shape, list(map(function, left.values, repeat(right))))
    if left.shape == right.shape:
        return Lanes(left.shape, list(map(function, left.values, right.values)))
    shape = _common(left.shape, right.shape)
    return Lanes(shape, list(map(function, _spread(left, shape), _spread(right, shape))))


def _common(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    rank = max(len(one), len(other))
    a = (1,) * (rank - len(one)) + one
    b = (1,) * (rank - len(other)) + other
    shape = []
    for x, y in zip(a, b, strict=True):
        if x != y and 1 not in (x, y):
            raise ConditionError(f"blocks of shapes {list(one)} and {list(other)} do not match")
        shape.append(max(x, y) if 0 not in (x, y) else 0)
    if math.prod(shape) > MAX_LANES:
        raise ConditionError(f"more than {MAX_LANES} lanes")
    return tuple(shape)


def _spread(lanes: Lanes, shape: tuple[int, ...]) -> Sequence[Number]:
    """The values over the lanes of a larger block: each size-1 dimension repeated, innermost
    first, so that no lane has to be worked out on its own."""
    own = (1,) * (len(shape) - len(lanes.shape)) + lanes.shape
    values: Sequence[Number] = lanes.values
    inner = 1
    for size, target in zip(reversed(own), reversed(shape), strict=True):
        if size != target:
            parts = (values[at : at + inner] for at in range(0, len(values), inner or 1))
            values = list(chain.from_iterable([*part] * target for part in parts))
        inner *= target
    return values


def _all_numbers(values: Sequence[Value]) -> list[Number]:
    found: list[Number] = []
    for value in values:
        found.extend(value.values if isinstance(value, Lanes) else (value,))
    return found


def _extreme(which: Callable[[list[Number]], Number]) -> Callable[[Sequence[Value]], Value]:
    def apply(values: Sequence[Value]) -> Value:
        numbers = [v for v in _all_numbers(values) if v == v]
        if not numbers:
            raise ConditionError("there is no number to choose from")
        return which(numbers)

    return apply


def _one(function: Callable[[Number], Number]) -> Callable[[Sequence[Value]], Value]:
    def apply(values: Sequence[Value]) -> Value:
        if len(values) != 1:
            raise ConditionError("takes one argument")
        return _map(values[0], function)

    return apply


def _is_nan(value: Number) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _is_inf(value: Number) -> bool:
    return isinstance(value, float) and math.isinf(value)


_FUNCTIONS: dict[str, Callable[[Sequence[Value]], Value]] = {
    "any": lambda values: any(_all_numbers(values)),
    "all": lambda values: all(_all_numbers(values)),
    "count": lambda values: sum(1 for v in _all_numbers(values) if v),
    "sum": lambda values: sum(_all_numbers(values)),
    "min": _extreme(min),
    "max": _extreme(max),
    "abs": _one(abs),
    "isnan": _one(_is_nan),
    "isinf": _one(_is_inf),
}
