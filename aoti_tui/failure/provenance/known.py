"""What the sizes and values of the given inputs make known of the symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from aoti_tui.failure.model import UserTerm
from aoti_tui.index.model import WrapperIndex


@dataclass(frozen=True, slots=True)
class InputData:
    """The elements of a given integer input, in the order of its dimensions."""

    name: str
    position: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    elements: Sequence[int]


@dataclass(frozen=True, slots=True)
class Known:
    """Values known from the inputs, by the user or from a replay."""

    symbols: Mapping[str, int | float] = field(default_factory=dict)
    dims: Mapping[tuple[int, int], int] = field(default_factory=dict)
    """By input position and dimension."""
    inputs: Mapping[int, str] = field(default_factory=dict)
    """What an input holds, in words (``int64[4], all 0``)."""
    ranges: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Smallest and largest element of integer inputs, by name."""
    data: Mapping[str, InputData] = field(default_factory=dict)
    """Integer inputs small enough to look at, by name."""
    strides: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Of the given inputs, by position, in elements."""
    truncated: Mapping[str, str] = field(default_factory=dict)
    """Derived sizes that came out wrong, by symbol, in words."""
    user: Mapping[int, UserTerm] = field(default_factory=dict)
    """What the inputs of a graph of torch.compile are to the user, by position."""
    names: Mapping[str, int | float | bool] = field(default_factory=dict)
    """Values of the failing kernel's names in the first failing lane."""
    whole: frozenset[int] = frozenset()
    """Where sizes are made up: those that a dimension of which none is known can have."""
    from_start: bool = False
    """Whether the end of a part of an input is counted from its start (``[:2]``) where its size is
    not fixed, instead of from its end (``[:-2]``)."""


def known_from_inputs(
    index: WrapperIndex,
    dims: Mapping[tuple[int, int], int],
    values: Mapping[int, int | float],
    settings: Mapping[str, int | float] | None = None,
    words: Mapping[int, str] | None = None,
    ranges: Mapping[str, tuple[int, int]] | None = None,
) -> Known:
    """Symbols evaluated in order from input sizes, one-element inputs and the user's settings.

    ``dims`` is by input position and dimension; ``values`` by position, for numbers and
    one-element tensors; ``words`` says what an input holds and ``ranges``
    between which values an integer input lies. A symbol that rests on anything else
    (a size read from a computed buffer) stays unknown.
    """
    names = {i.name: i.position for i in index.inputs}
    known: dict[str, int | float] = {
        i.name: values[i.position] for i in index.inputs if i.is_scalar and i.position in values
    }
    fixed = dict(settings or {})
    sizes = dict(dims)
    for symbol in index.symbols:
        if not symbol.function.is_main:
            continue
        given = symbol.position is not None and symbol.dim is not None
        if symbol.name in fixed:
            known[symbol.name] = fixed[symbol.name]
            if symbol.kind == "input_dim" and given:
                sizes[(symbol.position or 0, symbol.dim or 0)] = int(fixed[symbol.name])
        elif symbol.kind == "input_dim" and given:
            size = dims.get((symbol.position or 0, symbol.dim or 0))
            if size is None and symbol.number is not None and symbol.number in values:
                size = int(values[symbol.number])
            if size is not None:
                known[symbol.name] = size
        elif symbol.kind == "item" and symbol.tensor in names:
            position = names[symbol.tensor or ""]
            if position in values:
                known[symbol.name] = values[position]
        elif symbol.kind == "expression":
            value = symbol.expression.known_int(known)
            if value is not None:
                known[symbol.name] = value
    return Known(symbols=known, dims=sizes, inputs=dict(words or {}), ranges=dict(ranges or {}))
