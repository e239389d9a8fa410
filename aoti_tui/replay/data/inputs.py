"""The inputs file beside what the wrapper says of its inputs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from aoti_tui.index.expression import Expr
from aoti_tui.index.model import Guard, Input, WrapperIndex
from aoti_tui.replay.data.binding import Binding, bindings, same_call, whole_call
from aoti_tui.replay.data.held_tensors import DTYPE_OF_SIGNATURE
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.model import GivenInput, Summary

_INTEGER = re.compile(r"-?\d+")


@dataclass(frozen=True, slots=True)
class ExpectedInput:
    """What the wrapper says of one input; None where it says nothing.

    ``shape`` has None for a size that varies, ``stride`` for a stride that is not fixed.
    """

    position: int
    name: str
    is_scalar: bool
    dtype: str | None
    shape: tuple[int | None, ...] | None
    stride: tuple[int | None, ...] | None
    least_rank: int = 0
    """At least so many dimensions, where the shape is not known."""

    def describe(self) -> str:
        if self.is_scalar:
            return "a number"
        dims = "unknown" if self.shape is None else list_of(self.shape)
        return f"{self.dtype or 'a tensor'} {dims}"


def list_of(shape: Sequence[int | None]) -> str:
    return "[" + ", ".join("?" if size is None else str(size) for size in shape) + "]"


def expected_inputs(index: WrapperIndex) -> tuple[ExpectedInput, ...]:
    """Dtype, rank, fixed sizes and strides of each input, out of guards, symbols and launches."""
    return tuple(_expected(index, one) for one in index.inputs)


def _expected(index: WrapperIndex, one: Input) -> ExpectedInput:
    guards = index.guards_of(one.position)
    if index.graph and (one.sizes is not None or one.example is not None):
        sizes = one.sizes if one.sizes is not None else ()
        rank = len(sizes) if one.sizes is not None else len(one.example or ())
        return ExpectedInput(
            one.position,
            one.name,
            one.is_scalar,
            one.dtype or _dtype(index, one, guards),
            _sizes(sizes) if one.sizes is not None else (None,) * rank,
            _sizes(one.strides) if one.strides is not None else None,
        )
    guarded = [g.dim for g in guards if g.dim is not None and g.check in ("min", "max", "equals")]
    used = [
        s.dim
        for s in index.symbols
        if s.kind == "input_dim" and s.position == one.position and s.dim is not None
    ]
    sized = _size_stride_check(index, one.name)
    shape: tuple[int | None, ...] | None = None
    stride: tuple[int | None, ...] | None = None
    if sized is not None:
        shape, stride = sized
    elif guarded:
        rank = max([*guarded, *used]) + 1
        shape = tuple(_fixed(guards, "equals", d) for d in range(rank))
        stride = tuple(_fixed(guards, "stride", d) for d in range(rank))
    elif (guards and not one.is_scalar) or _is_read_as_number(index, one.name):
        shape, stride = (), ()
    return ExpectedInput(
        one.position,
        one.name,
        one.is_scalar,
        _dtype(index, one, guards),
        shape,
        stride,
        max(used, default=-1) + 1,
    )


def _is_read_as_number(index: WrapperIndex, name: str) -> bool:
    """Whether the wrapper takes a number out of it, which only a one-element tensor allows."""
    if any(s.kind == "item" and s.tensor == name for s in index.symbols):
        return True
    conditions = (scope.condition for scope in index.scopes)
    return any(r.tensor == name and r.what == "item" for c in conditions if c for r in c.readings)


def _fixed(guards: Sequence[Guard], check: str, dim: int) -> int | None:
    for guard in guards:
        if guard.check == check and guard.dim == dim and _INTEGER.fullmatch(guard.value.strip()):
            return int(guard.value)
    return None


def _size_stride_check(
    index: WrapperIndex, name: str
) -> tuple[tuple[int | None, ...], tuple[int | None, ...]] | None:
    """The layout that a function checks an input to have (torch 2.13 and later)."""
    for check in index.checks:
        layout = check.layout
        if layout is not None and layout.base == name:
            return _sizes(layout.sizes or ()), _sizes(layout.strides or ())
    return None


def _sizes(sizes: Iterable[Expr]) -> tuple[int | None, ...]:
    return tuple(s.literal if isinstance(s.literal, int) else None for s in sizes)


def _dtype(index: WrapperIndex, one: Input, guards: Sequence[Guard]) -> str | None:
    for guard in guards:
        if guard.check == "dtype":
            return guard.value
    for launch in index.launches:
        kernel = index.kernels.get(launch.kernel)
        for argument in launch.arguments:
            if kernel is None or argument.tensor is None or argument.tensor.base != one.name:
                continue
            for parameter in kernel.parameters:
                if parameter.name == argument.parameter and parameter.is_pointer:
                    return DTYPE_OF_SIGNATURE.get(parameter.type[1:])
    return None


@dataclass(frozen=True, slots=True)
class Decoded:
    """The inputs file as the wrapper's inputs, by position, and which value each of them is."""

    inputs: tuple[GivenInput, ...]
    binding: Binding
    keys: tuple[str, ...]
    """What the file calls its values, by place."""
    ways: int = 1
    """In how many ways the values can be the wrapper's inputs."""


