"""What a temporary should be, as an expression of torch over the kernel's arguments."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ...engine.numbers.floats import Array
from ...engine.programs.launch import Launch
from ...protocol.encode import number_json
from ...protocol.problems import RequestError, bad_request
from .temporaries import Program, Temporary, temporaries
from .worst import worst

# Beside half a unit in the last place of the temporary's type.
_TOLERANCES = {"float64": 1e-7, "float32": 1.3e-6, "float16": 1e-3, "bfloat16": 1.6e-2}


@dataclass(frozen=True)
class Expectation:
    """`name` should be what `expression` gives; it may read arguments, `pid` (the program, three
    numbers), temporaries of the program that have one value each, and torch."""

    name: str
    expression: str


def read(text: str) -> Expectation:
    """`NAME = EXPR`. Raises a bad request for anything else."""
    try:
        (statement,) = ast.parse(text.strip()).body
    except (SyntaxError, ValueError):
        raise bad_request(f"{text!r} is not NAME = EXPR") from None
    simple = isinstance(statement, ast.Assign) and len(statement.targets) == 1
    if not simple or not isinstance(statement.targets[0], ast.Name):  # type: ignore[attr-defined]
        raise bad_request(f"{text!r} is not NAME = EXPR")
    assert isinstance(statement, ast.Assign)
    return Expectation(ast.unparse(statement.targets[0]), ast.unparse(statement.value))


def compare(
    again: Callable[[], Launch],
    arguments: Mapping[str, Any],
    program: Program,
    expectations: list[Expectation],
    strict: bool = True,
) -> dict[str, Any]:
    """The `expect` result: for each expectation whether it holds, and the first that departs.

    `arguments` are the kernel's, tensors as torch has them. A name that is assigned several times
    is compared as it is in the end. Unless `strict`, what cannot be compared here has a `problem`.
    """
    found = temporaries(again(), program)
    last = {one.name: (at, one) for at, one in enumerate(found)}
    names = {
        "torch": torch,
        "pid": program,
        **{name: torch.from_numpy(np.array(one.values)) for name, (_, one) in last.items()},
        **arguments,
    }
    results = []
    for expectation in expectations:
        try:
            results.append(_compared(expectation, last, names))
        except RequestError as error:
            if strict:
                raise
            assigned = expectation.name in last
            results.append((-1, {"problem": error.message, "assigned": assigned}))
    departing = [(at, result) for at, result in results if not result.get("holds", True)]
    first = min(departing, key=lambda one: one[0])[1] if departing else None
    return {"expected": [result for _, result in results], "first": first}


def _compared(
    expectation: Expectation, last: dict[str, tuple[int, Temporary]], names: dict[str, Any]
) -> tuple[int, dict[str, Any]]:
    """When the name was assigned, and whether it is as expected."""
    if expectation.name not in last:
        raise bad_request(f"the program assigns nothing to {expectation.name}")
    at, one = last[expectation.name]
    return at, _result(one, expectation, names)


def _result(one: Temporary, expectation: Expectation, names: dict[str, Any]) -> dict[str, Any]:
    values = _evaluated(expectation, names)
    rtol = _TOLERANCES.get(one.number.name, 0.0)
    actual = one.values
    try:
        fits = np.broadcast_shapes(values.shape, actual.shape) == actual.shape
    except ValueError:
        fits = False
    if not fits:
        shapes = f"{list(values.shape)}, but {one.name} has {list(actual.shape)}"
        raise bad_request(f"{expectation.expression} has the shape {shapes}")
    found = worst(actual, values, rtol, rtol * 1e-2, equal_nan=True)
    told = {
        "name": one.name,
        "expression": expectation.expression,
        "file": one.place.file,
        "kernel_line": one.place.line,
        "holds": found is None,
    }
    if found is None:
        return told
    lane = list(found.index)
    return {
        **told,
        "lane": lane,
        "actual": number_json(found.actual),
        "expected": number_json(found.expected),
        "count": found.apart,
        "text": f"{one.name} departs in line {one.place.line}, lane {lane}: {found.actual!r}, "
        f"expected {found.expected!r} ({found.apart} of {found.of} lanes)",
    }


def _evaluated(expectation: Expectation, names: dict[str, Any]) -> Array:
    try:
        value = eval(compile(expectation.expression, "<expect>", "eval"), dict(names))
    except Exception as error:
        kind = type(error).__name__
        raise bad_request(f"{expectation.expression}: {kind}: {error}") from None
    if not isinstance(value, torch.Tensor):
        value = torch.as_tensor(value)
    plain = value.detach().cpu()
    if plain.dtype.is_floating_point and plain.element_size() < 4:
        plain = plain.float()
    array: Array = plain.numpy()
    return array
