"""Which of the given values each argument of a graph is.

A graph of torch.compile is not called with the user's arguments: parameters and buffers are lifted
in between, sizes come as numbers of their own, and the order is that of use. A file can hold what
``call`` got, or the user's own arguments; these are matched by dtype, sizes and strides, under the
symbols that they then have to share, and by order where several fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from aoti_tui.index.expression import Expr
from aoti_tui.index.model import Input, WrapperIndex
from aoti_tui.index.nodes import Name
from aoti_tui.replay.model import GivenInput

_MOST_STEPS = 50_000
_MOST_BINDINGS = 24


@dataclass(frozen=True, slots=True)
class Binding:
    """``places[position]`` is the place in the file of the argument at that position of ``call``;
    None for one that the file does not hold."""

    places: tuple[int | None, ...]
    is_users: bool
    """Whether the file holds the user's arguments, not those of ``call``."""
    numbers: Mapping[int, int] = field(default_factory=dict)
    """Sizes that ``call`` gets as numbers, by position, worked out of the tensors."""
    unsure: frozenset[int] = frozenset()
    """Positions that another value of the file fits as well."""
    of_either: bool = False
    """Whether the same values can be what ``call`` is given as well."""
    unbound: tuple[int, ...] = ()
    """Places of the file that no argument is: the graph does not take them."""


def whole_call(count: int) -> Binding:
    """The file holds exactly what the wrapper is called with."""
    return Binding(tuple(range(count)), False)


def same_call(count: int) -> Binding:
    """The same where these can be the user's arguments as well: no size is among them."""
    return Binding(tuple(range(count)), True, unsure=frozenset(range(count)), of_either=True)


def bindings(index: WrapperIndex, values: Sequence[GivenInput]) -> list[Binding]:
    """How the values of a file can be the arguments of a graph, the likeliest first.

    The first binds as many tensors as can be; the others bind as many, otherwise. Empty where no
    tensor fits. Only for a graph of torch.compile.
    """
    tensors = [(place, value) for place, value in enumerate(values) if value.kind == "tensor"]
    arguments = [one for one in index.inputs if not one.is_scalar]
    found: list[tuple[dict[int, int], dict[str, int]]] = []
    best = 0
    budget = [_MOST_STEPS]
    for bound, symbols in _search(tensors, arguments, {}, {}, budget):
        if len(bound) < best or not bound:
            continue
        if len(bound) > best:
            best, found = len(bound), []
        if len(found) < _MOST_BINDINGS:
            found.append((bound, symbols))
    unsure = frozenset(
        position
        for bound, _ in found
        for position in set(bound) | set(found[0][0])
        if bound.get(position) != found[0][0].get(position)
    )

    compiled = _compiled_sizes(index)

    def unlikely(one: tuple[dict[int, int], dict[str, int]]) -> tuple[int, int]:
        # Floats are what graphs make themselves, too; indices are mostly the user's.
        whole_numbers = sum("int" in values[place].dtype for place in one[0].values())
        return _parted(compiled, one[1]), -whole_numbers

    found.sort(key=unlikely)
    return [_binding(index, values, bound, symbols, unsure) for bound, symbols in found]


def _compiled_sizes(index: WrapperIndex) -> dict[str, int]:
    """The symbols of the arguments' sizes in the call that the graph was compiled with."""
    return {
        size.root.name: number
        for one in index.inputs
        for size, number in zip(one.sizes or (), one.example or (), strict=False)
        if isinstance(size.root, Name)
    }


def _parted(compiled: Mapping[str, int], symbols: Mapping[str, int]) -> int:
    """How many pairs of sizes that were equal when compiled are so no more: tensors that belong
    together mostly stay of one size."""
    names = sorted(compiled.keys() & symbols.keys())
    return sum(
        compiled[first] == compiled[second] and symbols[first] != symbols[second]
        for at, first in enumerate(names)
        for second in names[at + 1 :]
    )


def _binding(
    index: WrapperIndex,
    values: Sequence[GivenInput],
    bound: Mapping[int, int],
    symbols: Mapping[str, int],
    unsure: frozenset[int],
) -> Binding:
    places: list[int | None] = [bound.get(one.position) for one in index.inputs]
    numbers = {
        s.number: symbols[s.name]
        for s in index.symbols
        if s.number is not None and s.name in symbols
    }
    left = [p for p, v in enumerate(values) if v.kind in ("int", "float", "bool")]
    for one in index.inputs:
        # A number of the user's that is no size stays a number.
        if one.is_scalar and one.position not in numbers and left:
            places[one.position] = left.pop(0)
    used = {place for place in places if place is not None}
    unbound = tuple(
        place for place, value in enumerate(values) if place not in used and value.kind == "tensor"
    )
    return Binding(tuple(places), True, numbers, unsure, unbound=unbound)


def _search(
    tensors: Sequence[tuple[int, GivenInput]],
    arguments: Sequence[Input],
    bound: dict[int, int],
    symbols: dict[str, int],
    budget: list[int],
) -> Iterator[tuple[dict[int, int], dict[str, int]]]:
    """All ways to bind, each value in order to the arguments in order, or to none."""
    budget[0] -= 1
    if budget[0] < 0:
        return
    if not tensors:
        yield bound, symbols
        return
    (place, value), rest = tensors[0], tensors[1:]
    for one in arguments:
        if one.position in bound:
            continue
        after = _fits(one, value, symbols)
        if after is not None:
            yield from _search(rest, arguments, {**bound, one.position: place}, after, budget)
    yield from _search(rest, arguments, bound, symbols, budget)


def _fits(one: Input, value: GivenInput, symbols: dict[str, int]) -> dict[str, int] | None:
    """The symbols with those that this argument adds; None where the value does not fit it."""
    if one.dtype is not None and value.dtype != one.dtype:
        return None
    if one.sizes is None:
        if one.example is None or len(one.example) != len(value.shape):
            return None
        # Nothing reads it: its sizes are those that it was compiled with, or vary.
        return symbols if one.example == value.shape else None
    if len(one.sizes) != len(value.shape):
        return None
    after = _agreed(one.sizes, value.shape, symbols)
    if after is None or one.strides is None or 0 in value.shape:
        return after
    steps = [
        (step, have)
        for step, have, size in zip(one.strides, value.stride, value.shape, strict=False)
        if size > 1
    ]
    return _agreed([s for s, _ in steps], [h for _, h in steps], after)


def _agreed(
    sizes: Sequence[Expr], have: Sequence[int], symbols: dict[str, int]
) -> dict[str, int] | None:
    after = dict(symbols)
    for size, number in zip(sizes, have, strict=True):
        if isinstance(size.root, Name) and size.root.name not in after:
            after[size.root.name] = number
    for size, number in zip(sizes, have, strict=True):
        known = size.literal if size.literal is not None else size.known_int(after)
        if known is not None and known != number:
            return None
    return after
