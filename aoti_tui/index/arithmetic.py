"""The value of an expression's tree, and which functions have one.

Integers and floats keep apart: a comparison is an integer, and a float becomes an integer only
where a cast or an assignment says so.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction

from aoti_tui.index.nodes import (
    Binary,
    Call,
    Cast,
    Conditional,
    Name,
    Node,
    Number,
    Reading,
    Unary,
    Unknown,
    Value,
)

Environment = Mapping[str, Value]
Read = Callable[[Reading], Value | None]


class NoValue(Exception):
    """A part that has no value, and why."""

    def __init__(self, part: str, reason: str) -> None:
        super().__init__(reason)
        self.part = part
        self.reason = reason


def value_of(node: Node, env: Environment, read: Read | None) -> Value:
    """The value of a node; ``read`` is asked for readings that are not in ``env``.

    Raises :class:`NoValue`, or an ArithmeticError, ValueError or RecursionError.
    """
    if isinstance(node, Number):
        return node.value
    if isinstance(node, (Name, Reading)):
        value = env.get(node.name)
        if value is None and read is not None and isinstance(node, Reading):
            value = read(node)
        if value is None:
            raise NoValue(node.name, "no value for")
        return int(value) if isinstance(value, bool) else value
    if isinstance(node, Unary):
        return _unary(node.operator, value_of(node.operand, env, read))
    if isinstance(node, Binary):
        left = value_of(node.left, env, read)
        if node.operator in ("and", "or") and bool(left) is (node.operator == "or"):
            return int(bool(left))
        return _binary(node.operator, left, value_of(node.right, env, read))
    if isinstance(node, Conditional):
        chosen = node.chosen if value_of(node.condition, env, read) else node.other
        return value_of(chosen, env, read)
    if isinstance(node, Cast):
        return _cast(node.type, value_of(node.operand, env, read))
    if isinstance(node, Unknown):
        raise NoValue(node.text, node.reason)
    return _call(node.function, [value_of(a, env, read) for a in node.arguments])


def _unary(sign: str, value: Value) -> Value:
    if sign == "-":
        return -value
    if sign == "not":
        return int(not value)
    return ~_integer(value, "~") if sign == "~" else value


def _binary(sign: str, left: Value, right: Value) -> Value:
    if sign in ("and", "or"):
        return int(bool(right))
    if sign in _ARITHMETIC:
        return _ARITHMETIC[sign](left, right)
    if sign in _COMPARISON:
        return int(_COMPARISON[sign](left, right))
    a, b = _integer(left, sign), _integer(right, sign)
    if sign in ("<<", ">>") and not 0 <= b < 64:
        raise NoValue(f"{sign} {b}", "shift out of range")
    return _BITS[sign](a, b)


def _integer(value: Value, part: str) -> int:
    if isinstance(value, int):
        return value
    raise NoValue(f"{part} of {value}", "needs integers")


def _checked(right: Value, part: str) -> None:
    if right == 0:
        raise NoValue(part, "division by zero")


def _divide(left: Value, right: Value) -> float:
    _checked(right, f"{left} / {right}")
    return left / right


def _floor_divide(left: Value, right: Value) -> int:
    a, b = _integer(left, "//"), _integer(right, "//")
    _checked(b, f"{a} / 0")
    return a // b


def _floor_remainder(left: Value, right: Value) -> Value:
    _checked(right, f"{left} % 0")
    return left % right


def _quotient(left: Value, right: Value) -> Value:
    if isinstance(left, float) or isinstance(right, float):
        return _divide(left, right)
    _checked(right, f"{left} / 0")
    whole = abs(left) // abs(right)
    return whole if (left < 0) == (right < 0) else -whole


def _remainder(left: Value, right: Value) -> Value:
    _checked(right, f"{left} % 0")
    if isinstance(left, float) or isinstance(right, float):
        return math.fmod(left, right)
    return left - right * _quotient(left, right)


def to_int(value: Value, to: str) -> int:
    """What an integer of type ``to`` gets when a value is assigned to it."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise NoValue(str(value), f"no {to} value for")
        value = math.trunc(value)
    signed, bits = not to.startswith("u"), int(to.lstrip("uint"))
    if to == "int64" and not -(2**63) <= value < 2**63:
        raise NoValue(str(value), "does not fit an int64")
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def _cast(to: str, value: Value) -> Value:
    if to == "float":
        return float(value)
    return int(bool(value)) if to == "bool" else to_int(value, to)


def _call(function: str, values: list[Value]) -> Value:
    known = _FUNCTIONS.get(function)
    if known is None:
        raise NoValue(function, "unknown function")
    try:
        return known(*values)
    except TypeError:
        raise NoValue(function, f"wrong number of arguments ({len(values)}) for") from None


