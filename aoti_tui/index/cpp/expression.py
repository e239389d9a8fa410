"""The arithmetic of a C++ wrapper as :class:`~aoti_tui.index.expression.Expr`.

Formats: torch/utils/_sympy/printers.py (CppPrinter) for what ``run_impl`` holds and
torch/_inductor/runtime/triton_heuristics.py (GridExpr) for grids.
"""

from __future__ import annotations

import re
from functools import lru_cache

from aoti_tui.index.arithmetic import called, is_float
from aoti_tui.index.expression import Expr, ExpressionError
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
)

_TYPE = (
    r"(?:(?:const\s+)?(?:unsigned\s+)?(?:std::)?"
    r"(?:u?int(?:8|16|32|64)_t|size_t|long\s+long|long|int|double|float|bool|unsigned))"
)
_TOKEN = re.compile(
    rf"""\s*(?:
      (?P<cast>(?:static_cast|c10::convert)<\s*(?P<to>{_TYPE})\s*>)
    | (?P<paren_cast>\(\s*(?P<old>{_TYPE})\s*\)(?=\s*[\w(]))
    | (?P<number>0[xX][0-9a-fA-F]+[uUlL]*|(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?[uUlLfF]*)
    | (?P<limit>std::numeric_limits<[\w:]+>::(?P<which>\w+)\(\)|INFINITY\b|NAN\b)
    | (?P<name>[A-Za-z_]\w*(?:::\w+)*(?:<[\w:\s]+>(?=\s*\())?(?:\[\d+\])?
        (?:\.(?:item(?:<\w+>)?\(\)|(?:size|stride)\(\d+L?\)))?)
    | (?P<operator><<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>!~?:(),&|^{{}}])
    )""",
    re.X,
)
_READING = re.compile(
    r"(?P<tensor>\w+(?:\[\d+\])?)\.(?:(?P<item>item)(?:<\w+>)?\(\)|(?P<what>size|stride)\((?P<dim>\d{1,9})L?\))"
    r"|(?P<of>\w+?)_(?P<array>size|stride)\[(?P<at>\d{1,9})\]"
)
_BINDING = {
    "||": 1,
    "&&": 2,
    "|": 3,
    "^": 4,
    "&": 5,
    **dict.fromkeys(("==", "!="), 6),
    **dict.fromkeys(("<", ">", "<=", ">="), 7),
    **dict.fromkeys(("<<", ">>"), 8),
    **dict.fromkeys("+-", 9),
    **dict.fromkeys("*/%", 10),
}
_OPERATORS = {"||": "or", "&&": "and", "%": "remainder"}
_LIMITS = {"infinity": float("inf"), "quiet_NaN": float("nan")}
_LIMIT_MACROS = {"INFINITY": "infinity", "NAN": "quiet_NaN"}
_TYPES = {
    **dict.fromkeys(("int", "int32_t"), "int32"),
    **dict.fromkeys(("long", "long long", "int64_t"), "int64"),
    **dict.fromkeys(("unsigned", "unsigned int", "uint32_t"), "uint32"),
    **dict.fromkeys(("unsigned long", "unsigned long long", "size_t", "uint64_t"), "uint64"),
    **{f"{sign}int{bits}_t": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16)},
    **dict.fromkeys(("double", "float"), "float"),
    "bool": "bool",
}
_DEEPEST = 200
_LONGEST_NUMBER = 40
_IDENTIFIER = re.compile(r"(?<![\w.:\"])[A-Za-z_]\w*(?!\w*(?:\s*\(|\s*::|<(?![=\s])))")
_STRING = re.compile(r'"(?:\\.|[^"\\])*"')
_NO_VARIABLES = frozenset({"nullptr", "true", "false", "this", "auto", "const", "long", "int"})


@lru_cache(maxsize=1 << 14)
def read(text: str) -> Expr:
    """The C++ expression ``text``; one with a ``problem`` when it is not understood."""
    try:
        return parse(text)
    except ExpressionError as error:
        found = _IDENTIFIER.findall(_STRING.sub("", text))
        names = tuple(dict.fromkeys(n for n in found if n not in _NO_VARIABLES))
        return Expr(text, Unknown(text, f"{error.reason}: {error.part!r}", names))


def parse(text: str) -> Expr:
    """The C++ expression ``text``.

    Raises :class:`ExpressionError` when it is not one this module understands.
    """
    parser = _Parser(text)
    try:
        root = parser.expression(0)
    except RecursionError:
        raise ExpressionError(text, text[:20], "nested too deeply") from None
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
                    self._tokens.append((kind, (match[inner] if inner else None) or value))
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
            left = _binary(sign, left, self.expression(power))
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
            return Unary("not" if value == "!" else value, operand)
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
            return Number(self._number(value))
        if kind == "limit":
            value = _LIMIT_MACROS.get(value, value)
            if value not in _LIMITS:
                raise ExpressionError(self._text, value, "unknown limit")
            return Number(_LIMITS[value])
        if kind == "name":
            return self._named(value)
        raise ExpressionError(self._text, value)

    def _named(self, name: str) -> Node:
        if self._peek() != ("operator", "(") or name.endswith((")", "]")):
            return _variable(name)
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
            arguments = [Cast("int64", a) for a in arguments]
        return called(function, tuple(arguments))

    def _number(self, text: str) -> int | float:
        if len(text) > _LONGEST_NUMBER:
            raise ExpressionError(self._text, text[:_LONGEST_NUMBER], "number too long")
        if text.lower().startswith("0x"):
            return int(text.rstrip("uUlL"), 16)
        bare = text.rstrip("uUlL")
        if re.fullmatch(r"\d+", bare):
            # A leading zero makes C++ read octal; Inductor never writes one.
            return int(bare)
        return float(bare.rstrip("fFlL"))


def _variable(name: str) -> Node:
    if name in ("true", "false"):
        return Number(int(name == "true"))
    match = _READING.fullmatch(name)
    if match is None:
        return Name(name)
    if match["item"]:
        return Reading(match["tensor"], "item")
    tensor, dim = match["tensor"] or match["of"], int(match["dim"] or match["at"])
    return Reading(tensor, "size" if "size" in (match["what"], match["array"]) else "stride", dim)


def _binary(sign: str, left: Node, right: Node) -> Node:
    if sign == "/":
        # What is no float here for certain can still be one of unknown type: a symbol `zuf0`.
        return Binary("/" if is_float(left) or is_float(right) else "quotient", left, right)
    return Binary(_OPERATORS.get(sign, sign), left, right)


def _plain_type(text: str) -> str:
    return _TYPES[" ".join(text.removeprefix("const ").replace("std::", "").split())]
