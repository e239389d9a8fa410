"""Block sizes out of a grid.

Inductor folds block sizes into the grid (``(xnumel + (128 - 1)) / (128)``), which is often the
only place where a wrapper keeps them.
Format: torch/_inductor/runtime/triton_heuristics.py (GridExpr and its subclasses).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_DIVIDED = re.compile(r"\(\((\w+) \+ \((\d+) - 1\)\) / \((\d+)\)\)")
_NUMEL = re.compile(r"^(x|y|z|r|r0_|r1_)numel(_\d+)?$")


def block_name(numel: str) -> str | None:
    """``xnumel`` as ``XBLOCK``, ``r0_numel`` as ``R0_BLOCK``, ``xnumel_1`` as ``XBLOCK_1``."""
    match = _NUMEL.match(numel)
    if match is None:
        return None
    return f"{match.group(1).upper()}BLOCK{match.group(2) or ''}"


def blocks_of_grid(
    grid: Sequence[str], grid_type: str, parameters: Sequence[str]
) -> dict[str, int]:
    """The block sizes a grid over ``call_…`` parameters gives away.

    ``grid_type`` is the kernel's ``inductor_meta['grid_type']`` (``""`` when unknown) and
    ``parameters`` the names of its Python function.
    """
    blocks: dict[str, int] = {}
    for expression in grid:
        for match in _DIVIDED.finditer(expression):
            numel, less, divisor = match.groups()
            name = block_name(numel)
            if name is None or less != divisor:
                continue
            if grid_type == "MixOrderReductionGrid" and numel == "xnumel":
                name = "RSPLIT_SIZE"
            elif grid_type.endswith("ComboKernelGrid"):
                # One XBLOCK serves every sub-kernel unless the source numbers them.
                shared = name.rstrip("0123456789").rstrip("_")
                name = name if name in parameters else shared
            blocks[name] = int(divisor)
        name = block_name(expression)
        if name is not None and name in parameters:
            blocks.setdefault(name, 1)
    if grid_type == "CooperativeReductionGrid" and grid and grid[0].isdigit():
        blocks["RSPLIT"] = int(grid[0])
    return blocks


def default_blocks(inductor_meta: Mapping[str, object]) -> dict[str, int]:
    """Block sizes a combo kernel is compiled with unless its config says otherwise."""
    combo = inductor_meta.get("combo_grid_meta")
    config = combo.get("default_config") if isinstance(combo, Mapping) else None
    if not isinstance(config, Mapping):
        return {}
    return {str(k): v for k, v in config.items() if type(v) is int}
