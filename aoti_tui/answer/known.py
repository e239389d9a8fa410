"""What the user's inputs and settings make known before anything runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from aoti_tui.answer.user_terms import binding_notes, user_terms
from aoti_tui.artifacts.errors import ArtifactError
from aoti_tui.artifacts.given import Given
from aoti_tui.artifacts.graphs.signatures import NamedArgument
from aoti_tui.artifacts.saved_tensors import read_saved
from aoti_tui.failure.provenance.known import InputData, Known, known_from_inputs
from aoti_tui.index.model import WrapperIndex
from aoti_tui.replay.data.inputs import Decoded, check_given, decode_given
from aoti_tui.replay.errors import ReplayError
from aoti_tui.replay.model import GivenInput, SymbolValue
from aoti_tui.replay.questions.truncated import (
    TruncatedSymbol,
    truncated_symbols,
    truncation_warning,
    truncation_words,
)


def known_of(
    index: WrapperIndex,
    given: Given,
    told: Mapping[str, int | float] | None = None,
    named: Mapping[int, NamedArgument] | None = None,
) -> tuple[Known, tuple[GivenInput, ...], tuple[str, ...]]:
    """What inputs and settings make known, the inputs, and what is odd about them. ``told`` are
    symbols that a core dump tells, ``named`` what a graph's arguments are called."""
    if given.inputs is None:
        settings = {**(told or {}), **given.settings}
        return _nothing_given(index, settings, named), (), ()
    saved = read_saved(given.inputs)
    if saved is None:
        note = f"{given.inputs} is read when a replay starts: only torch can load what it holds"
        return _nothing_given(index, given.settings, named), (), (note,)
    decoded = decode_given(index, [value.as_reply() for value in saved], given.binding)
    try:
        problems = check_given(index, decoded.inputs, str(given.inputs))
    except ReplayError as error:
        raise ArtifactError(error.what, error.why, error.do) from error
    dims: dict[tuple[int, int], int] = {}
    values: dict[int, int | float] = {}
    words: dict[int, str] = {}
    ranges: dict[str, tuple[int, int]] = {}
    data: dict[str, InputData] = {}
    inputs: list[GivenInput] = []
    for one in decoded.inputs:
        if one.place is None:
            if one.value is not None:
                values[one.position] = one.value
            continue
        value = saved[one.place]
        dims.update({(one.position, dim): size for dim, size in enumerate(one.shape)})
        if value.value is not None:
            values[one.position] = value.value
        words[one.position] = value.words
        # Arithmetic on 8 and 16 bits wraps, which intervals do not follow.
        if value.span is not None and one.dtype in ("int32", "int64"):
            ranges[one.name] = value.span
        if value.elements is not None:
            data[one.name] = InputData(
                one.name, one.position, one.shape, one.stride, value.elements
            )
        inputs.append(replace(one, summary=value.words))
    known = known_from_inputs(index, dims, values, given.settings, words, ranges)
    truncated = truncated_of(index, known)
    known = replace(
        known,
        data=data,
        strides={one.position: one.stride for one in decoded.inputs if one.kind != "absent"},
        user=user_terms(index, decoded, named),
        truncated={s.name: truncation_words(s) for s in truncated},
    )
    notes = (*map(truncation_warning, truncated), *problems, *binding_notes(index, decoded))
    return known, tuple(inputs), notes


def _nothing_given(
    index: WrapperIndex,
    settings: Mapping[str, int | float],
    named: Mapping[int, NamedArgument] | None,
) -> Known:
    known = known_from_inputs(index, {}, {}, settings)
    return replace(known, user=user_terms(index, None, named))


def takes_inputs(index: WrapperIndex, given: Given) -> bool | None:
    """Whether a wrapper takes all of the given inputs; None where none are given or only torch can
    load them."""
    decoded = _decoded(index, given)
    if decoded is None:
        return None
    try:
        check_given(index, decoded.inputs, str(given.inputs))
    except ReplayError:
        return False
    return not decoded.binding.unbound


def ways_to_bind(index: WrapperIndex, given: Given) -> int:
    """In how many ways the given inputs can be the arguments of a graph."""
    decoded = _decoded(index, given)
    return 1 if decoded is None else decoded.ways


def _decoded(index: WrapperIndex, given: Given) -> Decoded | None:
    saved = read_saved(given.inputs) if given.inputs is not None else None
    if saved is None:
        return None
    return decode_given(index, [value.as_reply() for value in saved], given.binding)


def truncated_of(index: WrapperIndex, known: Known) -> tuple[TruncatedSymbol, ...]:
    """Sizes that the given inputs make come out wrong, as far as nothing has to run for it."""
    symbols = tuple(SymbolValue(n, v, "input", "") for n, v in known.symbols.items())
    return truncated_symbols(index, symbols)
