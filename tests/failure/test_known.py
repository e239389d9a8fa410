"""What inputs and settings make known of the symbols, and what stays unknown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from aoti_tui.failure.provenance.known import known_from_inputs
from aoti_tui.index.model import Input
from tests.failure.wrapper import INDEX, symbol


@pytest.mark.parametrize(
    ("dims", "settings", "symbols"),
    [
        ({(0, 0): 8}, {}, {"s0": 8, "s1": 2, "s2": 8}),
        ({(0, 0): 7}, {}, {"s0": 7, "s1": 1, "s2": 4}),
        ({}, {}, {}),
        ({(0, 0): 8}, {"s0": 4}, {"s0": 4, "s1": 1, "s2": 4}),
        ({}, {"s1": 3}, {"s1": 3, "s2": 12}),
    ],
)
def test_symbols_follow_from_sizes_in_order(
    dims: dict[tuple[int, int], int], settings: dict[str, float], symbols: dict[str, int]
) -> None:
    assert known_from_inputs(INDEX, dims, {}, settings).symbols == symbols


def test_a_size_that_is_set_is_the_size_of_its_input() -> None:
    assert known_from_inputs(INDEX, {(0, 0): 8}, {}, {"s0": 4}).dims == {(0, 0): 4}


def test_a_number_read_off_an_input_is_its_value() -> None:
    index = replace(
        INDEX,
        inputs=(*INDEX.inputs, Input(2, "n", 12), Input(3, "scale", 13, is_scalar=True)),
        symbols=(symbol("u0", 15, "item", "n.item()", tensor="n", position=2),),
    )
    assert known_from_inputs(index, {}, {2: 6, 3: 0.5}).symbols == {"u0": 6, "scale": 0.5}
    assert known_from_inputs(index, {}, {}).symbols == {}
