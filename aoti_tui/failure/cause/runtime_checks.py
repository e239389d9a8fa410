"""A message of a wrapper's own runtime check, found again in the wrapper.

``if (!(4L + u0 <= s77)) { throw … }`` is written by torch/_inductor/codegen/cpp_wrapper_cpu.py for
each ``torch._check`` and each assumption on a size that is read from data.
"""

from __future__ import annotations

from aoti_tui.index.model import RuntimeCheck, Symbol, WrapperIndex


def check_of(index: WrapperIndex, text: str) -> RuntimeCheck | None:
    """The first check that throws this message; None when the wrapper has none such."""
    said = " ".join(text.split())
    for check in index.checks:
        message = " ".join(check.message.split())
        if message and said.startswith(message):
            return check
    return None


def check_words(index: WrapperIndex, check: RuntimeCheck) -> str:
    """Where a check stands and what its symbols are (``u0 = arg1_1.item()``)."""
    symbols = [_symbol_words(index, s) for s in _symbols(index, check)]
    said = f"wrapper line {check.line} checks {check.condition.written}"
    return f"{said} with {', '.join(symbols)}" if symbols else said


def _symbols(index: WrapperIndex, check: RuntimeCheck) -> list[Symbol]:
    found: dict[str, Symbol] = {}
    for name in check.condition.names():
        for symbol in index.symbols:
            if symbol.name == name and symbol.line <= check.line:
                found[name] = symbol
    return list(found.values())


def _symbol_words(index: WrapperIndex, symbol: Symbol) -> str:
    if symbol.kind == "input_dim":
        given = next((i for i in index.inputs if i.position == symbol.position), None)
        if given is not None:
            return f"{symbol.name} = {given.name}.size({symbol.dim}) of input {given.position}"
    if symbol.kind == "item" and symbol.tensor is not None:
        given = index.input_named(symbol.tensor)
        of = f" of input {given.position}" if given is not None else ""
        return f"{symbol.name} = {symbol.tensor}.item(){of}"
    return f"{symbol.name} = {symbol.expression.written}"
