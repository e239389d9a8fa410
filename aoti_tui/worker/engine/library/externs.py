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


def symbols() -> dict[str, str]:
    """The function of triton's libdevice that each symbol (`__nv_tanhf`) belongs to."""
    device: Any = importlib.import_module("triton.language.extra.cuda.libdevice")
    core = device.core
    found: dict[str, str] = {}
    original = core.extern_elementwise
    try:
        for name, member in list(vars(device).items()):
            if not core.is_builtin(member):
                continue

            def note(*parts: Any, name: str = name, **_: Any) -> _Operand:
                found.update({symbol: name for symbol, _ in parts[3].values()})
                return _Operand()

            core.extern_elementwise = note
            inner = inspect.unwrap(member)
            count = sum(not p.startswith("_") for p in inspect.signature(inner).parameters)
            inner(*[_Operand()] * count)
    finally:
        core.extern_elementwise = original
    return found


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
