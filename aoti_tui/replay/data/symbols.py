"""Values of the wrapper's symbols and of every expression over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from aoti_tui.index.expression import Expr, ExpressionError
from aoti_tui.index.model import Symbol, WrapperIndex
from aoti_tui.index.nodes import Reading
from aoti_tui.replay.data.held_tensors import Held, weakest
from aoti_tui.replay.data.inputs import ExpectedInput
from aoti_tui.replay.data.madeup import guard_range, size_for
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.model import GivenInput, SymbolValue

Number = int | float
SET_BY_USER = "--set"
"""How a symbol got its value that the user set, rather than one it follows from."""
LARGEST_INVERSE = 64
"""How far a size is searched for that gives a derived symbol the value the user set."""


class SymbolTable:
    """Symbols by name with value and source, as one run of the wrapper defines them.

    ``settings`` are what the user set: they win over everything else. ``given`` are the inputs as
    they were given, by position.
    """

    def __init__(
        self,
        index: WrapperIndex,
        settings: Mapping[str, Number],
        expected: Sequence[ExpectedInput],
        given: Sequence[GivenInput] = (),
    ) -> None:
        self.index = index
        self.settings = dict(settings)
        self.expected = expected
        self.given = given
        self.values: dict[str, SymbolValue] = {}
        self._numbers: dict[str, Number] = {}
        self._read: Callable[[Reading], Number | None] | None = None
        for name, value in settings.items():
            self.define(name, value, "set", SET_BY_USER)
            self._set_what_it_derives_from(name, value)

    def define(self, name: str, value: Number, source: str, how: str) -> None:
        if name in self.settings and source != "set":
            return
        self.values[name] = SymbolValue(name, value, source, how)
        self._numbers[name] = value

    def read_with(self, read: Callable[[Reading], Number | None]) -> None:
        """Ask ``read`` for what an expression reads off a tensor in place (``buf3.item()``)."""
        self._read = read

    def is_set(self, name: str) -> bool:
        return self.values.get(name) is not None and self.values[name].source == "set"

    # -- expressions --------------------------------------------------------------------------

    def number(self, expression: Expr, more: Mapping[str, Number] | None = None) -> Number:
        """Value of an expression. Raises ReplayError when unknown."""
        environment = {**self._numbers, **more} if more else self._numbers
        try:
            return expression.evaluate(environment, self._read)
        except ExpressionError as error:
            raise ReplayError(
                "unknown",
                f"{expression.written} cannot be worked out",
                str(error),
                "Give the model's inputs with --inputs, or the symbol with --set NAME=VALUE",
            ) from error

    def source_of(self, expression: Expr) -> str:
        """How far the value of an expression can be trusted."""
        return weakest(self.values[n].source for n in expression.names() if n in self.values)

    def expression(self, symbol: Symbol) -> None:
        """Define a derived symbol; an integer local truncates."""
        if symbol.name in self.settings:
            return
        value = self.number(symbol.expression)
        if isinstance(value, float) and symbol.type != "float":
            value = int(value)
        source = self.source_of(symbol.expression)
        self.define(symbol.name, value, source, symbol.expression.written)

    # -- made-up and set sizes ----------------------------------------------------------------

    def make_up(self, symbol: Symbol) -> Number:
        """Give an unknown symbol a value that the model would accept."""
        if symbol.name in self._numbers:
            return self._numbers[symbol.name]
        if symbol.type != "int":
            one = 1.0 if symbol.type == "float" else 1
            self.define(symbol.name, one, "made-up", "made up")
            return one

        def holds(condition: Expr, value: int) -> bool | None:
            try:
                return bool(self.number(condition, {symbol.name: value}))
            except ReplayError:
                return None

        value = size_for(self.index, symbol, holds)
        self.define(symbol.name, value, "made-up", "made up")
        return value

    def _set_what_it_derives_from(self, name: str, value: Number) -> None:
        """Setting ``s65 = size/4`` sets the size: inputs must have a shape that agrees."""
        symbol = self.index.symbol(name)
        if symbol is None or symbol.kind != "expression":
            return
        roots = [
            s
            for s in self.index.symbols
            if s.kind == "input_dim" and s.name in symbol.expression.names()
        ]
        if len(roots) != 1 or roots[0].name in self.settings:
            return
        for factor in range(1, LARGEST_INVERSE + 1):
            candidate = int(value) * factor
            try:
                if int(self.number(symbol.expression, {roots[0].name: candidate})) == value:
                    self.define(roots[0].name, candidate, "set", f"so that {name} is {value}")
                    return
            except ReplayError:
                return

    # -- shapes of inputs ---------------------------------------------------------------------

    def input_shape(
        self, position: int, held: Held | None
    ) -> tuple[tuple[int, ...] | None, tuple[int, ...] | None]:
        """Shape and strides of an input under the symbols as they are; (None, None) if unknown.

        Strides are None when they are those of a contiguous tensor.
        """
        expected = self.expected[position]
        rank = len(held.shape) if held is not None else len(expected.shape or ())
        if held is None and expected.shape is None:
            return None, None
        shape = tuple(self._dim(position, d, held, expected) for d in range(rank))
        if held is not None and shape == held.shape:
            return shape, held.stride
        strides = expected.stride
        if strides is None or len(strides) != rank or None in strides or not strides:
            return shape, None
        return shape, tuple(s for s in strides if s is not None)

    def _dim(self, position: int, dim: int, held: Held | None, expected: ExpectedInput) -> int:
        own = self._symbol_of(position, dim)
        if own is not None and own.name in self._numbers:
            value = self.values[own.name]
            if held is None or value.source == "set":
                return int(value.value)
        if held is not None:
            tied = None if own is not None else self._tied(position, dim, held, expected)
            return tied if tied is not None else held.shape[dim]
        if expected.shape is not None and dim < len(expected.shape):
            fixed = expected.shape[dim]
            if fixed is not None:
                return fixed
        checked = self._checked(expected.name, dim)
        return checked if checked is not None else self._tied_made_up(position, dim)

    def _checked(self, name: str, dim: int) -> int | None:
        """The size that the wrapper checks an input to have, where its symbols are known."""
        for check in self.index.checks:
            sizes = check.layout.sizes if check.layout is not None else None
            if check.layout is not None and check.layout.base == name and sizes is not None:
                return sizes[dim].known_int(self._numbers) if dim < len(sizes) else None
        return None

    def _symbol_of(self, position: int, dim: int) -> Symbol | None:
        for symbol in self.index.symbols:
            if (symbol.kind, symbol.position, symbol.dim) == ("input_dim", position, dim):
                return symbol
        return None

    def _tied(self, position: int, dim: int, held: Held, expected: ExpectedInput) -> int | None:
        """The set value of the symbol that a dimension shares, where the wrapper says so only by
        giving it no symbol of its own (equal sizes share one symbol). A size that differs in the
        given inputs shares nothing."""
        known = expected.shape
        if known is not None and (dim >= len(known) or known[dim] is not None):
            return None
        for symbol in self.index.symbols:
            if symbol.kind != "input_dim" or not self.is_set(symbol.name):
                continue
            if self._given_size(symbol) != held.shape[dim]:
                continue
            if self._same_guards(symbol, position, dim):
                return int(self._numbers[symbol.name])
        return None

    def _given_size(self, symbol: Symbol) -> int | None:
        """The size that the given inputs have where an input's symbol is read off."""
        position, dim = symbol.position, symbol.dim
        if position is None or dim is None or position >= len(self.given):
            return None
        shape = self.given[position].shape
        return shape[dim] if dim < len(shape) else None

    def _tied_made_up(self, position: int, dim: int) -> int:
        dims = [s for s in self.index.symbols if s.kind == "input_dim"]
        for symbol in dims:
            if symbol.name in self._numbers and self._same_guards(symbol, position, dim):
                return int(self._numbers[symbol.name])
        return int(self._numbers[dims[0].name]) if dims and dims[0].name in self._numbers else 8

    def _same_guards(self, symbol: Symbol, position: int, dim: int) -> bool:
        own = guard_range(self.index, symbol.position, symbol.dim)
        return own == guard_range(self.index, position, dim)
