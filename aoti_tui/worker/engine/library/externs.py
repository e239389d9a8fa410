"""Functions of external GPU libraries by their symbols, as far as libdevice has them."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

from ..values.handle import Handle
from ..values.scalars import Values

Function = Callable[..., Any]
By = Callable[[list[Handle], Any], Handle]


class _Operand:
    """Stands for any block."""

    def to(self, *_: Any, **__: Any) -> _Operand:
        return self


def _tables() -> dict[str, list[dict[tuple[Any, ...], tuple[str, Any]]]]:
    """What each function of triton's libdevice gives extern_elementwise: symbol and result type by
    the types of its operands."""
    device: Any = importlib.import_module("triton.language.extra.cuda.libdevice")
    core = device.core
    found: dict[str, list[dict[tuple[Any, ...], tuple[str, Any]]]] = {}
    original = core.extern_elementwise
    try:
        for name, member in list(vars(device).items()):
            if not core.is_builtin(member):
                continue

            def note(*parts: Any, name: str = name, **_: Any) -> _Operand:
                found.setdefault(name, []).append(parts[3])
                return _Operand()

            core.extern_elementwise = note
            inner = inspect.unwrap(member)
            count = sum(not p.startswith("_") for p in inspect.signature(inner).parameters)
            inner(*[_Operand()] * count)
    finally:
        core.extern_elementwise = original
    return found


def forms() -> dict[str, list[tuple[str, ...]]]:
    """The types of triton's libdevice by function: those of the operands, then the result's."""
    return {
        name: [
            (*(kind.name for kind in kinds), result.name)
            for table in tables
            for kinds, (_, result) in table.items()
        ]
        for name, tables in _tables().items()
    }


def symbols() -> dict[str, str]:
    """The function of triton's libdevice that each symbol (`__nv_tanhf`) belongs to."""
    return {
        symbol: name
        for name, tables in _tables().items()
        for table in tables
        for symbol, _ in table.values()
    }


def extern_functions(values: Values, functions: dict[str, Function]) -> dict[str, By]:
    """By symbol: what gives a block of a type from blocks."""

    def by(function: Function) -> By:
        def call(operands: list[Handle], kind: Any) -> Handle:
            result = function(*[values.tensor(operand) for operand in operands])
            handle: Handle = result.to(kind.scalar).handle
            return handle

        return call

    known = symbols().items()
    return {symbol: by(functions[name]) for symbol, name in known if name in functions}
