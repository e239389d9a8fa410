"""An expression of a wrapper or a kernel: its names, its value, its structure, its text.

It does not tell which language it was written in: see :mod:`aoti_tui.index.nodes`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from aoti_tui.index.arithmetic import (
    Environment,
    NoValue,
    Read,
    exact_of,
    is_float,
    to_int,
    value_of,
)
from aoti_tui.index.nodes import (
    Binary,
    Cast,
    Conditional,
    Name,
    Node,
    Number,
    Reading,
    Unary,
    Unknown,
    Value,
    walk,
)


class ExpressionError(ValueError):
    """An expression that cannot be parsed or has no value; names the text and the part."""

    def __init__(self, text: str, part: str, reason: str = "not understood") -> None:
        super().__init__(f"{reason}: {part!r} in {text!r}")
        self.text = text
        self.part = part
        self.reason = reason


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
        return tuple(dict.fromkeys(n for n in walk(self.root) if isinstance(n, Reading)))

    @property
    def is_float(self) -> bool:
        """Whether it gives a float whatever its names stand for."""
        return is_float(self.root)

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
            for node in walk(self.root)
        )

    def names(self) -> tuple[str, ...]:
        """The symbols, locals and tensors in it, each once, in order of appearance."""
        return tuple(dict.fromkeys(_names(self.root)))

    def needs(self) -> tuple[str, ...]:
        """What an environment must hold for it, each once: names, and readings by their text."""
        found = (n.name for n in walk(self.root) if isinstance(n, (Name, Reading)))
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

    def evaluate(self, env: Environment, read: Read | None = None) -> Value:
        """Its value with ``env`` for the names; ``read`` is asked for readings not in ``env``.

        Raises :class:`ExpressionError` for a missing name, a division by zero, an unknown
        function or a value outside of what is defined.
        """
        try:
            return value_of(self.root, env, read)
        except NoValue as problem:
            raise ExpressionError(self.written, problem.part, problem.reason) from None
        except (ArithmeticError, ValueError, RecursionError) as problem:
            raise ExpressionError(self.written, self.written, str(problem)) from None

    def evaluate_int(self, env: Environment) -> int:
        """The value a 64-bit integer gets when this is assigned to it: a float is truncated."""
        value = self.evaluate(env)
        try:
            return to_int(value, "int64")
        except NoValue as problem:
            raise ExpressionError(self.written, problem.part, problem.reason) from None

    def known(self, env: Environment) -> Value | None:
        """Its value; None where it has none or ``env`` does not know all that it needs."""
        try:
            return self.evaluate(env)
        except ExpressionError:
            return None

    def known_int(self, env: Environment) -> int | None:
        """What :meth:`evaluate_int` gives; None where it has no value or one that is not known."""
        try:
            return self.evaluate_int(env)
        except ExpressionError:
            return None

    def exact(self, env: Environment) -> Fraction | None:
        """Its value with float constants taken as the fractions they are written as; None for
        anything but plain arithmetic on known names."""
        try:
            return exact_of(self.root, env)
        except (NoValue, ArithmeticError, ValueError, RecursionError):
            return None


ZERO = Expr("0", Number(0))


def number(value: int) -> Expr:
    """A whole number as an expression."""
    return Expr(str(value), Number(value))


def _names(root: Node) -> Iterator[str]:
    for node in walk(root):
        if isinstance(node, Name):
            yield node.name
        elif isinstance(node, Reading):
            yield node.tensor
        elif isinstance(node, Unknown):
            yield from node.names


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


_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}
_BINDING = {
    "or": 2,
    "and": 3,
    "not": 4,
    **dict.fromkeys(_TURNED, 5),
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
