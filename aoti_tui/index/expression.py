"""The tree of an expression and its value.

Integers and floats keep apart as in C++: ``/`` of two integers truncates, a comparison is an
integer, and a double becomes an integer only where a cast or an assignment says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

Environment = Mapping[str, int | float]


class ExpressionError(ValueError):
    """An expression that cannot be parsed or has no value; names the text and the part."""

    def __init__(self, text: str, part: str, reason: str = "not understood") -> None:
        super().__init__(f"{reason}: {part!r} in {text!r}")
        self.text = text
        self.part = part
        self.reason = reason


class _NoValue(Exception):
    def __init__(self, part: str, reason: str) -> None:
        super().__init__(reason)
        self.part = part
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Number:
    value: int | float


@dataclass(frozen=True, slots=True)
class Name:
    """A symbol or local: ``s7``, ``arg4_1_size[0]``, ``buf9.size(0)``, ``arg1_1.item()``."""

    name: str


@dataclass(frozen=True, slots=True)
class Unary:
    operator: str
    operand: Node


@dataclass(frozen=True, slots=True)
class Binary:
    """``operator`` is C++'s; ``//`` truncates integers and ``/.`` always divides as floats."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Conditional:
    condition: Node
    chosen: Node
    other: Node


@dataclass(frozen=True, slots=True)
class Cast:
    type: str
    operand: Node


@dataclass(frozen=True, slots=True)
class Call:
    function: str
    arguments: tuple[Node, ...]


Node = Number | Name | Unary | Binary | Conditional | Cast | Call


@dataclass(frozen=True, slots=True)
class Expr:
    """A parsed expression."""

    text: str
    root: Node

    def names(self) -> tuple[str, ...]:
        """The names it needs, each once, in order of appearance."""
        return tuple(dict.fromkeys(_names(self.root)))

    def evaluate(self, env: Environment) -> int | float:
        """Its value with ``env`` for the names.

        Raises :class:`ExpressionError` for a missing name, a division by zero, an unknown
        function or a value outside of what C++ defines.
        """
        try:
            return _value(self.root, env)
        except _NoValue as problem:
            raise ExpressionError(self.text, problem.part, problem.reason) from None
        except (ArithmeticError, ValueError, RecursionError) as problem:
            raise ExpressionError(self.text, self.text, str(problem)) from None

    def evaluate_int(self, env: Environment) -> int:
        """The value an ``int64_t`` gets when this is assigned to it: a double is truncated."""
        value = self.evaluate(env)
        try:
            return _to_int(value, "int64_t")
        except _NoValue as problem:
            raise ExpressionError(self.text, problem.part, problem.reason) from None


def _names(node: Node) -> Iterator[str]:
    # Not recursive: a sum of a thousand terms is a tree a thousand deep.
    pending = [node]
    while pending:
        one = pending.pop()
        if isinstance(one, Name):
            yield one.name
        elif isinstance(one, (Unary, Cast)):
            pending.append(one.operand)
        elif isinstance(one, Binary):
            pending.extend((one.right, one.left))
        elif isinstance(one, Conditional):
            pending.extend((one.other, one.chosen, one.condition))
        elif isinstance(one, Call):
            pending.extend(reversed(one.arguments))


def _value(node: Node, env: Environment) -> int | float:
    if isinstance(node, Number):
        return node.value
    if isinstance(node, Name):
        if node.name not in env:
            raise _NoValue(node.name, "no value for")
        value = env[node.name]
        return int(value) if isinstance(value, bool) else value
    if isinstance(node, Unary):
        return _unary(node, env)
    if isinstance(node, Binary):
        return _binary(node, env)
    if isinstance(node, Conditional):
        return _value(node.chosen if _value(node.condition, env) else node.other, env)
    if isinstance(node, Cast):
        return _cast(node.type, _value(node.operand, env))
    return _call(node, env)


def _unary(node: Unary, env: Environment) -> int | float:
    value = _value(node.operand, env)
    if node.operator == "-":
        return -value
    if node.operator == "!":
        return int(not value)
    if node.operator == "~":
        return ~_integer(value, "~")
    return value


def _binary(node: Binary, env: Environment) -> int | float:
    operator = node.operator
    left = _value(node.left, env)
    if operator == "&&":
        return int(bool(left) and bool(_value(node.right, env)))
    if operator == "||":
        return int(bool(left) or bool(_value(node.right, env)))
    right = _value(node.right, env)
    if operator in _ARITHMETIC:
        return _ARITHMETIC[operator](left, right)
    if operator in _COMPARISON:
        return int(_COMPARISON[operator](left, right))
    if operator in _BITS:
        a, b = _integer(left, operator), _integer(right, operator)
        if operator in ("<<", ">>") and not 0 <= b < 64:
            raise _NoValue(f"{operator} {b}", "shift out of range")
        return _BITS[operator](a, b)
    raise _NoValue(operator, "unknown operator")


def _divide(left: int | float, right: int | float) -> int | float:
    if isinstance(left, int) and isinstance(right, int):
        return _truncated(left, right)
    return _float_divide(left, right)


def _truncated(left: int | float, right: int | float) -> int:
    a, b = _integer(left, "/"), _integer(right, "/")
    if b == 0:
        raise _NoValue(f"{a} / 0", "division by zero")
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _float_divide(left: int | float, right: int | float) -> float:
    if right == 0:
        raise _NoValue(f"{left} / {right}", "division by zero")
    return left / right