def decode_given(
    index: WrapperIndex, values: Sequence[Mapping[str, Any]], which: int = 0
) -> Decoded:
    """The ``values`` of a ``load`` reply as the model's inputs, by position.

    For a graph of torch.compile the file may hold what ``call`` is given, or the user's own
    arguments, of which some become arguments of the graph: ``which`` of the ways that this can be,
    the likeliest first.
    """
    keys = tuple(str(value.get("key", "")) for value in values)
    given = [_as_given(index, place, value) for place, value in enumerate(values)]
    whole = Decoded(tuple(given), whole_call(len(given)), keys)
    if not index.graph:
        return whole
    if _is_call(index, given):
        if any(one.is_scalar for one in index.inputs):
            return whole
        return replace(whole, binding=same_call(len(given)))
    found = bindings(index, given)
    if found:
        chosen = found[min(which, len(found) - 1)]
        return Decoded(tuple(_bound(index, given, chosen)), chosen, keys, len(found))
    if "backward" in index.graph and len(given) != len(index.inputs):
        # A backward gets saved values and gradients: nothing that the user passes.
        none = Binding((None,) * len(index.inputs), True, unbound=tuple(range(len(given))))
        return Decoded(tuple(_bound(index, given, none)), none, keys)
    return whole


def _as_given(index: WrapperIndex, place: int, value: Mapping[str, Any]) -> GivenInput:
    known = index.inputs[place] if place < len(index.inputs) else None
    number = value.get("value")
    return GivenInput(
        position=place,
        name=known.name if known is not None else str(value.get("key", place)),
        kind=str(value["kind"]),
        dtype=str(value.get("dtype") or value["kind"]),
        shape=tuple(value.get("shape") or ()),
        stride=tuple(value.get("stride") or ()),
        value=float(number) if isinstance(number, str) else number,
        place=place,
    )


def _is_call(index: WrapperIndex, given: Sequence[GivenInput]) -> bool:
    """Whether the values can be those that ``call`` is given."""
    expected = expected_inputs(index)
    return len(given) == len(expected) and not any(
        _does_not_fit(e, g) for e, g in zip(expected, given, strict=True)
    )


def _bound(
    index: WrapperIndex, given: Sequence[GivenInput], binding: Binding
) -> Iterator[GivenInput]:
    """The user's values as arguments of the graph; sizes come out of the tensors."""
    for one, place in zip(index.inputs, binding.places, strict=True):
        if place is not None:
            yield replace(given[place], position=one.position, name=one.name)
            continue
        number = binding.numbers.get(one.position)
        kind = "absent" if number is None else "int"
        yield GivenInput(one.position, one.name, kind, kind, (), (), number)


