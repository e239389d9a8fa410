"""Block sizes and grid of a launch."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from aoti_tui.index.expression import Expr
from aoti_tui.index.model import Kernel, Launch
from aoti_tui.kernel.model import KernelProgram
from aoti_tui.replay.model import Program

MAX_BLOCK_ELEMENTS = 4096
"""Inductor's largest tile of a looped reduction (torch/_inductor/runtime/triton_heuristics.py)."""
_SPLIT_SCAN_MINIMUM = 256
_BLOCK = re.compile(r"([XYZ]|R\d?_?)BLOCK")


@dataclass(frozen=True, slots=True)
class Blocks:
    """``sizes`` of the kernel's constexpr parameters; ``chosen`` names those that are a guess."""

    sizes: dict[str, int]
    chosen: tuple[str, ...] = ()


def blocks_of(kernel: Kernel, program: KernelProgram) -> Blocks:
    """Block sizes: those that the wrapper fixes, and a choice for those that it does not.

    A looped reduction's ``R0_BLOCK`` stands nowhere in a wrapper; it is chosen out of
    ``size_hints`` as Inductor's first configuration would be. Which one it was changes no result
    but the order of float sums.
    """
    known = dict(kernel.blocks)
    sizes: dict[str, int] = {}
    chosen: list[str] = []
    for name in _block_parameters(kernel, program):
        if name in known:
            sizes[name] = known[name]
    for name in _block_parameters(kernel, program):
        if name not in sizes:
            sizes[name] = _choose(name, kernel, {**known, **sizes})
            chosen.append(name)
    return Blocks(sizes, tuple(chosen))


def _block_parameters(kernel: Kernel, program: KernelProgram) -> list[str]:
    names = [p.name for p in kernel.parameters if p.type == "constexpr"]
    names += [name for name in program.constexprs if name not in names]
    # X before R: a reduction's block depends on how many rows a program takes.
    names.sort(key=lambda n: n.startswith("R"))
    return [n for n in names if n not in kernel.constants]


def _choose(name: str, kernel: Kernel, known: Mapping[str, int]) -> int:
    match = _BLOCK.fullmatch(name)
    if match is None:
        return 1 if name in ("RSPLIT", "SPLIT_K", "GROUP_M") else 128
    prefix = match[1].lower()
    hint = _hint(kernel.size_hints, prefix)
    size = _power_of_two(hint if hint is not None else 1024)
    if not prefix.startswith("r"):
        return max(1, min(size, 1024))
    rows = 1
    for other, value in known.items():
        if _BLOCK.fullmatch(other):
            rows *= max(1, value)
    size = max(1, min(size, 2048, MAX_BLOCK_ELEMENTS // max(1, min(rows, MAX_BLOCK_ELEMENTS))))
    if kernel.heuristic == "split_scan":
        size = max(size, _SPLIT_SCAN_MINIMUM)
    return size


def _hint(hints: Mapping[str, int], prefix: str) -> int | None:
    for key in (prefix, prefix.rstrip("_"), f"{prefix}_", "r0_" if prefix == "r" else prefix):
        if key in hints:
            return hints[key]
    return None


def _power_of_two(size: int) -> int:
    return 1 << max(0, (max(1, size) - 1).bit_length())


def grid_of(
    kernel: Kernel,
    launch: Launch,
    in_call: Callable[[Expr], int],
    in_run: Callable[[Expr], int],
) -> Program | None:
    """Programs in x, y, z; None when the wrapper does not say.

    ``in_call`` evaluates an expression over the kernel's parameters, ``in_run`` over the names of
    the function that launches. Unsigned as in the wrapper: never below 0.
    """
    axes, evaluate = (launch.grid, in_run) if launch.grid else (kernel.grid, in_call)
    if not axes:
        return None
    sizes = [max(0, evaluate(axis)) for axis in axes][:3]
    sizes += [1] * (3 - len(sizes))
    return (sizes[0], sizes[1], sizes[2])
