"""An expression of a wrapper or a kernel: its tree, its names, its value, its text for people.

Whatever language it was written in, the tree says the same: ``//`` and ``%`` floor as Python's,
``quotient`` and ``remainder`` are C's (and Triton's) for whole numbers, ``/`` divides as floats.
Integers and floats keep apart: a comparison is an integer, and a float becomes an integer only
where a cast or an assignment says so.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

Value = int | float
Environment = Mapping[str, Value]


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
    value: Value


@dataclass(frozen=True, slots=True)
class Name:
    """A symbol, a local or a parameter: ``s7``, ``ks0``."""

    name: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A size, a stride or the one element of a tensor, read in place."""

    tensor: str
    what: Literal["size", "stride", "item"]
    dim: int = 0

    @property
    def name(self) -> str:
        """``arg4_1.size(0)``, ``buf3.item()``: what an environment knows it by."""
        return f"{self.tensor}.{self.what}({'' if self.what == 'item' else self.dim})"


@dataclass(frozen=True, slots=True)
class Unary:
    """``operator`` is ``-``, ``+``, ``~`` or ``not``."""

    operator: str
    operand: Node


@dataclass(frozen=True, slots=True)
class Binary:
    """``operator`` is ``+ - * / // % quotient remainder``, a comparison, ``and``, ``or`` or one
    of ``& | ^ << >>``."""

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
    """``type`` is ``float``, ``bool`` or an integer type (``int64``, ``uint32``)."""

    type: str
    operand: Node


@dataclass(frozen=True, slots=True)
class Call:
    function: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Unknown:
    """Text that is no arithmetic, with the names that stand in it."""

    text: str
    reason: str
    names: tuple[str, ...] = ()


Node = Number | Name | Reading | Unary | Binary | Conditional | Cast | Call | Unknown


@dataclass(frozen=True, slots=True)
class Expr:
    """A parsed expression. Two are equal when they are written alike."""

    written: str
    """As the wrapper or kernel writes it."""
    root: Node = field(compare=False)

    def __str__(self) -> str:
        """For people, in no language of its own: ``s7 // 2``, ``arg4_1.size(0)``, ``16*s20``."""
        try:
            return _said(self.root)[0]
        except RecursionError:
            return self.written

    @property
    def problem(self) -> str:
        """Why it has no meaning; ``""`` for one that was understood."""
        return self.root.reason if isinstance(self.root, Unknown) else ""

    @property
    def literal(self) -> Value | None:
        """The number it is; None when it is more than one number."""
        root, sign = self.root, 1
        while isinstance(root, Unary) and root.operator in "+-":
            sign = -sign if root.operator == "-" else sign
            root = root.operand
        return sign * root.value if isinstance(root, Number) else None

    @property
    def limit(self) -> tuple[str, str, int] | None:
        """``("u0", ">=", 2)`` of a comparison of a name with a whole number, whichever stands
        first; None for anything else."""
        root = self.root
        if not isinstance(root, Binary) or root.operator not in _TURNED:
            return None
        name, sign, bound = root.left, root.operator, root.right
        if isinstance(name, Number):
            name, sign, bound = bound, _TURNED[sign], name
        if not isinstance(name, Name) or not isinstance(bound, Number):
            return None
        return (name.name, sign, bound.value) if isinstance(bound.value, int) else None

    @property
    def readings(self) -> tuple[Reading, ...]:
        """What it reads off tensors in place."""
        return tuple(dict.fromkeys(n for n in _nodes(self.root) if isinstance(n, Reading)))

    @property
    def has_float_ratio(self) -> bool:
        """Whether a quotient of two float constants stands in it (``(1.0/4.0)*s0``), which can
        make a whole number a little too small."""
        return any(
            isinstance(node, Binary)
            and node.operator == "/"
            and all(
                isinstance(side, Number) and isinstance(side.value, float)
                for side in (node.left, node.right)
            )
            for node in _nodes(self.root)
        )

    def names(self) -> tuple[str, ...]:
        """The symbols, locals and tensors in it, each once, in order of appearance."""
        return tuple(dict.fromkeys(_names(self.root)))

    def needs(self) -> tuple[str, ...]:
        """What an environment must hold for it, each once: names, and readings by their text."""
        found = (n.name for n in _nodes(self.root) if isinstance(n, (Name, Reading)))
        return tuple(dict.fromkeys(found))

    def factors(self) -> tuple[int, tuple[str, ...]]:
        """It as a whole number times other factors, sorted, to compare products by."""
        number, others = 1, []
        pending = [self.root]
        while pending:
            node = pending.pop()
            if isinstance(node, Binary) and node.operator == "*":
                pending += [node.left, node.right]
            elif isinstance(node, Number) and isinstance(node.value, int):
                number *= node.value
            else:
                others.append(str(Expr("", node)))
        return number, tuple(sorted(others))

    def evaluate(
        self, env: Environment, read: Callable[[Reading], Value | None] | None = None
    ) -> Value:
        """Its value with ``env`` for the names; ``read`` is asked for readings not in ``env``.

        Raises :class:`ExpressionError` for a missing name, a division by zero, an unknown
        function or a value outside of what is defined.
        """
        try:
            return _value(self.root, env, read)
        except _NoValue as problem:
            raise ExpressionError(self.written, problem.part, problem.reason) from None
        except (ArithmeticError, ValueError, RecursionError) as problem:
            raise ExpressionError(self.written, self.written, str(problem)) from None

    def evaluate_int(self, env: Environment) -> int:
        """The value a 64-bit integer gets when this is assigned to it: a float is truncated."""
        value = self.evaluate(env)
        try:
            return _to_int(value, "int64")
        except _NoValue as problem:
            raise ExpressionError(self.written, problem.part, problem.reason) from None

    def exact(self, env: Environment) -> Fraction | None:
        """Its value with float constants taken as the fractions they are written as; None for
        anything but plain arithmetic on known names."""
        try:
            return _exact(self.root, env)
        except (_NoValue, ArithmeticError, ValueError, RecursionError):
            return None