def _remainder(left: int | float, right: int | float) -> int | float:
    if right == 0:
        raise _NoValue(f"{left} % 0", "division by zero")
    if isinstance(left, int) and isinstance(right, int):
        return left - right * _truncated(left, right)
    return math.fmod(left, right)


def _floor_divide(left: int | float, right: int | float) -> int:
    a, b = _integer(left, "div_floor"), _integer(right, "div_floor")
    if b == 0:
        raise _NoValue(f"{a} / 0", "division by zero")
    return a // b


def _floor_remainder(left: int | float, right: int | float) -> int | float:
    if right == 0:
        raise _NoValue(f"{left} % 0", "division by zero")
    return left % right


def _integer(value: int | float, part: str) -> int:
    if isinstance(value, int):
        return value
    raise _NoValue(f"{part} of {value}", "needs integers")


def _to_int(value: int | float, to: str) -> int:
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _NoValue(str(value), f"no {to} value for")
        value = math.trunc(value)
    bits, signed = _INTEGER_TYPES[to]
    if to == "int64_t" and not -(2**63) <= value < 2**63:
        raise _NoValue(str(value), "does not fit an int64_t")
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def _cast(to: str, value: int | float) -> int | float:
    if to in ("double", "float"):
        return float(value)
    if to == "bool":
        return int(bool(value))
    return _to_int(value, _SYNONYMS.get(to, to))


def _call(node: Call, env: Environment) -> int | float:
    short = node.function.rpartition("::")[2].rpartition(".")[2]
    function = _FUNCTIONS.get(short)
    values = [_value(a, env) for a in node.arguments]
    if function is None:
        raise _NoValue(node.function, "unknown function")
    try:
        return function(*values)
    except TypeError:
        raise _NoValue(node.function, f"wrong number of arguments ({len(values)}) for") from None


def _largest(*values: int | float) -> int | float:
    return max(values)


def _smallest(*values: int | float) -> int | float:
    return min(values)


def _whole(function: Callable[[float], int]) -> Callable[..., float]:
    def apply(value: int | float) -> float:
        return float(function(value)) if math.isfinite(value) else float(value)

    return apply


def _unary_math(function: Callable[[float], float]) -> Callable[..., float]:
    def apply(value: int | float) -> float:
        return function(float(value))

    return apply


def _power(base: int | float, exponent: int | float) -> float:
    return math.pow(float(base), float(exponent))


def _nearest(value: int | float) -> int:
    return round(value)


_ARITHMETIC: dict[str, Callable[[int | float, int | float], int | float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _divide,
    "//": _truncated,
    "/.": _float_divide,
    "%": _remainder,
}
_COMPARISON: dict[str, Callable[[int | float, int | float], bool]] = {
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}
_BITS: dict[str, Callable[[int, int], int]] = {
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
}
_INTEGER_TYPES = {
    "int8_t": (8, True),
    "int16_t": (16, True),
    "int32_t": (32, True),
    "int64_t": (64, True),
    "uint8_t": (8, False),
    "uint16_t": (16, False),
    "uint32_t": (32, False),
    "uint64_t": (64, False),
}
_SYNONYMS = {
    "int": "int32_t",
    "long": "int64_t",
    "long long": "int64_t",
    "unsigned": "uint32_t",
    "unsigned int": "uint32_t",
    "unsigned long": "uint64_t",
    "unsigned long long": "uint64_t",
    "size_t": "uint64_t",
}
_FUNCTIONS: dict[str, Callable[..., int | float]] = {
    "div_floor_integer": _floor_divide,
    "div_floor_floating": lambda a, b: float(math.floor(_float_divide(a, b))),
    "div_mod": _floor_remainder,
    "remainder_integer": _floor_remainder,
    "FloorDiv": _floor_divide,
    "CleanDiv": _floor_divide,
    "Mod": _floor_remainder,
    "PythonMod": _floor_remainder,
    "ModularIndexing": lambda x, div, mod: _floor_remainder(_floor_divide(x, div), mod),
    "max": _largest,
    "min": _smallest,
    "maximum": _largest,
    "minimum": _smallest,
    "Max": _largest,
    "Min": _smallest,
    "abs": abs,
    "floor": _whole(math.floor),
    "ceil": _whole(math.ceil),
    "trunc": _whole(math.trunc),
    "nearbyint": _whole(_nearest),
    "rint": _whole(_nearest),
    "lrint": _nearest,
    "llrint": _nearest,
    "sqrt": _unary_math(math.sqrt),
    "sqrt_rn": _unary_math(math.sqrt),
    "log2": _unary_math(math.log2),
    "log": _unary_math(math.log),
    "exp": _unary_math(math.exp),
    "cos": _unary_math(math.cos),
    "sin": _unary_math(math.sin),
    "tan": _unary_math(math.tan),
    "acos": _unary_math(math.acos),
    "asin": _unary_math(math.asin),
    "atan": _unary_math(math.atan),
    "cosh": _unary_math(math.cosh),
    "sinh": _unary_math(math.sinh),
    "tanh": _unary_math(math.tanh),
    "pow": _power,
    "fmod": _remainder,
    "cdiv": lambda a, b: -_floor_divide(-a, b),
    "where": lambda condition, chosen, other: chosen if condition else other,
    # A memory pool's slots: torch/_inductor/codegen/memory_planning.py, ALIGN_BYTES.
    "align": lambda size: (_integer(size, "align") + 63) // 64 * 64,
    "zeros_like": lambda value: type(value)(0),
}
