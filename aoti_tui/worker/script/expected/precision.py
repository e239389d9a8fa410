"""How far each value of a program is from what float64 gives, and where the precision was lost.

The program runs twice on the same memory: as it is, and with every float kept as a float64. What
is loaded is the same in both, so that all of the difference was made by this program.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...engine.numbers.exact import exactly
from ...engine.numbers.floats import Array
from ...engine.programs.launch import Launch
from ...protocol.encode import number_json
from .temporaries import Program, Temporary, index_of, temporaries

# An error is a loss when it is so many times that of what went in, and more than fp32 rounds.
GROWTH = 16.0
LEAST = 1e-5
_UNIT = 2.0**-24


@dataclass(frozen=True)
class Error:
    """`relative`: the largest distance over the largest magnitude of the block; `operands`: the
    largest such error among the names that the statement reads."""

    temporary: Temporary
    relative: float
    operands: float
    lane: list[int]
    actual: float
    exact: float

    @property
    def loses(self) -> bool:
        """Whether the precision was lost here, not before."""
        return self.relative > LEAST and self.relative > GROWTH * max(self.operands, _UNIT)


def precision(
    again: Callable[[], Launch], trees: dict[str, list[ast.FunctionDef]], program: Program
) -> dict[str, Any]:
    """The `precision` result: every float's error, and the index of the first that loses.

    `trees` are the functions of each file, to know what a statement reads. Where control flow
    parts because of the precision, only what comes before is compared.
    """
    real = temporaries(again(), program)
    with exactly():
        exact = temporaries(again(), program)
    reads = _Reads(trees)
    errors: list[Error] = []
    latest: dict[str, float] = {}
    parted = None
    for one, other in zip(real, exact):
        if (one.name, one.place, one.iteration) != (other.name, other.place, other.iteration):
            parted = one
            break
        if one.number.kind != "float":
            continue
        operands = max((latest.get(name, 0.0) for name in reads.at(one)), default=0.0)
        error = _error(one, other.values, operands)
        errors.append(error)
        latest[one.name] = error.relative
    first = next((at for at, error in enumerate(errors) if error.loses), None)
    return {
        "steps": [_json(error) for error in errors],
        "first": first,
        "parted": None
        if parted is None
        else {"file": parted.place.file, "line": parted.place.line},
    }


def _error(one: Temporary, exact: Array, operands: float) -> Error:
    actual = one.values.astype(np.float64)
    actual, exact = np.broadcast_arrays(actual, exact.astype(np.float64))
    with np.errstate(all="ignore"):
        apart = np.abs(actual - exact)
    same = (actual == exact) | (np.isnan(actual) & np.isnan(exact))
    apart = np.where(same, 0.0, np.where(np.isnan(apart), np.inf, apart))
    finite = np.abs(exact[np.isfinite(exact)])
    scale = float(finite.max()) if finite.size else 0.0
    worst = int(np.argmax(apart)) if apart.size else 0
    largest = float(apart.reshape(-1)[worst]) if apart.size else 0.0
    relative = largest / scale if scale else (np.inf if largest else 0.0)
    lane = index_of(worst, apart.shape)
    at = tuple(lane)
    return Error(one, relative, operands, lane, float(actual[at]), float(exact[at]))


def _json(error: Error) -> dict[str, Any]:
    one = error.temporary
    return {
        "name": one.name,
        "file": one.place.file,
        "kernel_line": one.place.line,
        "iteration": list(one.iteration),
        "occurrence": one.occurrence,
        "dtype": one.number.name,
        "error": number_json(error.relative),
        "operands_error": number_json(error.operands),
        "loses": error.loses,
        "lane": error.lane,
        "actual": number_json(error.actual),
        "exact": number_json(error.exact),
    }


class _Reads:
    """Which names the statement at a place reads."""

    def __init__(self, trees: dict[str, list[ast.FunctionDef]]) -> None:
        self.by_place: dict[tuple[str, int], set[str]] = {}
        for file, functions in trees.items():
            for function in functions:
                for node in ast.walk(function):
                    if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
                        names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
                        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                            names = {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
                        self.by_place.setdefault((file, node.lineno), set()).update(names)

    def at(self, one: Temporary) -> set[str]:
        return self.by_place.get((one.place.file, one.place.line), set())