ZERO = Expr("0", Number(0))


def number(value: int) -> Expr:
    """A whole number as an expression."""
    return Expr(str(value), Number(value))


def _nodes(root: Node) -> Iterator[Node]:
    # Not recursive: a sum of a thousand terms is a tree a thousand deep.
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, (Unary, Cast)):
            pending.append(node.operand)
        elif isinstance(node, Binary):
            pending += (node.right, node.left)
        elif isinstance(node, Conditional):
            pending += (node.other, node.chosen, node.condition)
        elif isinstance(node, Call):
            pending.extend(reversed(node.arguments))


def _names(root: Node) -> Iterator[str]:
    for node in _nodes(root):
        if isinstance(node, Name):
            yield node.name
        elif isinstance(node, Reading):
            yield node.tensor
        elif isinstance(node, Unknown):
            yield from node.names


# -- value ----------------------------------------------------------------------------------------


def _value(node: Node, env: Environment, read: Callable[[Reading], Value | None] | None) -> Value:
    if isinstance(node, Number):
        return node.value
    if isinstance(node, (Name, Reading)):
        value = env.get(node.name)
        if value is None and read is not None and isinstance(node, Reading):
            value = read(node)
        if value is None:
            raise _NoValue(node.name, "no value for")
        return int(value) if isinstance(value, bool) else value
    if isinstance(node, Unary):
        return _unary(node.operator, _value(node.operand, env, read))
    if isinstance(node, Binary):
        left = _value(node.left, env, read)
        if node.operator in ("and", "or") and bool(left) is (node.operator == "or"):
            return int(bool(left))
        return _binary(node.operator, left, _value(node.right, env, read))
    if isinstance(node, Conditional):
        chosen = node.chosen if _value(node.condition, env, read) else node.other
        return _value(chosen, env, read)
    if isinstance(node, Cast):
        return _cast(node.type, _value(node.operand, env, read))
    if isinstance(node, Unknown):
        raise _NoValue(node.text, node.reason)
    return _call(node.function, [_value(a, env, read) for a in node.arguments])


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
        raise _NoValue(f"{sign} {b}", "shift out of range")
    return _BITS[sign](a, b)


