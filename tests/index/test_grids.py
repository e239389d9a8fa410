"""Block sizes out of grids."""

from __future__ import annotations

import pytest

from aoti_tui.index.cpp.expression import read
from aoti_tui.index.cpp.grids import blocks_of_grid, blocks_of_values

CEIL = "(({n} + ({b} - 1)) / ({b}))"


@pytest.mark.parametrize(
    ("grid", "meta", "parameters", "blocks"),
    [
        ((CEIL.format(n="xnumel", b=128), "1", "1"), {}, ("XBLOCK",), {"XBLOCK": 128}),
        (("xnumel", "1", "1"), {}, ("XBLOCK",), {"XBLOCK": 1}),
        (("4", "1", "1"), {}, ("XBLOCK",), {}),
        (
            (CEIL.format(n="xnumel", b=64), "1", "1"),
            {"grid_type": "MixOrderReductionGrid"},
            ("XBLOCK",),
            {"RSPLIT_SIZE": 64},
        ),
        (
            ("16", CEIL.format(n="xnumel", b=2), "1"),
            {"grid_type": "CooperativeReductionGrid"},
            ("XBLOCK", "RSPLIT"),
            {"RSPLIT": 16, "XBLOCK": 2},
        ),
        (
            (f"{CEIL.format(n='xnumel_0', b=32)} + {CEIL.format(n='xnumel_1', b=32)}", "1", "1"),
            {"grid_type": "SequentialComboKernelGrid"},
            ("XBLOCK",),
            {"XBLOCK": 32},
        ),
        (
            ("xnumel_0", "1", "1"),
            {"grid_type": "SequentialComboKernelGrid", "combo_grid_meta": {"no_x_dim_0": True}},
            ("XBLOCK",),
            {},
        ),
    ],
)
def test_blocks_of_grid(
    grid: tuple[str, ...],
    meta: dict[str, object],
    parameters: tuple[str, ...],
    blocks: dict[str, int],
) -> None:
    assert blocks_of_grid(tuple(map(read, grid)), meta, parameters) == blocks


def ceiling(expression: str) -> str:
    return f"(-1L)*(static_cast<int64_t>(std::floor({expression})))"


@pytest.mark.parametrize(
    ("grid", "numel", "definitions", "block"),
    [
        (ceiling("(-1.0/16.0)*s1"), "K_xnumel", {"K_xnumel": "16L*s1"}, 256),
        (ceiling("(-1.0/256.0)*s0*s1"), "s0*s1", {}, 256),
        ("s0*s1", "K_xnumel", {"K_xnumel": "s0*s1"}, 1),
        ("2L", "480L", {}, 256),
        # One program fits every block that is large enough.
        ("1L", "64L", {}, None),
        # A grid of other symbols says nothing.
        (ceiling("(-1.0/16.0)*s1"), "16L*s2", {}, None),
        ("not an expression(", "s0", {}, None),
        # A definition that names itself ends.
        ("s0", "a", {"a": "a + 1L"}, None),
    ],
)
def test_blocks_before_torch_2_7_are_solved(
    grid: str, numel: str, definitions: dict[str, str], block: int | None
) -> None:
    found = blocks_of_values(
        (read(grid), read("1L"), read("1L")),
        {"xnumel": read(numel)},
        ("XBLOCK",),
        {name: read(text) for name, text in definitions.items()},
    )
    assert found == ({} if block is None else {"XBLOCK": block})
