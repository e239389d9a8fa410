"""Block sizes out of a grid.

Inductor folds block sizes into the grid (``(xnumel + (128 - 1)) / (128)``), which is often the
only place where a wrapper keeps them.
Format: torch/_inductor/runtime/triton_heuristics.py (GridExpr and its subclasses).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from aoti_tui.index.expression import Expr, ExpressionError

_DIVIDED = re.compile(r"\(\((\w+) \+ \((\d+) - 1\)\) / \((\d+)\)\)")
_NUMEL = re.compile(r"^(x|y|z|r|r0_|r1_)numel(_\d+)?$")

_BLOCKS = tuple(2**power for power in range(18))
_DEEPEST = 20
_TRIALS = (1, 3, 7, 129, 1021, 40961, 1000003)


def block_name(numel: str) -> str | None:
    """``xnumel`` as ``XBLOCK``, ``r0_numel`` as ``R0_BLOCK``, ``xnumel_1`` as ``XBLOCK_1``."""
    match = _NUMEL.match(numel)
    if match is None:
        return None
    return f"{match.group(1).upper()}BLOCK{match.group(2) or ''}"


def blocks_of_grid(
    grid: Sequence[Expr], inductor_meta: Mapping[str, object], parameters: Sequence[str]
) -> dict[str, int]:
    """The block sizes a grid over ``call_…`` parameters gives away.

    ``parameters`` are the names of the kernel's Python function.
    """
    grid_type = str(inductor_meta.get("grid_type", ""))
    combo = grid_type.endswith("ComboKernelGrid")
    blocks: dict[str, int] = {}
    for expression in (axis.written for axis in grid):
        for match in _DIVIDED.finditer(expression):
            numel, less, divisor = match.groups()
            name = _of_kernel(numel, parameters, combo)
            if name is None or less != divisor:
                continue
            if grid_type == "MixOrderReductionGrid" and numel == "xnumel":
                name = "RSPLIT_SIZE"
            blocks[name] = int(divisor)
        for bare in expression.split(" + ") if combo else (expression,):
            name = _of_kernel(bare, parameters, combo)
            if name is not None and not (combo and _has_no_x(bare, inductor_meta)):
                blocks.setdefault(name, 1)
    if grid_type == "CooperativeReductionGrid" and grid and isinstance(grid[0].literal, int):
        blocks["RSPLIT"] = grid[0].literal
    return blocks


def _of_kernel(numel: str, parameters: Sequence[str], combo: bool) -> str | None:
    name = block_name(numel)
    if name is None or name in parameters or not combo:
        return name
    # One XBLOCK serves every sub-kernel of a combo kernel unless its source numbers them.
    return re.sub(r"_\d+$", "", name)


def _has_no_x(numel: str, inductor_meta: Mapping[str, object]) -> bool:
    """Whether a sub-kernel of a combo kernel takes one row per program, whatever XBLOCK is."""
    combo = inductor_meta.get("combo_grid_meta")
    number = numel.rpartition("_")[2]
    return not isinstance(combo, Mapping) or bool(combo.get(f"no_x_dim_{number}"))


def blocks_of_values(
    grid: Sequence[Expr],
    numels: Mapping[str, Expr],
    names: Sequence[str],
    definitions: Mapping[str, Expr],
) -> dict[str, int]:
    """The block sizes that make ``numels`` (by parameter) come out as ``grid``.

    Before torch 2.7 the grid is an expression of symbols with the block folded in
    (``-floor((-1.0/16.0)*s1)`` for ``16*s1`` elements), so sizes are tried: a power of two that
    gives the right grid for every trial value of the symbols is the block size. A grid that
    fits several (a constant one) tells nothing and gives no block. ``definitions`` are the
    locals of the launch (``…_xnumel``, ``ps0``) by name.
    """
    found: dict[str, int] = {}
    for axis, letter in zip(grid, "xyz", strict=False):
        numel = numels.get(f"{letter}numel")
        block = f"{letter.upper()}BLOCK"
        if numel is None or block not in names:
            continue
        size = _divisor(numel, axis, definitions)
        if size is not None:
            found[block] = size
    return found


def _divisor(numel: Expr, grid: Expr, definitions: Mapping[str, Expr]) -> int | None:
    trials: list[tuple[int, int]] = []
    try:
        for seed in _TRIALS:
            env: dict[str, int | float] = {}
            for name in (*numel.needs(), *grid.needs()):
                _assign(name, definitions, env, seed, 0)
            trials.append((numel.evaluate_int(env), grid.evaluate_int(env)))
    except ExpressionError:
        return None
    fitting = [b for b in _BLOCKS if all(-(-n // b) == g for n, g in trials)]
    return fitting[0] if len(fitting) == 1 else None


def _assign(
    name: str, definitions: Mapping[str, Expr], env: dict[str, int | float], seed: int, depth: int
) -> None:
    """A trial value for a symbol; for a local, the value its definition then gives it."""
    if name in env:
        return
    expression = definitions.get(name)
    if expression is None or depth > _DEEPEST:
        # Symbols must differ, or a grid of one would fit the elements of another.
        env[name] = seed + 37 * len(env) ** 2
        return
    for inner in expression.needs():
        _assign(inner, definitions, env, seed, depth + 1)
    env[name] = expression.evaluate_int(env)
