"""The arithmetic of a wrapper: C++ shape expressions, parsed and evaluated as C++ would.

Formats: torch/utils/_sympy/printers.py (CppPrinter) for what ``run_impl`` holds and
torch/_inductor/runtime/triton_heuristics.py (GridExpr) for grids. A kernel's own expressions
are Python: see :mod:`aoti_tui.index.python.expression`.
"""

from __future__ import annotations

import re

from aoti_tui.index.expression import (
    Binary,
    Call,
    Cast,
    Conditional,
    Expr,
    ExpressionError,
    Name,
    Node,
    Number,
    Unary,
)
from aoti_tui.index.python.expression import parse_python

__all__ = ["Expr", "ExpressionError", "parse", "parse_python"]

_TYPE = (
    r"(?:(?:const\s+)?(?:unsigned\s+)?(?:std::)?"
    r"(?:u?int(?:8|16|32|64)_t|size_t|long\s+long|long|int|double|float|bool|unsigned))"
)
_TOKEN = re.compile(
    rf"""\s*(?:
      (?P<cast>(?:static_cast|c10::convert)<\s*(?P<to>{_TYPE})\s*>)
    | (?P<paren_cast>\(\s*(?P<old>{_TYPE})\s*\)(?=\s*[\w(]))
    | (?P<number>0[xX][0-9a-fA-F]+[uUlL]*|(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?[uUlLfF]*)
    | (?P<limit>std::numeric_limits<[\w:]+>::(?P<which>\w+)\(\))
    | (?P<name>[A-Za-z_]\w*(?:::\w+)*(?:<[\w:\s]+>(?=\s*\())?(?:\[\d+\])?
        (?:\.(?:item(?:<\w+>)?\(\)|(?:size|stride)\(\d+L?\)))?)
    | (?P<operator><<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>!~?:(),&|^{{}}])
    )""",
    re.X,
)
_BINDING = {
    "||": 1,
    "&&": 2,
    "|": 3,
    "^": 4,
    "&": 5,
    "==": 6,
    "!=": 6,
    "<": 7,
    ">": 7,
    "<=": 7,
    ">=": 7,
    "<<": 8,
    ">>": 8,
    "+": 9,
    "-": 9,
    "*": 10,
    "/": 10,
    "%": 10,
}
_LIMITS = {"infinity": float("inf"), "quiet_NaN": float("nan")}
_DEEPEST = 200


def parse(text: str) -> Expr:
    """The C++ expression ``text``.

    Raises :class:`ExpressionError` when it is not one this module understands.
    """
    parser = _Parser(text)
    root = parser.expression(0)
    parser.end()
    return Expr(text, root)


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._depth = 0
        self._tokens: list[tuple[str, str]] = []
        position = 0
        stripped = text.rstrip()
        while position < len(stripped):
            match = _TOKEN.match(stripped, position)
            if match is None:
                raise ExpressionError(text, stripped[position : position + 20].strip())
            for kind in ("cast", "paren_cast", "number", "limit", "name", "operator"):
                value = match[kind]
                if value is not None:
                    inner = {"cast": "to", "paren_cast": "old", "limit": "which"}.get(kind)
                    self._tokens.append((kind, match[inner] if inner else value))
            position = match.end()
        self._at = 0

    def _peek(self) -> tuple[str, str]:
        return self._tokens[self._at] if self._at < len(self._tokens) else ("end", "the end")

    def _next(self) -> tuple[str, str]:
        token = self._peek()
        self._at += 1
        return token

    def _expect(self, sign: str) -> None:
        kind, value = self._next()
        if kind != "operator" or value != sign:
            raise ExpressionError(self._text, value, f"expected {sign!r}")

    def end(self) -> None:
        kind, value = self._peek()
        if kind != "end":
            raise ExpressionError(self._text, value, "expected the end")

    def expression(self, binding: int) -> Node:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ExpressionError(self._text, self._peek()[1], "nested too deeply")
        left = self._unary()
        while True:
            kind, sign = self._peek()
            if kind != "operator":
                break
            if sign == "?" and binding == 0:
                self._at += 1
                chosen = self.expression(0)
                self._expect(":")
                left = Conditional(left, chosen, self.expression(0))
                continue
            power = _BINDING.get(sign)
            if power is None or power <= binding:
                break
            self._at += 1
            left = Binary(sign, left, self.expression(power))
        self._depth -= 1
        return left

    def _unary(self) -> Node:
        kind, value = self._next()
        if kind == "operator" and value in "+-!~":
            self._depth += 1
            if self._depth > _DEEPEST:
                raise ExpressionError(self._text, value, "nested too deeply")
            operand = self._unary()
            self._depth -= 1
            return Unary(value, operand)
        if kind == "operator" and value == "(":
            inner = self.expression(0)
            self._expect(")")
            return inner
        if kind == "cast":
            self._expect("(")
            inner = self.expression(0)
            self._expect(")")
            return Cast(_plain_type(value), inner)
        if kind == "paren_cast":
            return Cast(_plain_type(value), self._unary())
        if kind == "number":
            return Number(_number(value))
        if kind == "limit":
            if value not in _LIMITS:
                raise ExpressionError(self._text, value, "unknown limit")
            return Number(_LIMITS[value])
        if kind == "name":
            return self._named(value)
        raise ExpressionError(self._text, value)

    def _named(self, name: str) -> Node:
        if self._peek() != ("operator", "(") or name.endswith((")", "]")):
            if name in ("true", "false"):
                return Number(int(name == "true"))
            return Name(re.sub(r"\.item<\w+>\(\)$", ".item()", name))
        self._at += 1
        arguments: list[Node] = []
        closes = ")"
        if self._peek() == ("operator", "{"):
            # std::max({a, b, c})
            self._at += 1
            closes = "}"
        while self._peek() != ("operator", closes):
            arguments.append(self.expression(0))
            if self._peek() == ("operator", ","):
                self._at += 1
            elif self._peek() != ("operator", closes):
                raise ExpressionError(self._text, self._peek()[1], f"expected {closes!r}")
        self._at += 1
        if closes == "}":
            self._expect(")")
        function, _, parameter = name.partition("<")
        if re.fullmatch(_TYPE, function) and len(arguments) == 1:
            return Cast(_plain_type(function), arguments[0])
        if parameter and "int" in parameter:
            arguments = [Cast("int64_t", a) for a in arguments]
        return Call(function, tuple(arguments))


def _plain_type(text: str) -> str:
    return " ".join(text.removeprefix("const ").replace("std::", "").split())


def _number(text: str) -> int | float:
    if text.lower().startswith("0x"):
        return int(text.rstrip("uUlL"), 16)
    bare = text.rstrip("uUlL")
    if re.fullmatch(r"\d+", bare):
        # A leading zero makes C++ read octal; Inductor never writes one.
        return int(bare)
    return float(bare.rstrip("fFlL"))