def exact_of(node: Node, env: Environment) -> Fraction:
    """The value with float constants as the fractions they are written as; raises as above for
    anything but plain arithmetic on known names."""
    if isinstance(node, Number):
        return Fraction(node.value)
    if isinstance(node, (Name, Reading)):
        if node.name not in env:
            raise NoValue(node.name, "no value for")
        return Fraction(env[node.name])
    if isinstance(node, Unary) and node.operator == "-":
        return -exact_of(node.operand, env)
    if isinstance(node, Binary) and node.operator in _PLAIN:
        return _PLAIN[node.operator](exact_of(node.left, env), exact_of(node.right, env))
    raise NoValue("", "not plain arithmetic")


def called(function: str, arguments: tuple[Node, ...]) -> Node:
    """A call as the arithmetic it is, or as a :class:`Call`.

    ``function`` can stand in a namespace or module (``std::max``, ``tl.math.floor``). The names
    are those of torch/utils/_sympy/functions.py and printers.py and of Triton's libraries.
    """
    short = function.rpartition("::")[2].rpartition(".")[2]
    written_out = _WRITTEN_OUT.get(short)
    if written_out is not None and len(arguments) == written_out[0]:
        return written_out[1](*arguments)
    known = _SAME_AS.get(short, short)
    return Call(known if known in _FUNCTIONS else function, arguments)


def is_float(node: Node) -> bool:
    """Whether a node gives a float whatever its names stand for."""
    while isinstance(node, Unary):
        node = node.operand
    if isinstance(node, Number):
        return isinstance(node.value, float)
    if isinstance(node, Cast):
        return node.type == "float"
    if isinstance(node, Call):
        return node.function in _FLOAT_FUNCTIONS
    if isinstance(node, Binary):
        arithmetic = node.operator in ("+", "-", "*", "quotient", "remainder")
        return node.operator == "/" or (
            arithmetic and (is_float(node.right) or is_float(node.left))
        )
    return False


def _rounded_up(size: Node) -> Node:
    # A memory pool's slots: torch/_inductor/codegen/memory_planning.py, ALIGN_BYTES.
    padded = Binary("+", size, Number(63))
    return Binary("*", Binary("//", padded, Number(64)), Number(64))


def _two(sign: str) -> tuple[int, Callable[..., Node]]:
    return 2, lambda left, right: Binary(sign, left, right)


_WRITTEN_OUT: dict[str, tuple[int, Callable[..., Node]]] = {
    **dict.fromkeys(("div_floor_integer", "FloorDiv", "CleanDiv"), _two("//")),
    **dict.fromkeys(("div_mod", "remainder_integer", "Mod", "PythonMod"), _two("%")),
    "fmod": _two("remainder"),
    "div_floor_floating": (2, lambda a, b: Call("floor", (Binary("/", a, b),))),
    "ModularIndexing": (3, lambda x, by, of: Binary("%", Binary("//", x, by), of)),
    "cdiv": (2, lambda a, b: Unary("-", Binary("//", Unary("-", a), b))),
    "where": (3, Conditional),
    "align": (1, _rounded_up),
    "zeros_like": (1, lambda x: Binary("*", x, Number(0))),
    **dict.fromkeys(("lrint", "llrint"), (1, lambda x: Cast("int64", Call("round", (x,))))),
}
_SAME_AS = {
    **dict.fromkeys(("maximum", "Max"), "max"),
    **dict.fromkeys(("minimum", "Min"), "min"),
    **dict.fromkeys(("nearbyint", "rint"), "round"),
    "sqrt_rn": "sqrt",
}


def _whole(function: Callable[[float], int]) -> Callable[[Value], float]:
    return lambda value: float(function(value)) if math.isfinite(value) else float(value)


def _round(value: float) -> int:
    return round(value)


_FUNCTIONS: dict[str, Callable[..., Value]] = {
    "max": lambda *values: max(values),
    "min": lambda *values: min(values),
    "abs": abs,
    "floor": _whole(math.floor),
    "ceil": _whole(math.ceil),
    "trunc": _whole(math.trunc),
    "round": _whole(_round),
    "pow": lambda base, exponent: math.pow(base, exponent),
    **{
        name: getattr(math, name)
        for name in ("sqrt", "log2", "log", "exp", "sin", "cos", "tan", "asin", "acos", "atan")
    },
    **{name: getattr(math, name) for name in ("sinh", "cosh", "tanh")},
}
_FLOAT_FUNCTIONS = frozenset(_FUNCTIONS) - {"max", "min", "abs"}
"""Those that give a float whatever they are given."""
_ARITHMETIC: dict[str, Callable[[Value, Value], Value]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divide,
    "//": _floor_divide,
    "%": _floor_remainder,
    "quotient": _quotient,
    "remainder": _remainder,
}
_PLAIN: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
_COMPARISON: dict[str, Callable[[Value, Value], bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_BITS: dict[str, Callable[[int, int], int]] = {
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}
