"""What the sizes and values of the given inputs make known of the symbols."""

from __future__ import annotations

from collections.abc import Mapping

from aoti_tui.failure.provenance.tree import Known
from aoti_tui.index.expression import ExpressionError
from aoti_tui.index.model import WrapperIndex


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
            if size is not None:
                known[symbol.name] = size
        elif symbol.kind == "item" and symbol.tensor in names:
            position = names[symbol.tensor or ""]
            if position in values:
                known[symbol.name] = values[position]
        elif symbol.kind == "expression":
            try:
                known[symbol.name] = symbol.expression.evaluate_int(known)
            except ExpressionError:
                continue
    return Known(symbols=known, dims=sizes, inputs=dict(words or {}), ranges=dict(ranges or {}))
