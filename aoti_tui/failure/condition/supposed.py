"""A condition where no inputs are given: derived for made-up sizes, kept where it is for any.

An index is followed by the sizes of what it walks (:mod:`places`). Where they are not known, two
sets of sizes that the guards let in, without a number in common, stand in for them: what comes out
the same for both does not depend on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import count

from aoti_tui.failure.condition.inequality import Condition, condition_of
from aoti_tui.failure.provenance.known import Known, known_from_inputs
from aoti_tui.flow.dataflow import DataFlow
from aoti_tui.index.model import Input, Launch, WrapperIndex
from aoti_tui.kernel.model import KernelAssert, KernelProgram

_FROM = (11, 401)
"""Where the two sets of sizes start: primes, so that no size is another or a part of it."""


def condition_without_inputs(
    flow: DataFlow,
    program_of: Callable[[str], KernelProgram],
    found: KernelAssert,
    launch: Launch,
) -> Condition:
    """The condition of an assert for whatever sizes a call has; its text is None where that needs
    sizes which only a call tells."""
    told = [
        condition_of(flow, program_of, found, launch, supposed_sizes(flow.index, first))
        for first in _FROM
    ]
    one, other = told
    if one.text is None or (one.text, one.bound) != (other.text, other.bound):
        return replace(one, below=None, above=None, index=None, reach=None, reach_value=None)
    # The number is of the made-up sizes, unless it is of none.
    value = one.reach_value if one.reach_value == other.reach_value else None
    return replace(one, reach_value=value)


def supposed_sizes(index: WrapperIndex, first: int) -> Known:
    """Sizes that the guards let in, each symbol a prime of its own from ``first`` on."""
    primes = _primes(first)
    symbols: dict[str, int] = {}
    dims: dict[tuple[int, int], int] = {}
    for symbol in index.symbols:
        key = (symbol.position, symbol.dim)
        if symbol.kind != "input_dim" or None in key or not symbol.function.is_main:
            continue
        if symbol.name not in symbols:
            low, high = _allowed(index, symbol.position or 0, symbol.dim or 0)
            size = next((p for p in primes if p >= low), low)
            symbols[symbol.name] = size if high is None or size <= high else high
        dims[(symbol.position or 0, symbol.dim or 0)] = symbols[symbol.name]
    for guard in index.guards:
        if guard.check == "equals" and guard.dim is not None and guard.value.isdigit():
            dims[(guard.position, guard.dim)] = int(guard.value)
    strides = {}
    for given in index.inputs:
        own = of_argument(given, symbols) if given.sizes is not None else None
        if own is not None:
            sizes, steps = own
            dims.update({(given.position, dim): size for dim, size in enumerate(sizes)})
            strides[given.position] = steps
        elif (found := _contiguous(index, given, dims)) is not None:
            strides[given.position] = found
    scalars = {
        s.number: symbols[s.name]
        for s in index.symbols
        if s.number is not None and s.name in symbols
    }
    known = known_from_inputs(index, dims, dict(scalars))
    return replace(known, strides=strides, whole=frozenset(known.dims.values()))


def of_argument(
    given: Input, symbols: Mapping[str, int | float]
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Sizes and strides that a wrapper of torch.compile says an argument has."""
    sizes = [size.known_int(symbols) for size in given.sizes or ()]
    steps = [step.known_int(symbols) for step in given.strides or ()]
    if len(sizes) != len(steps):
        return None
    whole = tuple(n for n in sizes if n is not None), tuple(n for n in steps if n is not None)
    return whole if len(whole[0]) == len(sizes) and len(whole[1]) == len(steps) else None


def _contiguous(
    index: WrapperIndex, given: Input, dims: dict[tuple[int, int], int]
) -> tuple[int, ...] | None:
    """Strides of an input that is compiled for rows one after another; None where a guard or a
    symbol says otherwise, or its sizes are not known."""
    guards = index.guards_of(given.position)
    rank = 1 + max((g.dim for g in guards if g.dim is not None), default=-1)
    if rank == 0 or any(
        s.kind == "input_stride" and s.position == given.position for s in index.symbols
    ):
        return None
    fixed = {g.dim: g.value for g in guards if g.check == "stride"}
    strides: list[int] = []
    step: int | None = 1
    for dim in reversed(range(rank)):
        if step is None:
            return None
        if fixed.get(dim, str(step)) != str(step):
            return None
        strides.append(step)
        size = dims.get((given.position, dim))
        step = None if size is None else step * size
    return tuple(reversed(strides))


def _allowed(index: WrapperIndex, position: int, dim: int) -> tuple[int, int | None]:
    low, high = 2, None
    for guard in index.guards_of(position, dim):
        if guard.value.isdigit() and guard.check in ("min", "equals"):
            low = max(low, int(guard.value)) if guard.check == "min" else int(guard.value)
        if guard.value.isdigit() and guard.check in ("max", "equals"):
            high = int(guard.value)
    return low, high


def _primes(first: int) -> Iterator[int]:
    return (n for n in count(first | 1, 2) if all(n % by for by in range(3, int(n**0.5) + 1, 2)))
