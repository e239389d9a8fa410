"""Arguments of an extern call as those of the worker's ``extern`` request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aoti_tui.index.arguments import (
    ExternArgument,
    NumberList,
    Plain,
    Result,
    TensorList,
    TensorView,
)
from aoti_tui.index.expression import Expr
from aoti_tui.index.model import ExternCall
from aoti_tui.index.nodes import Value

Hold = Callable[[TensorView], str]
Evaluate = Callable[[Expr], Value]


class CannotConvert(Exception):
    """An argument whose form is not known; ``str()`` of it says which."""


def extern_arguments(
    extern: ExternCall, hold: Hold, evaluate: Evaluate
) -> tuple[list[dict[str, Any]], list[str | None]]:
    """``(args, outputs)`` for the worker.

    ``hold`` gives the worker's name of a tensor, ``evaluate`` an expression's value.
    ``outputs`` are the names of what the call makes, in its order, None for a result that nobody
    keeps. Raises :class:`CannotConvert`.
    """
    args = [_converted(argument, hold, evaluate) for argument in extern.arguments]
    return args, [part_name(result) for result in extern.results]


def part_name(result: Result) -> str | None:
    """The name under which one of several results is kept: ``buf7#1``."""
    return f"{result.name}#{result.part}" if result.part else result.name


def _converted(argument: ExternArgument, hold: Hold, evaluate: Evaluate) -> dict[str, Any]:
    if isinstance(argument, TensorView):
        return {"tensor": hold(argument)}
    if isinstance(argument, TensorList):
        return {"tensors": [hold(v) if v is not None else None for v in argument.tensors]}
    if isinstance(argument, NumberList):
        values = [evaluate(value) for value in argument.values]
        if argument.type == "float":
            return {"floats": [float(v) for v in values]}
        if argument.type == "bool":
            return {"bools": [bool(v) for v in values]}
        return {"ints": [int(v) for v in values]}
    if isinstance(argument, Plain):
        return _plain(argument)
    if isinstance(argument, bool):
        return {"bool": argument}
    number = evaluate(argument)
    return {"float": number} if isinstance(number, float) else {"int": int(number)}


def _plain(argument: Plain) -> dict[str, Any]:
    if argument.kind == "unknown":
        raise CannotConvert(f"the argument {argument.text!r} is not understood")
    if argument.kind in ("dtype", "string"):
        return {argument.kind: argument.text}
    return {"none": True}