def check_given(index: WrapperIndex, given: Sequence[GivenInput], path: str) -> tuple[str, ...]:
    """Problems that still let a replay go on, worst first; raises ReplayError otherwise.

    A number of inputs, dtype or rank that does not fit makes the file one of another model (or of
    another export of it). A size outside its guard is no problem: it may well be what the user is
    looking for.
    """
    expected = expected_inputs(index)
    if len(given) != len(expected):
        raise ReplayError(
            "bad-inputs",
            f"{path} does not hold this model's inputs",
            f"the model takes {len(expected)} inputs ({_list(expected)}), "
            f"the file holds {len(given)} ({_found(given)})",
            "Save the very arguments of the model, in order: torch.save(tuple(inputs), FILE)",
        )
    wrong = [
        f"input {e.position} ({e.name}) is {_one(g)}, the model takes {e.describe()}"
        for e, g in zip(expected, given, strict=True)
        if _does_not_fit(e, g)
    ]
    if wrong:
        raise ReplayError(
            "bad-inputs",
            f"{path} does not fit this model",
            "; ".join(wrong[:4]) + (f"; and {len(wrong) - 4} more" if len(wrong) > 4 else ""),
            "Is it the file of another model? Save the arguments in the order of the inputs "
            "that the wrapper lists",
        )
    return tuple(_mild_problems(index, expected, given))


def _does_not_fit(expected: ExpectedInput, given: GivenInput) -> bool:
    if given.kind == "absent":
        return False
    if given.kind == "none":
        return True
    if expected.is_scalar:
        return given.kind == "tensor" and given.shape not in ((), (1,))
    if given.kind != "tensor":
        # A number where the wrapper takes a tensor: torch makes a 0-d tensor of it.
        return expected.shape not in (None, ())
    if expected.dtype is not None and given.dtype != expected.dtype:
        return True
    if expected.shape is None:
        return len(given.shape) < expected.least_rank
    if expected.shape == () and given.shape == (1,):
        # One element is one element, also for `item()`.
        return False
    return len(given.shape) != len(expected.shape)


def _mild_problems(
    index: WrapperIndex, expected: Sequence[ExpectedInput], given: Sequence[GivenInput]
) -> list[str]:
    problems: list[str] = []
    for e, g in zip(expected, given, strict=True):
        if g.kind != "tensor" or e.shape is None:
            continue
        for dim, (want, have) in enumerate(zip(e.shape, g.shape, strict=False)):
            if want is not None and want != have:
                problems.append(
                    f"input {e.position} ({e.name}): size {have} at dimension {dim}, where the "
                    f"model was compiled for {want}"
                )
        problems.extend(_outside_guards(index, g))
        if e.stride is None or 0 in g.shape:
            continue
        for dim, (step, got) in enumerate(zip(e.stride, g.stride, strict=False)):
            if step is not None and step != got and g.shape[dim] > 1:
                problems.append(
                    f"input {e.position} ({e.name}): stride {got} at dimension {dim}, where the "
                    f"model was compiled for {step}; kernels read it with the compiled strides"
                )
    return problems


def _outside_guards(index: WrapperIndex, given: GivenInput) -> list[str]:
    found = []
    for guard in index.guards_of(given.position):
        if guard.dim is None or guard.dim >= len(given.shape):
            continue
        if guard.check not in ("min", "max") or not _INTEGER.fullmatch(guard.value.strip()):
            continue
        size, limit = given.shape[guard.dim], int(guard.value)
        if size < limit if guard.check == "min" else size > limit:
            sign = ">=" if guard.check == "min" else "<="
            found.append(
                f"input {given.position} ({given.name}): size {size} at dimension {guard.dim} "
                f"violates the guard {sign} {limit} (wrapper line {guard.line})"
            )
    return found


def summary_text(summary: Summary | None) -> str:
    """``min 0  max 5  5 distinct``."""
    if summary is None or summary.count == 0:
        return "empty"
    parts = [f"min {_short(summary.min)}", f"max {_short(summary.max)}"]
    if summary.nan:
        parts.append(f"{summary.nan} NaN")
    if summary.distinct is not None:
        parts.append(f"{summary.distinct} distinct")
    return "  ".join(parts)


def _short(value: float | int | None) -> str:
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _one(given: GivenInput) -> str:
    if given.kind == "tensor":
        return f"{given.dtype} {list_of(given.shape)}"
    return f"{given.kind} {given.value}"


def _list(expected: Sequence[ExpectedInput]) -> str:
    shown = ", ".join(f"{e.name}: {e.describe()}" for e in expected[:4])
    return shown + (", …" if len(expected) > 4 else "")


def _found(given: Sequence[GivenInput]) -> str:
    shown = ", ".join(_one(g) for g in given[:4])
    return shown + (", …" if len(given) > 4 else "")
