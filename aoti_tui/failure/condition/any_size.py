"""A condition where inputs are given: kept where it does not speak of that one call's sizes.

Which part of an input a kernel walks is read off the sizes (:mod:`places`): half of an input of 4
is ``inputs[0][:-2]``, and of 8 it is not. So a condition is derived for the given sizes and for
multiples of them, each symbol's by a prime of its own: what divides evenly still does, and what
the two sets have in common no size decides. A part may end so far from the end, or from the start.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import chain, repeat

from aoti_tui.failure.condition.inequality import Condition, condition_of, condition_of_access
from aoti_tui.failure.condition.supposed import of_argument
from aoti_tui.failure.provenance.known import Known, known_from_inputs
from aoti_tui.flow.dataflow import DataFlow
from aoti_tui.index.model import Launch, WrapperIndex
from aoti_tui.kernel.model import KernelAssert, KernelProgram, Load, Store

_FACTORS = (3, 5, 7, 11, 13, 17, 19, 23)


def condition_for_any_size(
    flow: DataFlow,
    program_of: Callable[[str], KernelProgram],
    found: KernelAssert,
    launch: Launch,
    known: Known,
) -> Condition:
    """The condition of an assert of a call with these sizes; its text is None where it would not
    be the same for others."""
    return _for_any_size(
        flow.index, known, lambda sizes: condition_of(flow, program_of, found, launch, sizes)
    )


def access_condition_for_any_size(
    flow: DataFlow,
    program_of: Callable[[str], KernelProgram],
    access: Load | Store,
    before: int,
    launch: Launch,
    elements: int,
    known: Known,
) -> Condition:
    """The same of an access to a tensor that has ``elements`` in the call."""

    def derived(sizes: Known) -> Condition:
        has = elements if sizes.dims == known.dims else None
        return condition_of_access(flow, program_of, access, before, launch, has, sizes)

    return _for_any_size(flow.index, known, derived)


def _for_any_size(
    index: WrapperIndex, known: Known, derived: Callable[[Known], Condition]
) -> Condition:
    here = derived(known)
    if here.text is None or not known.strides:
        return here
    others = other_sizes(index, known)
    for from_start in (False, True):
        one = derived(replace(known, from_start=from_start)) if from_start else here
        other = derived(replace(others, from_start=from_start))
        if one.text is not None and (one.text, one.bound) == (other.text, other.bound):
            return one
    # What the index is, and how far it reaches, stays true of this call.
    return replace(here, below=None, above=None)


def other_sizes(index: WrapperIndex, known: Known) -> Known:
    """A call whose symbolic dimensions are multiples of the given ones, and all else the same."""
    fixed = {
        (guard.position, guard.dim)
        for guard in index.guards
        if guard.check == "equals" and guard.dim is not None and guard.value.isdigit()
    }
    told = _symbols(index, known, fixed)
    names = {place: name for place, name in _read(index).items() if place not in fixed}
    dims = {place: int(told[name]) for place, name in names.items() if name in told}
    strides = dict(known.strides)
    for given in index.inputs:
        own = of_argument(given, told) if given.sizes is not None else None
        if own is not None:
            dims.update({(given.position, dim): size for dim, size in enumerate(own[0])})
            strides[given.position] = own[1]
    sized = [s.name for s in index.symbols if s.kind in ("input_dim", "expression")]
    for place, size in known.dims.items():
        if place not in dims and place not in fixed:
            # No guard fixes it, and no symbol is read off it: it has the size of one that is.
            same = (
                told[name] for name in sized if name in told and known.symbols.get(name) == size
            )
            dims[place] = int(next(same, size))
    dims = {**known.dims, **dims}
    for given in index.inputs:
        if given.sizes is None and given.position in strides:
            strides[given.position] = _strides(given.position, known, dims)
    return replace(known, symbols=told, dims=dims, strides=strides)


def _symbols(
    index: WrapperIndex, known: Known, fixed: set[tuple[int, int]]
) -> dict[str, int | float]:
    """The symbols with multiples of the sizes, and what is worked out from them."""
    read = _read(index)
    names = dict.fromkeys(n for place, n in read.items() if place not in fixed)
    alike = {size for place, size in known.dims.items() if place not in fixed and place not in read}
    factors = chain(_FACTORS, repeat(_FACTORS[-1]))
    shared: dict[int, int] = {}
    settings = {
        symbol.name: known.symbols[symbol.name]
        for symbol in index.symbols
        if symbol.kind not in ("input_dim", "expression") and symbol.name in known.symbols
    }
    for name in names:
        if name not in known.symbols:
            continue
        size, factor = int(known.symbols[name]), next(factors)
        if size in alike:
            # A dimension that has the size of several symbols keeps that of all.
            factor = shared.setdefault(size, factor)
        settings[name] = size * factor or factor
    values = {
        given.position: settings.get(given.name, known.symbols[given.name])
        for given in index.inputs
        if given.is_scalar and given.name in known.symbols
    }
    kept = {place: size for place, size in known.dims.items() if place in fixed}
    return dict(known_from_inputs(index, kept, values, settings).symbols)


def _read(index: WrapperIndex) -> dict[tuple[int, int], str]:
    """The symbol that is read off a dimension of an input."""
    return {
        (symbol.position, symbol.dim): symbol.name
        for symbol in index.symbols
        if symbol.kind == "input_dim"
        and symbol.function.is_main
        and symbol.position is not None
        and symbol.dim is not None
    }


def _strides(position: int, known: Known, dims: Mapping[tuple[int, int], int]) -> tuple[int, ...]:
    """Strides of an input of other sizes, its dimensions in the same order and as far apart."""
    old = known.strides[position]
    found = list(old)
    step = new = 1
    for dim in sorted(range(len(old)), key=lambda dim: (old[dim], -dim)):
        if not old[dim]:
            continue  # expanded
        times, rest = divmod(old[dim], step)
        found[dim] = new * times if not rest else new + old[dim] - step
        step = old[dim] * max(known.dims.get((position, dim), 1), 1)
        new = found[dim] * max(dims.get((position, dim), 1), 1)
    return tuple(found)