def _integer(value: Value, part: str) -> int:
    if isinstance(value, int):
        return value
    raise _NoValue(f"{part} of {value}", "needs integers")


def _checked(right: Value, part: str) -> None:
    if right == 0:
        raise _NoValue(part, "division by zero")


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


def _to_int(value: Value, to: str) -> int:
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _NoValue(str(value), f"no {to} value for")
        value = math.trunc(value)
    signed, bits = not to.startswith("u"), int(to.lstrip("uint"))
    if to == "int64" and not -(2**63) <= value < 2**63:
        raise _NoValue(str(value), "does not fit an int64")
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def _cast(to: str, value: Value) -> Value:
    if to == "float":
        return float(value)
    return int(bool(value)) if to == "bool" else _to_int(value, to)


def _call(function: str, values: list[Value]) -> Value:
    known = _FUNCTIONS.get(function)
    if known is None:
        raise _NoValue(function, "unknown function")
    try:
        return known(*values)
    except TypeError:
        raise _NoValue(function, f"wrong number of arguments ({len(values)}) for") from None


def _exact(node: Node, env: Environment) -> Fraction:
    if isinstance(node, Number):
        return Fraction(node.value)
    if isinstance(node, (Name, Reading)):
        if node.name not in env:
            raise _NoValue(node.name, "no value for")
        return Fraction(env[node.name])
    if isinstance(node, Unary) and node.operator == "-":
        return -_exact(node.operand, env)
    if isinstance(node, Binary) and node.operator in _PLAIN:
        return _PLAIN[node.operator](_exact(node.left, env), _exact(node.right, env))
    raise _NoValue("", "not plain arithmetic")


# -- text for people ------------------------------------------------------------------------------


def _said(node: Node) -> tuple[str, int]:
    """An expression's text and how strongly it binds."""
    if isinstance(node, Number):
        return f"{node.value:g}" if node.value in _ENDLESS else str(node.value), _ATOM
    if isinstance(node, (Name, Reading)):
        return node.name, _ATOM
    if isinstance(node, Unary):
        strength = _BINDING["not"] if node.operator == "not" else _ATOM - 1
        space = " " if node.operator == "not" else ""
        return f"{node.operator}{space}{_within(node.operand, strength)}", strength
    if isinstance(node, Binary):
        return _binary_said(node)
    if isinstance(node, Conditional):
        condition, chosen, other = map(_within, (node.condition, node.chosen, node.other), (1,) * 3)
        return f"{chosen} if {condition} else {other}", 0
    if isinstance(node, Cast):
        if node.type == "int64" and not is_float(node.operand):
            # What is a whole number already says nothing by its cast.
            return _said(node.operand)
        return f"{'int' if node.type == 'int64' else node.type}({_within(node.operand, 0)})", _ATOM
    if isinstance(node, Unknown):
        return node.text, 0
    return f"{node.function}({', '.join(_within(a, 0) for a in node.arguments)})", _ATOM


def _binary_said(node: Binary) -> tuple[str, int]:
    sign = _SHOWN.get(node.operator, node.operator)
    strength = _BINDING[node.operator]
    left = _within(node.left, strength)
    if sign == "*" and isinstance(node.left, Binary) and node.left.operator != "*":
        left = _within(node.left, _ATOM)
    right = _within(node.right, strength + 1)
    return f"{left}{sign}{right}" if sign in "*/" else f"{left} {sign} {right}", strength


def _within(node: Node, strength: int) -> str:
    text, own = _said(node)
    return text if own >= strength else f"({text})"


# -- tables ---------------------------------------------------------------------------------------


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
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}
_BITS: dict[str, Callable[[int, int], int]] = {
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}
_BINDING = {
    "or": 2,
    "and": 3,
    "not": 4,
    **dict.fromkeys(_COMPARISON, 5),
    "|": 6,
    "^": 7,
    "&": 8,
    **dict.fromkeys(("<<", ">>"), 9),
    **dict.fromkeys("+-", 10),
    **dict.fromkeys(("*", "/", "//", "%", "quotient", "remainder"), 11),
}
_ATOM = 13
_SHOWN = {"quotient": "//", "remainder": "%"}
_ENDLESS = (math.inf, -math.inf)
